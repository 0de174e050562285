/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Areas lie behind the header, apart, aligned; each worker has a part of its own, and writes go round in it. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/rng.h"
#include "common/base/units.h"
#include "ssd-workloads/workload/layout.h"
#include "ssd-workloads/workload/stream.h"

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

/* As a RAID 0 with a chunk of one block. */
TEST("the blocks of a striped log go to two targets in turn, each to a place of its own")
{
	struct rng rng;

	rng_seed(&rng, 3, 3);
	for (int i = 0; i < 200; i++) {
		struct workload_override override = {.workers = 1 + (unsigned)rng_below(&rng, 8), .log_stripes = 2};
		struct workload workload;
		struct layout layout, of[LAYOUT_TARGETS];
		const struct layout_area *log = &layout.areas[MIX_LOG];
		struct stripe stripe;
		uint64_t begin, blocks, there;
		const char *why;

		override.streams[MIX_LOG].block_bytes = 512 * (1 + (uint32_t)rng_below(&rng, 100));
		override.streams[MIX_LOG].area_bytes = (200 + rng_below(&rng, 1000)) * override.streams[MIX_LOG].block_bytes + 7;
		assert_int_equal(workload_make(mix_find("M-N"), &override, &workload, &why), 0);
		layout_make(&workload, &layout);
		assert_int_equal(layout_divide(&layout, i % 2, of), i % 2 ? 3 : 2);
		stripe = layout_stripe(log);
		assert_int_equal(log->bytes, of[0].areas[MIX_LOG].bytes + of[1].areas[MIX_LOG].bytes);
		for (uint64_t k = 0; k < log->bytes / log->block_bytes; k++) {
			uint64_t offset = log->begin + k * log->block_bytes;
			unsigned target = stripe_locate(&stripe, offset, &there);
			const struct layout_area *area = &of[target].areas[MIX_LOG];

			assert_int_equal(target, k % 2);
			assert_int_equal(area->stripe, target);
			assert_int_equal(there, area->begin + k / 2 * area->block_bytes);
			assert_true(there + area->block_bytes <= area->begin + area->bytes);
			assert_int_equal(stripe_offset(&stripe, target, there), offset);
		}
		/* Each worker begins in the first target, and has as many blocks in both. */
		for (unsigned worker = 0; worker < log->workers; worker++) {
			layout_part(log, worker, &begin, &blocks);
			assert_int_equal(blocks % 2, 0);
			assert_int_equal(stripe_locate(&stripe, begin, &there), 0);
			layout_part(&of[0].areas[MIX_LOG], worker, &begin, &blocks);
			assert_int_equal(there, begin);
		}
	}
}

static void assert_part(const struct layout *layout, enum mix_stream stream, uint64_t begin, uint64_t bytes)
{
	assert_int_equal(layout->areas[stream].bytes, bytes);
	if (bytes)
		assert_int_equal(layout->areas[stream].begin, begin);
}

TEST("a target has the areas of its streams behind its header, and no others")
{
	static const struct {
		unsigned stripes;
		bool has_checkpoint_target;
		size_t count;
		struct { uint64_t log, checkpoint_begin, checkpoint; } targets[LAYOUT_TARGETS];
	} cases[] = { /* in MiB */
		{1, false, 1, {{512, 514, 1024}}},
		{1, true, 2, {{512, 0, 0}, {0, 1, 1024}}},
		{2, false, 2, {{256, 258, 1024}, {256, 0, 0}}},
		{2, true, 3, {{256, 0, 0}, {256, 0, 0}, {0, 1, 1024}}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct workload_override override = {.workers = 2, .log_stripes = cases[i].stripes};
		struct layout layout, of[LAYOUT_TARGETS];
		struct workload workload;
		const char *why;

		assert_int_equal(workload_make(mix_find("M-N"), &override, &workload, &why), 0);
		layout_make(&workload, &layout);
		assert_int_equal(layout_divide(&layout, cases[i].has_checkpoint_target, of), cases[i].count);
		for (size_t k = 0; k < cases[i].count; k++) {
			uint64_t log = cases[i].targets[k].log, checkpoint = cases[i].targets[k].checkpoint;
			uint64_t begin = cases[i].targets[k].checkpoint_begin;

			assert_part(&of[k], MIX_LOG, UNITS_MIB, log * UNITS_MIB);
			assert_part(&of[k], MIX_CHECKPOINT, begin * UNITS_MIB, checkpoint * UNITS_MIB);
			assert_int_equal(of[k].bytes, (checkpoint ? begin + checkpoint : 1 + log) * UNITS_MIB);
			assert_int_equal(of[k].areas[MIX_LOG].workers, 2);
			assert_int_equal(of[k].areas[MIX_CHECKPOINT].workers, 2);
		}
		assert_int_equal(layout_target(&layout, cases[i].count, MIX_LOG), 0);
		assert_int_equal(layout_target(&layout, cases[i].count, MIX_CHECKPOINT),
			cases[i].has_checkpoint_target ? cases[i].count - 1 : 0);
	}
}
