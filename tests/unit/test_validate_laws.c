/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report of format 1.0 with one number changed: the law that it then breaks is named, and only that. */
#include "config.h"
#include "tests/unit/unit.h"
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
static struct found decide_changed(const char *path, int which, const char *from, const char *to)
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
	if (loaded_make(document, "f", LOADED_SERIES, &loaded, why, sizeof(why))) {
		/* A finding, too: that it is a report is known. */
		snprintf(found.lines[found.count++], sizeof(found.lines[0]), "%s", why);
	} else {
		validate_laws(loaded, keep, &found);
		loaded_free(loaded);
	}
	free(changed);
	free(text);
	return found;
}

TEST("valid reports keep all laws")
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

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct found found = decide_changed(paths[i], 1, "", "");

		if (found.count)
			fail_msg("%s: %s", paths[i], found.lines[0]);
	}
}

TEST("each law can be broken")
{
	static const struct {
		const char *from, *to;
		int which;
		const char *said;
		size_t more; /* laws that are broken with it */
	} changes[] = {
		{"_end_ns>7210000001000", "_end_ns>1", 1, "4: <signature>: monotonic_start_ns is 1000, which is above "
				"monotonic_end_ns, 1", 0},
		{"<jobs>2", "<jobs>3", 1, "3: <report>: signature/params/jobs is 3, which is not "
				"count(result/result_thread), 2", 0},
		{"<details_samples>34359804911", "<details_samples>34359804910", 1,
			"173: <result>: totals/accesses is 38662772240, which is not "
			"result_thread/result_details/details_samples, 38662772239", 1},
		{"<interval_hi>32</interval_hi>\n          </bucket_interval>\n          <sum_count>0</sum_count>",
			"<interval_hi>32</interval_hi>\n          </bucket_interval>\n          <sum_count>5</sum_count>", 1,
			"776: <histogram>: histo_bucket/sum_count is 4298967302, which is not the histogram's count of {type}, "
			"4298967297", 0},
		/* Two of the hits become another class. */
		{"<bucket lo=\"1408\" hi=\"1472\" count=\"65536\"/>", "<bucket lo=\"1472\" hi=\"1536\" count=\"65536\"/>", 1,
			"1216: the other classes hold 0 in the bucket from 1472, all holds 65536", 0},
		{"<p90_ns>238.4", "<p90_ns>167.4", 1,
			"1217: <summary>: p50_ns is 168.010415056022, which is above p90_ns, 167.418747100839", 0},
		{"<p9999_ns>6948.0", "<p9999_ns>6948.1", 1,
			"1217: p9999_ns is 6948.17414436475, the buckets say 6948.07414436475", 0},
		{"<p50_ns>168.0", "<p50_ns>229.0", 1,
			"1217: <summary>: 0.5 * p50_ns is 114.505207528011, which is above mean_ns, 114.41033244815", 0},
		{"<mean_ns>110<", "<mean_ns>109<", 1, "1403: <summary>: min_ns is 110, which is above mean_ns, 109", 0},
		{"<time_s>3<", "<time_s>1<", 1, "1508: time_s is 1, below that of the <interval> before, 1.5", 0},
		{"<accesses>5000000001<", "<accesses>5000000000<", 1,
			"1481: <interval>: latency_histogram/bucket/count is 5000000001, which is above accesses, 5000000000", 0},
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct found found = decide_changed(report, changes[i].which, changes[i].from, changes[i].to);

		assert_int_equal(found.count, 1 + changes[i].more);
		assert_string_equal(found.lines[0], changes[i].said);
	}
}

TEST("the time of long accesses is not more than that of all accesses")
{
	static const struct {
		const char *from, *to, *said;
	} changes[] = {
		{"<time_over_100us_percent>0.04", "<time_over_100us_percent>31.04", ": <result>: totals/time_over_100us_percent"},
		{"<time_over_1ms_percent>0.03", "<time_over_1ms_percent>0.05", ": <totals>: time_over_1ms_percent is 0.05"},
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct found found = decide_changed("tests/golden/pmbench-report.xml", 1, changes[i].from, changes[i].to);

		assert_int_equal(found.count, 1);
		assert_non_null(strstr(found.lines[0], changes[i].said));
	}
}

#define RUN "tests/fixtures/iowrite/run.xml"
#define EVALUATE "tests/fixtures/iowrite/evaluate.xml"
#define TRACE "tests/fixtures/iowrite/trace.xml"

TEST("each law of iowrite bench can be broken")
{
	static const struct {
		const char *path, *from, *to;
		int which;
		const char *said;
	} changes[] = {
		{RUN, "<sync>none", "<sync>fsync", 1, "<cell>: id is pwrite.direct.none.append.write.4k, which does not "
						      "begin with pwrite.direct.fsync.append.write."},
		{RUN, "<residual_percent>17.25", "<residual_percent>17.5", 1,
			"<cost_split>: syscall_percent + copy_percent + throttle_percent + device_percent + residual_percent is "
			"100.25, which is not 100"},
		{RUN, "<size_bytes>65536", "<size_bytes>65535", 1,
			"<cell>: operations * size_bytes is 39321000, which is not bytes, 39321600"},
		{RUN, "<write_mean_ns>170867.4", "<write_mean_ns>170868.4", 1,
			"<cell>: write_mean_ns is 170868.438333333, which is not the histogram's mean of write, 170867.438333333"},
		{RUN, "class=\"fwrite.buffered.none.append.write.1m\"", "class=\"none\"", 1,
			"a histogram is of none, which is not among the subjects"},
		{EVALUATE, "<freerun_bytes>805306368", "<freerun_bytes>5306368", 1,
			"<scenario>: background_bytes is 536870912, which is above freerun_bytes, 5306368"},
		{EVALUATE, "repetition=\"2\"", "repetition=\"1\"", 1, "a second <scenario> c2, 1"},
		{EVALUATE, "low_ns=\"", "low_ns=\"-", 1, NULL},
		{EVALUATE, "low_ns=\"", "typical_ns=\"-7\" low_ns=\"", 1, "<write>: 0 is 0, which is above typical_ns, -7"},
		{EVALUATE, "cawl_ns=\"", "cawl_ns=\"-", 1, NULL},
		{EVALUATE, "index=\"3\"", "index=\"2\"", 1, "index is 2, not above that of the <write> before"},
		{EVALUATE, "<is_met>true", "<is_met>false", 1, "<goal>: limit_percent is 15, which is not below "
				"reached_percent, 8.25"},
		{EVALUATE, "<measured_s>", "<measured_s>1", 1, NULL},
		{TRACE, "<pause time_s=\"0", "<pause time_s=\"9", 1, NULL},
		{TRACE, "<limit_bytes>1", "<limit_bytes>0", 1, "<kernel_trace>: freerun_bytes is 805306368, which is "
				"above limit_bytes, 73741824"},
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct found found = decide_changed(changes[i].path, changes[i].which, changes[i].from, changes[i].to);

		assert_true(found.count > 0);
		if (!changes[i].said)
			continue;
		assert_int_equal(found.count, 1);
		assert_string_equal(strchr(found.lines[0], ' ') + 1, changes[i].said);
	}
}

#define SSD "tests/fixtures/ssd/run.xml"

TEST("each law of ssd workloads can be broken")
{
	static const struct {
		const char *from, *to;
		int which;
		const char *said;
	} changes[] = {
		{"<bytes>52838400", "<bytes>52838401", 1, "<stream_result>: operations * "
				"../../workload/stream_plan/block_bytes is "},
		{"<block_bytes>131072", "<block_bytes>131071", 1, "<stream_result>: operations * "
				"../../workload/stream_plan/block_bytes is 41549507, which is not bytes, 41549824"},
		{"<seconds>0.040400997", "<seconds>0.04", 1, "<stream_result>: operations / operations_per_second is "
				"0.040400997, which is above ../seconds, 0.04"},
		{"<failed>0", "<failed>1", 1, "<stream_result>: io_error/count is 0, which is not failed, 1"},
		{"<depth_achieved>49.67", "<depth_achieved>69.67", 1, "<stream_result>: depth_achieved is 69.67"},
		{"<depth>8<", "<depth>7<", 1, NULL},
		{"<stream_plan stream=\"log\"", "<stream_plan stream=\"wal\"", 1,
				"<stream_result>: count(../../workload/stream_plan) is 0, which is not 1"},
		{"<count>1306<", "<count>1305<", 1, "<stream_result>: response/count is 1305, which is not operations, 1306"},
		{"class=\"log-alone\"", "class=\"none\"", 1, "a histogram is of none, which is not among the subjects"},
		{"<mix_ns>1083876", "<mix_ns>2083876", 1, "<interference>: value is 0.259333403789561, which is not "
				"mix_ns / alone_ns, "},
		{"<low>0.12", "<low>1.12", 1, "<interference>: low is 1.12344679816298, which is above high, 0.69628418292042"},
		{"</baselines>",
			"</baselines><records><emitted>9</emitted><kept>5</kept><overwritten>3</overwritten>"
			"<dropped>7</dropped></records>", 1, "<records>: kept + overwritten is 8, which is not emitted, 9"},
		{"<operations>409<", "<operations>410<", 1, NULL},
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct found found = decide_changed(SSD, changes[i].which, changes[i].from, changes[i].to);

		if (!found.count)
			fail_msg("%s: nothing is said", changes[i].to);
		if (!changes[i].said)
			continue;
		if (strncmp(strchr(found.lines[0], ' ') + 1, changes[i].said, strlen(changes[i].said)) != 0)
			fail_msg("%s: %s", changes[i].to, found.lines[0]);
	}
}

/* Nothing is more than the stream had, and what a run had written before it ended is in no interval. */
TEST("intervals belong to a stream of the report")
{
	struct found found = decide_changed(SSD, 1, "<time_s>0.02<", "<time_s>0.02<");
	const char *first = "<seconds>0.02</seconds>\n        <operations>";

	assert_int_equal(found.count, 0);
	found = decide_changed(SSD, 1, first, "<seconds>0.02</seconds>\n        <operations>9999");
	assert_int_equal(found.count, 1);
	assert_non_null(strstr(found.lines[0], "over all intervals operations is 9999989, which is above over all "
			"repetitions operations, 989"));
}

/* A cell that failed may have counted a write that is in no histogram. */
TEST("cells hold their histograms")
{
	struct found found = decide_changed(RUN, 1, "<operations>600", "<operations>601");

	assert_int_equal(found.count, 3);
	assert_string_equal(strchr(found.lines[0], ' ') + 1,
		"<cell>: operations * size_bytes is 2461696, which is not bytes, 2457600");
	found = decide_changed(RUN, 1, "<short_writes>0</short_writes>", "<short_writes>0</short_writes><failure>ENOSPC</failure>");
	assert_int_equal(found.count, 0);
}

/* As many accesses as had a latency below zero may be in no histogram. */
TEST("histograms hold all accesses")
{
	static const char was[] = "<accesses>54328466<", resident[] = "results/reference/resident/report.xml";
	static const char last[] = "<interval_hi>32</interval_hi>\n          </bucket_interval>\n          <sum_count>0";
	struct found found = decide_changed(resident, 1, was, "<accesses>54328467<");

	assert_int_equal(found.count, 1);
	assert_string_equal(found.lines[0], "216: <result>: totals/accesses is 54328467, which is not "
					    "result_thread/result_details/details_samples, 54328466");
	found = decide_changed(resident, 1, was, "<accesses>54328465<");
	assert_int_equal(found.count, 1);
	found = decide_changed(resident, 1, "<details_samples>54328466<", "<details_samples>54328467<");
	assert_int_equal(found.count, 2);
	found = decide_changed(resident, 1, "<backwards>0", "<backwards>1");
	assert_int_equal(found.count, 0);
	/* What a lost thread had counted may lack the last of either. */
	found = decide_changed(report, 1, "<accesses>38662772240<", "<accesses>38662772242<");
	assert_int_equal(found.count, 1);
	/* Whoever was interrupted may have counted the one and not yet the other. */
	found = decide_changed("tests/fixtures/pmbench-original/uniform.xml", 1, last, "<interval_hi>32</interval_hi>\n"
								       "          </bucket_interval>\n          <sum_count>1");
	assert_int_equal(found.count, 2);
	found = decide_changed("tests/fixtures/pmbench-original/uniform.xml", 1, "</params>",
		"</params><interrupted>1</interrupted>");
	assert_int_equal(found.count, 0);
}
