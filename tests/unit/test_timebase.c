/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <sys/stat.h>
#include "common/host/timebase.h"

#define SPAN_NS 20000000ull

TEST("a timer is found by its name where the processor has it")
{
	enum ticks_method method;

	assert_int_equal(timebase_method_parse("perfc", &method), 0);
	assert_int_equal(method, TICKS_PERFC);
	assert_int_equal(timebase_method_parse("rdtscp", &method), TICKS_HAVE_TSC ? 0 : -ENOTSUP);
	assert_int_equal(timebase_method_parse("cntvct", &method), TICKS_HAVE_CNTVCT ? 0 : -ENOTSUP);
	assert_int_equal(timebase_method_parse("rdtscpx", &method), -EINVAL);
	assert_int_equal(timebase_method_parse("", &method), -EINVAL);
	assert_string_equal(timebase_method_name(TICKS_RDTSCP_UNFENCED), "rdtscp-unfenced");
}

/* The calibrated clock against the raw one over a pause that calibration did not see: both see the same time within
 * the stated uncertainty and the width of two readings. */
TEST("a calibrated clock follows CLOCK_MONOTONIC_RAW")
{
	struct timebase timebase;
	uint64_t ticks, raw, ns;
	double width;

	assert_int_equal(timebase_init(&timebase, TICKS_DEFAULT, true, SPAN_NS, ""), 0);
	raw = ticks_perfc();
	ticks = ticks_start(timebase.method);
	usleep(50000);
	ns = timebase_to_ns(&timebase, ticks_stop(timebase.method) - ticks);
	raw = ticks_perfc() - raw;
	width = 1 + timebase.start.uncertainty_ppm / 1e6;
	assert_true((double)ns <= (double)raw * width + 1);
	/* The pause lies between the two stamps. */
	assert_true((double)ns * width + 1 >= 50e6);
	assert_true(timebase.start.uncertainty_ppm > 0 || timebase.method == TICKS_PERFC);
	assert_true(timebase.overhead_ns > 0 && timebase.overhead_store_ns > 0);
	assert_true(timebase.granularity_ns > 0);
	assert_int_equal(timebase_recalibrate(&timebase), 0);
	assert_true(timebase.end.span_ns >= 50e6 || timebase.method == TICKS_PERFC);
	/* qemu-user's cntvct steps by a microsecond of the time of day, and shows 16 ns. */
	assert_true(unit_is_emulated() || timebase_drift_ppm(&timebase) <=
		timebase.start.uncertainty_ppm + timebase.end.uncertainty_ppm + 1);
}

TEST("a tick of perfc is one nanosecond")
{
	struct timebase timebase;

	assert_int_equal(timebase_init(&timebase, TICKS_PERFC, false, SPAN_NS, ""), 0);
	assert_true(timebase.start.khz == 1e6);
	assert_int_equal(timebase_to_ns(&timebase, 123456789012345ull), 123456789012345ull);
	assert_true(timebase.is_invariant);
}

/* No wrap at 4.29 s or 4295 s: seven hours and two years of ticks, there and back. */
TEST("long times do not wrap")
{
	struct timebase timebase = {.start = {.khz = 2596134}, .mult = 1654370000};
	const uint64_t times[] = {4294967296ull, 4295ull * 1000000000, 25200ull * 1000000000, 63072000ull * 1000000000};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		uint64_t ticks = timebase_from_ns(&timebase, times[i]);
		uint64_t back = timebase_to_ns(&timebase, ticks);

		assert_true(back <= times[i] && times[i] - back <= 1);
	}
	assert_int_equal(timebase_from_ns(&timebase, UINT64_MAX), UINT64_MAX);
}

TEST("too short a span is refused")
{
	struct timebase timebase;

	assert_int_equal(timebase_init(&timebase, TICKS_PERFC, false, 1000, ""), -EINVAL);
}

static void write_cpuinfo(const char *root, const char *flags)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "processor\t: 0\nmodel name\t: Test\nflags\t\t: %s\nbogomips\t: 1\n", flags);
	fclose(file);
}

/* A fake /proc/cpuinfo: a TSC that may stop or change its rate is distrusted, and a flag must be a whole word. */
TEST("a TSC that is not invariant is distrusted")
{
	char root[] = "/tmp/test_timebase.XXXXXX", path[256];
	struct timebase timebase;

	if (!TICKS_HAVE_TSC)
		skip();
	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/proc", root);
	assert_int_equal(mkdir(path, 0700), 0);
	write_cpuinfo(root, "fpu tsc constant_tsc nonstop_tsc_s3 sse");
	assert_int_equal(timebase_init(&timebase, TICKS_RDTSCP, false, SPAN_NS, root), 0);
	assert_false(timebase.is_invariant);
	assert_non_null(strstr(timebase.distrust, "not invariant"));
	write_cpuinfo(root, "fpu tsc constant_tsc sse nonstop_tsc");
	assert_int_equal(timebase_init(&timebase, TICKS_RDTSCP, false, SPAN_NS, root), 0);
	assert_true(timebase.is_invariant);
	assert_string_equal(timebase.clocksource, "");
	snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
	unlink(path);
	snprintf(path, sizeof(path), "%s/proc", root);
	rmdir(path);
	rmdir(root);
}

/* 100 ticks at 2 GHz are 50 ns that two CPUs' clocks disagree at least. */
TEST("disagreeing clocks are distrusted")
{
	struct timebase timebase = {.method = TICKS_PERFC, .start = {.khz = 2e6}};

	timebase_decide(&timebase, 100, "");
	assert_false(timebase.is_synchronised);
	assert_true(timebase.skew_ns == 50);
	assert_string_equal(timebase.distrust, "the clocks of two CPUs disagree by at least 50 ns");
	timebase = (struct timebase){.method = TICKS_PERFC, .start = {.khz = 2e6}};
	timebase_decide(&timebase, 0, "");
	assert_true(timebase.is_synchronised);
	assert_string_equal(timebase.distrust, "");
}
