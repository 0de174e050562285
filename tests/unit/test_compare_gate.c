/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "memstor/compare/compare.h"

TEST("a gate is parsed into metric, direction and limit")
{
	static const struct {
		const char *text, *metric;
		bool is_change, is_below;
		double limit;
	} rows[] = {
		{"p99<+5%", "p99", true, true, 0.05},
		{"p99<5%", "p99", true, true, 0.05},
		{"p99<-5%", "p99", true, true, -0.05},
		{"throughput>-3%", "throughput", true, false, -0.03},
		{"read.major.p99.9<+0.5%", "read.major.p99.9", true, true, 0.005},
		{"mean<0%", "mean", true, true, 0},
		{"p99<3us", "p99", false, true, 3000},
		{"write.p50<1.5ms", "write.p50", false, true, 1500000},
		{"p99<2s", "p99", false, true, 2e9},
		{"c2:kernel.total-error<5", "c2:kernel.total-error", false, true, 5},
		{"c2:kernel.total-error<+5%", "c2:kernel.total-error", true, true, 0.05},
		{"throughput>1e6", "throughput", false, false, 1e6},
		{"throughput>250000.5", "throughput", false, false, 250000.5},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct compare_gate gate;
		const char *why;

		assert_int_equal(compare_gate_parse(rows[i].text, &gate, &why), 0);
		assert_string_equal(gate.ways[0].metric.name, rows[i].metric);
		assert_string_equal(gate.text, rows[i].text);
		assert_int_equal(gate.is_change, rows[i].is_change);
		assert_int_equal(gate.is_below, rows[i].is_below);
		assert_true(fabs(gate.limit - rows[i].limit) < 1e-9 * fabs(rows[i].limit) + 1e-15);
	}
}

TEST("text that is not a gate is refused with a reason")
{
	/* A bare latency would be seconds, an infinite or negative one nothing at all. */
	static const char *const wrong[] = {"", "p99", "<5%", "p99<", "p99<%", "p99<+%", "p99<+-5%",
		"p99<++5%", "p99<-101%", "p99<5", "p99<3uss", "p99<-3us", "p99<=5%", "p99<>5%", "p99=5%",
		"p99<5%%", "p99<nan%", "p99<1e9%", "p99<5 %", "p98.<5", "fast<5%", "throughput>1M",
		"throughput>-1", "throughput>inf", "throughput>3us",
		"p99<0000000000000000000000000000000000000005%",
		/* Minutes or milli? Hours? The wrong side. Five percent of the change, or of an error that is in percent? */
		"p99<1m", "p99<1h", "p99<1M", "p99>+5%", "p99>1us", "throughput<-3%", "throughput<1e6",
		"c2:kernel.total-error<5%", ":p99<5%", "a:b:fast<5%"};
	struct compare_gate gate = {.limit = 77};
	const char *why;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		why = NULL;
		assert_int_equal(compare_gate_parse(wrong[i], &gate, &why), -EINVAL);
		assert_true(why && strncmp(why, "must be", 7) == 0);
		assert_true(gate.limit == 77);
	}
}

/* What stands before a colon may be a set; a metric of every set comes first. */
TEST("names before colons may be sets")
{
	struct compare_gate gate;
	const char *why;

	assert_int_equal(compare_gate_parse("p99<5%", &gate, &why), 0);
	assert_int_equal(gate.way_count, 1);
	assert_int_equal(compare_gate_parse("zram:p99<5%", &gate, &why), 0);
	assert_int_equal(gate.way_count, 2);
	assert_string_equal(gate.ways[0].metric.name, "zram:p99");
	assert_int_equal(gate.ways[0].set_length, 0);
	assert_string_equal(gate.ways[1].metric.name, "p99");
	assert_int_equal(gate.ways[1].set_length, strlen("zram"));
	assert_int_equal(compare_gate_parse("swap=<a>:b:log:p99<5%", &gate, &why), 0);
	assert_int_equal(gate.way_count, 3);
	assert_int_equal(gate.ways[1].set_length, strlen("swap=<a>:b:log"));
	assert_string_equal(gate.ways[2].metric.name, "b:log:p99");
	assert_int_equal(gate.ways[2].set_length, strlen("swap=<a>"));
}

static enum compare_gate_state state_of(const char *text, double low, double high)
{
	const struct compare_change change = {
		.base_count = 5, .new_count = 5, .low = low, .high = high, .new_low = 1000, .new_high = 2000};
	struct compare_gate gate;
	const char *why;

	assert_int_equal(compare_gate_parse(text, &gate, &why), 0);
	return compare_gate_decide(&gate, &change);
}

/* The bad end must be on the right side, the good end on the wrong one. */
TEST("the whole interval decides")
{
	const struct compare_change none = {.low = NAN, .new_low = NAN}, unknown = {.base_count = 1,
										 .new_count = 1,
										 .low = NAN,
										 .high = NAN,
										 .new_low = NAN,
										 .new_high = NAN};
	struct compare_gate gate;
	const char *why;

	assert_int_equal(state_of("p99<+5%", 0.01, 0.049), COMPARE_GATE_PASSED);
	assert_int_equal(state_of("p99<+5%", 0.01, 0.05), COMPARE_GATE_UNDECIDED);
	assert_int_equal(state_of("p99<+5%", 0.049, 0.3), COMPARE_GATE_UNDECIDED);
	assert_int_equal(state_of("p99<+5%", 0.05, 0.3), COMPARE_GATE_FAILED);
	assert_int_equal(state_of("p99<+5%", 0.07, INFINITY), COMPARE_GATE_FAILED);
	assert_int_equal(state_of("throughput>-3%", -0.02, 0.1), COMPARE_GATE_PASSED);
	assert_int_equal(state_of("throughput>-3%", -0.03, 0.1), COMPARE_GATE_UNDECIDED);
	assert_int_equal(state_of("throughput>-3%", -0.2, -0.03), COMPARE_GATE_FAILED);
	assert_int_equal(state_of("p99<3us", NAN, NAN), COMPARE_GATE_PASSED);
	assert_int_equal(state_of("p99<2us", NAN, NAN), COMPARE_GATE_UNDECIDED);
	assert_int_equal(state_of("p99<1us", 0, 0), COMPARE_GATE_FAILED);
	assert_int_equal(state_of("throughput>999", 0, 0), COMPARE_GATE_PASSED);
	assert_int_equal(compare_gate_parse("p99<5%", &gate, &why), 0);
	assert_int_equal(compare_gate_decide(&gate, &none), COMPARE_GATE_ABSENT);
	assert_int_equal(compare_gate_decide(&gate, &unknown), COMPARE_GATE_UNDECIDED);
}
