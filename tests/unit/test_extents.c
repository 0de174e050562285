/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Extents against an array with a mark for each byte. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/rng.h"
#include "iowrite-bench/model/extents.h"

#define FILE_BYTES 3000

struct naive {
	int list[FILE_BYTES];     /* -1 = clean */
	double stamp[FILE_BYTES];
};

static void naive_init(struct naive *naive)
{
	for (int i = 0; i < FILE_BYTES; i++)
		naive->list[i] = -1;
}

static uint64_t naive_write(struct naive *naive, uint64_t offset, uint64_t size, double stamp)
{
	uint64_t fresh = 0;

	for (uint64_t i = offset; i < offset + size; i++) {
		fresh += naive->list[i] < 0;
		naive->list[i] = naive->list[i] < 0 ? EXTENTS_INACTIVE : EXTENTS_ACTIVE;
		naive->stamp[i] = stamp;
	}
	return fresh;
}

static void assert_equal(const struct extents *extents, const struct naive *naive, bool has_stamps)
{
	uint64_t bytes[EXTENTS_LISTS] = {0};
	uint64_t position = 0;

	for (uint32_t e = extents_find(extents, 0); e; e = extents_find(extents, position)) {
		const struct extent *extent = extents_at(extents, e);

		assert_true(extent->offset >= position && extent->size > 0);
		for (uint64_t i = position; i < extent->offset; i++)
			assert_int_equal(naive->list[i], -1);
		for (uint64_t i = extent->offset; i < extent->offset + extent->size; i++) {
			assert_int_equal(naive->list[i], extent->list);
			if (has_stamps)
				assert_true(naive->stamp[i] == extent->stamp);
		}
		bytes[extent->list] += extent->size;
		position = extent->offset + extent->size;
	}
	for (uint64_t i = position; i < FILE_BYTES; i++)
		assert_int_equal(naive->list[i], -1);
	for (int list = 0; list < EXTENTS_LISTS; list++)
		assert_int_equal(bytes[list], extents->bytes[list]);
}

/* Each list is linked both ways, holds its bytes, and stamps rise in it as long as nothing is balanced. */
static void assert_lists(const struct extents *extents, bool has_order)
{
	size_t count = 0;

	for (int list = 0; list < EXTENTS_LISTS; list++) {
		uint32_t older = EXTENTS_NONE;
		uint64_t bytes = 0;

		for (uint32_t e = extents->oldest[list]; e; e = extents_at(extents, e)->newer) {
			const struct extent *extent = extents_at(extents, e);

			assert_int_equal(extent->older, older);
			if (has_order && older)
				assert_true(extents_at(extents, older)->stamp <= extent->stamp);
			bytes += extent->size;
			older = e;
			count++;
		}
		assert_int_equal(extents->newest[list], older);
		assert_int_equal(extents->bytes[list], bytes);
	}
	assert_int_equal(extents->count, count);
}

static uint64_t below(struct rng *rng, uint64_t bound)
{
	return rng_below(rng, bound);
}

TEST("writes mark the same bytes as an array")
{
	struct extents extents;
	struct naive naive;
	struct rng rng;
	uint64_t fresh;

	rng_seed(&rng, 7, 0);
	extents_init(&extents);
	naive_init(&naive);
	for (int round = 0; round < 20000; round++) {
		uint64_t size = 1 + below(&rng, round % 3 ? 40 : 400), offset = below(&rng, FILE_BYTES - size);

		if (below(&rng, 4)) {
			assert_int_equal(extents_write(&extents, offset, size, round, &fresh), 0);
			assert_int_equal(fresh, naive_write(&naive, offset, size, round));
		} else if (extents.oldest[EXTENTS_INACTIVE]) {
			uint32_t e = extents.oldest[EXTENTS_INACTIVE];
			const struct extent *extent = extents_at(&extents, e);
			uint64_t part = 1 + below(&rng, extent->size);

			for (uint64_t i = 0; i < part; i++)
				naive.list[extent->offset + i] = -1;
			extents_clean(&extents, e, part);
		}
		if (round % 50 == 0) {
			assert_equal(&extents, &naive, true);
			assert_lists(&extents, true);
		}
	}
	extents_free(&extents);
}

/* The kernel's view: which bytes are dirty, nothing else; the sweep goes up and round. */
TEST("joined extents are those of an array")
{
	struct extents extents;
	struct naive naive;
	struct rng rng;
	uint64_t fresh, cursor = 0;

	rng_seed(&rng, 8, 0);
	extents_init(&extents);
	naive_init(&naive);
	for (int round = 0; round < 20000; round++) {
		uint64_t size = 1 + below(&rng, 60), offset = below(&rng, FILE_BYTES - size), want = 0, dirty;

		for (uint64_t i = offset; i < offset + size; i++) {
			want += naive.list[i] < 0;
			naive.list[i] = EXTENTS_INACTIVE;
		}
		assert_int_equal(extents_join(&extents, offset, size, &fresh), 0);
		assert_int_equal(fresh, want);
		dirty = extents_bytes(&extents);
		if (!below(&rng, 3)) {
			uint64_t swept = extents_sweep(&extents, &cursor, below(&rng, 200));

			assert_int_equal(extents_bytes(&extents), dirty - swept);
			for (int i = 0; i < FILE_BYTES; i++)
				naive.list[i] = -1;
			for (uint32_t e = extents_find(&extents, 0); e;
				e = extents_find(&extents, extents_at(&extents, e)->offset + extents_at(&extents, e)->size)) {
				for (uint64_t i = 0; i < extents_at(&extents, e)->size; i++)
					naive.list[extents_at(&extents, e)->offset + i] = EXTENTS_INACTIVE;
			}
		}
		if (round % 50 == 0) {
			assert_equal(&extents, &naive, false);
			assert_lists(&extents, false);
		}
	}
	extents_free(&extents);
}

TEST("a sweep continues at its cursor over joined extents")
{
	struct extents extents;
	uint64_t fresh, cursor = 0;

	extents_init(&extents);
	extents_join(&extents, 0, 10, &fresh);
	extents_join(&extents, 20, 10, &fresh);
	extents_join(&extents, 30, 10, &fresh); /* a neighbour */
	assert_int_equal(extents.count, 2);
	assert_int_equal(extents_sweep(&extents, &cursor, 15), 15);
	assert_int_equal(cursor, 25);
	extents_join(&extents, 0, 5, &fresh);
	assert_int_equal(extents_sweep(&extents, &cursor, 15), 15);
	assert_int_equal(cursor, 40);
	assert_int_equal(extents_bytes(&extents), 5);
	assert_int_equal(extents_sweep(&extents, &cursor, 100), 5);
	assert_int_equal(cursor, 5);
	assert_int_equal(extents_sweep(&extents, &cursor, 100), 0);
	extents_free(&extents);
}

/* The bug of the authors' place(): 100 MiB, then two rewrites inside, stay 100 MiB. */
TEST("rewriting an extent adds no bytes")
{
	const uint64_t mib = 1 << 20;
	struct extents extents;
	uint64_t fresh;

	extents_init(&extents);
	extents_write(&extents, 0, 100 * mib, 0, &fresh);
	assert_int_equal(fresh, 100 * mib);
	extents_write(&extents, 0, 10 * mib, 1, &fresh);
	assert_int_equal(fresh, 0);
	extents_write(&extents, 20 * mib, 10 * mib, 2, &fresh);
	assert_int_equal(fresh, 0);
	assert_int_equal(extents_bytes(&extents), 100 * mib);
	assert_int_equal(extents.bytes[EXTENTS_ACTIVE], 20 * mib);
	extents_free(&extents);
}

TEST("a balance moves the oldest active extents to the inactive ones")
{
	struct extents extents;
	uint64_t fresh;

	extents_init(&extents);
	for (int i = 0; i < 4; i++)
		extents_write(&extents, (uint64_t)i * 10, 10, i, &fresh);
	for (int i = 0; i < 4; i++)
		extents_write(&extents, (uint64_t)i * 10, 10, 10 + i, &fresh);
	assert_int_equal(extents.bytes[EXTENTS_ACTIVE], 40);
	extents_balance(&extents);
	assert_int_equal(extents.bytes[EXTENTS_ACTIVE], 20);
	/* The oldest were moved, in their order. */
	assert_int_equal(extents_at(&extents, extents.oldest[EXTENTS_INACTIVE])->offset, 0);
	assert_int_equal(extents_at(&extents, extents.newest[EXTENTS_INACTIVE])->offset, 10);
	assert_int_equal(extents_at(&extents, extents.oldest[EXTENTS_ACTIVE])->offset, 20);
	extents_free(&extents);
}
