/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/units.h"

#define MIB ((uint64_t)UNITS_MIB)
#define SIZE_MOST (2048 * MIB)
#define WRITTEN_MOST (128 * MIB)
#define LARGEST_MOST (128 * MIB)

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t calibrate_plan_size(uint64_t memory_bytes, uint64_t room_bytes, uint64_t max_bytes)
{
	uint64_t size = least(least(SIZE_MOST, memory_bytes / PLAN_SIZE_PART), least(room_bytes / PLAN_SIZE_PART, max_bytes / 8));

	size -= size % MIB;
	return size > PLAN_LEAST_BYTES ? size : PLAN_LEAST_BYTES;
}

static int check(const struct calibrate_options *options, const struct calibrate_plan *plan)
{
	if (plan->size_bytes > plan->max_bytes / 2) {
		diag_error(0, "the file has %" PRIu64 " MiB, and --max-bytes must be at least twice that: give a smaller "
			      "--size or a larger --max-bytes", plan->size_bytes / MIB);
		return DIAG_EXIT_USAGE;
	}
	if (options->is_staged && geteuid()) {
		diag_error(0, "--stage sets the machine's dirty thresholds, which only root may: run it with sudo, or without "
			      "--stage");
		return DIAG_EXIT_HOST;
	}
	if (options->is_staged && 2 * PLAN_STAGE_THROTTLED > plan->size_bytes) {
		diag_error(0, "--stage needs --size of %" PRIu64 " MiB or more: its thresholds are %" PRIu64 " and %" PRIu64
			      " MiB", (uint64_t)(2 * PLAN_STAGE_THROTTLED / MIB), (uint64_t)(PLAN_STAGE_BACKGROUND / MIB),
			(uint64_t)(PLAN_STAGE_THROTTLED / MIB));
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

int calibrate_plan_make(const struct calibrate_options *options, const struct target *target,
	const struct dirty_state *dirty, uint64_t size_bytes, struct calibrate_plan *plan)
{
	long second = sysconf(_SC_LEVEL2_CACHE_SIZE);

	*plan = (struct calibrate_plan){
		.runtime_ns = options->runtime_ns,
		.spread_ns = options->spread_ns,
		.size_bytes = size_bytes,
		.written_bytes = least(WRITTEN_MOST, size_bytes / 8),
		.max_bytes = options->max_bytes,
		.burst_bytes = options->burst_bytes,
		.largest_bytes = least(LARGEST_MOST, size_bytes / 8),
		/* With a third of it left to others. */
		.dirty_bytes = dirty->background_threshold / 3 * 2,
		.cache_bytes = second > 0 ? (uint64_t)second : 0,
		.fs_block = target->fs_block,
		.align = target->has_direct ? target->offset_align : 512,
		.has_direct = target->has_direct,
		.has_append = target->kind != TARGET_DEVICE,
		.is_fed = options->memory == CALIBRATE_WARM,
		.is_staged = options->is_staged,
		.background_bytes = dirty->background_threshold,
		.threshold_bytes = dirty->threshold,
	};
	plan->written_bytes -= plan->written_bytes % MIB;
	plan->largest_bytes -= plan->largest_bytes % MIB;
	return check(options, plan);
}

static void print_writer(const struct pin_request *request)
{
	char text[sizeof(((struct pin *)0)->text)];
	cpu_set_t inherited;

	CPU_ZERO(&inherited);
	(void)sched_getaffinity(0, sizeof(inherited), &inherited);
	pin_choose(request, &inherited, text, sizeof(text));
	printf("writer      %s\n", text);
}

void calibrate_plan_print(const struct calibrate_plan *plan, const struct calibrate_options *options)
{
	char size[UNITS_TEXT], most[UNITS_TEXT], runtime[UNITS_TEXT], spread[UNITS_TEXT], burst[UNITS_TEXT];

	if (options->slow_bytes_per_second)
		printf("device      a loop device of %" PRIu64 " MiB with %.0f MB/s, in the target's folder\n",
			(uint64_t)(PLAN_SLOW_BYTES / MIB), (double)options->slow_bytes_per_second / 1e6);
	printf("target      %s, a file of up to %s\n", options->path,
		units_format_size(plan->size_bytes, size, sizeof(size)));
	printf("writes      up to %s in %s\n", units_format_size(plan->max_bytes, most, sizeof(most)),
		units_format_duration((double)plan->runtime_ns, runtime, sizeof(runtime)));
	if (plan->spread_ns)
		printf("rounds      %d all over %s, with rests between\n", PLAN_SPREAD_ROUNDS,
			units_format_duration((double)plan->spread_ns, spread, sizeof(spread)));
	if (plan->burst_bytes)
		printf("cache       looked for at the end, by up to %s without a pause\n",
			units_format_size(plan->burst_bytes, burst, sizeof(burst)));
	printf("O_DIRECT    %s\n", plan->has_direct ? "reaches the device" : "does not reach a device here");
	printf("memory      %s\n", plan->is_fed ? "warm, and cold for one value" : "as it is");
	print_writer(&options->cpus);
	if (plan->is_staged)
		printf("thresholds  set to %" PRIu64 " and %" PRIu64 " MiB in the last third, for the whole machine\n",
			(uint64_t)(PLAN_STAGE_BACKGROUND / MIB), (uint64_t)(PLAN_STAGE_THROTTLED / MIB));
	else
		printf("thresholds  as they are: %" PRIu64 " and %" PRIu64 " MiB\n", plan->background_bytes / MIB,
			plan->threshold_bytes / MIB);
}
