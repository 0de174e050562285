/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include <time.h>
#include "common/kernel/perf.h"

#define UNIT "/sys/bus/event_source/devices/x"

static char root[64];

static int set_up(void **state)
{
	(void)state;
	fakeroot_make(root);
	fakeroot_put(root, UNIT "/type", "17\n");
	fakeroot_put(root, UNIT "/format/event", "config:0-7,32-35\n");
	fakeroot_put(root, UNIT "/format/edge", "config:18\n");
	fakeroot_put(root, UNIT "/format/ldlat", "config1:0-15\n");
	fakeroot_put(root, UNIT "/format/all", "config2:0-63\n");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fakeroot_remove(root);
	return 0;
}

TEST("a perf event is read from a recorded /sys")
{
	struct perf_event_attr attr = {.size = sizeof(attr), .sample_period = 5};

	assert_int_equal(perf_unit_event(fakeroot_fixture("laptop"), "cpu", "mem-loads", &attr), 0);
	assert_int_equal(attr.type, 4);
	assert_int_equal(attr.config, 0x1cd);
	assert_int_equal(attr.config1, 3);
	assert_int_equal(attr.sample_period, 5);
	attr = (struct perf_event_attr){0};
	assert_int_equal(perf_unit_term(fakeroot_fixture("epyc"), "ibs_op", "cnt_ctl", 1, &attr), 0);
	assert_int_equal(attr.type, 11);
	assert_int_equal(attr.config, 1 << 19);
}

TEST_WITH("terms of a unit set their bits", set_up, tear_down)
{
	struct perf_event_attr attr = {.config = UINT64_MAX};

	assert_int_equal(perf_unit_term(root, "x", "event", 0xabc, &attr), 0);
	assert_true(attr.config == ((UINT64_MAX & ~0xf000000ffull) | 0xa000000bc));
	assert_int_equal(perf_unit_term(root, "x", "edge", 0, &attr), 0);
	assert_int_equal(attr.config >> 18 & 1, 0);
	assert_int_equal(perf_unit_term(root, "x", "all", UINT64_MAX, &attr), 0);
	assert_true(attr.config2 == UINT64_MAX);
	assert_int_equal(perf_unit_term(root, "x", "event", 0x1000, &attr), -ERANGE);
	assert_int_equal(perf_unit_term(root, "x", "none", 0, &attr), -ENOENT);
	assert_int_equal(perf_unit_term(root, "y", "event", 0, &attr), -ENOENT);
}

TEST_WITH("events of a unit set all their terms", set_up, tear_down)
{
	struct perf_event_attr attr = {0};

	fakeroot_put(root, UNIT "/events/plain", "event=0x3c\n");
	fakeroot_put(root, UNIT "/events/flag", "event=12,edge,ldlat=030\n");
	assert_int_equal(perf_unit_event(root, "x", "plain", &attr), 0);
	assert_int_equal(attr.config, 0x3c);
	attr = (struct perf_event_attr){0};
	assert_int_equal(perf_unit_event(root, "x", "flag", &attr), 0);
	assert_int_equal(attr.config, 1 << 18 | 12);
	assert_int_equal(attr.config1, 24);
	assert_int_equal(perf_unit_event(root, "x", "none", &attr), -ENOENT);
}

TEST_WITH("malformed descriptions change nothing", set_up, tear_down)
{
	static const char *const wrong_events[] = {"event=", "event=0x", "event=5x", "event=5,,edge", "event=5,none=1", "=5"};
	static const char *const wrong_formats[] = {"", "config", "config:", "config3:0", "config:7-0", "config:0-64", "config:a",
		"config:0-7;8", "config:99999999999999999999"};
	struct perf_event_attr attr = {.type = 3, .config = 9};

	for (size_t i = 0; i < sizeof(wrong_events) / sizeof(wrong_events[0]); i++) {
		fakeroot_put(root, UNIT "/events/wrong", wrong_events[i]);
		assert_in_range(-perf_unit_event(root, "x", "wrong", &attr), 1, 133);
	}
	for (size_t i = 0; i < sizeof(wrong_formats) / sizeof(wrong_formats[0]); i++) {
		fakeroot_put(root, UNIT "/format/wrong", wrong_formats[i]);
		assert_int_equal(perf_unit_term(root, "x", "wrong", 1, &attr), -EINVAL);
	}
	fakeroot_put(root, UNIT "/type", "4294967296\n");
	assert_int_equal(perf_unit_type(root, "x", &attr), -EINVAL);
	fakeroot_put(root, UNIT "/type", "many\n");
	assert_int_equal(perf_unit_type(root, "x", &attr), -EINVAL);
	assert_int_equal(attr.type, 3);
	assert_int_equal(attr.config, 9);
}

TEST("an anchor is one moment of three clocks, and later ones are later on each")
{
	struct perf_anchor first, second;
	struct timespec before, after;

	clock_gettime(CLOCK_MONOTONIC, &before);
	if (perf_read_anchor(&first))
		skip();
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_in_range(first.monotonic_ns, (uint64_t)before.tv_sec * 1000000000u + (uint64_t)before.tv_nsec,
		(uint64_t)after.tv_sec * 1000000000u + (uint64_t)after.tv_nsec);
	assert_int_equal(perf_read_anchor(&second), 0);
	assert_true(second.perf_ns > first.perf_ns && second.monotonic_ns > first.monotonic_ns);
	assert_true(first.error_ns > 0);
}
