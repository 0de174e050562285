/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What does not go together, or is no report, is refused in one line that says where. */
#include "config.h"
#include "tests/unit/unit.h"
#include "tests/unit/merge_runs.h"

static char *text_of(unsigned seed)
{
	struct fake *run = merge_run(seed);
	char *xml = fake_written(run, report_write_xml);

	merge_run_free(run);
	return xml;
}

/* The report of run 2, or with is_merged that merged with run 3. */
static char *second_text(bool is_merged)
{
	struct loaded *both[2];
	char *texts[2], *merged;

	if (!is_merged)
		return text_of(2);
	for (unsigned i = 0; i < 2; i++) {
		texts[i] = text_of(2 + i);
		both[i] = merge_load_text(texts[i], i ? "r3" : "r2");
		free(texts[i]);
	}
	merged = merge_texts_of(0, both, 2);
	return merged;
}

/* Everywhere in the text; freed by the caller. */
static char *changed(const char *text, const char *from, const char *to)
{
	size_t room = 4 * strlen(text), used = 0;
	char *result = malloc(room);
	const char *at;

	assert_non_null(result);
	assert_non_null(strstr(text, from));
	while ((at = strstr(text, from))) {
		used += (size_t)snprintf(result + used, room - used, "%.*s%s", (int)(at - text), text, to);
		text = at + strlen(from);
	}
	snprintf(result + used, room - used, "%s", text);
	return result;
}

/* Adds the second to run 1; "" when that is well. */
static int add_second(unsigned flags, const char *second, char *why, size_t length)
{
	struct merge *merge;
	char *first = text_of(1);
	int err;

	assert_int_equal(merge_new(flags, &merge), 0);
	assert_int_equal(merge_add(merge, merge_load_text(first, "r1"), why, length), 0);
	assert_string_equal(why, "");
	err = merge_add(merge, merge_load_text(second, "f"), why, length);
	assert_int_equal(err != 0, why[0] != '\0');
	merge_free(merge);
	free(first);
	return err;
}

/* Without the line, which is the report's. */
static void without_line(char *why)
{
	char *from = strchr(why, ':');

	if (from && from[1] >= '0' && from[1] <= '9') {
		char *to = strchr(from + 1, ':');

		assert_non_null(to);
		memmove(from + 1, to, strlen(to) + 1);
	}
}

/* What is changed in a good report, and what is said then; lines are left out. */
static const struct {
	const char *from, *to, *why;
	int err;
	bool is_merged;
} rows[] = {
	{"<uuid>d6b4a292-cd2a-4cdb-834b-000000000002", "<uuid>d6b4a292-cd2a-4cdb-834b-000000000001",
		"f: the run d6b4a292-cd2a-4cdb-834b-000000000001 is in r1"
		" already, and would count twice: leave one of them out",
		-EEXIST, false},
	{"<uuid>d6b4a292-cd2a-4cdb-834b-000000000003", "<uuid>d6b4a292-cd2a-4cdb-834b-000000000001",
		"f: the run d6b4a292-cd2a-4cdb-834b-000000000001 is in r1"
		" already, and would count twice: leave one of them out",
		-EEXIST, true},
	{"<uuid>d6b4a292-cd2a-4cdb-834b-000000000002</uuid>", "",
		"f: no <uuid>, which is needed to detect a run that is merged twice", -EBADMSG, false},
	{"name=\"mapsize\">8192MiB<", "name=\"mapsize\">1&#10;GiB<",
		"f: other options than in r1: --mapsize is '1?GiB', not '8192MiB'"
		": --allow-different merges them anyway",
		-EINVAL, false},
	{"<option name=\"duration\">7200s</option>",
		"<option name=\"a\"/><option name=\"b\"/><option name=\"c\"/><option name=\"d\"/>",
		"f: other options than in r1: --duration is '', not '7200s'; --a is '', not ''; --b is '', not ''; "
		"--c is '', not ''; ...: --allow-different merges them anyway",
		-EINVAL, false},
	{"pmbenchmark>", "iowritebench>",
		"f: <iowritebench>, but <pmbenchmark> in r1: reports of different tools cannot be merged", -EINVAL, false},
	{"lo=\"0\" hi=\"256\"", "lo=\"0\" hi=\"255\"",
		"f: histogram read all log16: a bucket from 0 to 255 ns is not in this layout", -EBADMSG, false},
	{"<infrastructure_pages>300<", "<infrastructure_pages>18446744073709551615<",
		"f: with this report the infrastructure_pages are more than 2^64-1 and cannot be added exactly",
		-EOVERFLOW, false},
	{"<process>0</process>", "<process>2147483648</process>",
		"f:: <process> is 2147483648: allowed are numbers up to 2147483647", -EBADMSG, false},
	{"<wall_start>2026-11-20T09:24:29.000000042Z<", "<wall_start>2026-11-20 09:24:29.000000042Z<",
		"f:: <wall_start> is '2026-11-20 09:24:29.000000042Z': allowed are times from 1970 to 2149 as "
		"2026-11-20T09:24:29.000000042Z",
		-EBADMSG, false},
	{"<monotonic_end_ns>7210000001000<", "<monotonic_end_ns>999<",
		"f:: <monotonic_end_ns> is 999: allowed is from <monotonic_start_ns>, 1000, to 2^60", -EBADMSG,
		false},
	{"<first_thread>3</first_thread>\n        <threads>2<",
		"<first_thread>3</first_thread>\n        <threads>3<",
		"f:: the parts have 5 threads and 6000 accesses, the <result> has 4 and 6000", -EBADMSG, true},
	{"<threads>2</threads>", "<threads>-2</threads>",
		"f:: <threads> is '-2': allowed are whole numbers from 0 to 2^64-1", -EBADMSG, true},
	{"<threads>2</threads>", "<threads>3000001</threads>",
		"f:: <threads> is 3000001: allowed are 3000000", -EBADMSG, true},
	{"<accesses>3000</accesses>", "", "f:: the parts have 4 threads and 0 accesses, the <result> has 4 and 6000", -EBADMSG,
		true},
	{"<accesses_per_second>201<", "<accesses_per_second>inf<",
		"f:: <accesses_per_second> is 'inf': allowed are finite numbers", -EBADMSG, true},
	{"<fact name=", "<fact nome=", "f:: <fact> has no name", -EBADMSG, true},
	{"<verdict status=\"untrustworthy\">\n          <reason", "<verdict status=\"fine\">\n          <reason",
		"f:: <part> needs a <verdict> with status ok, interrupted or untrustworthy", -EBADMSG, true},
	{"<latency_histogram type=\"read\" class=\"all\" layout=\"hdr\" unit=\"ns\">\n          <summary>",
		"<latency_histogram class=\"all\" layout=\"hdr\" unit=\"ns\">\n          <summary>",
		"f:: <latency_histogram> has no type", -EBADMSG, true},
	{"<omission name=", "<omission x=", "f:: <omission> has no name", -EBADMSG, true},
};

TEST("bad reports are refused")
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *good = second_text(rows[i].is_merged), why[512];
		char *bad = changed(good, rows[i].from, rows[i].to);

		assert_int_equal(add_second(0, bad, why, sizeof(why)), rows[i].err);
		without_line(why);
		assert_string_equal(why, rows[i].why);
		free(bad);
		free(good);
	}
}
