/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/throttle_state.h"


#define KIB 1024ull
#define MIB (1024 * KIB)

static uint64_t of(const uint64_t *amounts, size_t count)
{
	struct granule granule = {0};

	for (size_t i = 0; i < count; i++)
		granule_add(&granule, amounts[i]);
	return granule_bytes(&granule);
}

TEST("the granule is the largest size of which most are multiples")
{
	/* Folios of 2 MiB, with what a task left behind and somebody's page. */
	static const uint64_t large[] = {2 * MIB, 4 * MIB, 4 * MIB, 6 * MIB, 2 * MIB, 2 * MIB + 4 * KIB, 4 * KIB};
	/* Pages: 619, 464 and 183 of them. */
	static const uint64_t small[] = {619 * 4 * KIB, 464 * 4 * KIB, 183 * 4 * KIB};
	static const uint64_t halves[] = {1, 8};
	struct granule two = {0};

	assert_int_equal(of(large, 7), 2 * MIB);
	assert_int_equal(of(small, 3), 4 * KIB);
	assert_int_equal(of(halves, 2), 8);
	granule_add(&two, 3);
	granule_add(&two, 8);
	assert_int_equal(granule_looks(&two), 2);
	assert_int_equal(of(halves, 1), 1);
	assert_int_equal(of(halves, 0), 0);
	assert_true(of(&(uint64_t){1ull << 63}, 1) == 1ull << 63);
}
