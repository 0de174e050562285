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

static void write_known(struct report *report, const char *element, uint64_t value)
{
	if (value)
		report_u64(report, element, value);
}

static void write_caches(struct report *report, const struct machine *machine)
{
	report_begin(report, "cache_info");
	report_attribute_u64(report, "deterministic", machine->cache_count ? 1 : 0);
	for (size_t i = 0; i < machine->cache_count; i++) {
		const struct machine_cache *cache = &machine->caches[i];

		report_begin(report, "cache");
		report_attribute(report, "type", report_cache_kind(cache));
		report_attribute_u64(report, "instances", cache->instances);
		report_u64(report, "level", cache->level);
		report_u64(report, "capacity", cache->capacity_bytes / 1024);
		write_known(report, "sets", cache->sets);
		write_known(report, "linesize", cache->line_bytes);
		write_known(report, "partitions", report_cache_partitions(cache));
		write_known(report, "ways", cache->ways);
		report_end(report);
	}
	report_end(report);
}

static void write_calibration(
	struct report *report, const char *when, const struct timebase_calibration *calibration)
{
	if (calibration->khz == 0)
		return;
	report_begin(report, "calibration");
	report_attribute(report, "when", when);
	report_double(report, "khz", calibration->khz);
	report_double(report, "uncertainty_ppm", calibration->uncertainty_ppm);
	report_double(report, "span_ns", calibration->span_ns);
	report_end(report);
}

static void write_time_source(struct report *report, const struct timebase *timebase)
{
	report_begin(report, "time_source");
	report_text(report, "method", timebase_method_name(timebase->method));
	report_text(report, "clocksource", timebase->clocksource);
	write_calibration(report, "start", &timebase->start);
	write_calibration(report, "end", &timebase->end);
	if (timebase->end.khz != 0)
		report_double(report, "drift_ppm", timebase_drift_ppm(timebase));
	report_double(report, "overhead_ns", timebase->overhead_ns);
	report_double(report, "overhead_store_ns", timebase->overhead_store_ns);
	report_double(report, "granularity_ns", timebase->granularity_ns);
	if (timebase->effective_step_ns > 0)
		report_double(report, "effective_step_ns", timebase->effective_step_ns);
	report_bool(report, "is_invariant", timebase->is_invariant);
	report_bool(report, "is_synchronised", timebase->is_synchronised);
	report_double(report, "skew_ns", timebase->skew_ns);
	if (timebase->distrust[0])
		report_text(report, "distrust", timebase->distrust);
	report_end(report);
}

static void write_nodes(struct report *report, const struct machine *machine)
{
	report_begin(report, "numa");
	for (size_t i = 0; i < machine->node_count; i++) {
		report_begin(report, "numa_node");
		report_attribute_u64(report, "index", machine->nodes[i].index);
		report_u64(report, "memory_bytes", machine->nodes[i].memory_bytes);
		report_text(report, "cpus", machine->nodes[i].cpus);
		report_end(report);
	}
	report_end(report);
}

static void write_swaps(struct report *report, const struct machine *machine)
{
	report_begin(report, "swap");
	for (size_t i = 0; i < machine->swap_count; i++) {
		const struct machine_swap *swap = &machine->swaps[i];

		report_begin(report, "swap_area");
		report_text(report, "path", swap->path);
		report_text(report, "swap_type", swap->type);
		report_text(report, "backing", swap->backing);
		if (swap->algorithm[0])
			report_text(report, "algorithm", swap->algorithm);
		report_u64(report, "size_bytes", swap->size_bytes);
		report_u64(report, "used_bytes", swap->used_bytes);
		report_i64(report, "priority", swap->priority);
		report_end(report);
	}
	report_end(report);
}

static void write_settings(struct report *report, const struct machine *machine)
{
	report_begin(report, "settings");
	for (size_t i = 0; i < machine->setting_count; i++) {
		report_begin(report, "setting");
		report_attribute(report, "name", machine->settings[i].name);
		report_content(report, machine->settings[i].value);
		report_end(report);
	}
	report_end(report);
}

static void write_cgroup(struct report *report, const struct machine *machine)
{
	if (!machine->cgroup_version)
		return;
	report_begin(report, "cgroup");
	report_attribute_u64(report, "version", (uint64_t)machine->cgroup_version);
	report_text(report, "cgroup_dir", machine->cgroup_dir);
	if (machine->cgroup_limit_bytes != UINT64_MAX)
		report_u64(report, "limit_bytes", machine->cgroup_limit_bytes);
	report_end(report);
}

void report_write_machine(
	struct report *report, const struct machine *machine, const struct timebase *timebase)
{
	report_begin(report, "machine_info");
	report_text(report, "modelname", machine->cpu_model[0] ? machine->cpu_model : "unsupported");
	if (timebase)
		report_u64(report, "freq_khz", (uint64_t)llround(timebase->start.khz));
	/* The original lists CPUID's descriptor bytes here, which no processor of today has. */
	report_begin(report, "tlb_info");
	report_end(report);
	write_caches(report, machine);
	if (timebase)
		write_time_source(report, timebase);
	report_text(report, "vendor", machine->vendor);
	report_text(report, "hypervisor", machine->hypervisor);
	write_known(report, "cores", machine->cores);
	write_known(report, "hardware_threads", machine->threads);
	report_u64(report, "page_bytes", machine->page_bytes);
	write_known(report, "memory_bytes", machine->memory_bytes);
	write_known(report, "available_bytes", machine->available_bytes);
	write_nodes(report, machine);
	write_swaps(report, machine);
	write_settings(report, machine);
	write_cgroup(report, machine);
	report_end(report);
}
