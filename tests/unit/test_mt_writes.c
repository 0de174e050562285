/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions of a scan for written pages, as samples. */
#include "config.h"
#include "tests/unit/unit.h"

#include <errno.h>

#include "memtrace/writes.h"

#define PAGE 4096ull
#define MOST 8

struct taken {
	struct trace_sample samples[MOST];
	size_t count, room;
};

static int take(void *context, const struct trace_sample *sample)
{
	struct taken *taken = context;

	if (taken->count == taken->room)
		return -ENOSPC;
	taken->samples[taken->count++] = *sample;
	return 0;
}

TEST("each page of each region that was written is a store at the time of the scan, and no other page")
{
	static const struct writes_region regions[] = {{PAGE, 3 * PAGE, 2}, {5 * PAGE, 6 * PAGE, 1}, {7 * PAGE, 8 * PAGE, 3}};
	const struct trace_sample scan = {.time_ns = 77, .tid = 5, .node = UINT8_MAX};
	struct taken taken = {.room = MOST};

	assert_int_equal(writes_pages(regions, 3, PAGE, &scan, take, &taken), 0);
	assert_int_equal(taken.count, 3);
	assert_int_equal(taken.samples[0].address, PAGE);
	assert_int_equal(taken.samples[1].address, 2 * PAGE);
	assert_int_equal(taken.samples[2].address, 7 * PAGE);
	for (size_t i = 0; i < taken.count; i++) {
		assert_int_equal(taken.samples[i].time_ns, 77);
		assert_int_equal(taken.samples[i].tid, 5);
		assert_int_equal(taken.samples[i].kind, TRACE_STORE);
	}
}

TEST("what refuses a page ends it")
{
	static const struct writes_region region = {PAGE, 3 * PAGE, 2};
	const struct trace_sample scan = {0};
	struct taken taken = {.room = 1};

	assert_int_equal(writes_pages(&region, 1, PAGE, &scan, take, &taken), -ENOSPC);
	assert_int_equal(taken.count, 1);
}
