/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report/report_common.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/report/start.h"

uint64_t report_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

void report_signature_start(struct report_signature *signature)
{
	uint8_t b[16];

	/* Up to 256 bytes are returned whole; before the kernel's pool is ready the call waits. */
	while (getrandom(b, sizeof(b), 0) != sizeof(b) && errno == EINTR)
		;
	b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	snprintf(signature->uuid, sizeof(signature->uuid),
		"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3], b[4], b[5],
		b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
	clock_gettime(CLOCK_REALTIME, &signature->wall_start);
	signature->monotonic_start_ns = report_monotonic_ns();
}

/* --- signature --- */

void report_arguments(struct report *report, const struct field *field, const void *from)
{
	const struct report_signature *signature = from;

	if (signature->program)
		FIELD_ROW(report, field, text_item, signature->program);
	for (int i = 0; i < signature->argc; i++)
		FIELD_ROW(report, field, text_item, signature->argv[i]);
}

const char *report_moment(const struct timespec *moment, char text[REPORT_MOMENT])
{
	struct tm utc;
	size_t used;

	gmtime_r(&moment->tv_sec, &utc);
	used = strftime(text, REPORT_MOMENT, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text + used, REPORT_MOMENT - used, ".%09ldZ", moment->tv_nsec);
	return text;
}

const char *report_start_at(const struct report_signature *signature, char text[REPORT_MOMENT])
{
	struct timespec moment;

	if (!signature->start.at_ns)
		return NULL;
	moment = clock_timespec((uint64_t)signature->start.at_ns);
	return report_moment(&moment, text);
}

uint64_t report_start_late_ns(const struct report_signature *signature)
{
	return signature->start.at_ns ? (uint64_t)signature->start.late_ns : FIELD_NO_COUNT;
}

void report_host(struct report *report, const struct field *field, const void *from)
{
	const struct machine *machine = from;

	FIELD_ROW(report, field, host, machine->hostname, machine->boot_id, machine->os_name, machine->os_release,
		machine->os_version, machine->arch);
}

/* --- verdict --- */

static void write_reasons(struct report *report, const struct field *field, const void *from)
{
	const struct report_verdict *verdict = from;

	for (size_t i = 0; i < verdict->count; i++) {
		FIELD_ROW(report, field, coded_text, verdict->reasons[i].code, verdict->reasons[i].text);
	}
}

void report_reason_add(struct report_reason *reasons, size_t *count, size_t max, const char *code, const char *format,
	va_list arguments)
{
	struct report_reason *reason = &reasons[*count];

	for (size_t i = 0; i < *count; i++) {
		if (!strcmp(reasons[i].code, code))
			return;
	}
	if (*count == max)
		return;
	snprintf(reason->code, sizeof(reason->code), "%s", code);
	vsnprintf(reason->text, sizeof(reason->text), format, arguments);
	++*count;
}

void report_verdict(struct report *report, const struct field *field, const void *from)
{
	const struct report_verdict *verdict = from;

	FIELD_ROW(report, field, verdict, verdict->status, FIELD_BY(write_reasons, verdict));
}

/* --- latencies --- */

struct summary_values report_summary(const struct histogram_summary *summary)
{
	return (struct summary_values){
		.count = summary->count,
		.min_ns = summary->min_ns,
		.mean_ns = summary->mean_ns,
		.stddev_ns = summary->stddev_ns,
		.p50_ns = summary->p50_ns,
		.p90_ns = summary->p90_ns,
		.p95_ns = summary->p95_ns,
		.p99_ns = summary->p99_ns,
		.p999_ns = summary->p999_ns,
		.p9999_ns = summary->p9999_ns,
		.max_ns = summary->max_ns,
	};
}

struct bucket_counts {
	const struct histogram_layout *layout;
	const uint64_t *counts;
};

static void write_buckets(struct report *report, const struct field *field, const void *from)
{
	const struct bucket_counts *counts = from;

	for (unsigned i = 0; i < counts->layout->buckets; i++) {
		uint64_t lo, hi;

		if (!counts->counts[i])
			continue;
		counts->layout->edges(i, &lo, &hi);
		FIELD_ROW(report, field, bucket, lo, hi, counts->counts[i]);
	}
}

void report_histogram(struct report *report, const struct field *field, const char *type, const char *class_name,
	const struct histogram_layout *layout, const uint64_t *counts, const struct histogram_moments *moments)
{
	const struct bucket_counts all = {layout, counts};
	struct histogram_summary summary;
	struct summary_values summarized;

	if (moments) {
		histogram_summarize(layout, counts, moments, &summary);
		summarized = report_summary(&summary);
	}
	FIELD_ROW(report, field, latency_histogram,
		.type = type,
		.class = class_name,
		.layout = layout->name,
		.unit = "ns",
		.summary = FIELD_MANY(&summarized, moments ? 1 : 0),
		.bucket = FIELD_BY(write_buckets, &all));
}

/* --- the kernel's counters --- */

struct counter_set {
	const struct vmcounters *counters;
	enum report_counters kind;
};

static void write_counter_rows(struct report *report, const struct field *field, const void *from)
{
	const struct counter_set *set = from;

	for (size_t i = 0; i < set->counters->count; i++) {
		const struct vmcounters_value *counter = &set->counters->values[i];

		if (set->kind != REPORT_COUNTERS_CHANGED || counter->value)
			FIELD_ROW(report, field, counter, counter->name, {counter->value, set->kind != REPORT_COUNTERS_NOW});
	}
}

void report_counters(struct report *report, const struct field *field, const struct vmcounters *counters,
	enum report_counters kind)
{
	const struct counter_set set = {counters, kind};

	FIELD_ROW(report, field, counters,
		.unlisted = kind == REPORT_COUNTERS_CHANGED ? "unchanged" : NULL,
		.left_out = counters->left_out ? counters->left_out : FIELD_NO_COUNT,
		.counter = FIELD_BY(write_counter_rows, &set));
}

/* <machine_info>: the original pmbench's elements unchanged, then those of this suite. */

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

static void write_setting_rows(struct report *report, const struct field *field, const void *from)
{
	const struct machine *machine = from;

	for (size_t i = 0; i < machine->setting_count; i++) {
		FIELD_ROW(report, field, named_text, machine->settings[i].name, machine->settings[i].value);
	}
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
	/* The original lists CPUID's descriptor bytes, which today's processors do not have. */
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
		.numa = FIELD_INSIDE(write_node_rows, machine),
		.swap = FIELD_INSIDE(write_swap_rows, machine),
		.settings = FIELD_INSIDE(write_setting_rows, machine),
		.cgroup = FIELD_BY(write_cgroup, machine),
	};
}
