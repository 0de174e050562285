/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/said.h"

#include <errno.h>
#include <libxml/xmlschemas.h>
#include <string.h>
#include <sys/stat.h>
#include "common/base/diag.h"
#include "common/run/frame.h"
#include "schema/iowrite.h"
#include "tests/unit/golden.h"

static char command[] = "run", option[] = "--name=<\"&\001\377>";
static char *words[] = {command, option, NULL};

static struct target target_here(bool has_direct)
{
	struct target target = {.kind = TARGET_NAMELESS, .fd = 17, .path = "here & <there>\002", .file_system = "ext4",
		.has_direct = has_direct, .memory_align = 512, .offset_align = 4096, .fs_block = 4096};
	struct stat status;

	assert_int_equal(stat(unit_srcdir(), &status), 0);
	target.device = status.st_dev;
	return target;
}

static int set_up(void **state)
{
	struct target target = target_here(true);
	struct frame *frame = malloc(sizeof(*frame));

	assert_non_null(frame);
	assert_int_equal(frame_start(frame, "iowrite-bench", 2, words, &target), DIAG_EXIT_OK);
	*state = frame;
	return 0;
}

static int tear_down(void **state)
{
	free(*state);
	return 0;
}

static void assert_valid(const char *text, size_t size)
{
	xmlSchemaParserCtxt *parser;
	xmlSchemaValidCtxt *check;
	xmlSchema *schema;
	xmlDoc *document = xmlReadMemory(text, (int)size, "frame", NULL, XML_PARSE_NONET);
	char path[512];

	snprintf(path, sizeof(path), "%s/docs/memstor-report.xsd", unit_srcdir());
	parser = xmlSchemaNewParserCtxt(path);
	schema = xmlSchemaParse(parser);
	check = xmlSchemaNewValidCtxt(schema);
	assert_non_null(document);
	assert_non_null(check);
	assert_int_equal(xmlSchemaValidateDoc(check, document), 0);
	xmlSchemaFreeValidCtxt(check);
	xmlSchemaFree(schema);
	xmlSchemaFreeParserCtxt(parser);
	xmlFreeDoc(document);
}

/* The report of a frame without anything in its result, to the paths. */
static int publish_frame(struct frame *frame, const char *xml_path, const char *json_path)
{
	const struct iow_result_values result = {.clock = FIELD_BY(frame_clock, frame)};
	const struct iow_report_values values = {FRAME_MEMBERS(frame), .result = FIELD_ONE(&result)};

	return frame_publish(frame, "iowritebench", &(struct iow_document_values){FIELD_ONE(&values)}, xml_path, json_path);
}

/* The report of this frame, valid; freed by the caller. */
static char *text_of(struct frame *frame)
{
	char path[] = "/tmp/test_frame.XXXXXX", *text;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(publish_frame(frame, path, NULL), DIAG_EXIT_OK);
	text = golden_read(path);
	assert_int_equal(unlink(path), 0);
	assert_valid(text, strlen(text));
	return text;
}

static void assert_has(struct frame *frame, const char *piece, bool has)
{
	char *text = text_of(frame);

	if (has != (strstr(text, piece) != NULL))
		fail_msg("%s %s: %s", piece, has ? "is missing" : "should not be there", text);
	free(text);
}

TEST_WITH("the facts of a frame are complete and valid", set_up, tear_down)
{
	struct frame *frame = *state;

	assert_int_equal(frame->target.fd, -1);
	assert_true(frame->clock_overhead_ns > 0);
	assert_true(frame->clock_granularity_ns >= 0);
	assert_has(frame, "<tool>iowrite-bench</tool>", true);
	assert_has(frame, "<path>here &amp; &lt;there&gt;?</path>", true);
	assert_has(frame, "<kind>nameless</kind>", true);
	assert_has(frame, "<method>CLOCK_MONOTONIC</method>", true);
	assert_has(frame, "<memory_align_bytes>512</memory_align_bytes>", true);
	assert_has(frame, "<offset_align_bytes>4096</offset_align_bytes>", true);
	assert_has(frame, "<verdict status=\"ok\"/>", true);
}

TEST_WITH("without O_DIRECT there is no alignment", set_up, tear_down)
{
	struct target target = target_here(false);
	struct frame *frame = *state;

	target.kind = TARGET_DEVICE;
	assert_int_equal(frame_start(frame, "iowrite-bench", 2, words, &target), DIAG_EXIT_OK);
	assert_has(frame, "align_bytes", false);
	assert_has(frame, "<kind>device</kind>", true);
}

TEST_WITH("settings of the device are written", set_up, tear_down)
{
	struct frame *frame = *state;

	frame->storage = (struct storage){.device = "vda1", .disk = "vda", .setting_count = 1,
		.settings = {{"queue.scheduler", "mq-deadline"}}};
	assert_has(frame, "<device>vda1</device>", true);
	assert_has(frame, "<setting name=\"queue.scheduler\">mq-deadline</setting>", true);
	frame->storage = (struct storage){0};
	assert_has(frame, "<settings/>", true);
}

TEST_WITH("preparation after the wait makes a run late, too", set_up, tear_down)
{
	struct frame *frame = *state;
	const struct start start = {0};

	assert_int_equal(frame_wait(frame, &start, -1, -1), 0);
	assert_int_equal(frame->reason_count, 0);
	frame->signature.start = (struct start){.at_ns = 1, .late_ns = START_LATE_NS};
	frame_check_start(frame);
	assert_int_equal(frame->reason_count, 1);
	assert_string_equal(frame->reasons[0].code, START_LATE);
}

TEST_WITH("reasons are kept once", set_up, tear_down)
{
	struct frame *frame = *state;

	assert_string_equal(frame_status(frame), "ok");
	frame_reason(frame, "short", "%d writes of %s", 3, "a");
	frame_reason(frame, "other", "x");
	frame_reason(frame, "short", "%d writes of %s", 4, "b");
	assert_int_equal(frame->reason_count, 2);
	assert_string_equal(frame->reasons[0].text, "3 writes of a");
	assert_string_equal(frame->reasons[1].code, "other");
	assert_string_equal(frame_status(frame), "untrustworthy");
	assert_has(frame, "<verdict status=\"untrustworthy\">", true);
	assert_has(frame, "<reason code=\"short\">3 writes of a</reason>", true);
	frame->signature.is_interrupted = true;
	assert_string_equal(frame_status(frame), "interrupted");
	assert_has(frame, "<verdict status=\"interrupted\">", true);
}

TEST_WITH("all reasons fit", set_up, tear_down)
{
	struct frame *frame = *state;
	char code[16], text[400];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (int i = 0; i < FRAME_REASONS + 2; i++) {
		snprintf(code, sizeof(code), "code-%d", i);
		frame_reason(frame, code, "%s", text);
	}
	assert_int_equal(frame->reason_count, FRAME_REASONS);
	assert_string_equal(frame->reasons[FRAME_REASONS - 1].code, "code-15");
	assert_int_equal(strlen(frame->reasons[0].text), sizeof(frame->reasons[0].text) - 1);
	/* The name of a cell, what was found in it and the advice. */
	assert_true(sizeof(frame->reasons[0].text) > 300);
	free(text_of(frame));
}

/* On a machine of which everything is said that can be. */
TEST_WITH("no check is lost", set_up, tear_down)
{
	struct durability_check check = {.syncs = 1, .outstanding = 1};
	struct frame *frame = *state;

	for (frame->check_count = 0; frame->check_count < MACHINE_CHECKS; frame->check_count++) {
		frame->checks[frame->check_count] = (struct machine_check){.finding = "f"};
		snprintf(frame->checks[frame->check_count].code, sizeof(frame->checks[0].code), "code-%zu", frame->check_count);
	}
	frame->durability = (struct durability){.count = 0};
	for (int i = 0; i < 2; i++) {
		frame_check(frame, FRAME_NOT_STEADY, "v", "a", "f");
		frame_check(frame, FRAME_LOST_EVENTS, "v", "a", "f");
		frame_check(frame, FRAME_CLOCK_SET, "v", "a", "f");
		frame_check(frame, FRAME_TRAFFIC_NOT_COUNTED, "v", "a", "f");
		frame_decide_durability(frame, &frame->durability, "mix", &check);
	}
	assert_int_equal(frame->check_count, FRAME_CHECKS);
	assert_has(frame, "code=\"code-0\"", true);
	assert_has(frame, "code=\"not-steady\"", true);
	assert_has(frame, "code=\"lost-events\"", true);
	assert_has(frame, "code=\"clock-set\"", true);
	assert_has(frame, "code=\"traffic-not-counted\"", true);
	assert_has(frame, "code=\"durability-not-counted\"", true);
}

TEST_WITH("the end time is that of the publication", set_up, tear_down)
{
	struct frame *frame = *state;

	frame->signature.monotonic_end_ns = frame->signature.monotonic_start_ns + 5;
	free(text_of(frame));
	assert_int_equal(frame->signature.monotonic_end_ns, frame->signature.monotonic_start_ns + 5);
	frame->signature.monotonic_end_ns = 0;
	free(text_of(frame));
	assert_true(frame->signature.monotonic_end_ns > frame->signature.monotonic_start_ns);
}

/* --- where it goes */

struct publication {
	struct frame *frame;
	const char *xml_path, *json_path;
};

static int publish(void *data)
{
	const struct publication *to = data;

	return publish_frame(to->frame, to->xml_path, to->json_path);
}

TEST_WITH("the report goes to the given paths", set_up, tear_down)
{
	char xml[] = "/tmp/test_frame.XXXXXX", *text;
	struct publication file = {*state, xml, NULL}, out = {*state, NULL, "-"}, nowhere = {*state, NULL, NULL};
	struct said said;
	int fd = mkstemp(xml);

	assert_true(fd >= 0);
	close(fd);
	said = said_of(publish, &file);
	assert_int_equal(said.status, DIAG_EXIT_OK);
	assert_string_equal(said.out, "");
	text = golden_read(xml);
	assert_valid(text, strlen(text));
	free(text);
	assert_int_equal(unlink(xml), 0);

	said = said_of(publish, &out);
	assert_int_equal(said.status, DIAG_EXIT_OK);
	assert_non_null(strstr(said.out, "\"iowritebench\""));
	said = said_of(publish, &nowhere);
	assert_int_equal(said.status, DIAG_EXIT_OK);
	assert_string_equal(said.out, "");
	assert_string_equal(said.err, "");
}

TEST_WITH("a report that cannot be written gives one line", set_up, tear_down)
{
	struct publication both = {*state, "/nowhere/a.xml", "/nowhere/a.json"}, one = {*state, "/nowhere/a.xml", "-"};
	struct said said = said_of(publish, &both);

	assert_int_equal(said.status, DIAG_EXIT_HOST);
	assert_string_equal(said.err,
		"test_frame: -f /nowhere/a.xml: the report could not be written: No such file or directory\n"
		"test_frame: --json /nowhere/a.json: the report could not be written: No such file or directory\n");
	said = said_of(publish, &one);
	assert_int_equal(said.status, DIAG_EXIT_HOST);
	/* The other one is written nevertheless. */
	assert_non_null(strstr(said.out, "\"iowritebench\""));
}
