/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small report with one thing changed: what it contradicts, and on which line, is said. */
#include "config.h"
#include "tests/unit/unit.h"
#include "memstor/loaded/loaded.h"

static const char report[] = "<pmbenchmark>\n"
			     "<report>\n"
			     "<signature>\n"
			     "<tool>pmbench</tool>\n"
			     "<report_version>1.0</report_version>\n"
			     "<options><option name=\"ram\">1</option></options>\n"
			     "</signature>\n"
			     "<result><totals>\n"
			     "<accesses>3</accesses>\n"
			     "</totals></result>\n"
			     "<statistics>\n"
			     "<latency_histogram type=\"read\" class=\"all\" layout=\"hdr\" unit=\"ns\">\n"
			     "<summary><count>3</count><min_ns>1</min_ns><max_ns>9</max_ns></summary>\n"
			     "<bucket lo=\"1\" hi=\"2\" count=\"2\"/>\n"
			     "<bucket lo=\"2\" count=\"1\"/>\n"
			     "</latency_histogram>\n"
			     "</statistics>\n"
			     "<series><interval_ns>1</interval_ns><interval index=\"0\">\n"
			     "<time_s>1</time_s>\n"
			     "<counters><counter name=\"a\" value=\"-1\"/></counters>\n"
			     "</interval></series>\n"
			     "<verdict status=\"ok\"/>\n"
			     "</report>\n"
			     "</pmbenchmark>\n";

static const char original[] = "<pmbenchmark><report><signature/><statistics>\n"
			       "<histogram type=\"read\">\n"
			       "<histo_bucket index=\"0\"><bucket_interval><interval_lo>0</interval_lo>"
			       "<interval_hi>8</interval_hi></bucket_interval><sum_count>1</sum_count></histo_bucket>\n"
			       "<histo_bucket index=\"1\"><bucket_interval><interval_lo>8</interval_lo>"
			       "<interval_hi>9</interval_hi></bucket_interval><sum_count>2</sum_count>\n"
			       "<bucket_hexes><hex index=\"0\">2</hex></bucket_hexes></histo_bucket>\n"
			       "</histogram></statistics></report></pmbenchmark>\n";

/* The text with `from` replaced by `to`, made into a report that is called "f". */
static int make(const char *text, const char *from, const char *to, char *why, size_t length)
{
	char changed[4096];
	const char *at = strstr(text, from);
	struct report_document *document;
	struct loaded *loaded = NULL;
	int err;

	assert_non_null(at);
	snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	assert_int_equal(report_read_memory(changed, strlen(changed), &document, why, length), 0);
	why[0] = '\0';
	err = loaded_make(document, "f", LOADED_SERIES, &loaded, why, length);
	assert_true((err == 0) == (loaded != NULL));
	loaded_free(loaded);
	return err;
}

struct change {
	const char *from, *to, *why;
};

static void check_refused(const char *text, const struct change *changes, size_t count)
{
	char why[512];

	assert_int_equal(make(text, "", "", why, sizeof(why)), 0);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(make(text, changes[i].from, changes[i].to, why, sizeof(why)), -EBADMSG);
		assert_string_equal(why, changes[i].why);
	}
}

TEST("a report that contradicts itself is refused with its line")
{
	static const struct change changes[] = {
		{"<report_version>1.0", "<report_version>2.0",
			"f:5: report format 2.0 is newer than this program, which reads up to 1.x: use a newer memstor"},
		{"<report_version>1.0", "<report_version>1", "f:5: <report_version> is '1': allowed are versions like 1.0"},
		{"<report_version>1.0", "<report_version>x.0",
			"f:5: <report_version> is 'x.0': allowed are versions like 1.0"},
		{"<tool>", "<tool>a</tool><tool>", "f:4: a second <tool> in one <signature>"},
		{"<verdict", "<verdict status=\"ok\"/><verdict", "f:22: a second <verdict> in one <report>"},
		{"name=\"ram\"", "title=\"ram\"", "f:6: <option> has no name"},
		{">3</acc", ">NaN</acc", "f:9: <accesses> is 'NaN': allowed are finite numbers"},
		{">3</acc", ">1e999</acc", "f:9: <accesses> is '1e999': allowed are finite numbers"},
		{"type=\"read\" ", "", "f:12: <latency_histogram> has no type"},
		{"unit=\"ns\"", "unit=\"us\"", "f:12: unit=\"us\" of <latency_histogram>: allowed is ns"},
		{"<count>3", "<count>4", "f:13: the buckets hold 3 in all, the <summary> says 4"},
		{"<count>3", "<count>-3", "f:13: <count> is '-3': allowed are whole numbers from 0 to 2^64-1"},
		{"<min_ns>1", "<min_ns>10", "f:13: min_ns is above max_ns"},
		{"<max_ns>9", "<max_ns>inf", "f:13: <max_ns> is 'inf': allowed are finite numbers"},
		{"lo=\"1\"", "lo=\"2\"", "f:14: <bucket> ends at 2 and begins at 2: it must end above"},
		{"hi=\"2\"", "hi=\"3\"", "f:15: <bucket> from 2 begins below the end of the one before it, 3"},
		{"hi=\"2\"", "", "f:15: a <bucket> behind the one without hi, which is the last"},
		{"count=\"2\"", "count=\"2.0\"",
			"f:14: count=\"2.0\" of <bucket>: allowed are whole numbers from 0 to 2^64-1"},
		{"count=\"2\"", "", "f:14: <bucket> has no count"},
		{"count=\"2\"", "count=\"18446744073709551615\"",
			"f:15: the counts of the buckets add up to more than 2^64-1"},
		{"</latency_histogram>",
			"</latency_histogram>\n<latency_histogram type=\"read\" class=\"all\" layout=\"hdr\" unit=\"ns\"/>",
			"f:17: a second <latency_histogram> of type read, class all, layout hdr"},
		{"<time_s>1", "<time_s>x", "f:19: <time_s> is 'x': allowed are finite numbers"},
		{"value=\"-1\"", "value=\"\"", "f:20: <counter> needs a name and a value that is a number"},
		{"status=\"ok\"", "status=\"fine\"",
			"f:22: status=\"fine\" of <verdict>: allowed are ok, interrupted and untrustworthy"},
		{"status=\"ok\"", "", "f:22: status=\"\" of <verdict>: allowed are ok, interrupted and untrustworthy"},
	};

	check_refused(report, changes, sizeof(changes) / sizeof(changes[0]));
}

TEST("contradictions in originals are refused")
{
	static const struct change changes[] = {
		{"type=\"read\"", "", "f:2: <histogram> has no type"},
		{"</histogram>", "</histogram><histogram type=\"read\"/>",
			"f:6: a second <histogram> of type read, class all, layout original"},
		{"<bucket_interval>", "<bucket>", NULL},
		{"_lo>8", "_lo>9", "f:4: from 2^9 to 2^9 ns: allowed is from 2^8 up, to 2^32 at most"},
		{"_lo>8", "_lo>7", "f:4: from 2^7 to 2^9 ns: allowed is from 2^8 up, to 2^32 at most"},
		{"_hi>9", "_hi>33", "f:4: from 2^8 to 2^33 ns: allowed is from 2^8 up, to 2^32 at most"},
		{"index=\"0\">2", "index=\"1\">2", "f:5: <hex> 1 where 0 of 0 to 15 is due"},
		{"index=\"0\">2", "index=\"0\">2</hex><hex index=\"0\">0", "f:5: <hex> 0 where 1 of 0 to 15 is due"},
		{"index=\"0\">2", "index=\"0\">3", "f:5: the parts hold 3 in all, <sum_count> says 2"},
		{"index=\"0\">2", "index=\"0\">-2",
			"f:5: <hex> is '-2': allowed are whole numbers from 0 to 2^64-1"},
		{"count>1", "count>18446744073709551615", "f:5: the counts of the buckets add up to more than 2^64-1"},
	};
	char why[512];

	check_refused(original, changes, 2);
	check_refused(original, changes + 3, sizeof(changes) / sizeof(changes[0]) - 3);
	assert_int_equal(make(original, "<bucket_interval><interval_lo>0</interval_lo><interval_hi>8</interval_hi>"
					"</bucket_interval>", "", why, sizeof(why)), -EBADMSG);
	assert_string_equal(why, "f:3: <histo_bucket> has no <bucket_interval>");
}

TEST("a file that is not a report is refused")
{
	static const struct change changes[] = {
		{"<a/>", "<a/>",
			"f:1: <a> is not a report: allowed are <pmbenchmark>, <iowritebench>, <ssdworkloads>, "
			"<memtrace> and <withpressure>"},
		{"<a/>", "<ssdworkloads/>", "f:1: <ssdworkloads> has no <report>"},
		{"<a/>", "<ssdworkloads>\n<report/></ssdworkloads>", "f:2: no <report_version> in the <signature>"},
	};
	char why[512];

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		assert_int_equal(make("<a/>", changes[i].from, changes[i].to, why, sizeof(why)), -EBADMSG);
		assert_string_equal(why, changes[i].why);
	}
	/* The least that is one. */
	assert_int_equal(make("<a/>", "<a/>", "<pmbenchmark><report/></pmbenchmark>", why, sizeof(why)), 0);
}

/* A minor version adds: what is not known is skipped, whatever it is. */
TEST("newer minor versions load")
{
	char why[512];

	assert_int_equal(make(report, "<accesses>3</accesses>", "<accesses>3</accesses><colour>red</colour>", why,
				 sizeof(why)), 0);
	assert_int_equal(make(report, "1.0</report_version>\n<options><option name=\"ram\">1</option></options>\n</signature>\n"
				      "<result><totals>\n",
				 "1.7</report_version>\n</signature><new/>\n<result><totals>\n<colour>red</colour><colour/>", why,
				 sizeof(why)), 0);
	assert_int_equal(make(report, "1.0</report_version>", "0.9</report_version>", why, sizeof(why)), 0);
}

TEST("control characters are not printed in messages")
{
	char why[512];

	assert_int_equal(make(report, ">3</acc", ">a\n\x7f\tb</acc", why, sizeof(why)), -EBADMSG);
	assert_string_equal(why, "f:9: <accesses> is 'a???b': allowed are finite numbers");
}
