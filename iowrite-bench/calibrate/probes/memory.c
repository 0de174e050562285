/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memcpy(3), within the first cache (what a libc's buffer is), the second, and memory: many copies between two stamps. */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#define SAMPLES 30
#define BUFFER_BYTES 4096
#define DRAM_BYTES (64ull << 20)
#define SAMPLE_BYTES (256u << 10) /* of one sample, at least */

static int measure(struct bench *bench, enum system_parameter parameter, uint64_t size, unsigned samples)
{
	const struct calibrate_hooks *hooks = bench->hooks;
	unsigned times = size < SAMPLE_BYTES ? (unsigned)(SAMPLE_BYTES / size) : 1;

	hooks->copy(hooks->state, size, 1);
	for (unsigned i = 0; i < samples && !(i && bench_is_late(bench)); i++) {
		uint64_t begin = bench_now(bench), end;

		hooks->copy(hooks->state, size, times);
		end = bench_now(bench);
		if ((double)(end - begin) > bench->clock_ns)
			bench_parameter(bench, parameter,
				bench_rate(size * times, (double)(end - begin) - bench->clock_ns),
				"median of block medians");
	}
	return 0;
}

int probe_memory(struct bench *bench, const struct probe *probe)
{
	uint64_t half = bench->plan->largest_bytes / 2, second = bench->plan->cache_bytes / 4;

	(void)probe;
	measure(bench, SYSTEM_BW_MEM, bench->buffer_bytes ? bench->buffer_bytes : BUFFER_BYTES, SAMPLES);
	if (second)
		measure(bench, SYSTEM_BW_MEM_L2, second, SAMPLES);
	return measure(bench, SYSTEM_BW_MEM_DRAM, half < DRAM_BYTES ? half : DRAM_BYTES, 3);
}
