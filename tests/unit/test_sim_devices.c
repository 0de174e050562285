/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several simulated devices have one time and nothing else in common; a striped log is written and flushed in two. */
#include "config.h"
#include <math.h>

#include "tests/unit/sim_bench.h"

/* Collections copy pages that are still valid: blocks of a checkpoint are drawn, on a device that was filled at random. */
static struct sim_case small(const char *mix)
{
	return (struct sim_case){.mix = mix, .runtime_ns = SECOND / 2, .warmup_ns = SECOND / 4, .pattern = "uniform",
		.values = {"channels=2", "ways=3", "blocks=16", "pages=32", "buffer=4", "fill=1", "precondition=random"}};
}

static void assert_same_device(const struct engine_device *one, const struct engine_device *other)
{
	const struct sim_totals *a = &one->totals, *b = &other->totals;

	assert_int_equal(a->commands, b->commands);
	assert_int_equal(a->slices, b->slices);
	assert_int_equal(a->hits, b->hits);
	assert_int_equal(a->host_programs, b->host_programs);
	assert_int_equal(a->copies, b->copies);
	assert_int_equal(a->gcs, b->gcs);
	assert_int_equal(a->programs, b->programs);
	assert_int_equal(a->erases, b->erases);
	assert_int_equal(a->host_bytes, b->host_bytes);
	assert_int_equal(one->way_busy_ns, other->way_busy_ns);
	assert_int_equal(one->fill_pages, other->fill_pages);
	assert_true(one->fill_amplification == other->fill_amplification);
}

/* All but the number of the other stream's writes, which are in another device. */
static void assert_same_records(struct engine_worker *one, struct engine_worker *other)
{
	const struct record *records = ring_sort(&one->ring), *others = ring_sort(&other->ring);

	assert_int_equal(one->ring.emitted, other->ring.emitted);
	for (uint64_t i = 0; i < ring_count(&one->ring); i++) {
		struct record a = records[i], b = others[i];

		a.inflight_other = b.inflight_other = 0;
		assert_memory_equal(&a, &b, sizeof(a));
	}
}

TEST("two devices do what each does alone with its stream")
{
	static const char *const alone[][MIX_STREAMS] = {{"1-0", "0-N"}, {"M-0", "0-N"}, {"1-0", "0-1"}};
	static const char *const mixed[] = {"1-N", "M-N", "1-1"};

	for (size_t i = 0; i < sizeof(mixed) / sizeof(mixed[0]); i++) {
		struct sim_case asked = small(mixed[i]);
		struct sim_bench *both;
		uint64_t copies = 0;

		asked.has_checkpoint_device = true;
		both = sim_bench_run(&asked);
		assert_int_equal(both->result.device_count, 2);
		assert_int_equal(both->result.worker_count, 2);
		for (int stream = 0; stream < MIX_STREAMS; stream++) {
			struct sim_case single = small(alone[i][stream]);
			struct sim_bench *bench;

			if (stream == MIX_LOG)
				single.pattern = NULL;
			bench = sim_bench_run(&single);
			assert_same_device(&both->result.device[stream], &bench->result.device[0]);
			assert_same_records(&both->result.workers[stream], &bench->result.workers[0]);
			copies += bench->result.device->totals.copies;
			sim_bench_free(bench);
		}
		assert_true(copies > 0);
		sim_bench_free(both);
	}
}

TEST("the laws of the model hold in the dump of each of two devices")
{
	static const char *const modes[] = {"mode=buffered", "mode=write-through", "mode=direct"};

	for (size_t i = 0; i < 3; i++) {
		struct sim_case asked = small("M-N");
		struct sim_bench *bench;

		asked.values[7] = modes[i];
		asked.has_checkpoint_device = true;
		bench = sim_bench_run(&asked);
		for (size_t device = 0; device < 2; device++) {
			char why[256];

			memset(&bench->dump, 0, sizeof(bench->dump));
			engine_fill_dump(&bench->workload, &bench->layouts[device], &bench->result, device, NULL, &bench->section,
				&bench->dump);
			assert_int_equal(bench->dump.head.segment_count, 1);
			assert_int_equal(bench->dump.segments[0].part.stream, device ? MIX_CHECKPOINT : MIX_LOG);
			assert_int_equal(bench->dump.head.streams[device ? MIX_LOG : MIX_CHECKPOINT].depth, 0);
			if (sim_check(bench->result.device[device].device, &bench->dump, why, sizeof(why)))
				fail_msg("%s, device %zu: %s", modes[i], device, why);
		}
		sim_bench_free(bench);
	}
}

static uint64_t between(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Each log write is a command of one device, and its flushes are one of each. */
TEST("a log that is striped over two devices is written in turn, and each commit flushes both")
{
	static const enum backend_durability durabilities[] = {BACKEND_NONE, BACKEND_FDATASYNC};
	static const char *const names[] = {"1-0", "M-0"};

	for (int i = 0; i < 4; i++) {
		struct sim_case asked = small(names[i % 2]);
		bool is_durable = durabilities[i / 2] == BACKEND_FDATASYNC;
		const struct sim_totals *first, *second;
		struct sim_bench *bench;
		uint64_t writes, depth;

		asked.override.log_stripes = 2;
		asked.durability = durabilities[i / 2];
		asked.pattern = NULL;
		bench = sim_bench_run(&asked);
		assert_int_equal(bench->result.device_count, 2);
		first = &bench->result.device[0].totals;
		second = &bench->result.device[1].totals;
		depth = bench->workload.streams[MIX_LOG].depth;
		writes = bench->result.streams[MIX_LOG].counts->operations;
		assert_true(writes > 100);
		/* Those in flight at the begin and at the end count in one or in the other. */
		assert_true(between(first->commands, second->commands) <= 2 * depth);
		assert_true(between(first->host_bytes, second->host_bytes) <= 2 * depth * 16384);
		assert_true(between(first->commands + second->commands, is_durable ? 3 * writes : writes) <= 4 * depth);
		assert_true(between(first->host_bytes + second->host_bytes, writes * 16384) <= 2 * depth * 16384);
		if (is_durable)
			assert_int_equal(bench->result.streams[MIX_LOG].counts->latencies[COUNTS_COMMIT].count, writes);
		sim_bench_free(bench);
	}
}

TEST("the same seed gives the same records on several devices")
{
	struct sim_case asked = small("M-N");
	struct sim_bench *one, *other;

	asked.has_checkpoint_device = true;
	asked.override.log_stripes = 2;
	asked.durability = BACKEND_FDATASYNC;
	one = sim_bench_run(&asked);
	other = sim_bench_run(&asked);
	assert_int_equal(one->result.device_count, 3);
	for (size_t i = 0; i < one->result.worker_count; i++)
		assert_same_records(&one->result.workers[i], &other->result.workers[i]);
	for (size_t i = 0; i < 3; i++)
		assert_same_device(&one->result.device[i], &other->result.device[i]);
	sim_bench_free(one);
	sim_bench_free(other);
}

TEST("preconditioning by the mix writes each device and each stream's area often enough")
{
	struct sim_case asked = small("1-N");
	struct sim_bench *bench;

	asked.values[5] = "fill=2";
	asked.values[6] = "precondition=mix";
	asked.pattern = NULL;
	asked.has_checkpoint_device = true;
	bench = sim_bench_run(&asked);
	for (size_t i = 0; i < 2; i++) {
		const struct engine_device *device = &bench->result.device[i];
		int stream = i ? MIX_CHECKPOINT : MIX_LOG;

		assert_true(device->passes[stream] >= 2);
		assert_true(isinf(device->passes[!stream]));
		assert_false(device->has_few_passes[MIX_LOG] || device->has_few_passes[MIX_CHECKPOINT]);
		assert_true(device->written >= 2);
	}
	sim_bench_free(bench);
}
