/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report of format 1.0 with one number changed: the law that it then breaks is named, and only that. */
#include "config.h"
#include "tests/unit/unit.h"

#include <string.h>
#include "memstor/validate/laws.h"
#include "tests/unit/golden.h"

#define FOUND_MAX 4

static const char report[] = "tests/fixtures/report-1.0.xml";

struct found {
	size_t count;
	char lines[FOUND_MAX][512];
};

static void keep(void *data, unsigned line, const char *text)
{
	struct found *found = data;

	if (found->count < FOUND_MAX)
		snprintf(found->lines[found->count], sizeof(found->lines[0]), "%u: %s", line, text);
	found->count++;
}

/* The `which`th `from` (from 1) replaced by `to`. */
static struct found judge_changed(const char *path, int which, const char *from, const char *to)
{
	char full[512], why[512] = "";
	char *text, *changed, *at;
	struct report_document *document;
	struct found found = {0};
	struct loaded *loaded;
	size_t room;

	snprintf(full, sizeof(full), "%s/%s", unit_srcdir(), path);
	text = golden_read(full);
	at = strstr(text, from);
	for (int i = 1; i < which && at; i++)
		at = strstr(at + 1, from);
	assert_non_null(at);
	room = strlen(text) + strlen(to) + 1;
	changed = malloc(room);
	snprintf(changed, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	assert_int_equal(report_read_memory(changed, strlen(changed), &document, why, sizeof(why)), 0);
	if (loaded_make(document, "f", LOADED_SERIES, &loaded, why, sizeof(why)))
		fail_msg("%s", why);
	validate_laws(loaded, keep, &found);
	loaded_free(loaded);
	free(changed);
	free(text);
	return found;
}

static void reports_keep_the_laws(void **state)
{
	static const char *const paths[] = {
		"tests/golden/pmbench-report.xml",
		"tests/fixtures/report-1.0.xml",
		"tests/fixtures/pmbench-original/linear-r100.xml",
		"tests/fixtures/pmbench-original/normal-j2-r80-cold.xml",
		"tests/fixtures/pmbench-original/uniform.xml",
		"tests/fixtures/pmbench-original/uniform-swap.xml",
		"results/reference/paper/report.xml",
		"results/reference/resident/report.xml",
		"tests/fixtures/iowrite/run.xml",
		"tests/fixtures/iowrite/evaluate.xml",
		"tests/fixtures/iowrite/trace.xml",
		"tests/fixtures/ssd/run.xml",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct found found = judge_changed(paths[i], 1, "", "");

		if (found.count)
			fail_msg("%s: %s", paths[i], found.lines[0]);
	}
}

static void each_law_can_be_broken(void **state)
{
	static const struct {
		const char *from, *to;
		int which;
		const char *said;
	} changes[] = {
		{"_end_ns>7210000001000", "_end_ns>1", 1, "65: monotonic_end_ns is 1, before monotonic_start_ns, 1000"},
		{"<jobs>2", "<jobs>3", 1, "39: <jobs> is 3, there are 2 <result_thread>"},
		{"<details_samples>34359804911", "<details_samples>34359804910", 1,
			"173: the threads had 38662772239 accesses, <totals> says 38662772240"},
		{"<interval_hi>32</interval_hi>\n          </bucket_interval>\n          <sum_count>0</sum_count>",
			"<interval_hi>32</interval_hi>\n          </bucket_interval>\n          <sum_count>5</sum_count>", 1,
			"776: <histogram> holds 4298967302, <latency_histogram> holds 4298967297"},
		/* Two of the hits become another class. */
		{"<bucket lo=\"1408\" hi=\"1472\" count=\"65536\"/>", "<bucket lo=\"1472\" hi=\"1536\" count=\"65536\"/>", 1,
			"1216: hit, minor and major hold 0 in the bucket from 1472, all holds 65536"},
		{"<p90_ns>238.4", "<p90_ns>167.4", 1,
			"1217: p90_ns is 167.418747100839, below p50_ns, 168.010415056022: percentiles rise"},
		{"<p90_ns>238.4", "<p90_ns>238.5", 1,
			"1217: p90_ns is 238.518747100839, the buckets say 238.418747100839"},
		{"<mean_ns>110<", "<mean_ns>109<", 1, "1403: mean_ns is 109, outside min_ns to max_ns, 110 to 110"},
		{"<time_s>3<", "<time_s>1<", 1, "1508: time_s is 1, below that of the interval before, 1.5"},
		{"<accesses>5000000001<", "<accesses>5000000000<", 1,
			"1481: the histogram holds 5000000001, the interval had 5000000000 accesses"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct found found = judge_changed(report, changes[i].which, changes[i].from, changes[i].to);

		assert_int_equal(found.count, 1);
		assert_string_equal(found.lines[0], changes[i].said);
	}
}

#define RUN "tests/fixtures/iowrite/run.xml"
#define EVALUATE "tests/fixtures/iowrite/evaluate.xml"
#define TRACE "tests/fixtures/iowrite/trace.xml"

static void each_law_of_iowrite_bench_can_be_broken(void **state)
{
	static const struct {
		const char *path, *from, *to;
		int which;
		const char *said;
	} changes[] = {
		{RUN, "<sync>none", "<sync>fsync", 1, "the id of <cell> is pwrite.direct.none.append.write.4k: it begins with "
						      "pwrite.direct.fsync.append.write."},
		{RUN, "<residual_percent>17.25", "<residual_percent>17.5", 1,
			"the parts of <cost_split> add up to 100.25, not to 100"},
		{RUN, "<size_bytes>65536", "<size_bytes>65535", 1,
			"600 operations of 65535 bytes are 39321000 bytes, not 39321600"},
		{RUN, "<write_mean_ns>170867.4", "<write_mean_ns>170868.4", 1,
			"write_mean_ns is 170868.438333333, its histogram's mean 170867.438333333"},
		{RUN, "class=\"fwrite.buffered.none.append.write.1m\"", "class=\"none\"", 1,
			"there is no cell none, but a histogram of it"},
		{EVALUATE, "<freerun_bytes>805306368", "<freerun_bytes>5306368", 1,
			"freerun_bytes is 5306368, below background_bytes, 536870912"},
		{EVALUATE, "repetition=\"2\"", "repetition=\"1\"", 1, "a second <scenario> c2, repetition 1"},
		{EVALUATE, "low_ns=\"", "low_ns=\"-", 1, NULL},
		{EVALUATE, "low_ns=\"", "typical_ns=\"-7\" low_ns=\"", 1, "typical_ns is -7: no write costs less than nothing"},
		{EVALUATE, "cawl_ns=\"", "cawl_ns=\"-", 1, NULL},
		{EVALUATE, "index=\"3\"", "index=\"2\"", 1, "index is 2, not above that of the <write> before"},
		{EVALUATE, "<is_met>true", "<is_met>false", 1, "is_met is false, but 8.25 of at most 15 is reached"},
		{EVALUATE, "<measured_s>", "<measured_s>1", 1, NULL},
		{TRACE, "<pause time_s=\"0", "<pause time_s=\"9", 1, NULL},
		{TRACE, "<limit_bytes>1", "<limit_bytes>0", 1, "limit_bytes is 73741824, below freerun_bytes, 805306368"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct found found = judge_changed(changes[i].path, changes[i].which, changes[i].from, changes[i].to);

		assert_true(found.count > 0);
		if (!changes[i].said)
			continue;
		assert_int_equal(found.count, 1);
		assert_string_equal(strchr(found.lines[0], ' ') + 1, changes[i].said);
	}
}

#define SSD "tests/fixtures/ssd/run.xml"

static void each_law_of_ssd_workloads_can_be_broken(void **state)
{
	static const struct {
		const char *from, *to;
		int which;
		const char *said;
	} changes[] = {
		{"<bytes>52838400", "<bytes>52838401", 1, "bytes_per_second is "},
		{"<block_bytes>131072", "<block_bytes>131071", 1, "317 writes of 131071 bytes are 41549507 bytes, not 41549824"},
		{"<seconds>0.040400997", "<seconds>0.04", 1, "3225 operations at "},
		{"<failed>0", "<failed>1", 1, "1 writes failed, the errors by name are 0"},
		{"<depth_achieved>49.67", "<depth_achieved>69.67", 1, "depth_achieved is 69.67"},
		{"<depth>8<", "<depth>7<", 1, NULL},
		{"<stream_plan stream=\"log\"", "<stream_plan stream=\"wal\"", 1, "there is no <stream_plan> of log"},
		{"<count>1306<", "<count>1305<", 1, "<response> is of 1305 writes, there were 1306"},
		{"class=\"log-alone\"", "class=\"none\"", 1, "there is no stream none, but a histogram of it"},
		{"<mix_ns>1083876", "<mix_ns>2083876", 1, "value is 0.259333403789561, the mix over alone "},
		{"<low>0.12", "<low>1.12", 1, "low is 1.12344679816298, above high, 0.69628418292042"},
		{"</baselines>",
			"</baselines><records><emitted>9</emitted><kept>5</kept><overwritten>3</overwritten>"
			"<dropped>7</dropped></records>", 1, "9 records were emitted, 5 are kept and 3 overwritten"},
		{"<operations>409<", "<operations>410<", 1, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct found found = judge_changed(SSD, changes[i].which, changes[i].from, changes[i].to);

		if (!found.count)
			fail_msg("%s: nothing is said", changes[i].to);
		if (!changes[i].said)
			continue;
		if (strncmp(strchr(found.lines[0], ' ') + 1, changes[i].said, strlen(changes[i].said)) != 0)
			fail_msg("%s: %s", changes[i].to, found.lines[0]);
	}
}

/* Nothing is more than the stream had, and what a run had written before it ended is in no interval. */
static void intervals_are_of_their_stream(void **state)
{
	struct found found = judge_changed(SSD, 1, "<time_s>0.02<", "<time_s>0.02<");
	const char *first = "<seconds>0.02</seconds>\n        <operations>";

	(void)state;
	assert_int_equal(found.count, 0);
	found = judge_changed(SSD, 1, first, "<seconds>0.02</seconds>\n        <operations>9999");
	assert_int_equal(found.count, 1);
	assert_non_null(strstr(found.lines[0], "the intervals of checkpoint-alone have "));
}

/* A cell that failed may have counted a write that is in no histogram. */
static void cells_hold_their_histograms(void **state)
{
	struct found found = judge_changed(RUN, 1, "<operations>600", "<operations>601");

	(void)state;
	assert_int_equal(found.count, 3);
	assert_string_equal(strchr(found.lines[0], ' ') + 1,
		"pwrite.direct.none.append.write.4k had 601 operations, its histogram of type write holds 600");
	found = judge_changed(RUN, 1, "<short_writes>0</short_writes>", "<short_writes>0</short_writes><failure>ENOSPC</failure>");
	assert_int_equal(found.count, 0);
}

/* As many accesses as had a latency below zero may be in no histogram. */
static void histograms_hold_all_accesses(void **state)
{
	static const char was[] = "<accesses>54328466<", resident[] = "results/reference/resident/report.xml";
	static const char last[] = "<interval_hi>32</interval_hi>\n          </bucket_interval>\n          <sum_count>0";
	struct found found = judge_changed(resident, 1, was, "<accesses>54328467<");

	(void)state;
	assert_int_equal(found.count, 2);
	assert_string_equal(found.lines[1], "216: the histograms hold 54328466 of 54328467 accesses, 0 were backwards");
	found = judge_changed(resident, 1, was, "<accesses>54328465<");
	assert_int_equal(found.count, 2);
	found = judge_changed(resident, 1, "<backwards>0", "<backwards>1");
	assert_int_equal(found.count, 0);
	/* What a lost thread had counted may lack the last of either. */
	found = judge_changed(report, 1, "<accesses>38662772240<", "<accesses>38662772242<");
	assert_int_equal(found.count, 1);
	/* Whoever was interrupted may have counted the one and not yet the other. */
	found = judge_changed("tests/fixtures/pmbench-original/uniform.xml", 1, last, "<interval_hi>32</interval_hi>\n"
								       "          </bucket_interval>\n          <sum_count>1");
	assert_int_equal(found.count, 1);
	found = judge_changed("tests/fixtures/pmbench-original/uniform.xml", 1, "</params>",
		"</params><interrupted>1</interrupted>");
	assert_int_equal(found.count, 0);
}

UNIT_MAIN()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_keep_the_laws),
		cmocka_unit_test(each_law_can_be_broken),
		cmocka_unit_test(each_law_of_iowrite_bench_can_be_broken),
		cmocka_unit_test(each_law_of_ssd_workloads_can_be_broken),
		cmocka_unit_test(intervals_are_of_their_stream),
		cmocka_unit_test(cells_hold_their_histograms),
		cmocka_unit_test(histograms_hold_all_accesses),
	};

	return cmocka_run_group_tests_name("validate_laws", tests, NULL, NULL);
}
