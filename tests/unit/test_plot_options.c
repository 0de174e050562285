/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "memstor/plot/plot.h"

TEST("sizes are two numbers")
{
	static const char *const bad[] = {"", "x", "960", "960x", "x600", "199x600", "960x10001", "960X600", "9.5x600",
		"960x600x1", "-960x600", "960 x600", "99999999999999999999x600"};
	unsigned width = 7, height = 7;

	assert_int_equal(plot_size_parse("960x600", &width, &height), 0);
	assert_true(width == 960 && height == 600);
	assert_int_equal(plot_size_parse("200x10000", &width, &height), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(plot_size_parse(bad[i], &width, &height), -EINVAL);
	assert_true(width == 200 && height == 10000);
}

TEST("a range needs two rising positive ends")
{
	static const char *const bad[] = {"", ":", "100ns", "100ns:", ":1ms", "1ms:100ns", "1ms:1ms", "0:1ms", "1ns:1ms:1s",
		"a:b", "-1ns:1ms"};
	struct plot_range range = {0};

	assert_int_equal(plot_range_parse("100ns:1.5ms", &range), 0);
	assert_true(range.is_given && range.low_ns == 100 && range.high_ns == 1.5e6);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(plot_range_parse(bad[i], &range), -EINVAL);
}

static void expect_threshold(const char *text, enum plot_threshold_unit unit, double value, const char *label)
{
	struct plot_threshold threshold;

	assert_int_equal(plot_threshold_parse(text, &threshold), 0);
	assert_int_equal(threshold.unit, unit);
	assert_true(threshold.value == value);
	assert_string_equal(threshold.label, label);
}

TEST("a threshold is known by its unit")
{
	static const char *const bad[] = {"", ":label", "1x", "ms", "/s", "1e400", "-5", "nan", "5min", "1 ms"};
	struct plot_threshold threshold;

	expect_threshold("100us", PLOT_THRESHOLD_NS, 1e5, "");
	expect_threshold("2s:slow: very", PLOT_THRESHOLD_NS, 2e9, "slow: very");
	expect_threshold("2e6/s:goal", PLOT_THRESHOLD_RATE, 2e6, "goal");
	/* Not five minutes, and not five milliseconds. */
	expect_threshold("5m", PLOT_THRESHOLD_BYTES, 5 << 20, "");
	expect_threshold("1.5GiB", PLOT_THRESHOLD_BYTES, 1.5 * (1 << 30), "");
	expect_threshold("5000", PLOT_THRESHOLD_COUNT, 5000, "");
	expect_threshold("1:", PLOT_THRESHOLD_COUNT, 1, "");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (plot_threshold_parse(bad[i], &threshold) != -EINVAL)
			fail_msg("%s is taken", bad[i]);
	}
}

TEST("counters are levels or events")
{
	static const struct {
		const char *name;
		enum plot_counter_kind kind;
	} known[] = {
		{"meminfo.Dirty", PLOT_COUNTER_BYTES},
		{"meminfo.HugePages_Free", PLOT_COUNTER_NUMBER},
		{"vmstat.pswpin", PLOT_COUNTER_EVENTS},
		{"vmstat.nr_dirty", PLOT_COUNTER_NUMBER},
		{"vmstat.nr_dirtied", PLOT_COUNTER_EVENTS},
		{"vmstat.nr_dirty_threshold", PLOT_COUNTER_NUMBER},
		{"vmstat.nr_vmscan_write", PLOT_COUNTER_EVENTS},
		{"vmstat.workingset_nodes", PLOT_COUNTER_NUMBER},
		{"vmstat.workingset_refault_anon", PLOT_COUNTER_EVENTS},
		{"psi.memory.some.total", PLOT_COUNTER_STALLED},
		{"cgroup.psi.memory.full.total", PLOT_COUNTER_STALLED},
		{"stat.steal", PLOT_COUNTER_CPU},
		{"stat.ctxt", PLOT_COUNTER_EVENTS},
		{"interrupts.TLB", PLOT_COUNTER_EVENTS},
		{"cgroup.usage", PLOT_COUNTER_BYTES},
		{"cgroup.anon", PLOT_COUNTER_BYTES},
		{"cgroup.total_swap", PLOT_COUNTER_BYTES},
		{"cgroup.pgmajfault", PLOT_COUNTER_EVENTS},
		{"cgroup.total_pgpgin", PLOT_COUNTER_EVENTS},
		{"cgroup.events.oom_kill", PLOT_COUNTER_EVENTS},
		{"else", PLOT_COUNTER_EVENTS},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (plot_counter_kind(known[i].name) != known[i].kind)
			fail_msg("%s is of kind %d", known[i].name, (int)plot_counter_kind(known[i].name));
	}
}

TEST("counters have their units")
{
	struct loaded_value values[] = {
		{.name = "vmstat.pswpin", .value = 500},
		{.name = "psi.memory.some.total", .value = 250000},
		{.name = "stat.user", .value = 30},
		{.name = "stat.total", .value = 120},
		{.name = "meminfo.Dirty", .value = -4096},
	};
	struct loaded_interval interval = {.seconds = 0.5, .counter_count = 5, .counters = values};

	assert_true(plot_counter_value(PLOT_COUNTER_EVENTS, &interval, "vmstat.pswpin") == 1000);
	assert_true(plot_counter_value(PLOT_COUNTER_STALLED, &interval, "psi.memory.some.total") == 50);
	assert_true(plot_counter_value(PLOT_COUNTER_CPU, &interval, "stat.user") == 25);
	assert_true(plot_counter_value(PLOT_COUNTER_BYTES, &interval, "meminfo.Dirty") == -4096);
	/* Not listed: it did not change. */
	assert_true(plot_counter_value(PLOT_COUNTER_EVENTS, &interval, "vmstat.pswpout") == 0);
}
