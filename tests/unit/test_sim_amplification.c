/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write amplification of random writes on the simulated SSD, against known answers, and Little's law of its mixes. */
#include "config.h"
#include <math.h>

#include "common/hot/rng.h"
#include "tests/unit/sim_bench.h"

#define OVERWRITES 2

/*
 * Known answers: the closed form of Xiang and Kurkoski (arXiv 1110.4245) for greedy victims of large blocks; an independent
 * simulation (4096 blocks, one in reserve, 30 overwrites after 30 of warm-up); and the mean field of Van Houdt (SIGMETRICS 2013),
 * the limit of many blocks, solved numerically.
 */
static const struct amplified {
	double op, expected, percent;   /* percent: allowed deviation */
	uint32_t blocks, pages, choices;
	double hot_set, hot_writes;     /* 0 = uniform */
	const char *source;
} known[] = {
	{.07, 7.8172, 2, 1024, 512, 0, 0, 0, "closed form"}, {.20, 3.1878, 2, 1024, 512, 0, 0, 0, "closed form"},
	{.40, 1.9569, 2, 1024, 512, 0, 0, 0, "closed form"},
	{.10, 4.911, 1.5, 4096, 32, 0, 0, 0, "simulation"}, {.20, 2.936, 1.5, 4096, 32, 0, 0, 0, "simulation"},
	{.20, 3.123, 1.5, 4096, 128, 0, 0, 0, "simulation"}, {.10, 5.64, 2, 4096, 128, 10, 0, 0, "simulation"},
	{.10, 7.0267, 1, 4096, 32, 2, 0, 0, "mean field"}, {.20, 3.2514, 1, 4096, 32, 5, 0, 0, "mean field"},
	{.20, 3.3768, 1, 4096, 32, 10, .2, .8, "mean field"}, {.20, 3.8769, 1, 4096, 32, 10, .1, .9, "mean field"},
	{.10, 6.4140, 1, 4096, 16, 2, .2, .8, "mean field"},
};

static uint32_t draw(const struct amplified *row, uint64_t exported, struct rng *rng)
{
	uint64_t hot = (uint64_t)(row->hot_set * (double)exported);

	if (!hot)
		return (uint32_t)rng_below(rng, exported);
	if (rng_double(rng) < row->hot_writes)
		return (uint32_t)rng_below(rng, hot);
	return (uint32_t)(hot + rng_below(rng, exported - hot));
}

static double amplify(const struct amplified *row)
{
	const struct ftl_geometry geometry = {.dies = 1, .blocks = row->blocks, .pages = row->pages, .reserve_blocks = 1,
		.gc_choices = row->choices, .seed = 1,
		.exported = (uint64_t)((double)row->blocks * row->pages / (1 + row->op))};
	uint64_t total = OVERWRITES * geometry.exported, writes = 0, copied = 0;
	/* Cold pages are written more rarely. */
	double patience = row->hot_set > 0 ? (1 - row->hot_set) / (1 - row->hot_writes) : 1, found;
	uint64_t before = (uint64_t)((double)total * patience);
	uint32_t block, page;
	struct ftl_gc gc;
	struct ftl ftl;
	struct rng rng;

	assert_int_equal(ftl_open(&geometry, &ftl), 0);
	rng_seed(&rng, 1, 0);
	for (uint64_t i = 0; i < geometry.exported; i++)
		ftl_write(&ftl, (uint32_t)i, &block, &page, &gc);
	for (uint64_t i = 0; i < before + total; i++) {
		if (i == before) {
			writes = ftl.writes;
			copied = ftl.copied;
		}
		ftl_write(&ftl, draw(row, geometry.exported, &rng), &block, &page, &gc);
	}
	found = 1 + (double)(ftl.copied - copied) / (double)(ftl.writes - writes);
	ftl_close(&ftl);
	return found;
}

TEST("write amplification of the FTL is that of the closed form, an independent simulation and the mean field")
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct amplified *row = &known[i];
		double found = amplify(row);

		if (fabs(found / row->expected - 1) * 100 > row->percent)
			fail_msg("OP %.2f, %u pages a block, best of %u, hot %.1f/%.1f: %.4f, not %.4f of the %s", row->op,
				row->pages, row->choices, row->hot_set, row->hot_writes, found, row->expected, row->source);
	}
}

/* Of the mean field. The buffer of the device is small and keeps few writes from the flash. */
TEST("write amplification of a whole device is that of the mean field, for uniform, and for hot and cold pages")
{
	static const struct { const char *pattern; double expected; } rows[] = {{"uniform", 3.1851},
		{"hotset,20,80", 3.4758}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sim_case asked = {.mix = "0-N", .runtime_ns = 20 * SECOND, .has_no_records = true,
			.pattern = rows[i].pattern,
			.override = {.workers = 1, .streams = {[MIX_CHECKPOINT] = {.block_bytes = 16384}}},
			.values = {"channels=1", "ways=2", "blocks=256", "pages=32", "buffer=1", "gc=best-of:5", "op=0.2",
				"program=10us", "read=10us", "erase=10us", "jitter=0", "fill=32"}};
		struct sim_params params;
		struct sim_bench *bench;
		double found;
		char why[256];

		sim_params_init(sim_preset_find("small"), &params);
		for (size_t k = 0; k < sizeof(asked.values) / sizeof(asked.values[0]); k++)
			assert_int_equal(sim_params_set(&params, asked.values[k], why, sizeof(why)), 0);
		asked.override.streams[MIX_CHECKPOINT].area_bytes =
			sim_exported_pages(&params) * params.page_bytes - LAYOUT_HEADER_BYTES;
		bench = sim_bench_run(&asked);
		found = 1 + (double)bench->result.device->totals.copies / (double)bench->result.device->totals.host_programs;
		if (fabs(found / rows[i].expected - 1) > .03)
			fail_msg("%s: %.4f, not %.4f", rows[i].pattern, found, rows[i].expected);
		sim_bench_free(bench);
	}
}

TEST("what is outstanding is the rate times the latency, in each mix of two streams")
{
	static const struct { const char *mix; uint64_t seconds; } rows[] = {{"1-1", 2}, {"1-N", 5}, {"M-N", 2}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct sim_case asked = {.mix = rows[i].mix, .runtime_ns = rows[i].seconds * SECOND,
			.has_no_records = true, .override = {.workers = 1}, .values = {"blocks=16", "fill=1", "turnaround=0"}};
		struct sim_bench *bench = sim_bench_run(&asked);

		for (int stream = 0; stream < MIX_STREAMS; stream++) {
			const struct engine_stream *result = &bench->result.streams[stream];
			double depth = bench->workload.streams[stream].depth;
			double found = result->counts->latencies[COUNTS_RESPONSE].sum_ns / 1e9 / result->seconds;

			if (fabs(found / depth - 1) > .01)
				fail_msg("%s of %s: %.4f outstanding, not %.0f", mix_stream_name((enum mix_stream)stream),
					rows[i].mix, found, depth);
		}
		sim_bench_free(bench);
	}
}
