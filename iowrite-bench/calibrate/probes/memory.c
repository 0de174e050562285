/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memcpy(3), within the first cache (what a libc's buffer is), the second, and memory: many copies between two stamps. */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#define SAMPLES 30
#define BUFFER_BYTES 4096
#define DRAM_BYTES (64ull << 20)
#define SAMPLE_BYTES (256u << 10) /* of one sample, at least */

static int measure(struct rig *rig, enum system_parameter parameter, uint64_t size, unsigned samples)
{
	const struct calibrate_hooks *hooks = rig->hooks;
	unsigned times = size < SAMPLE_BYTES ? (unsigned)(SAMPLE_BYTES / size) : 1;

	hooks->copy(hooks->state, size, 1);
	for (unsigned i = 0; i < samples && !(i && rig_is_late(rig)); i++) {
		uint64_t begin = rig_now(rig), end;

		hooks->copy(hooks->state, size, times);
		end = rig_now(rig);
		if ((double)(end - begin) > rig->clock_ns)
			rig_parameter(rig, parameter,
				rig_rate(size * times, (double)(end - begin) - rig->clock_ns),
				"median of block medians");
	}
	return 0;
}

int probe_memory(struct rig *rig, const struct probe *probe)
{
	uint64_t half = rig->plan->largest_bytes / 2, second = rig->plan->cache_bytes / 4;

	(void)probe;
	measure(rig, SYSTEM_BW_MEM, rig->buffer_bytes ? rig->buffer_bytes : BUFFER_BYTES, SAMPLES);
	if (second)
		measure(rig, SYSTEM_BW_MEM_L2, second, SAMPLES);
	return measure(rig, SYSTEM_BW_MEM_DRAM, half < DRAM_BYTES ? half : DRAM_BYTES, 3);
}
