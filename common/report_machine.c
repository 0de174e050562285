/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <machine_info>: the original pmbench's elements unchanged, ours after them. */
#include "config.h"
#include "common/report_common.h"

#include <math.h>
#include <string.h>

const char *report_cache_kind(const struct machine_cache *cache)
{
	if (strcmp(cache->type, "data") == 0)
		return "DCACHE";
	return strcmp(cache->type, "instruction") == 0 ? "ICACHE" : "CACHE";
}

uint64_t report_cache_partitions(const struct machine_cache *cache)
{
	uint64_t way_bytes = (uint64_t)cache->sets * cache->line_bytes;

	return way_bytes && cache->ways ? cache->capacity_bytes / way_bytes / cache->ways : 0;
}

#define KNOWN(value) ((value) ? (uint64_t)(value) : FIELD_NO_COUNT)

static void write_cache_rows(struct report *report, const struct field *field, const void *from)
{
	const struct machine *machine = from;

	for (size_t i = 0; i < machine->cache_count; i++) {
		const struct machine_cache *cache = &machine->caches[i];

		FIELD_ROW(report, field, cache,
			.type = report_cache_kind(cache),
			.instances = cache->instances,
			.level = cache->level,
			.capacity = cache->capacity_bytes / 1024,
			.sets = KNOWN(cache->sets),
			.linesize = KNOWN(cache->line_bytes),
			.partitions = KNOWN(report_cache_partitions(cache)),
			.ways = KNOWN(cache->ways));
	}
}

static void write_caches(struct report *report, const struct field *field, const void *from)
{
	const struct machine *machine = from;

	FIELD_ROW(report, field, cache_info, machine->cache_count ? 1 : 0, FIELD_BY(write_cache_rows, machine));
}

static void write_time_source(struct report *report, const struct field *field, const void *from)
{
	const struct timebase *timebase = from;
	const struct timebase_calibration *start = &timebase->start, *end = &timebase->end;
	bool has_end = end->khz != 0;
	const struct calibration_values calibrations[] = {
		{"start", start->khz, start->uncertainty_ppm, start->span_ns},
		{"end", end->khz, end->uncertainty_ppm, end->span_ns},
	};

	FIELD_ROW(report, field, time_source,
		.method = timebase_method_name(timebase->method),
		.clocksource = timebase->clocksource,
		.calibration = FIELD_MANY(calibrations + !start->khz, (size_t)(start->khz != 0) + has_end),
		.drift_ppm = has_end ? timebase_drift_ppm(timebase) : NAN,
		.overhead_ns = timebase->overhead_ns,
		.overhead_store_ns = timebase->overhead_store_ns,
		.granularity_ns = timebase->granularity_ns,
		.effective_step_ns = timebase->effective_step_ns > 0 ? timebase->effective_step_ns : NAN,
		.is_invariant = timebase->is_invariant,
		.is_synchronised = timebase->is_synchronised,
		.skew_ns = timebase->skew_ns,
		.distrust = FIELD_UNLESS_EMPTY(timebase->distrust));
}

static void write_node_rows(struct report *report, const struct field *field, const void *from)
{
	const struct machine *machine = from;

	for (size_t i = 0; i < machine->node_count; i++) {
		FIELD_ROW(report, field, numa_node, machine->nodes[i].index, machine->nodes[i].memory_bytes,
			machine->nodes[i].cpus);
	}
}

static void write_nodes(struct report *report, const struct field *field, const void *machine)
{
	FIELD_ROW(report, field, numa, FIELD_BY(write_node_rows, machine));
}

static void write_swap_rows(struct report *report, const struct field *field, const void *from)
{
	const struct machine *machine = from;

	for (size_t i = 0; i < machine->swap_count; i++) {
		const struct machine_swap *swap = &machine->swaps[i];

		FIELD_ROW(report, field, swap_area,
			.path = swap->path,
			.swap_type = swap->type,
			.backing = swap->backing,
			.algorithm = FIELD_UNLESS_EMPTY(swap->algorithm),
			.size_bytes = swap->size_bytes,
			.used_bytes = swap->used_bytes,
			.priority = swap->priority);
	}
}

static void write_swaps(struct report *report, const struct field *field, const void *machine)
{
	FIELD_ROW(report, field, swap, FIELD_BY(write_swap_rows, machine));
}

static void write_setting_rows(struct report *report, const struct field *field, const void *from)
{
	const struct machine *machine = from;

	for (size_t i = 0; i < machine->setting_count; i++) {
		FIELD_ROW(report, field, named_text, machine->settings[i].name, machine->settings[i].value);
	}
}

static void write_settings(struct report *report, const struct field *field, const void *machine)
{
	FIELD_ROW(report, field, settings, FIELD_BY(write_setting_rows, machine));
}

static void write_cgroup(struct report *report, const struct field *field, const void *from)
{
	const struct machine *machine = from;

	_Static_assert(FIELD_NO_COUNT == UINT64_MAX, "no limit has no element");
	if (machine->cgroup_version)
		FIELD_ROW(report, field, cgroup, (uint64_t)machine->cgroup_version, machine->cgroup_dir,
			machine->cgroup_limit_bytes);
}

struct machine_info_values report_machine(const struct machine *machine, const struct timebase *timebase)
{
	/* The original lists CPUID's descriptor bytes, which no processor of today has. */
	static const struct tlb_info_values no_tlb;

	return (struct machine_info_values){
		.modelname = machine->cpu_model[0] ? machine->cpu_model : "unsupported",
		.freq_khz = timebase ? (uint64_t)llround(timebase->start.khz) : FIELD_NO_COUNT,
		.tlb_info = FIELD_ONE(&no_tlb),
		.cache_info = FIELD_BY(write_caches, machine),
		.time_source = timebase ? FIELD_BY(write_time_source, timebase) : FIELD_NONE,
		.vendor = machine->vendor,
		.hypervisor = machine->hypervisor,
		.cores = KNOWN(machine->cores),
		.hardware_threads = KNOWN(machine->threads),
		.page_bytes = machine->page_bytes,
		.memory_bytes = KNOWN(machine->memory_bytes),
		.available_bytes = KNOWN(machine->available_bytes),
		.numa = FIELD_BY(write_nodes, machine),
		.swap = FIELD_BY(write_swaps, machine),
		.settings = FIELD_BY(write_settings, machine),
		.cgroup = FIELD_BY(write_cgroup, machine),
	};
}
