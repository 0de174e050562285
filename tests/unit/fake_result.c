/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fake_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pmbench/report/text.h"

static const struct named_text_values fake_options[] = {
	{"mapsize", "8192MiB"},
	{"duration", "7200s"},
	{"label", "a=<b>&\"c\""},
};
static const struct named_text_values fake_labels[] = {{"kind", "<fake>"}, {"empty", ""}};
static char *fake_argv[] = {
	(char *)"pmbench", (char *)"-m8192", (char *)"--label", (char *)"a=\x01\xff\xc3\xa9", NULL};

static void fill_options(struct pmbench_options *options)
{
	options->ratio = 50;
	options->offset = -1;
	options->jobs = 2;
	options->access = ACCESS_HISTO;
	options->classify = CLASSIFY_AUTO;
	options->mapping.content = CONTENT_RANDOM;
	options->wants_kernel_split = options->wants_hdr = true;
	options->pressure.ram_bytes = 2 * UNITS_GIB;
	options->media_latency_us = 5;
}

static void set(char *field, size_t length, const char *text)
{
	snprintf(field, length, "%s", text);
}
#define SET(field, text) set(field, sizeof(field), text)

static void fill_machine(struct machine *machine)
{
	SET(machine->cpu_model, "Fake CPU (R) <tm> & Co");
	SET(machine->vendor, "Fake\x02Intel");
	SET(machine->hypervisor, "");
	SET(machine->os_name, "Linux");
	SET(machine->os_release, "6.18.0");
	SET(machine->os_version, "#1 SMP");
	SET(machine->arch, "x86_64");
	SET(machine->hostname, "ho<st&\"1\"\x1b[0m");
	SET(machine->boot_id, "01234567-89ab-cdef-0123-456789abcdef");
	machine->cores = 4;
	machine->threads = 8;
	machine->page_bytes = 4096;
	machine->memory_bytes = 16 * UNITS_GIB;
	machine->available_bytes = 12 * UNITS_GIB;
	machine->caches[0] = (struct machine_cache){1, "data", 32768, 64, 8, 64, 4};
	machine->caches[1] = (struct machine_cache){1, "instruction", 32768, 64, 8, 64, 4};
	machine->caches[2] = (struct machine_cache){3, "unified", 33554432, 64, 0, 0, 1};
	machine->cache_count = 3;
	machine->nodes[0] = (struct machine_node){0, 8 * UNITS_GIB, "0-7"};
	machine->nodes[1] = (struct machine_node){2, 8 * UNITS_GIB, ""};
	machine->node_count = 2;
	machine->swaps[0] = (struct machine_swap){.path = "/dev/zram1", .type = "partition", .backing = "zram",
		.algorithm = "lzo-rle", .size_bytes = UNITS_GIB, .used_bytes = 4096, .priority = -2};
	machine->swap_count = 1;
	machine->settings[0] = (struct machine_setting){"vm.swappiness", "60"};
	machine->settings[1] = (struct machine_setting){"thp", "always [madvise] never"};
	machine->setting_count = 2;
	machine->cgroup_version = 2;
	SET(machine->cgroup_dir, "/sys/fs/cgroup/a&b");
	machine->cgroup_limit_bytes = UINT64_MAX;
}

static void fill_plan(struct pmbench_plan *plan)
{
	plan->processes = 1;
	plan->threads = 2;
	plan->map_bytes = 8192 * UNITS_MIB;
	plan->process[0] = (struct plan_process){.threads = 2, .map_bytes = plan->map_bytes, .set_bytes = 4096 * UNITS_MIB};
	plan->phase_count = 2;
	plan->phases[0] = (struct plan_phase){3600 * UNITS_NS_PER_SEC, {.kind = PATTERN_UNIFORM, .shape = 1}};
	plan->phases[1] = (struct plan_phase){0, {.kind = PATTERN_ZIPF, .shape = 1.1}};
	plan->duration_ns = 7200 * UNITS_NS_PER_SEC;
	plan->interval_ns = UNITS_NS_PER_SEC;
	plan->seed = UINT64_MAX;
}

static void fill_timebase(struct timebase *timebase)
{
	timebase->method = TICKS_RDTSCP;
	timebase->start =
		(struct timebase_calibration){.khz = 2596134.0713, .uncertainty_ppm = 0.0042, .span_ns = 1e8};
	timebase->end =
		(struct timebase_calibration){.khz = 2596134.1, .uncertainty_ppm = 1e-7, .span_ns = 7.2e12};
	timebase->overhead_ns = 22.1;
	timebase->overhead_store_ns = 37.3;
	timebase->granularity_ns = 10.0148;
	timebase->is_invariant = timebase->is_synchronised = true;
	SET(timebase->clocksource, "tsc");
}

static void add_moments(struct histogram_moments *moments, double ns, uint64_t count)
{
	struct histogram_moments more = {count, ns * (double)count, ns * ns * (double)count, ns, ns};

	histogram_moments_add(moments, &more);
}

static void add(struct pmbench_result *result, enum result_class class, enum access_direction direction,
	uint64_t ns, uint64_t count)
{
	const enum result_class both[] = {class, RESULT_ALL};

	for (size_t i = 0; i < 2; i++) {
		struct result_histogram *histogram = &result->total[both[i]][direction];

		histogram->count[bucket_log16(ns)] += count;
		histogram->hdr[bucket_hdr(ns)] += count;
		add_moments(&histogram->moments, (double)ns, count);
	}
}

static void fill_histograms(struct pmbench_result *result)
{
	for (int class = 0; class < RESULT_CLASSES; class ++)
		for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++)
			result->total[class][direction].hdr = calloc(BUCKET_HDR_COUNT, sizeof(uint64_t));
	add(result, RESULT_HIT, ACCESS_READ, 80, 20000000000ull);
	add(result, RESULT_HIT, ACCESS_READ, 160, 14359738368ull);
	add(result, RESULT_HIT, ACCESS_READ, 441, 1000);
	add(result, RESULT_HIT, ACCESS_READ, 33000, 7);
	add(result, RESULT_MINOR, ACCESS_READ, 1412, 65536);
	add(result, RESULT_MAJOR, ACCESS_READ, 7161, 4000000);
	add(result, RESULT_MAJOR, ACCESS_READ, 9000000, 31);
	add(result, RESULT_MAJOR, ACCESS_READ, 5000000000ull, 1);
	add(result, RESULT_HIT, ACCESS_WRITE, 110, 4294967297ull);
	add(result, RESULT_MAJOR, ACCESS_WRITE, 7500, 3999000);
	add(result, RESULT_MAJOR, ACCESS_WRITE, 650000, 1000);
}

static void fill_threads(struct pmbench_result *result)
{
	struct result_thread *thread;

	result->thread_count = 2;
	result->threads = calloc(2, sizeof(*result->threads));
	thread = &result->threads[0];
	thread->accesses = 34359738368ull + 1000 + 7 + 65536;
	thread->details.run_ns = 7200 * UNITS_NS_PER_SEC;
	thread->details.latency_ns = (double)thread->details.run_ns / (double)thread->accesses;
	thread->details.overhead_ns = 2.8;
	thread->overhead_draws = 1000000;
	thread->details.net_ns = thread->details.latency_ns - thread->details.overhead_ns;
	thread->warmup_accesses = 8388608;
	thread->details.warmup_ns = 100 * UNITS_NS_PER_SEC;
	thread->details.init_ns = 1639547000;
	thread->details.kernel_minor_faults = thread->details.classified_minor_faults = 65536;
	thread->details.kernel_major_faults = 8000035;
	thread->details.classified_major_faults = 8000032;
	thread->details.inexact_faults = 3;
	thread->details.is_complete = true;
	thread->details.run_delay_ns = thread->details.voluntary_switches = thread->details.involuntary_switches = FIELD_NO_COUNT;
	thread->details.cpu_ns = thread->details.unexplained_ns = FIELD_NO_COUNT;
	result->threads[1] = *thread;
	thread = &result->threads[1];
	thread->details.thread = 1;
	thread->accesses = 4000032 + 4294967297ull + 4000000;
	thread->details.latency_ns = 0.13386e3;
	thread->details.net_ns = 0.131e3;
	thread->details.kernel_minor_faults = thread->details.kernel_major_faults = 0; /* lost, and unknown */
	thread->details.classified_minor_faults = thread->details.classified_major_faults = 0;
	thread->details.inexact_faults = 0;
	thread->details.backwards = 1;
	thread->details.multiple_fault_accesses = thread->details.extra_minor_faults = 2;
	thread->details.kernel_queries = 8000500;
	thread->details.over_threshold = 9;
	thread->details.is_complete = false;
}

static void fill_counters(struct vmcounters *counters, uint64_t step)
{
	static const char *const names[] = {"meminfo.MemFree", "meminfo.Buffers", "meminfo.Cached",
		"meminfo.Active", "meminfo.Inactive", "vmstat.pgpgin", "vmstat.pgpgout", "vmstat.pswpin",
		"vmstat.pswpout", "vmstat.pgmajfault", "psi.memory.some.total"};

	counters->count = sizeof(names) / sizeof(names[0]);
	for (size_t i = 0; i < counters->count; i++) {
		SET(counters->values[i].name, names[i]);
		counters->values[i].value = 1024 * (1000000 * (i + 1) + (i < 5 ? 4 - step : step) * 77);
	}
	counters->values[9].value = 5000000000ull + step * step;
	counters->left_out = step == 4 ? 3 : 0;
}

static void fill_snapshots(struct pmbench_result *result)
{
	result->snapshots = calloc(SNAPSHOTS, sizeof(*result->snapshots));
	for (int i = 0; i < SNAPSHOTS; i++) {
		result->has_snapshot[i] = true;
		fill_counters(&result->snapshots[i], (uint64_t)i);
	}
}

static void fill_intervals(struct pmbench_result *result)
{
	result->interval_count = 2;
	result->intervals = calloc(2, sizeof(*result->intervals));
	for (size_t i = 0; i < 2; i++) {
		struct result_interval *interval = &result->intervals[i];
		struct pm_interval_values *values = &interval->values;

		interval->count = calloc(BUCKET_LOG16_COUNT, sizeof(uint64_t));
		*values = (struct pm_interval_values){
			.index = i, .time_s = 1.5 * (double)(i + 1), .seconds = 1.5, .p50_ns = NAN, .p99_ns = NAN};
		if (i == 1)
			continue;
		values->accesses = 5000000001ull;
		values->accesses_per_second = 5000000001 / 1.5;
		values->major_faults = 1;
		interval->count[0] = 5000000000ull;
		interval->count[BUCKET_LOG16_COUNT - 1] = 1;
		values->mean_ns = 161.25;
		values->p50_ns = 128;
		values->p99_ns = 253.44;
		interval->delta = calloc(1, sizeof(*interval->delta));
		vmcounters_delta(&result->snapshots[1], &result->snapshots[2], interval->delta);
		interval->delta->values[6].value = 0;
	}
}

static void fill_rest(struct pmbench_result *result)
{
	result->phases[0] = (struct pm_phase_values){.accesses = 30000000000ull, .minor_faults = 65536, .major_faults = 4000000,
		.end_s = 3600, .mean_ns = 120.5};
	result->phases[1] = (struct pm_phase_values){.accesses = 8658777304ull, .major_faults = 4000032, .begin_s = 3600,
		.end_s = 7200, .mean_ns = NAN};
	result->has_steady = true;
	result->steady = (struct pm_steady_state_values){false, -12.5, 3.25, NAN};
	result->split.is_available = true;
	result->split.parts[KERNEL_SPLIT_MINOR] = (struct pm_fault_parts_values){"minor", 32768, 330, 1262, 215, 1963};
	result->slow_threshold_ns = 497.7;
	result->run_seconds = 7200;
	result->accesses_per_second = 5369828.7;
	result->faults_per_second = 1120.2;
	result->has_zero_pages = true;
	result->zero_pages = 12;
	result->infrastructure_pages = 300;
	result->pressure.is_restored = true;
	result->pressure.setup_ns = 57000000;
	result->pressure.teardown_ns = 200000000;
	result->checks[0] = (struct machine_check){"zero-page", "12 pages", "fill the map with -i <now>",
		"pages of the set were never written"};
	result->checks[1] = (struct machine_check){"not-steady", "", "run longer", NULL};
	result->check_count = 2;
	result->reasons[0] = (struct report_reason){"inexact", "3 faults are not accounted to an access"};
	result->reason_count = 1;
	result->status = "untrustworthy";
}

static void fill_signature(struct report_signature *signature)
{
	signature->tool = "pmbench";
	SET(signature->uuid, "d6b4a292-cd2a-4cdb-834b-b8845fc0e5a9");
	signature->wall_start = (struct timespec){1795166669, 42};
	signature->monotonic_start_ns = 1000;
	signature->monotonic_end_ns = 1000 + 7210 * UNITS_NS_PER_SEC;
	signature->seed = UINT64_MAX;
	signature->argc = 4;
	signature->argv = fake_argv;
	signature->options = fake_options;
	signature->option_count = sizeof(fake_options) / sizeof(fake_options[0]);
	signature->labels = fake_labels;
	signature->label_count = sizeof(fake_labels) / sizeof(fake_labels[0]);
}

struct fake *fake_new(void)
{
	struct fake *fake = calloc(1, sizeof(*fake));
	struct pmbench_result *result = &fake->result;

	fill_options(&fake->options);
	fill_machine(&fake->result.machine);
	fill_plan(&fake->plan);
	fake->plan.options = &fake->options;
	result->plan = &fake->plan;
	fill_signature(&result->signature);
	fill_timebase(&result->timebase);
	fill_threads(result);
	fill_histograms(result);
	fill_snapshots(result);
	fill_intervals(result);
	fill_rest(result);
	return fake;
}

void fake_free(struct fake *fake)
{
	result_free(&fake->result);
	free(fake);
}

char *fake_text(const struct pmbench_result *result)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	text_result(out, result);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
