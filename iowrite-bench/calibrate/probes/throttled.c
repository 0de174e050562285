/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes while balance_dirty_pages holds the writer back, of a size in each class of chunks (system.h). They are kept:
 * what the model would have said of them is asked when all it needs is known (finish.c), and the quotients are the bands.
 */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#include <errno.h>
#include <stdlib.h>

#define MIB (1ull << 20)
#define OPS 2048
#define ENOUGH 96 /* throttled writes of one run */
#define PATIENCE_NS 2000000000u
#define USUAL_CHUNK (64 * MIB)

static uint64_t freerun(const struct calibrate_plan *plan)
{
	if (plan->is_staged)
		return (PLAN_STAGE_BACKGROUND + PLAN_STAGE_THROTTLED) / 2;
	return (plan->background_bytes + plan->threshold_bytes) / 2;
}

const char *probe_throttled_lacks(const struct bench *bench, const struct probe *probe)
{
	(void)probe;
	if (!bench->plan->has_append)
		return "a device does not grow";
	/* The device empties it meanwhile: twice as much must fit. */
	if (2 * freerun(bench->plan) > plan_room(bench->plan))
		return "throttling begins beyond --size: give --stage as root, or a larger --size";
	return NULL;
}

/* A thirty-second, an eighth, a half of a chunk, and more than one. */
static uint64_t size_of(const struct bench *bench, size_t class)
{
	uint64_t limit = bench->plan->is_staged ? PLAN_STAGE_THROTTLED : bench->plan->threshold_bytes;
	uint64_t chunk = limit / 8 < USUAL_CHUNK ? limit / 8 : USUAL_CHUNK;
	uint64_t sizes[SYSTEM_BANDS] = {chunk / 32, chunk / 8, chunk / 2, chunk + chunk / 2};
	uint64_t size = sizes[class] < MIB ? MIB : sizes[class] - sizes[class] % MIB;

	return size < bench->plan->largest_bytes ? size : bench->plan->largest_bytes;
}

static int write_all(struct bench *bench, struct bench_run *run, uint64_t size)
{
	uint64_t at = bench->plan->written_bytes, ended = bench_now(bench), limit = freerun(bench->plan);
	const struct calibrate_hooks *hooks = bench->hooks;
	unsigned throttled = 0;
	int rc = 0;

	for (; at + size <= bench->plan->size_bytes && run->count < OPS && throttled < ENOUGH && !rc; at += size) {
		struct dirty_state dirty;
		uint64_t written, begin;

		bench_give(bench, size);
		rc = bench_told(bench, hooks->look(hooks->state, &dirty, &written), "look at dirty memory");
		begin = bench_now(bench);
		if (!rc)
			rc = bench_write(bench, OP_BUFFERED, at, size, &run->ns[run->count]);
		if (rc)
			break;
		throttled += dirty.dirty + dirty.writeback > limit;
		/* A few at least, but a slow device is not waited for for ever. */
		if (bench_is_late(bench) && (throttled > ENOUGH / 8 || bench_now(bench) > bench->block_end_ns + PATIENCE_NS))
			throttled = ENOUGH;
		run->ops[run->count++] = (struct op){begin - ended, at - bench->plan->written_bytes, size};
		ended = bench_now(bench);
	}
	return rc;
}

static int measure_class(struct bench *bench, size_t class)
{
	struct bench_run *run = &bench->runs[bench->run_count];
	uint64_t written;
	int rc = bench_fresh(bench);

	if (rc || bench->run_count == BENCH_RUNS)
		return rc;
	*run = (struct bench_run){.ops = calloc(OPS, sizeof(*run->ops)), .ns = calloc(OPS, sizeof(*run->ns))};
	bench->run_count++;
	if (!run->ops || !run->ns)
		return bench_told(bench, -ENOMEM, "keep samples");
	rc = bench_told(bench, bench->hooks->look(bench->hooks->state, &run->before, &written), "look at dirty memory");
	if (!rc)
		rc = bench_warm(bench, plan_room(bench->plan));
	if (!rc)
		rc = write_all(bench, run, size_of(bench, class));
	return bench_leave(bench, rc);
}

int probe_throttled(struct bench *bench, const struct probe *probe)
{
	const struct calibrate_hooks *hooks = bench->hooks;
	uint64_t block = bench->block_end_ns - bench_now(bench), begin = bench_now(bench);
	int rc = 0;

	(void)probe;
	if (bench->plan->is_staged &&
		hooks->thresholds(hooks->state, PLAN_STAGE_BACKGROUND, PLAN_STAGE_THROTTLED))
		rc = -EPERM;
	for (size_t class = 0; class < SYSTEM_BANDS && !rc; class++) {
		bench->block_end_ns = begin + block / SYSTEM_BANDS * (class + 1);
		rc = measure_class(bench, class);
	}
	if (bench->plan->is_staged && hooks->thresholds(hooks->state, 0, 0) && !rc)
		rc = -EPERM;
	return rc;
}
