/* SPDX-License-Identifier: GPL-3.0-or-later */
/* common/hot/bucket.h and its inverse, the edges of common/stats/histogram.h. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/stats/histogram.h"
#include "common/hot/bucket.h"

static const struct histogram_layout *const layouts[] = {&histogram_log16, &histogram_hdr};

/* Every bucket holds its edges and nothing beyond; together they cover all 64-bit values without a gap. */
TEST("the edges of a bucket are the inverse of its index")
{
	for (size_t l = 0; l < 2; l++) {
		const struct histogram_layout *layout = layouts[l];
		uint64_t end = 0, lo, hi;

		for (unsigned i = 0; i < layout->buckets; i++) {
			layout->edges(i, &lo, &hi);
			assert_true(lo == end && hi > lo);
			assert_int_equal(layout->index(lo), i);
			assert_int_equal(layout->index(lo + (hi - lo) / 2), i);
			assert_int_equal(layout->index(hi - 1), i);
			end = hi;
		}
		assert_true(end == UINT64_MAX);
		assert_int_equal(layout->index(UINT64_MAX), layout->buckets - 1);
	}
}

TEST("indexes are right around powers of two")
{
	for (size_t l = 0; l < 2; l++) {
		const struct histogram_layout *layout = layouts[l];
		unsigned last = 0;

		for (unsigned power = 0; power < 64; power++) {
			for (int d = -3; d <= 3; d++) {
				uint64_t ns = (1ull << power) + (uint64_t)(int64_t)d, lo, hi;
				unsigned i = layout->index(ns);

				if (power < 3 && d < 0)
					continue;
				assert_in_range(i, 0, layout->buckets - 1);
				layout->edges(i, &lo, &hi);
				assert_true(lo <= ns && (ns < hi || i == layout->buckets - 1));
				assert_true(power < 3 || i >= last);
				last = power < 3 ? 0 : i;
			}
		}
	}
}

TEST("every value below 65536 is within the edges of its bucket")
{
	uint64_t lo, hi;

	for (uint64_t ns = 0; ns < 1 << 16; ns++) {
		histogram_log16.edges(bucket_log16(ns), &lo, &hi);
		assert_true(lo <= ns && ns < hi);
		histogram_hdr.edges(bucket_hdr(ns), &lo, &hi);
		assert_true(lo <= ns && ns < hi);
	}
}

/* The numbers of papers/pmbench.txt section 3: 1 + 15 x 16 + 7 + 1. */
TEST("log16 has the buckets of the paper")
{
	assert_int_equal(histogram_log16.buckets, 1 + 15 * 16 + 7 + 1);
	assert_int_equal(bucket_log16(255), 0);
	assert_int_equal(bucket_log16(256), 1);
	assert_int_equal(bucket_log16(271), 1);
	assert_int_equal(bucket_log16(272), 2);
	assert_int_equal(bucket_log16((1u << 23) - 1), 240);
	assert_int_equal(bucket_log16(1u << 23), 241);
	assert_int_equal(bucket_log16((1u << 30) - 1), 247);
	assert_int_equal(bucket_log16(1u << 30), 248);
	assert_int_equal(bucket_log16(1ull << 32), 248);
}

TEST("an HDR bucket is at most 1 % wide")
{
	uint64_t lo, hi;

	for (unsigned i = 0; i < 128; i++) {
		histogram_hdr.edges(i, &lo, &hi);
		assert_true(lo == i && hi == lo + 1);
	}
	for (unsigned i = 128; i + 1 < histogram_hdr.buckets; i++) {
		histogram_hdr.edges(i, &lo, &hi);
		assert_true((hi - lo) * 100 <= lo);
	}
	/* Hours: the last closed bucket ends at more than nine of them. */
	assert_true(hi > 9 * 3600 * 1000000000ull);
}
