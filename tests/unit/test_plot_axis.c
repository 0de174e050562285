/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>
#include "memstor/plot/axis.h"

static void expect_text(enum plot_unit unit, double value, const char *expected)
{
	char text[32];

	assert_string_equal(plot_axis_format(unit, value, text, sizeof(text)), expected);
}

static void tics_are_in_the_unit_that_fits(void **state)
{
	char text[32];

	(void)state;
	expect_text(PLOT_UNIT_NS, 1, "1 ns");
	expect_text(PLOT_UNIT_NS, 500, "500 ns");
	expect_text(PLOT_UNIT_NS, 999.9999999999, "1 us");
	expect_text(PLOT_UNIT_NS, 1e6, "1 ms");
	expect_text(PLOT_UNIT_NS, 2.5e9, "2.5 s");
	expect_text(PLOT_UNIT_NS, 6e11, "600 s");
	expect_text(PLOT_UNIT_COUNT, 0, "0");
	expect_text(PLOT_UNIT_COUNT, 0.5, "0.5");
	expect_text(PLOT_UNIT_COUNT, 1500, "1.5 k");
	expect_text(PLOT_UNIT_COUNT, 1e6, "1 M");
	expect_text(PLOT_UNIT_COUNT, -2e6, "-2 M");
	expect_text(PLOT_UNIT_PERCENT, 0.001, "0.001 %");
	expect_text(PLOT_UNIT_PERCENT, 10000, "10000 %");
	expect_text(PLOT_UNIT_BYTES, 1536, "1.5 KiB");
	expect_text(PLOT_UNIT_NINES, 1, "0 %");
	expect_text(PLOT_UNIT_NINES, 2, "50 %");
	expect_text(PLOT_UNIT_NINES, 1e5, "99.999 %");
	assert_string_equal(plot_axis_format_short(PLOT_UNIT_NS, 851234, text, sizeof(text)), "851 us");
	assert_string_equal(plot_axis_format_short(PLOT_UNIT_NS, 999600, text, sizeof(text)), "1 ms");
	assert_string_equal(plot_axis_format_short(PLOT_UNIT_COUNT, 4472345, text, sizeof(text)), "4.47 M");
	assert_string_equal(plot_axis_format_short(PLOT_UNIT_NS, 1.234e12, text, sizeof(text)), "1234 s");
}

static struct plot_axis fitted(bool is_log, enum plot_unit unit, double low, double high)
{
	struct plot_axis axis = {"y", "", unit, is_log, 0, 0};
	struct plot_extent extent = PLOT_EXTENT_NONE;

	plot_extent_add(&extent, low);
	plot_extent_add(&extent, NAN);
	plot_extent_add(&extent, INFINITY);
	plot_extent_add(&extent, high);
	plot_axis_fit(&axis, &extent);
	return axis;
}

static void axes_fit_what_is_drawn(void **state)
{
	struct plot_axis axis = fitted(false, PLOT_UNIT_COUNT, 3, 87);

	(void)state;
	assert_true(axis.low == 0 && axis.high == 100);
	axis = fitted(false, PLOT_UNIT_BYTES, 0, 700 << 20);
	assert_true(axis.low == 0 && axis.high == 768 << 20);
	axis = fitted(false, PLOT_UNIT_NS, -30, 50);
	assert_true(axis.low == -40 && axis.high == 60);
	axis = fitted(false, PLOT_UNIT_COUNT, 0, 0);
	assert_true(axis.low == 0 && axis.high == 1);
	axis = fitted(false, PLOT_UNIT_COUNT, NAN, NAN);
	assert_true(axis.low == 0 && axis.high == 1);
	axis = fitted(true, PLOT_UNIT_NS, 10, 1e6);
	assert_true(axis.low < 10 && axis.low > 5 && axis.high > 1e6 && axis.high < 2e6);
	/* A single value has an axis, too; one that is no value has one on which nothing is. */
	axis = fitted(true, PLOT_UNIT_NS, 10, 10);
	assert_true(axis.low < 10 && axis.high > 10 && axis.high >= 1.99 * axis.low);
	axis = fitted(true, PLOT_UNIT_NS, 0, 50);
	assert_true(axis.low > 0 && axis.low < 1 && axis.high > 50);
	axis = fitted(true, PLOT_UNIT_NS, 0, 0);
	assert_true(axis.low == 1 && axis.high == 10);
	axis = fitted(true, PLOT_UNIT_NS, NAN, NAN);
	assert_true(axis.low == 1 && axis.high == 10);
}

static void places_are_shares(void **state)
{
	struct plot_axis log_axis = {"x", "", PLOT_UNIT_NS, true, 10, 1000};
	struct plot_axis linear = {"x", "", PLOT_UNIT_NS, false, 10, 30};

	(void)state;
	assert_true(fabs(plot_axis_share(&log_axis, 100) - 0.5) < 1e-12);
	assert_true(fabs(plot_axis_share(&linear, 15) - 0.25) < 1e-12);
}

static void expect_tics(const struct plot_axis *axis, const char *expected)
{
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);

	assert_non_null(out);
	plot_axis_write(out, axis);
	assert_int_equal(fclose(out), 0);
	if (!strstr(bytes, expected))
		fail_msg("not in it: %s\n%s", expected, bytes);
	free(bytes);
}

static void commands_name_every_tic(void **state)
{
	(void)state;
	expect_tics(&(struct plot_axis){"x", "t", PLOT_UNIT_NS, true, 90, 1.1e6},
		"set logscale x\nset xrange [90:1100000] noextend");
	expect_tics(&(struct plot_axis){"x", "t", PLOT_UNIT_NS, true, 90, 1.1e6}, "(\"\" 90 1, \"100 ns\" 100, \"\" 200 1,");
	expect_tics(&(struct plot_axis){"x", "t", PLOT_UNIT_NS, true, 90, 1.1e6}, "\"1 ms\" 1000000)");
	/* One decade and a bit has more texts; much less than one has steps. */
	expect_tics(&(struct plot_axis){"y", "t", PLOT_UNIT_NS, true, 10, 100},
		"(\"10 ns\" 10, \"20 ns\" 20, \"30 ns\" 30, \"\" 40 1, \"50 ns\" 50, \"\" 60 1, \"70 ns\" 70, \"\" 80 1, "
		"\"\" 90 1, \"100 ns\" 100)");
	expect_tics(&(struct plot_axis){"y", "t", PLOT_UNIT_NS, true, 10, 20},
		"(\"10 ns\" 10, \"12 ns\" 12, \"14 ns\" 14, \"16 ns\" 16, \"18 ns\" 18, \"20 ns\" 20)");
	/* Many decades: every second has a text. */
	expect_tics(&(struct plot_axis){"y", "t", PLOT_UNIT_COUNT, true, 1, 1e12}, "\"1\" 1, \"\" 10 1, \"100\" 100, \"\" 1000 1");
	expect_tics(&(struct plot_axis){"x", "t", PLOT_UNIT_NINES, true, 1, 1200},
		"(\"0 %%\" 1, \"50 %%\" 2, \"90 %%\" 10, \"99 %%\" 100, \"99.9 %%\" 1000)");
	/* Sizes are powers of two, and every other one has a text where there are many. */
	expect_tics(&(struct plot_axis){"x", "t", PLOT_UNIT_BYTES, true, 4000, 70000},
		"(\"4 KiB\" 4096, \"8 KiB\" 8192, \"16 KiB\" 16384, \"32 KiB\" 32768, \"64 KiB\" 65536)");
	expect_tics(&(struct plot_axis){"x", "t", PLOT_UNIT_BYTES, true, 1, 1 << 20}, "(\"1 B\" 1, \"\" 2 1, \"\" 4 1, \"8 B\" 8");
	expect_tics(&(struct plot_axis){"y2", "t", PLOT_UNIT_BYTES, false, 0, 4096},
		"(\"0 B\" 0, \"1 KiB\" 1024, \"2 KiB\" 2048, \"3 KiB\" 3072, \"4 KiB\" 4096)");
	/* Without a title no texts, and -0 is 0. */
	expect_tics(&(struct plot_axis){"x", NULL, PLOT_UNIT_SECONDS, false, -1e-12, 2},
		"(\"\" 0, \"\" 0.5, \"\" 1, \"\" 1.5, \"\" 2)");
}

UNIT_MAIN()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tics_are_in_the_unit_that_fits),
		cmocka_unit_test(axes_fit_what_is_drawn),
		cmocka_unit_test(places_are_shares),
		cmocka_unit_test(commands_name_every_tic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
