/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the text says in words of what a run could not measure, or what went wrong in it. */
#include "config.h"
#include "tests/unit/unit.h"
#include "tests/unit/fake_result.h"

static void wants(struct fake *fake, const char *line, bool is_there)
{
	char *text = fake_text(&fake->result);

	if (!strstr(text, line) == is_there)
		fail_msg("'%s' %s", line, is_there ? "is missing" : "is there");
	free(text);
	fake_free(fake);
}

/* What the text of a whole result has is in the golden of test_text. */
TEST("the text states what was not measured")
{
	static const struct {
		const char *variant, *line;
		bool is_there;
	} cases[] = {
		{"touch", "------ Statistics ------------------\ntouch_report: nothing to report\n\n----------", true},
		/* Nothing is stamped: only the duration of all accesses together is measured. */
		{"touch", "\nTimer overhead", false},
		{"touch", "\nClock step", false},
		{"touch", "\nClock            : rdtscp, 2596.134 MHz +- 0.004 ppm, drift 0.011 ppm\nClock backwards", true},
		{"unclassified", "Classification: none (--classify none)\n", true},
		{"reads-only", "\nWrite", false},
		{"unavailable", "Not available: needs CAP_BPF\n", true},
		{"interrupted",
			"tsops        = rdtscp\n\nNote: User interruption ended the benchmark earlier than scheduled.\n\n"
			"---", true},
	};
	struct fake *fake;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t variant = 0;

		while (strcmp(fake_variant_name(variant), cases[i].variant) != 0)
			variant++;
		wants(fake_variant(variant), cases[i].line, cases[i].is_there);
	}
	fake = fake_new();
	fake->options.classify = CLASSIFY_NONE;
	fake->options.wants_kernel_split = false;
	wants(fake, "minor fault", false);
	fake = fake_new();
	for (int i = 0; i < ACCESS_DIRECTIONS; i++)
		fake->result.total[RESULT_MAJOR][i].moments.count = 0;
	wants(fake, "Not available: no major fault was measured\n", true);
}

TEST("the text has the cost of the kernel split")
{
	struct fake *fake = fake_new();

	fake->result.split.cost_ns_per_fault = 531;
	wants(fake, "\nThe stamps add 531 ns to each fault, in these parts and in all latencies of faults above.\n", true);
}

/* 1000 accesses of 100 us and one of 5 s in a run of 2 h by two threads. */
TEST("time over a latency is a share of the run")
{
	struct fake *fake = fake_new();
	struct pmbench_result *result = &fake->result;
	double before, percent;

	before = result_time_over_percent(result, 1e6);
	assert_true(before > 0 && before <= result_time_over_percent(result, 1e5));
	result->threads[0].details.run_ns = 20 * UNITS_NS_PER_SEC;
	result->threads[1].details.run_ns = 20 * UNITS_NS_PER_SEC;
	/* 31 of 9 ms and one of 5 s. */
	percent = result_time_over_percent(result, 1e6);
	assert_true(fabs(percent / ((5 + 31 * 0.009) / 40 * 100) - 1) < 0.03);
	assert_true(result_time_over_percent(result, 6e9) == 0);
	result->thread_count = 0;
	assert_true(isnan(result_time_over_percent(result, 1e5)));
	result->thread_count = 2;
	fake_free(fake);
}

/* 100 faults of 8.4 ms: their bucket, from 8.39 to 16.8 ms, has its middle at 12.6 ms. Beside them 10 million hits of 40 ns,
 * whose bucket has its middle at 128 ns: middles would find 108 % of 1.24 s, and the hits' bucket a second too much. */
TEST("time over a latency is not more than the time of the accesses")
{
	struct fake *fake = fake_new();
	struct pmbench_result *result = &fake->result;
	double percent;

	for (int class = 0; class < RESULT_CLASSES; class++) {
		for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++) {
			struct result_histogram *histogram = &result->total[class][direction];

			free(histogram->hdr);
			*histogram = (struct result_histogram){.hdr = NULL};
		}
	}
	result->threads[0].details.run_ns = 1240000000;
	result->threads[1].details.run_ns = 0;
	result->total[RESULT_ALL][ACCESS_READ].count[bucket_log16(40)] = 10000000;
	result->total[RESULT_ALL][ACCESS_READ].count[bucket_log16(8400000)] = 100;
	result->total[RESULT_ALL][ACCESS_READ].moments =
		(struct histogram_moments){10000100, 0.4e9 + 0.84e9, NAN, 20, 9e6};
	result->total[RESULT_HIT][ACCESS_READ].count[bucket_log16(40)] = 10000000;
	result->total[RESULT_HIT][ACCESS_READ].moments = (struct histogram_moments){10000000, 0.4e9, NAN, 20, 256};
	result->total[RESULT_MAJOR][ACCESS_READ].count[bucket_log16(8400000)] = 100;
	result->total[RESULT_MAJOR][ACCESS_READ].moments = (struct histogram_moments){100, 0.84e9, NAN, 8.39e6, 16e6};
	percent = result_time_over_percent(result, 1e5);
	assert_true(fabs(percent - 84 / 1.24) < 1e-9);
	assert_true(result_time_over_percent(result, 1e6) == percent);
	fake_free(fake);
}

TEST("the text states what went wrong")
{
	struct fake *fake = fake_new();

	fake->result.threads[0].details.inexact_faults = 0;
	wants(fake, "Classification: not checked, 1 of 2 threads were lost with their counts\n", true);
	fake = fake_new();
	fake->result.threads[0].details.inexact_faults = 0;
	fake->result.threads[1].details.is_complete = true;
	wants(fake, "exact, all 8065571 faults", true);
	fake = fake_new();
	fake->result.checks[1] = (struct machine_check){"load", "7.29", "stop them", "other programs use the CPUs"};
	wants(fake, "NOTE: load (7.29): other programs use the CPUs\n      stop them\n", true);
	fake = fake_new();
	fake->result.pressure.is_restored = false;
	wants(fake, "NOT complete", true);
}

/* Neither all nor nothing, and one is not many. */
TEST("shares next to 0 and 100 % and counts of 1 are worded exactly")
{
	struct fake *fake = fake_new();

	fake->result.total[RESULT_ALL][ACCESS_READ].moments.count = 1 << 30;
	fake->result.total[RESULT_HIT][ACCESS_READ].moments.count = (1 << 30) - 1;
	fake->result.total[RESULT_MAJOR][ACCESS_READ].moments.count = 1;
	wants(fake, "  hit          1073741823  >99.99%  ", true);
	fake = fake_new();
	fake->result.total[RESULT_HIT][ACCESS_READ].moments = fake->result.total[RESULT_ALL][ACCESS_READ].moments;
	wants(fake, "  hit          34363804943  100.00%  ", true);
	fake = fake_new();
	fake->result.threads[0].details.backwards = 2;
	wants(fake, " latencies below zero,", true);
	fake = fake_new();
	fake->result.accesses_per_second = 5e6;
	fake->result.faults_per_second = 0;
	wants(fake, "\nAccesses         : 5.00 M/s (38662772240 in 2 h)\nFaults           : 0/s\n", true);
}

TEST("percentiles of a fine clock have no mark")
{
	struct fake *fake = fake_new();

	/* With one of 10 ns hits of 80 ns are marked, as in the golden. */
	fake->result.timebase.granularity_ns = 1;
	wants(fake, "*", false);
}

/* Without --hdr all below 256 ns is one bucket: no place in it may be printed as if it were measured. */
TEST("one bucket is no percentile")
{
	struct fake *fake = fake_new();

	for (int class = 0; class < RESULT_CLASSES; class ++) {
		for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++) {
			free(fake->result.total[class][direction].hdr);
			fake->result.total[class][direction].hdr = NULL;
		}
	}
	wants(fake, "   113 ns  <256 ns   <256 ns   <256 ns   <256 ns   33.0 us\n", true);
}
