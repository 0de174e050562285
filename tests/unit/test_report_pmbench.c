/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report/report_json.h"
#include "tests/unit/unit.h"
#include <libxml/xmlschemas.h>
#include "common/report/report_read.h"
#include "pmbench/report/report.h"
#include "tests/unit/fake_result.h"
#include "tests/unit/golden.h"

static struct report_document *document_of(const char *xml)
{
	struct report_document *document;
	char why[256];

	if (report_read_memory(xml, strlen(xml), &document, why, sizeof(why)))
		fail_msg("%s", why);
	return document;
}

static void __attribute__((format(printf, 2, 3))) say(void *name, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "%s: ", (const char *)name);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
}

/* 0 = valid; the reasons go to the test's log. */
static int validate(const char *xml, const char *name)
{
	char path[512];
	xmlSchemaParserCtxtPtr parser;
	xmlSchemaPtr schema;
	xmlSchemaValidCtxtPtr context;
	xmlDocPtr document;
	int result;

	snprintf(path, sizeof(path), "%s/docs/memstor-report.xsd", unit_srcdir());
	parser = xmlSchemaNewParserCtxt(path);
	schema = xmlSchemaParse(parser);
	assert_non_null(schema);
	context = xmlSchemaNewValidCtxt(schema);
	xmlSchemaSetValidErrors(context, say, say, (void *)name);
	document = xmlReadMemory(xml, (int)strlen(xml), NULL, NULL, XML_PARSE_NONET);
	assert_non_null(document);
	result = xmlSchemaValidateDoc(context, document);
	xmlFreeDoc(document);
	xmlSchemaFreeValidCtxt(context);
	xmlSchemaFree(schema);
	xmlSchemaFreeParserCtxt(parser);
	return result;
}

TEST("every report is valid")
{
	for (size_t i = 0; i < FAKE_VARIANTS; i++) {
		struct fake *fake = fake_variant(i);
		char *xml;

		xml = fake_written(fake, report_write_xml);
		if (validate(xml, fake_variant_name(i)))
			fail_msg("the report '%s' is not valid", fake_variant_name(i));
		free(xml);
		fake_free(fake);
	}
}

/* Else every_report_is_valid would hold of anything. */
TEST("the schema refuses reports with wrong or missing values")
{
	static const struct {
		const char *from, *to;
	} changes[] = {
		{"<ratio>50</ratio>", "<ratio>1e1</ratio>"},
		{"<ratio>50</ratio>", "<ratio>500</ratio>"},
		{"<cold>0</cold>", ""},
		{"<histogram type=\"read\">", "<histogram type=\"real\">"},
		{"status=\"untrustworthy\"", "status=\"fine\"       "},
		{"<run_s>7200</run_s>", "<run_s>INF</run_s>"},
		{"<seed>", "<new/><seed>"},
	};
	struct fake *fake = fake_new();
	char *xml = fake_written(fake, report_write_xml);

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		char *at = strstr(xml, changes[i].from);
		char *changed = calloc(1, strlen(xml) + 64);

		assert_non_null(at);
		snprintf(changed, strlen(xml) + 64, "%.*s%s%s", (int)(at - xml), xml, changes[i].to,
			at + strlen(changes[i].from));
		assert_int_not_equal(validate(changed, "wanted"), 0);
		free(changed);
	}
	free(xml);
	fake_free(fake);
}

TEST("reports of the original pmbench are valid")
{
	static const char *const names[] = {"linear-r100", "normal-j2-r80-cold", "uniform-swap", "uniform"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[512];
		char *xml;

		snprintf(path, sizeof(path), "%s/tests/fixtures/pmbench-original/%s.xml", unit_srcdir(),
			names[i]);
		xml = golden_read(path);
		assert_int_equal(validate(xml, names[i]), 0);
		free(xml);
	}
}

TEST("XML and JSON match their goldens")
{
	struct fake *fake = fake_new();
	char *xml = fake_written(fake, report_write_xml);
	char *json = fake_written(fake, report_write_json);

	golden_normalise(xml);
	golden_compare("pmbench-report.xml", xml);
	golden_normalise(json);
	golden_compare("pmbench-report.json", json);
	free(json);
	free(xml);
	fake_free(fake);
}

static uint64_t buckets_of(const struct report_node *histogram)
{
	const struct report_node *bucket = report_read_find(histogram, "bucket");
	uint64_t sum = 0;

	for (; bucket; bucket = report_read_next(bucket))
		sum += strtoull(report_read_attribute(bucket, "count"), NULL, 10);
	return sum;
}

/* The original's buckets, sums and hexes apart. */
static void original_sums(const struct report_node *histogram, uint64_t *sum, uint64_t *fine)
{
	const struct report_node *bucket = report_read_find(histogram, "histo_bucket");

	*sum = *fine = 0;
	for (; bucket; bucket = report_read_next(bucket)) {
		const struct report_node *hex = report_read_find(bucket, "bucket_hexes/hex");
		uint64_t count;

		assert_int_equal(report_read_u64(bucket, "sum_count", &count), 0);
		*sum += count;
		if (!hex)
			*fine += count;
		for (; hex; hex = report_read_next(hex))
			*fine += strtoull(hex->text, NULL, 10);
	}
}

TEST("the classes of a report sum to what was measured")
{
	static const char *const classes[RESULT_CLASSES] = {"all", "hit", "minor", "major"};
	struct fake *fake = fake_new();
	char *xml = fake_written(fake, report_write_xml);
	struct report_document *document = document_of(xml);
	const struct report_node *statistics =
		report_read_find(report_read_root(document), "report/statistics");
	const struct report_node *node = report_read_find(statistics, "histogram");
	uint64_t all[2] = {0}, sums[2][RESULT_CLASSES][2] = {0};

	for (int direction = 0; direction < 2; direction++, node = report_read_next(node)) {
		uint64_t fine;

		assert_string_equal(report_read_attribute(node, "type"), direction ? "write" : "read");
		original_sums(node, &all[direction], &fine);
		assert_int_equal(all[direction], fine);
	}
	assert_null(node);
	node = report_read_find(statistics, "latency_histogram");
	for (; node; node = report_read_next(node)) {
		int direction = strcmp(report_read_attribute(node, "type"), "write") == 0;
		int layout = strcmp(report_read_attribute(node, "layout"), "hdr") == 0;
		uint64_t count, sum = buckets_of(node);

		assert_int_equal(report_read_u64(node, "summary/count", &count), 0);
		assert_int_equal(count, sum);
		for (int class = 0; class < RESULT_CLASSES; class ++)
			if (strcmp(report_read_attribute(node, "class"), classes[class]) == 0)
				sums[direction][class][layout] = sum;
	}
	for (int direction = 0; direction < 2; direction++) {
		for (int layout = 0; layout < 2; layout++) {
			assert_int_equal(sums[direction][RESULT_ALL][layout], all[direction]);
			assert_int_equal(sums[direction][RESULT_HIT][layout] +
						 sums[direction][RESULT_MINOR][layout] +
						 sums[direction][RESULT_MAJOR][layout],
				all[direction]);
		}
	}
	assert_int_equal(all[0] + all[1], result_accesses(&fake->result));
	assert_true(all[0] > UINT32_MAX && all[1] > UINT32_MAX);
	report_read_free(document);
	free(xml);
	fake_free(fake);
}

TEST("awkward values read back")
{
	struct fake *fake = fake_new();
	char *xml = fake_written(fake, report_write_xml);
	struct report_document *document = document_of(xml);
	const struct report_node *report = report_read_find(report_read_root(document), "report");
	uint64_t value;

	assert_string_equal(report_read_find(report, "signature/os_info/hostname")->text, "ho<st&\"1\"?[0m");
	assert_string_equal(report_read_next(report_read_next(report_read_next(
						     report_read_find(report, "signature/command/argument"))))
				    ->text,
		"a=??\xc3\xa9");
	assert_int_equal(report_read_u64(report, "signature/seed", &value), 0);
	assert_true(value == UINT64_MAX);
	assert_int_equal(report_read_u64(report, "signature/params/duration", &value), 0);
	assert_int_equal(value, 7200);
	/* 120.5 ns in the first phase, NaN in the second. */
	assert_non_null(report_read_find(report, "result/phases/phase/mean_ns"));
	assert_null(report_read_find(
		report_read_next(report_read_find(report, "result/phases/phase")), "mean_ns"));
	assert_string_equal(
		report_read_find(report, "sys_mem_info/sys_mem_item/mem_item_delta/free_kib")->text, "-77");
	report_read_free(document);
	free(xml);
	fake_free(fake);
}

static void member_is(const struct report_node *node, const char *element, const char *text)
{
	const struct report_node *member = report_read_find(node, element);

	if (!text)
		assert_null(member);
	else
		assert_string_equal(member ? member->text : "absent", text);
}

TEST("a pattern is read back from a report with its parameters")
{
	struct fake *fake = fake_variant(FAKE_VARIANTS - 1), *plain = fake_new();
	char *xml = fake_written(fake, report_write_xml), *plain_xml = fake_written(plain, report_write_xml);
	struct report_document *document = document_of(xml), *plain_document = document_of(plain_xml);
	const struct report_node *phase =
		report_read_find(report_read_root(document), "report/result/phases/phase");

	member_is(phase, "pattern", "hotset");
	member_is(phase, "is_scattered", "true");
	member_is(phase, "hot_set_percent", "12.5");
	member_is(phase, "hot_access_percent", "90");
	member_is(phase, "hot_drift_draws", "1000");
	phase = report_read_next(phase);
	member_is(phase, "is_scattered", "false");
	member_is(phase, "hot_set_percent", "7");
	member_is(phase, "hot_access_percent", "99.9");
	member_is(phase, "hot_drift_draws", NULL);
	phase = report_read_find(report_read_root(plain_document), "report/result/phases/phase");
	member_is(phase, "is_scattered", "false");
	member_is(phase, "hot_set_percent", NULL);
	report_read_free(plain_document);
	report_read_free(document);
	free(plain_xml);
	free(xml);
	fake_free(plain);
	fake_free(fake);
}

TEST("a finding is read back from a report with its number")
{
	struct fake *fake = fake_new();
	char *xml = fake_written(fake, report_write_xml);
	struct report_document *document = document_of(xml);
	const struct report_node *check =
		report_read_find(report_read_root(document), "report/environment/check");

	member_is(check, "finding", "pages of the set were never written");
	member_is(check, "measured", "12 pages");
	member_is(report_read_next(check), "finding", NULL);
	report_read_free(document);
	free(xml);
	fake_free(fake);
}
