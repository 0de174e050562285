/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Areas lie behind the header, apart, aligned; each worker has a part of its own, and writes go round in it. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/rng.h"
#include "common/units.h"
#include "ssd-workloads/layout.h"
#include "ssd-workloads/stream.h"

static void draw(struct rng *rng, struct workload *workload)
{
	struct workload_override override = {.workers = 1 + (unsigned)rng_below(rng, 64)};
	const char *why;

	for (int i = 0; i < MIX_STREAMS; i++) {
		unsigned depth = (unsigned)rng_below(rng, 100);
		uint32_t block = 512 * (1 + (uint32_t)rng_below(rng, 100));

		override.streams[i].has_depth = true;
		override.streams[i].depth = depth;
		override.streams[i].block_bytes = block;
		override.streams[i].area_bytes = 1 + (2ull * depth + 64 + rng_below(rng, 1000)) * block;
	}
	override.streams[rng_below(rng, 2)].depth += 1;
	assert_int_equal(workload_make(mix_find("custom"), &override, workload, &why), 0);
}

TEST("areas are aligned and do not overlap")
{
	struct rng rng;

	rng_seed(&rng, 3, 1);
	for (int i = 0; i < 2000; i++) {
		struct workload workload;
		struct layout layout;
		uint64_t end = LAYOUT_HEADER_BYTES;

		draw(&rng, &workload);
		layout_make(&workload, &layout);
		for (int k = 0; k < MIX_STREAMS; k++) {
			const struct layout_area *area = &layout.areas[k];

			assert_int_equal(area->bytes, workload.streams[k].area_bytes);
			assert_int_equal(area->workers, workload.streams[k].workers);
			assert_int_equal(area->begin % LAYOUT_ALIGN, 0);
			assert_true(area->begin >= end);
			if (!area->bytes)
				continue;
			if (k && layout.areas[0].bytes)
				assert_true(area->begin - end >= LAYOUT_ALIGN);
			end = area->begin + area->bytes;
		}
		assert_int_equal(layout.bytes, end);
	}
}

/* Every write of every worker: inside its part, one block after the other, from its start again; the parts are one
 * after the other, and all of the area. */
TEST("writes go round in parts")
{
	struct rng rng;

	rng_seed(&rng, 3, 2);
	for (int i = 0; i < 200; i++) {
		struct workload workload;
		struct layout layout;

		draw(&rng, &workload);
		layout_make(&workload, &layout);
		for (int k = 0; k < MIX_STREAMS; k++) {
			const struct layout_area *area = &layout.areas[k];
			uint64_t next = area->begin;

			for (unsigned worker = 0; worker < area->workers; worker++) {
				struct stream stream;
				uint64_t begin, blocks;

				layout_part(area, worker, &begin, &blocks);
				assert_int_equal(begin, next);
				assert_true(blocks > 0);
				next = begin + blocks * area->block_bytes;
				stream_init(&stream, begin, blocks, area->block_bytes);
				for (uint64_t n = 0; n < 2 * blocks + 3; n++) {
					assert_int_equal(stream.sequence, n);
					assert_int_equal(stream.pass, n / blocks);
					assert_int_equal(stream_offset(&stream), begin + n % blocks * area->block_bytes);
					assert_int_equal(stream_is_at_pass(&stream), n % blocks == 0);
					assert_int_equal(stream_offset(&stream) % 512, 0);
					stream_advance(&stream);
				}
			}
			assert_int_equal(next, area->begin + area->bytes);
		}
	}
}

TEST("the mixes of the paper have the layout of the paper")
{
	const struct workload_override nothing = {.workers = 0};
	struct workload workload;
	struct layout layout;
	const char *why;

	assert_int_equal(workload_make(mix_find("M-N"), &nothing, &workload, &why), 0);
	layout_make(&workload, &layout);
	assert_int_equal(layout.areas[MIX_LOG].begin, UNITS_MIB);
	assert_int_equal(layout.areas[MIX_CHECKPOINT].begin, (1 + 512 + 1) * UNITS_MIB);
	assert_int_equal(layout.bytes, (1 + 512 + 1 + 1024) * UNITS_MIB);
	assert_int_equal(workload_make(mix_find("0-N"), &nothing, &workload, &why), 0);
	layout_make(&workload, &layout);
	assert_int_equal(layout.areas[MIX_CHECKPOINT].begin, UNITS_MIB);
}
