/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "memstor/convert/convert.h"
#include "common/units.h"
#include "tests/unit/golden.h"

/* A report whose texts are what they should not be; its tool, an option and a label's value are given. */
static char *make_report(const char *tool, const char *option, const char *label)
{
	char *text = malloc(4096);

	snprintf(text, 4096,
		"<pmbenchmark><report><signature><tool>%s</tool><report_version>1.0</report_version>"
		"<options><option name=\"mapsize\">%s</option><option name=\"phase\">1</option>"
		"<option name=\"phase\">2</option><option name=\"label\">x</option></options>"
		"<uuid>u</uuid><labels><label name=\"=a\">%s</label></labels></signature>"
		"<result><totals><accesses>3</accesses>"
		"<accesses_per_second>1500</accesses_per_second></totals></result><statistics>"
		"<latency_histogram type=\"read\" class=\"all\" layout=\"log16\" unit=\"ns\">"
		"<summary><count>3</count><min_ns>1000</min_ns><mean_ns>1500</mean_ns>"
		"<max_ns>2000</max_ns></summary>"
		"<bucket lo=\"960\" hi=\"1024\" count=\"1\"/><bucket lo=\"1024\" count=\"2\"/></latency_histogram>"
		"<latency_histogram type=\"write\" class=\"all\" layout=\"log16\" unit=\"ns\"/>"
		"</statistics></report></pmbenchmark>",
		tool, option, label);
	return text;
}

/* The first `from` replaced. */
static char *replaced(const char *text, const char *from, const char *to)
{
	size_t head = (size_t)(strstr(text, from) - text);
	char *result = malloc(strlen(text) + strlen(to) + 1);

	memcpy(result, text, head);
	stpcpy(stpcpy(result + head, to), text + head + strlen(from));
	return result;
}

/* What the format makes of these reports, called f0, f1, ...; NULL when it refuses, with why. */
static char *convert_texts(const struct convert_format *format, enum convert_what what, char *const *texts,
	size_t count, char *why)
{
	struct convert convert = {.format = format, .what = what, .total = count};
	char *result = NULL;
	size_t size;
	int err = 0;

	convert.out = open_memstream(&result, &size);
	for (size_t i = 0; i < count && !err; i++) {
		struct report_document *document;
		struct loaded *loaded;
		char name[32], reason[512];

		snprintf(name, sizeof(name), "d/f%zu.xml", i);
		assert_int_equal(
			report_read_memory(texts[i], strlen(texts[i]), &document, reason, sizeof(reason)), 0);
		if (loaded_make(document, name, LOADED_SERIES, &loaded, reason, sizeof(reason)))
			fail_msg("%s", reason);
		err = convert_add(&convert, loaded);
		loaded_free(loaded);
	}
	if (convert_end(&convert) && !err)
		err = -ENOMEM;
	assert_int_equal(fclose(convert.out), 0);
	snprintf(why, 512, "%s", convert.why);
	if (!err)
		return result;
	free(result);
	return NULL;
}

static char *convert_text(const struct convert_format *format, enum convert_what what, char *text)
{
	char why[512], *result = convert_texts(format, what, &text, 1, why);

	assert_non_null(result);
	return result;
}

TEST("a CSV cell is quoted, and one that begins a formula is defused")
{
	static const struct {
		const char *text, *cell;
	} cases[] = {
		{"", ""},
		{"plain text", "plain text"},
		{"a,b", "\"a,b\""},
		{"a\"b", "\"a\"\"b\""},
		{"a\nb", "\"a\nb\""},
		{"a\rb", "\"a\rb\""},
		{"=1+1", "\"'=1+1\""},
		{"+cmd|' /C calc'!A0", "\"'+cmd|' /C calc'!A0\""},
		{"-2+3", "\"'-2+3\""},
		{"@SUM(A1)", "\"'@SUM(A1)\""},
		{"\t=1", "\"'\t=1\""},
		{"\r=1", "\"'\r=1\""},
		{"=\"a\"", "\"'=\"\"a\"\"\""},
		{"-1", "-1"},
		{"-1.5e-3", "-1.5e-3"},
		{"+1", "\"'+1\""},
		{"1+1", "1+1"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		convert_cell_text(out, cases[i].text);
		fclose(out);
		assert_string_equal(text, cases[i].cell);
		free(text);
	}
}

TEST("a number in a cell reads back as the same number")
{
	char text[32];

	assert_string_equal(units_write_double(0.1, text, sizeof(text)), "0.1");
	assert_string_equal(units_write_double(-1.0 / 3, text, sizeof(text)), "-0.3333333333333333");
	assert_string_equal(units_write_double(1e300, text, sizeof(text)), "1e+300");
	assert_string_equal(units_write_double(0, text, sizeof(text)), "0");
	assert_string_equal(units_write_double(NAN, text, sizeof(text)), "");
	assert_string_equal(units_write_double(INFINITY, text, sizeof(text)), "");
}

TEST("each table has the same columns in every row")
{
	static const struct {
		enum convert_what what;
		const char *rows;
	} tables[] = {
		{CONVERT_SUMMARY,
			"file,uuid,tool,hostname,wall_start,status,accesses_per_second,type,class,layout,"
			"count,min_ns,mean_ns,"
			"stddev_ns,p50_ns,p90_ns,p95_ns,p99_ns,p999_ns,p9999_ns,max_ns\n"
			"d/"
			"f0.xml,u,\"a,b\",,,ok,1500,read,all,log16,3,1000,1500,,1268,1853.6000000000001,1926."
			"8000000000002,1985.3600000000001,1998.536,1999.8536,2000\n"
			"d/f0.xml,u,\"a,b\",,,ok,1500,write,all,log16,0,,,,,,,,,,\n"},
		{CONVERT_BUCKETS, "file,uuid,type,class,layout,lo_ns,hi_ns,count\n"
				  "d/f0.xml,u,read,all,log16,960,1024,1\n"
				  "d/f0.xml,u,read,all,log16,1024,,2\n"},
		{CONVERT_SERIES, "file,uuid,time_s,seconds,name,value\n"},
		{CONVERT_FACTS, "file,uuid,kind,name,value\n"
				"d/f0.xml,u,tool,\"a,b\",\n"
				"d/f0.xml,u,option,mapsize,\"'=1\"\n"
				"d/f0.xml,u,option,phase,1\n"
				"d/f0.xml,u,option,phase,2\n"
				"d/f0.xml,u,option,label,x\n"
				"d/f0.xml,u,label,\"'=a\",\"1\n2\"\n"
				"d/f0.xml,u,verdict,status,ok\n"
				"d/f0.xml,u,value,accesses,3\n"
				"d/f0.xml,u,value,accesses_per_second,1500\n"},
	};
	char *report = make_report("a,b", "=1", "1\n2");

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		char *text = convert_text(&convert_csv, tables[i].what, report);

		assert_string_equal(text, tables[i].rows);
		free(text);
	}
	free(report);
}

/* Of the golden report: each number of an interval, then its counters. */
TEST("the CSV of a series has one row per value")
{
	char path[512], *report, *text;

	snprintf(path, sizeof(path), "%s/tests/golden/pmbench-report.xml", unit_srcdir());
	report = golden_read(path);
	text = convert_text(&convert_csv, CONVERT_SERIES, report);
	assert_non_null(strstr(text,
		"d/f0.xml,d6b4a292-cd2a-4cdb-834b-b8845fc0e5a9,1.5,1.5,p99_ns,253.44\n"
		"d/f0.xml,d6b4a292-cd2a-4cdb-834b-b8845fc0e5a9,1.5,1.5,meminfo.MemFree,-78848\n"));
	free(text);
	free(report);
}

/* Nothing of a report's text ends the cell, its code span or the line, or is markup outside one. */
TEST("text in Markdown output has its markup escaped")
{
	char *texts[] = {make_report("t", "a|b`c\n&lt;b&gt;", "@you"), make_report("t", "a", "@you")};
	char why[512], *text = convert_texts(&convert_markdown, CONVERT_SUMMARY, texts, 2, why);

	assert_string_equal(text, "| report | `--mapsize` | type | class | accesses | throughput | mean | "
				  "p50 | p99 | p99.9 | max |\n"
				  "|---|---|---|---|---:|---:|---:|---:|---:|---:|---:|\n"
				  "| `f0.xml` | `a\\|b'c <b>` | `read` | `all` | 3 | 1.50 k/s | 1.50 us | "
				  "1.27 us | 1.99 us | 2.00 us | 2.00 us |\n"
				  "| `f1.xml` | `a` | `read` | `all` | 3 | 1.50 k/s | 1.50 us | "
				  "1.27 us | 1.99 us | 2.00 us | 2.00 us |\n"
				  "\nThe same in all: `tool` `t`, `--phase` `1, 2`, `=a` `@you`.\n");
	free(text);
	free(texts[0]);
	free(texts[1]);
}

TEST("a report that JSON cannot represent is refused")
{
	static const struct {
		const char *from, *to, *why;
	} cases[] = {
		{"<uuid>u</uuid>", "<seconds>1x</seconds>",
			"d/f0.xml:1: <seconds> is '1x': allowed are numbers, true and false"},
		{"<uuid>u</uuid>", "<jobs>18446744073709551616</jobs>",
			"d/f0.xml:1: <jobs> is '18446744073709551616': allowed are numbers, true and false"},
		{"<uuid>u</uuid>", "<khz>1e999</khz>",
			"d/f0.xml:1: <khz> is '1e999': allowed are numbers, true and false"},
		{"<uuid>u</uuid>", "<jobs>007</jobs>",
			"d/f0.xml:1: <jobs> is '007': allowed are numbers, true and false"},
		{"<uuid>u</uuid>", "<hex index=\"x\">1</hex>",
			"d/f0.xml:1: index=\"x\" of <hex>: allowed are numbers, true and false"},
		{"<uuid>u</uuid>", "<a value=\"1\">2</a>",
			"d/f0.xml:1: <a> has both a text and an attribute value"},
		{"<uuid>u</uuid>", "<a b=\"1\"><b/></a>",
			"d/f0.xml:1: b is both an attribute of <a> and an element in it"},
		{"<uuid>u</uuid>", "<a>1<b/></a>", "d/f0.xml:1: <a> has text between its elements: '1'"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *report = make_report("t", "1", "2"),
		     *changed = replaced(report, cases[i].from, cases[i].to);
		char why[512];

		assert_null(convert_texts(&convert_json, CONVERT_SUMMARY, &changed, 1, why));
		assert_string_equal(why, cases[i].why);
		free(changed);
		free(report);
	}
}

TEST("several reports become an array or lines")
{
	char report[] = "<pmbenchmark><report><verdict status=\"ok\"/></report></pmbenchmark>";
	char *reports[] = {report, report};
	char why[512], *text = convert_texts(&convert_json, CONVERT_SUMMARY, reports, 2, why);

	assert_string_equal(text, "[\n"
				  "  {\n    \"pmbenchmark\": {\n      \"report\": {\n        \"verdict\": "
				  "{\"status\": \"ok\"}\n      }\n    }\n  },\n"
				  "  {\n    \"pmbenchmark\": {\n      \"report\": {\n        \"verdict\": "
				  "{\"status\": \"ok\"}\n      }\n    }\n  }\n]\n");
	free(text);
	text = convert_texts(&convert_ndjson, CONVERT_SUMMARY, reports, 2, why);
	assert_string_equal(text, "{\"pmbenchmark\": {\"report\": {\"verdict\": {\"status\": \"ok\"}}}}\n"
				  "{\"pmbenchmark\": {\"report\": {\"verdict\": {\"status\": \"ok\"}}}}\n");
	free(text);
}

TEST("the format pmgraph is refused for other tools")
{
	char *report = make_report("iowrite-bench", "1", "2"), why[512];

	assert_null(convert_texts(&convert_pmgraph, CONVERT_SUMMARY, &report, 1, why));
	assert_string_equal(why, "d/f0.xml: a report of iowrite-bench: pmgraph knows those of pmbench only");
	free(report);
}
