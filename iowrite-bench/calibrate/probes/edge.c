/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A block that O_SYNC writes in part: when it is not cached the kernel reads it first. The same places twice, before and
 * after it is cached; the difference is the read.
 */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#include <math.h>

#define EDGES 24

static uint64_t place(const struct rig *rig, int i)
{
	uint64_t step = rig->plan->written_bytes / EDGES, block = rig->plan->fs_block;

	/* Far from each other, or the first read brings the next block with it. */
	return (uint64_t)i * (step - step % block) + block / 4;
}

int probe_edge(struct rig *rig, const struct probe *probe)
{
	double absent[EDGES], cached[EDGES];
	int rc = rig_uncached(rig), count = 0;

	(void)probe;
	for (; count < EDGES && !rc && !(count && rig_is_late(rig)); count++)
		rc = rig_write(rig, OP_SYNC, place(rig, count), rig->plan->fs_block / 4, &absent[count]);
	for (int i = 0; i < count && !rc; i++)
		rc = rig_write(rig, OP_SYNC, place(rig, i), rig->plan->fs_block / 4, &cached[i]);
	if (!rc) {
		double usual = rig_median(cached, (size_t)count), more = rig_median(absent, (size_t)count) - usual;
		const struct collector_key key = {.parameter = SYSTEM_LAT_RMW, .scale = usual,
			.method = "median of blocks' uncached less cached parts of blocks"};

		collector_add(rig->collector, &key, fmax(0, more));
	}
	return rc;
}
