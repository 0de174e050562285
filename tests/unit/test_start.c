/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The moment of --start-at, and the wait for it. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/report/start.h"

#include <unistd.h>

#include "common/base/clock.h"

#define NOW 1764403200000000000
#define SECOND 1000000000

static char why[192];

TEST("a moment is seconds with up to nine digits after the point, exact to the nanosecond")
{
	static const struct {
		const char *text;
		int64_t ahead_ns;
	} rows[] = {{"1764403201", SECOND}, {"1764403200.25", SECOND / 4}, {"1764403200.000000001", 1},
		{"1764403260.123456789", 60123456789}, {"1764489600", 86400ll * SECOND}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t at_ns = 0;

		assert_int_equal(start_parse(rows[i].text, NOW, &at_ns, why, sizeof(why)), 0);
		assert_int_equal(at_ns - NOW, rows[i].ahead_ns);
	}
}

TEST("a text that is no moment is refused")
{
	static const char *const bad[] = {"", ".", ".5", "1764403201.", "1764403201.1234567890", "+1764403201", "-1", " 1764403201",
		"1764403201 ", "1764403201s", "1.764403201e9", "1764403201,5", "0x692a", "now", "17644032010", "1764403201.2.3"};
	int64_t at_ns = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(start_parse(bad[i], NOW, &at_ns, why, sizeof(why)), -EINVAL);
		assert_non_null(strstr(why, "seconds since 1970"));
	}
	assert_int_equal(at_ns, 7);
}

TEST("a moment that is not between now and 24 hours ahead is refused, with its distance")
{
	static const struct {
		const char *text, *distance;
	} rows[] = {{"1764403200", "is 0.000 s in the past"}, {"1764403198.5", "is 1.500 s in the past"},
		{"0", "is 1764403200.000 s in the past"}, {"1764489600.000000001", "is 86400.000 s ahead"},
		{"1764489601.5", "is 86401.500 s ahead"}, {"9999999999.999999999", " s ahead"}};
	int64_t at_ns = 7;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(start_parse(rows[i].text, NOW, &at_ns, why, sizeof(why)), -ERANGE);
		assert_non_null(strstr(why, rows[i].distance));
		assert_non_null(strstr(why, "24 hours"));
	}
	assert_int_equal(at_ns, 7);
}

TEST("without a moment nothing waits")
{
	struct start start = {0};

	assert_int_equal(start_wait(&start, -1, -1), 0);
	assert_int_equal(start.late_ns, 0);
	assert_false(start_late_text(&start, why, sizeof(why)));
}

TEST("the wait ends at the moment, and not before")
{
	struct start start = {.at_ns = (int64_t)clock_ns(CLOCK_REALTIME) + SECOND / 2};
	int64_t ended_ns;

	assert_int_equal(start_wait(&start, -1, -1), 0);
	ended_ns = (int64_t)clock_ns(CLOCK_REALTIME);
	assert_true(ended_ns >= start.at_ns);
	assert_true(start.late_ns >= 0 && start.late_ns <= ended_ns - start.at_ns);
}

TEST("a measurement is late from 0.1 s after its moment")
{
	struct start start = {.at_ns = SECOND, .late_ns = 99999999};

	assert_false(start_late_text(&start, why, sizeof(why)));
	start.late_ns = 100000000;
	assert_true(start_late_text(&start, why, sizeof(why)));
	assert_string_equal(why, "the run began 0.100 s after --start-at; give a later time");
}

TEST("a wait that begins after its moment ends at once, and is late")
{
	struct start start = {.at_ns = (int64_t)clock_ns(CLOCK_REALTIME) - 2ll * SECOND};

	assert_int_equal(start_wait(&start, -1, -1), 0);
	assert_true(start.late_ns >= 2ll * SECOND);
	assert_true(start_late_text(&start, why, sizeof(why)));
	assert_non_null(strstr(why, "--start-at"));
}

TEST("either descriptor ends the wait, and stays readable")
{
	for (int i = 0; i < 2; i++) {
		struct start start = {.at_ns = (int64_t)clock_ns(CLOCK_REALTIME) + 3600ll * SECOND};
		int ends[2];
		char byte;

		assert_int_equal(pipe(ends), 0);
		assert_int_equal(write(ends[1], "x", 1), 1);
		assert_int_equal(start_wait(&start, i ? -1 : ends[0], i ? ends[0] : -1), -EINTR);
		assert_int_equal(read(ends[0], &byte, 1), 1);
		close(ends[0]);
		close(ends[1]);
	}
}
