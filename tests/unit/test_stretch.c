/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a write adds to what was written before. */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/memory.h"

TEST("bytes beyond the range are new")
{
	struct memory_range stretch = {0};

	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(memory_range_add(&stretch, 100 + 7 * i, 7), 7);
	assert_int_equal(stretch.begin, 100);
	assert_int_equal(stretch.end, 170);
}

TEST("bytes inside of the range are not new")
{
	struct memory_range stretch = {0};

	assert_int_equal(memory_range_add(&stretch, 50, 20), 20);
	assert_int_equal(memory_range_add(&stretch, 60, 20), 10); /* [50, 80) */
	assert_int_equal(memory_range_add(&stretch, 55, 5), 0);
	assert_int_equal(memory_range_add(&stretch, 40, 20), 10); /* [40, 80) */
	assert_int_equal(memory_range_add(&stretch, 30, 60), 20); /* [30, 90) */
	assert_int_equal(memory_range_add(&stretch, 20, 10), 10); /* adjoins */
	assert_int_equal(stretch.begin, 20);
	assert_int_equal(stretch.end, 90);
}

TEST("bytes apart from the range are always new")
{
	struct memory_range stretch = {0};

	assert_int_equal(memory_range_add(&stretch, 50, 20), 20);
	assert_int_equal(memory_range_add(&stretch, 71, 4), 4);
	assert_int_equal(memory_range_add(&stretch, 71, 4), 4);
	assert_int_equal(memory_range_add(&stretch, 0, 49), 49);
	assert_int_equal(stretch.begin, 50);
	assert_int_equal(stretch.end, 70);
}
