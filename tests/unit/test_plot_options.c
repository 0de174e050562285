/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/diag.h"
#include "memstor/commands.h"
#include "memstor/plot/plot.h"

/* Parses a command line of this kind with one more argument; the caller frees the options. What is refused is not printed. */
static int parse(const char *kind, const char *option, const char *value, struct plot_options *options)
{
	static char words[6][64];
	char *argv[] = {words[0], words[1], words[2], words[3], words[4], words[5], NULL};
	int saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC), code;

	snprintf(words[0], sizeof(words[0]), "plot");
	snprintf(words[1], sizeof(words[1]), "%s", kind);
	snprintf(words[2], sizeof(words[2]), "x.xml");
	snprintf(words[3], sizeof(words[3]), "-o");
	snprintf(words[4], sizeof(words[4]), "options.svg");
	snprintf(words[5], sizeof(words[5]), "--%s=%s", option, value);
	dup2(null, STDERR_FILENO);
	code = plot_options_parse(&command_plot, 6, argv, options);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(null);
	return code;
}

TEST("sizes, ranges and thresholds that are malformed are refused")
{
	static const struct {
		const char *kind, *option, *values[14];
	} rows[] = {
		{"cdf", "size", {"", "x", "960", "960x", "x600", "199x600", "960x10001", "960X600", "9.5x600", "960x600x1",
			"-960x600", "960 x600", "99999999999999999999x600"}},
		{"cdf", "x-range", {"", ":", "100ns", "100ns:", ":1ms", "1ms:100ns", "1ms:1ms", "0:1ms", "1ns:1ms:1s", "a:b",
			"-1ns:1ms"}},
		{"series", "threshold", {"", ":label", "1x", "ms", "/s", "1e400", "-5", "nan", "5min", "1 ms"}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (const char *const *value = rows[i].values; *value; value++) {
			struct plot_options options;

			if (parse(rows[i].kind, rows[i].option, *value, &options) != DIAG_EXIT_USAGE)
				fail_msg("--%s='%s' is accepted", rows[i].option, *value);
			plot_options_free(&options);
		}
	}
}

TEST("sizes are two numbers in pixels, ranges two rising latencies")
{
	struct plot_options options;

	assert_int_equal(parse("cdf", "size", "200x10000", &options), 0);
	assert_true(options.width == 200 && options.height == 10000);
	plot_options_free(&options);
	assert_int_equal(parse("cdf", "x-range", "100ns:1.5ms", &options), 0);
	assert_true(options.x_range.is_given && options.x_range.low_ns == 100 && options.x_range.high_ns == 1.5e6);
	assert_false(options.y_range.is_given);
	plot_options_free(&options);
}

TEST("the unit of a threshold decides its quantity")
{
	static const struct {
		const char *text;
		enum plot_threshold_unit unit;
		double value;
		const char *label;
	} rows[] = {
		{"100us", PLOT_THRESHOLD_NS, 1e5, ""},
		{"2s:slow: very", PLOT_THRESHOLD_NS, 2e9, "slow: very"},
		{"2e6/s:goal", PLOT_THRESHOLD_RATE, 2e6, "goal"},
		/* Not five minutes, and not five milliseconds. */
		{"5m", PLOT_THRESHOLD_BYTES, 5 << 20, ""},
		{"1.5GiB", PLOT_THRESHOLD_BYTES, 1.5 * (1 << 30), ""},
		{"5000", PLOT_THRESHOLD_COUNT, 5000, ""},
		{"1:", PLOT_THRESHOLD_COUNT, 1, ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plot_options options;

		assert_int_equal(parse("series", "threshold", rows[i].text, &options), 0);
		assert_int_equal(options.threshold_count, 1);
		if (options.thresholds[0].unit != rows[i].unit || options.thresholds[0].value != rows[i].value ||
			strcmp(options.thresholds[0].label, rows[i].label))
			fail_msg("%s is %g of unit %d, label '%s'", rows[i].text, options.thresholds[0].value,
				(int)options.thresholds[0].unit, options.thresholds[0].label);
		plot_options_free(&options);
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
		{"cgroup.swapcached", PLOT_COUNTER_BYTES},
		{"cgroup.swpin", PLOT_COUNTER_EVENTS},
		{"cgroup.zswapped", PLOT_COUNTER_BYTES},
		{"cgroup.zswpwb", PLOT_COUNTER_EVENTS},
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
