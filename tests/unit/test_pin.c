/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A writer is pinned where another CPU is left, and moved back. */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/pin.h"

static cpu_set_t cpus(int first, int second)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(first, &set);
	CPU_SET(second, &set);
	return set;
}

TEST("the last CPU is taken by default")
{
	const struct pin_request request = {0};
	cpu_set_t set = cpus(2, 5);
	char text[96];

	assert_int_equal(pin_choose(&request, &set, text, sizeof(text)), 5);
	assert_string_equal(text, "pinned to CPU 5, 1 CPUs left to others");
	assert_true(pin_was(text));
}

TEST("the first CPU of a list is taken")
{
	const struct pin_request request = {.has_cpus = true, .cpus = cpus(3, 4)};
	cpu_set_t set = cpus(3, 9);
	char text[96];

	CPU_SET(4, &set);
	assert_int_equal(pin_choose(&request, &set, text, sizeof(text)), 3);
	assert_string_equal(text, "pinned to CPU 3, 2 CPUs left to others");
}

/* The others do not count: a CPU that may not be used is none. */
TEST("only a CPU of the affinity is taken")
{
	struct pin_request request = {.has_cpus = true, .cpus = cpus(1, 3)};
	cpu_set_t set = cpus(3, 9);
	char text[96];

	assert_int_equal(pin_choose(&request, &set, text, sizeof(text)), 3);
	assert_string_equal(text, "pinned to CPU 3, 1 CPUs left to others");
	request.cpus = cpus(1, 2);
	assert_int_equal(pin_choose(&request, &set, text, sizeof(text)), -1);
	assert_string_equal(text, "not pinned: none of the requested CPUs is available here");
}

/* Also where it was asked for: the flusher would have none. */
TEST("a single CPU is not pinned")
{
	const struct pin_request request = {.has_cpus = true, .cpus = cpus(2, 2)};
	cpu_set_t set = cpus(2, 2);
	char text[96];

	assert_int_equal(pin_choose(&request, &set, text, sizeof(text)), -1);
	assert_string_equal(text, "not pinned: there is one CPU, which the flusher needs, too");
	assert_false(pin_was(text));
}

TEST("a pin request of none pins no CPU and says so")
{
	struct pin_request request = {.has_cpus = true};
	const cpu_set_t set = cpus(2, 5);
	const char *why;
	char text[96];

	assert_int_equal(pin_parse("none", &request, &why), 0);
	assert_int_equal(pin_choose(&request, &set, text, sizeof(text)), -1);
	assert_string_equal(text, "not pinned: as requested");
	assert_true(pin_parse("some", &request, &why) < 0);
	assert_non_null(why);
}

/* Where the calibration's writer was, or it is said. */
TEST("a writer is pinned to the CPU of the calibration")
{
	const cpu_set_t set = cpus(2, 5);
	struct pin_request request = pin_again("pinned to CPU 2, 1 CPUs left to others", 2);
	char text[sizeof(((struct pin *)0)->text)];

	assert_int_equal(pin_choose(&request, &set, text, sizeof(text)), 2);
	assert_string_equal(text, "pinned to CPU 2, 1 CPUs left to others");
	request = pin_again("pinned to CPU 3, 1 CPUs left to others", 3);
	assert_int_equal(pin_choose(&request, &set, text, sizeof(text)), 5);
	assert_string_equal(text, "pinned to CPU 5, 1 CPUs left to others; "
		"the calibration used CPU 3, which is not available here");
	request = pin_again("pinned to CPU 3, 1 CPUs left to others", -1);
	assert_int_equal(pin_choose(&request, &set, text, sizeof(text)), 5);
	assert_string_equal(text, "pinned to CPU 5, 1 CPUs left to others; the CPU of the calibration is unknown");
	request = pin_again("not pinned: as requested", -1);
	assert_int_equal(pin_choose(&request, &set, text, sizeof(text)), -1);
	assert_string_equal(text, "not pinned: the calibration was not");
	request = pin_again("pinned to CPU 2, 1 CPUs left to others", 2000000000);
	assert_int_equal(pin_choose(&request, &set, text, sizeof(text)), 5);
	assert_true(strlen(text) < sizeof(text) - 1);
}

TEST("the thread gets its old affinity back")
{
	const struct pin_request request = {0};
	cpu_set_t before, during, after;
	struct pin pin;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	pin_begin(&request, &pin);
	assert_int_equal(sched_getaffinity(0, sizeof(during), &during), 0);
	assert_int_equal(pin.is_pinned, CPU_COUNT(&before) > 1);
	assert_int_equal(pin.cpu >= 0, pin.is_pinned);
	if (pin.is_pinned) {
		assert_int_equal(CPU_COUNT(&during), 1);
		assert_true(CPU_ISSET(pin.cpu, &during));
		pin_leave(&pin);
		assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
		CPU_AND(&during, &during, &after);
		assert_int_equal(CPU_COUNT(&during), 0);
	}
	pin_end(&pin);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	pin_leave(NULL);
}
