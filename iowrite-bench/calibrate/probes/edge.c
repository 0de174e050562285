/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A block that O_SYNC writes in part: when it is not cached the kernel reads it first. The same places twice, before and
 * after it is cached; the difference is the read.
 */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#include <math.h>

#define EDGES 24

static uint64_t place(const struct bench *bench, int i)
{
	uint64_t step = bench->plan->written_bytes / EDGES, block = bench->plan->fs_block;

	/* Far from each other, or the first read brings the next block with it. */
	return (uint64_t)i * (step - step % block) + block / 4;
}

int probe_edge(struct bench *bench, const struct probe *probe)
{
	const struct calibrate_hooks *hooks = bench->hooks;
	double absent[EDGES], cached[EDGES];
	int rc = bench_fresh(bench), count = 0;

	(void)probe;
	if (!rc)
		rc = bench_told(bench, hooks->sync(hooks->state), "sync the file");
	if (!rc)
		rc = bench_told(bench, hooks->forget(hooks->state, bench->plan->written_bytes), "empty the cache");
	for (; count < EDGES && !rc && !(count && bench_is_late(bench)); count++)
		rc = bench_write(bench, OP_SYNC, place(bench, count), bench->plan->fs_block / 4, &absent[count]);
	for (int i = 0; i < count && !rc; i++)
		rc = bench_write(bench, OP_SYNC, place(bench, i), bench->plan->fs_block / 4, &cached[i]);
	if (!rc) {
		double usual = bench_median(cached, (size_t)count), more = bench_median(absent, (size_t)count) - usual;
		const struct collector_key key = {.parameter = SYSTEM_LAT_RMW, .scale = usual,
			.method = "median of blocks' uncached less cached parts of blocks"};

		collector_add(bench->collector, &key, fmax(0, more));
	}
	return rc;
}
