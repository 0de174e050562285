/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a measurement on the simulated device begins: in a steady state, or with a finding, and without a backlog. */
#include "config.h"
#include <math.h>

#include "tests/unit/sim_bench.h"

#define TINY "channels=2", "ways=2", "blocks=32", "pages=32", "buffer=8"

static double amplification(const struct sim_bench *bench)
{
	const struct sim_totals *totals = &bench->result.device->totals;

	return 1 + (double)totals->copies / (double)totals->host_programs;
}

TEST("preconditioning writes the areas of slow streams twice, and more of it changes nothing")
{
	struct sim_case asked = {.mix = "1-N", .runtime_ns = 4 * SECOND, .has_no_records = true, .values = {TINY}};
	struct sim_bench *bench = sim_bench_run(&asked), *longer;
	const struct engine_device *device = bench->result.device;

	assert_true(device->passes[MIX_LOG] >= 2 && device->passes[MIX_LOG] < 2.1);
	assert_true(device->passes[MIX_CHECKPOINT] > 10);
	assert_true(device->fill_pages > 4 * sim_pages(&bench->params));
	assert_false(device->has_few_passes[MIX_LOG] || device->has_few_passes[MIX_CHECKPOINT]);
	assert_int_equal(device->fill_steady.verdict, LATENCY_STEADY);
	asked.values[5] = "fill=5";
	longer = sim_bench_run(&asked);
	assert_true(amplification(bench) > 1.2);
	if (fabs(amplification(bench) / amplification(longer) - 1) > .03)
		fail_msg("write amplification is %.3f after 2 passes and %.3f after 5", amplification(bench),
			amplification(longer));
	sim_bench_free(bench);
	sim_bench_free(longer);
}

TEST("preconditioning by the mix writes the capacity also when the areas are small")
{
	const struct sim_case asked = {.mix = "1-0", .runtime_ns = SECOND / 4, .values = {TINY}};
	struct sim_bench *bench = sim_bench_run(&asked);

	assert_true(bench->result.device->fill_pages >= 2 * sim_pages(&bench->params));
	assert_true(bench->result.device->written > 2);
	assert_true(bench->result.device->totals.gcs > 0);
	sim_bench_free(bench);
}

TEST("a measurement before the second pass of a stream is not steady")
{
	static const struct { const char *value, *pattern; bool log, checkpoint; } cases[] = {
		{"fill=1", NULL, true, false},
		{"precondition=none", NULL, true, true},
		{"precondition=sequential", NULL, true, true},
		{"precondition=random", NULL, true, true},
		{"precondition=random", "uniform", true, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sim_case asked = {.mix = "1-N", .runtime_ns = SECOND / 4, .values = {TINY, cases[i].value},
			.pattern = cases[i].pattern};
		struct sim_bench *bench = sim_bench_run(&asked);
		const struct engine_device *device = bench->result.device;

		if (device->has_few_passes[MIX_LOG] != cases[i].log ||
			device->has_few_passes[MIX_CHECKPOINT] != cases[i].checkpoint)
			fail_msg("%s: %.2f passes of the log and %.2f of the checkpoint", cases[i].value,
				device->passes[MIX_LOG], device->passes[MIX_CHECKPOINT]);
		assert_int_not_equal(device->fill_steady.verdict, LATENCY_STEADY);
		sim_bench_free(bench);
	}
}

TEST("preconditioning ends at 32 capacities when a stream is too slow for two passes")
{
	const struct sim_case asked = {.mix = "1-N", .runtime_ns = SECOND / 4, .rate = 1, .values = {TINY}};
	struct sim_bench *bench = sim_bench_run(&asked);
	const struct engine_device *device = bench->result.device;

	assert_int_equal(device->fill_pages / sim_pages(&bench->params), 32);
	assert_true(device->has_few_passes[MIX_LOG]);
	assert_int_not_equal(device->fill_steady.verdict, LATENCY_STEADY);
	sim_bench_free(bench);
}

TEST("an open loop that preconditioning could not keep up with begins its measurement without a backlog")
{
	const struct sim_case asked = {.mix = "1-N", .runtime_ns = SECOND, .rate = 4000, .values = {TINY}};
	struct sim_bench *bench = sim_bench_run(&asked);
	const struct engine_worker *log = &bench->result.workers[0];
	const struct record *first = bench->dump.segments[0].records;

	assert_int_equal(log->stream, MIX_LOG);
	/* Write k is due k + 1 periods after the start: no commit has arrived before. */
	assert_int_equal(log->first_due_ns, bench->result.begin_ns);
	assert_int_equal(log->first_sequence, first->sequence);
	assert_int_equal(first->prep_ns, log->first_due_ns);
	assert_true(log->late_ns > SECOND / 2 && log->late_ns < SECOND);
	assert_true(bench->result.streams[MIX_LOG].counts->latencies[COUNTS_RESPONSE].max_ns < SECOND);
	sim_bench_free(bench);
}

TEST("the over-provisioning of a device is the OP of fit: without the reserve, as a share of what it exports")
{
	static const char *const shares[] = {"op=0.1", "op=0.28", "op=1"};
	static const double known[] = {.1, .28, 1};
	/* The mean field of 32 pages a block and greedy victims, in the space beside the target's first MiB. */
	static const double expected[] = {4.7196, 2.2930, 1.2175};

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		struct sim_case asked = {.mix = "0-N", .runtime_ns = 20 * SECOND, .has_no_records = true, .pattern = "uniform",
			.values = {"channels=1", "ways=2", "blocks=256", "pages=32", "buffer=1", "program=10us", "read=10us",
				"erase=10us", "jitter=0", "reserve=2", shares[i]},
			.override = {.streams = {[MIX_CHECKPOINT] = {.block_bytes = 16384}}}};
		uint64_t usable = 2 * 254 * 32, exported = (uint64_t)((double)usable / (1 + known[i]));
		struct sim_bench *bench;

		asked.override.streams[MIX_CHECKPOINT].area_bytes = exported * 16384 - LAYOUT_HEADER_BYTES;
		bench = sim_bench_run(&asked);
		assert_int_equal(sim_exported_pages(&bench->params), exported);
		if (fabs(amplification(bench) / expected[i] - 1) > .03)
			fail_msg("%s: write amplification is %.3f, not %.3f", shares[i], amplification(bench), expected[i]);
		sim_bench_free(bench);
	}
}
