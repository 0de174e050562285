/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A writer is pinned where another CPU is left, and moved back. */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/write/pin.h"

static cpu_set_t cpus(int first, int second)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(first, &set);
	CPU_SET(second, &set);
	return set;
}

static void assert_choice(const char *behaviour, struct pin_request request, cpu_set_t affinity, int cpu, const char *text)
{
	char found[sizeof(((struct pin *)0)->text)];
	int chosen = pin_choose(&request, &affinity, found, sizeof(found));

	if (chosen != cpu || strcmp(found, text) || pin_was(found) != (cpu >= 0))
		fail_msg("%s: CPU %d, '%s'", behaviour, chosen, found);
}

#define PINNED(cpu) "pinned to CPU " cpu ", 1 CPUs left to others"

TEST("a writer is pinned to an available CPU, unless it would be the only one, and the text says why")
{
	const cpu_set_t two = cpus(2, 5), one = cpus(2, 2);
	cpu_set_t three = cpus(3, 9);
	struct pin_request none;
	const char *why;

	CPU_SET(4, &three);
	assert_choice("the last CPU by default", (struct pin_request){0}, two, 5, PINNED("5"));
	assert_choice("the first of a list", (struct pin_request){.has_cpus = true, .cpus = cpus(3, 4)}, three, 3,
		"pinned to CPU 3, 2 CPUs left to others");
	assert_choice("the first of a list that is available", (struct pin_request){.has_cpus = true, .cpus = cpus(1, 3)},
		cpus(3, 9), 3, PINNED("3"));
	assert_choice("none of a list is available", (struct pin_request){.has_cpus = true, .cpus = cpus(1, 2)}, cpus(3, 9), -1,
		"not pinned: none of the requested CPUs is available here");
	assert_choice("a single CPU, which was requested", (struct pin_request){.has_cpus = true, .cpus = one}, one, -1,
		"not pinned: there is one CPU, which the flusher needs, too");
	assert_int_equal(pin_parse("none", &none, &why), 0);
	assert_choice("none", none, two, -1, "not pinned: as requested");
	assert_true(pin_parse("some", &none, &why) < 0);
	assert_non_null(why);
}

TEST("a writer is pinned to the CPU of the calibration, or the text says why not")
{
	const cpu_set_t two = cpus(2, 5);

	assert_choice("the same CPU", pin_again(PINNED("2"), 2), two, 2, PINNED("2"));
	assert_choice("a CPU that is not available", pin_again(PINNED("3"), 3), two, 5,
		PINNED("5") "; the calibration used CPU 3, which is not available here");
	assert_choice("an unknown CPU", pin_again(PINNED("3"), -1), two, 5, PINNED("5") "; the CPU of the calibration is unknown");
	assert_choice("a calibration without one", pin_again("not pinned: as requested", -1), two, -1,
		"not pinned: the calibration was not");
	assert_choice("a CPU beyond all", pin_again(PINNED("2"), 2000000000), two, 5,
		PINNED("5") "; the calibration used CPU 2000000000, which is not available here");
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
