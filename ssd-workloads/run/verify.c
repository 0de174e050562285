/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ssd-workloads verify: reads a target back. */
#include "config.h"
#include "common/storage/target_mark.h"
#include "common/storage/target_use.h"
#include "ssd-workloads/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "common/storage/target.h"
#include "ssd-workloads/run/report.h"
#include "ssd-workloads/verify/verify.h"

struct verify_options {
	size_t count;
	const char *paths[STRIPE_TARGETS];
	const char *xml_path, *json_path; /* NULL = no report */
	struct opt_line line;
};

struct member { /* a target, or one of the two of a striped log */
	struct target target;
	struct header header;
	struct target_mark mark;
};

static int add_target(struct opt_value *in)
{
	struct verify_options *found = in->options;

	in->why = "must not be empty";
	if (!*in->text)
		return -EINVAL;
	in->why = "is allowed twice, for both targets of a striped log";
	if (found->count == STRIPE_TARGETS)
		return -ERANGE;
	found->paths[found->count++] = in->text;
	return 0;
}

#define FIELD(NAME) offsetof(struct verify_options, NAME)

static const struct opt options[] = {
	{"target", 0, "TARGET", OPT_OWN, OPT_ARGUMENT | OPT_REPEATS, .offset = FIELD(paths), .set = add_target},
	{"file", 'f', "FILE", OPT_OWN, OPT_UNREPORTED | OPT_OUTPUT, .offset = FIELD(xml_path), .begins = "<?xml",
		.set = ssd_set_path,
		.help = "write the report as XML",
		.manual = "Write the report as XML. `-` is standard output, where it replaces the text."},
	{"json", 0, "FILE", OPT_OWN, OPT_UNREPORTED | OPT_OUTPUT, .offset = FIELD(json_path), .begins = "{", .bare = "-",
		.set = ssd_set_path,
		.help = "write the report as JSON to FILE (default: stdout)",
		.manual = "Write the report as JSON; without FILE it replaces the text on standard output."},
	{0},
};

static int check(void *data, struct opt_line *line)
{
	const struct verify_options *found = data;

	(void)line;
	if (!found->count) {
		diag_error(0, "TARGET: name the file or block device to read, or both targets of a striped log");
		return DIAG_EXIT_USAGE;
	}
	for (size_t i = 0; i < found->count; i++) {
		const char *path = found->paths[i];

		if (!report_is_same_file(found->xml_path, path) && !report_is_same_file(found->json_path, path))
			continue;
		diag_error(0, "%s: the report would replace the target; give it another name", path);
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

/* Reads with O_DIRECT if possible: data that is only in the page cache has not been written. */
static int read_back(const struct member *member, struct ack_log *ack_log, struct verify_result *result)
{
	const struct target *target = &member->target;
	int direct = -1, rc;

	if (target->has_direct && target_reopen(target, O_RDONLY | O_DIRECT, &direct))
		direct = -1;
	rc = verify_target(direct < 0 ? target->fd : direct, target->memory_align, &member->header, ack_log, interrupt_flag(),
		result);
	if (direct >= 0)
		close(direct);
	if (rc)
		diag_error(rc == -EINTR ? 0 : rc, rc == -EINTR ? "interrupted: not all of %s was read" : "cannot verify %s",
			target->path);
	return rc;
}

static int publish(const struct verify_options *found, struct frame *frame, const struct verify_result *verify)
{
	const struct ssd_result_values result = {
		.clock = FIELD_BY(frame_clock, frame), .verification = FIELD_BY(ssd_run_report_verification, verify)};
	const struct ssd_report_values values = {FRAME_MEMBERS(frame), .result = FIELD_ONE(&result)};

	if (!opt_is_stdout(found->xml_path) && !opt_is_stdout(found->json_path))
		verify_print(stdout, verify);
	frame->signature.options = found->line.effective;
	frame->signature.option_count = found->line.effective_count;
	return frame_publish(frame, "ssdworkloads", &(struct ssd_document_values){FIELD_ONE(&values)}, found->xml_path,
		found->json_path);
}

static int take_header(const struct target *target, struct header *header)
{
	int rc = target_lock(target->fd, true);

	if (rc == -EWOULDBLOCK) {
		target_say_locked(target->path, target->fd);
		return DIAG_EXIT_HOST;
	}
	if (!rc)
		rc = header_read(target->fd, header);
	if (!rc)
		return DIAG_EXIT_OK;
	if (rc == -EBADMSG)
		diag_error(0, "%s is no target of ssd-workloads, or its header is broken: name one that 'ssd-workloads run "
			      "--keep' has written", target->path);
	else
		diag_error(rc, "cannot read %s", target->path);
	return rc == -EBADMSG ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
}

static bool has_same_log(const struct header *one, const struct header *other)
{
	const struct layout_area *a = &one->layout.areas[MIX_LOG], *b = &other->layout.areas[MIX_LOG];

	return one->run == other->run && a->begin == b->begin && a->bytes == b->bytes && a->workers == b->workers &&
	       a->block_bytes == b->block_bytes && a->stripes == b->stripes;
}

/* A striped log needs both targets, in any order. */
static int check_members(const struct member *members, size_t count)
{
	const struct layout_area *log = &members[0].header.layout.areas[MIX_LOG];
	const char *first = members[0].target.path, *second = members[1].target.path;

	for (size_t i = 0; i < count && count > 1; i++) {
		if (members[i].header.layout.areas[MIX_LOG].stripes < 2)
			return diag_usage("%s has no part of a striped log: verify it by itself", members[i].target.path);
	}
	if (count == 1 && log->stripes < 2)
		return DIAG_EXIT_OK;
	if (count == 1)
		return diag_usage("%s has every second block of a log: name the run's %s as well, which has the others", first,
			log->stripe ? "--target" : "--log-target");
	if (!has_same_log(&members[0].header, &members[1].header))
		return diag_usage("%s and %s were written by different runs: name both targets of one run", first, second);
	if (log->stripe == members[1].header.layout.areas[MIX_LOG].stripe)
		return diag_usage("%s and %s have the same blocks of the log: name the run's %s as well", first, second,
			log->stripe ? "--target" : "--log-target");
	return DIAG_EXIT_OK;
}

/* A run that was killed at its end may have written only one of the two headers; its content is final. */
static void complete_headers(struct member *members, size_t count)
{
	for (size_t i = 0; i < count && count > 1; i++) {
		const struct header *other = &members[!i].header;
		struct header *header = &members[i].header;

		if (header->is_ended || !other->is_ended)
			continue;
		memcpy(header->acknowledged, other->acknowledged, sizeof(header->acknowledged));
		header->is_ended = true;
	}
}

static int read_all(const struct member *members, size_t count, struct verify_result *result)
{
	struct ack_log *ack_log = verify_ack_log(&members[0].header);
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		struct verify_result part;

		rc = read_back(&members[i], ack_log, &part);
		if (!rc && i)
			verify_add(&part, result);
		else if (!rc)
			*result = part;
	}
	ack_log_close(ack_log, false);
	return rc;
}

static void decide_member(const struct member *member, const struct durability *durability, struct frame *frame)
{
	const char *path = member->target.path;
	char how[TARGET_CHANGE] = "";

	if (member->header.durability != HEADER_NONE && durability->not_durable[0]) {
		frame_reason(frame, "not-durable", "%s", durability->not_durable);
		diag_error(0, "%s: %s", path, durability->not_durable);
	}
	if (target_is_changed(&member->target, &member->mark, true, how)) {
		frame_reason(frame, "target-changed", "%s while it was read", how);
		diag_error(0, "%s: %s while it was read; end that process and verify again", path, how);
	}
}

static int verify(const struct verify_options *found, struct frame *frame, struct member *members)
{
	struct verify_result result;
	int rc = 0, code;

	for (size_t i = 0; i < found->count && !rc; i++) {
		rc = target_mark(&members[i].target, &members[i].mark);
		if (rc)
			diag_error(rc, "cannot examine %s", members[i].target.path);
	}
	if (rc)
		return DIAG_EXIT_HOST;
	complete_headers(members, found->count);
	rc = read_all(members, found->count, &result);
	if (rc)
		return rc == -EINTR ? DIAG_EXIT_UNTRUSTED : DIAG_EXIT_HOST;
	if (result.total_lost)
		frame_reason(frame, "lost-data", "%" PRIu64 " of %" PRIu64 " blocks do not hold what was acknowledged",
			result.total_lost, result.blocks + result.lost[VERIFY_UNREADABLE]);
	if (!result.is_complete)
		frame_reason(frame, "unknown-acknowledged",
			"the run was killed, and what it had acknowledged is unknown");
	decide_member(&members[0], &frame->durability, frame);
	if (found->count > 1) {
		struct durability second;

		durability_read("", members[1].target.device, members[1].target.mount, &second);
		decide_member(&members[1], &second, frame);
	}
	code = publish(found, frame, &result);
	if (!code)
		code = verify_code(&result);
	return !code && frame->reason_count ? DIAG_EXIT_UNTRUSTED : code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct verify_options found = {.count = 0};
	struct member *members = calloc(STRIPE_TARGETS, sizeof(*members));
	struct frame *frame = malloc(sizeof(*frame));
	size_t opened = 0;
	int code = command_parse(command, argc, argv, &found, &found.line, NULL), rc;

	if (code)
		goto out;
	rc = frame && members ? opt_list_effective(&found.line, &found) : -ENOMEM;
	if (!rc)
		rc = interrupt_install();
	if (rc) {
		diag_error(rc, "cannot begin");
		code = DIAG_EXIT_HOST;
		goto out;
	}
	for (; opened < found.count && !code; opened += !code) {
		code = target_open_read(found.paths[opened], &members[opened].target);
		if (code)
			break;
		code = take_header(&members[opened].target, &members[opened].header);
		if (code)
			target_close(&members[opened].target);
	}
	if (!code)
		code = check_members(members, found.count);
	if (!code)
		code = frame_start(frame, "ssd-workloads", argc, argv, &members[0].target);
	if (!code)
		code = verify(&found, frame, members);
	while (opened)
		target_close(&members[--opened].target);
out:
	opt_free(&found.line);
	free(members);
	free(frame);
	return code;
}

const struct command command_verify = {
	.program = &ssd_program,
	.name = "verify",
	.arguments = "TARGET [TARGET]",
	.summary = "read a target back and check it against the acknowledged writes",
	.doc = "Read back what a run, even a killed one, has written to this target, and fail on any loss. A striped log is read "
	       "from both of its targets.",
	.examples = "  ssd-workloads verify log.bin\n"
		    "  ssd-workloads verify /mnt/a/log.bin /mnt/b/log.bin\n"
		    "  ssd-workloads verify log.bin -f verified.xml\n",
	.notes = "Exit status: 0 nothing is lost; 1 acknowledged data is lost; 4 the acknowledged writes are unknown, or the "
		 "target is memory. See "
		 "ssd-workloads(1).",
	.options = options,
	.check = check,
	.run = run,
};
