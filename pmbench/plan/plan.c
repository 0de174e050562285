/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/plan/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>
#include "common/base/clock.h"
#include "common/base/diag.h"
#include "common/base/units.h"
#include "common/host/topology.h"
#include "common/probe/probe.h"
#include "common/run/frame.h"

#define SIZE_TEXT 32

/* --- processes and threads --- */

static int parse_cpus(const char *option, const char *text, cpu_set_t *cpus)
{
	const char *why = "";

	if (!cpus_parse(text, placement_no_cpus, cpus, &why))
		return DIAG_EXIT_OK;
	return diag_host(0, "%s %s: %s", option, text, why);
}

static int add_process(struct pmbench_plan *plan, unsigned threads)
{
	struct plan_process *process = &plan->process[plan->processes];

	if (plan->threads + threads > PLAN_THREADS_MAX || plan->processes == PLAN_PROCESSES_MAX)
		return diag_usage("at most %d processes and %d threads in all; lower --processes, -j or -y",
			PLAN_PROCESSES_MAX, PLAN_THREADS_MAX);
	*process = (struct plan_process){.first = plan->threads, .threads = threads};
	for (unsigned i = 0; i < threads; i++)
		plan->thread[plan->threads + i] = (struct plan_thread){.process = plan->processes};
	plan->threads += threads;
	plan->processes++;
	return DIAG_EXIT_OK;
}

/* Writes the nodes of these CPUs; "" on a machine with one node. */
static void name_nodes(const cpu_set_t *cpus, const struct machine *machine, char *text, size_t length)
{
	unsigned nodes[sizeof(machine->nodes) / sizeof(machine->nodes[0])];
	size_t count = 0;

	*text = 0;
	for (size_t i = 0; i < machine->node_count; i++) {
		unsigned list[CPU_SETSIZE];
		size_t found = 0;
		bool is_near = false;

		if (units_parse_list(machine->nodes[i].cpus, CPU_SETSIZE, list, CPU_SETSIZE, &found))
			continue;
		for (size_t j = 0; j < found; j++)
			is_near = is_near || CPU_ISSET(list[j], cpus);
		if (is_near)
			nodes[count++] = machine->nodes[i].index;
	}
	if (machine->node_count > 1)
		units_format_list(nodes, count, text, length);
}

static int plan_threads(struct pmbench_plan *plan, const struct machine *machine)
{
	static const char *const policies[] = {[PLACEMENT_BIND] = "--membind", [PLACEMENT_INTERLEAVE] = "--interleave",
		[PLACEMENT_PREFERRED] = "--preferred"};
	const struct pmbench_options *options = plan->options;
	const struct placement_request *placement = &options->placement;
	char why[256];
	cpu_set_t cpus;
	int cpu = -1, rc = DIAG_EXIT_OK;

	if (placement->policy != PLACEMENT_DEFAULT && placement_check("", placement, why, sizeof(why)))
		return diag_host(0, "%s %s: %s", policies[placement->policy], placement->nodes, why);
	/* As the original does, each set gets its own map on the nodes of its CPUs, and its threads may run on all of them. */
	for (size_t i = 0; i < options->affinity_count; i++) {
		const struct options_affinity *set = &options->affinity[i];
		struct plan_process *process = &plan->process[plan->processes];

		rc = parse_cpus("-y", set->cpus, &cpus);
		if (!rc)
			rc = add_process(plan, set->threads ? set->threads : (unsigned)CPU_COUNT(&cpus));
		if (rc)
			return rc;
		name_nodes(&cpus, machine, process->nodes, sizeof(process->nodes));
		for (unsigned j = 0; j < process->threads; j++) {
			plan->thread[process->first + j].is_pinned = true;
			plan->thread[process->first + j].cpus = cpus;
		}
	}
	if (options->affinity_count)
		return rc;
	for (unsigned i = 0; i < options->processes && !rc; i++)
		rc = add_process(plan, options->jobs ? options->jobs : 1);
	if (rc || !*placement->cpus)
		return rc;
	rc = parse_cpus("--cpus", placement->cpus, &cpus);
	/* Threads are assigned one CPU each, round robin. */
	for (unsigned i = 0; i < plan->threads && !rc; i++) {
		do {
			cpu = (cpu + 1) % CPU_SETSIZE;
		} while (!CPU_ISSET(cpu, &cpus));
		plan->thread[i].is_pinned = true;
		CPU_ZERO(&plan->thread[i].cpus);
		CPU_SET(cpu, &plan->thread[i].cpus);
	}
	return rc;
}

/* --- sizes --- */

#define DEFAULT_MAP (256 * UNITS_MIB)
#define DEFAULT_SET (128 * UNITS_MIB)

static uint64_t least(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* A percentage is rounded down to MiB or to a huge page; a size must be a multiple of the unit. */
static int resolve(const char *option, const struct units_share *share, uint64_t ram_bytes, uint64_t unit,
	uint64_t *bytes)
{
	uint64_t value = units_share_of(share, ram_bytes);
	uint64_t round = unit > UNITS_MIB ? unit : UNITS_MIB;
	char size[SIZE_TEXT], whole[SIZE_TEXT];

	if (share->is_percent)
		value -= value % round;
	if (value && value % unit == 0) {
		*bytes = value;
		return DIAG_EXIT_OK;
	}
	units_format_size(value, size, sizeof(size));
	if (value % UNITS_KIB) /* rounded, it would look like a multiple */
		snprintf(size, sizeof(size), "%" PRIu64 " B", value);
	return diag_usage("%s %s: must be a multiple of the page size, %s, and not 0", option, size,
		units_format_size(unit, whole, sizeof(whole)));
}

uint64_t plan_total_bytes(const struct pmbench_plan *plan)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < plan->processes; i++)
		sum += plan->process[i].map_bytes;
	return sum;
}

static int plan_sizes(struct pmbench_plan *plan, const struct machine *machine)
{
	const struct pmbench_options *options = plan->options;
	uint64_t unit = options->mapping.kind == MAPPING_HUGETLB ? mapping_huge_page_bytes() : machine->page_bytes;
	char why[256], set[SIZE_TEXT], map[SIZE_TEXT];
	uint64_t map_bytes = 0;
	int rc = DIAG_EXIT_OK;

	if (!unit) {
		probe_require("", "hugetlb", why, sizeof(why));
		return diag_host(0, "--map hugetlb: %s; use --thp or another map", why);
	}
	plan->ram_bytes = least(machine->memory_bytes, machine->cgroup_limit_bytes);
	if (options->pressure.ram_bytes)
		plan->ram_bytes = least(plan->ram_bytes, options->pressure.ram_bytes);
	for (unsigned i = 0; i < plan->processes && !rc; i++) {
		uint64_t *set_bytes = &plan->process[i].set_bytes;

		if (options->setsize_count)
			rc = resolve("--setsize-list", &options->setsizes[i], plan->ram_bytes, unit, set_bytes);
		else if (options->has_set)
			rc = resolve("-s", &options->set, plan->ram_bytes, unit, set_bytes);
		else if (!options->has_map)
			*set_bytes = DEFAULT_SET;
	}
	/* The default of -m is the process's set with --setsize-list, otherwise 256 MiB as in the original, or the set if
	 * larger. */
	if (!rc && options->has_map)
		rc = resolve("-m", &options->map, plan->ram_bytes, unit, &map_bytes);
	else if (!options->setsize_count)
		map_bytes = DEFAULT_MAP + (unit - DEFAULT_MAP % unit) % unit;
	if (rc)
		return rc;
	for (unsigned i = 0; i < plan->processes; i++) {
		struct plan_process *process = &plan->process[i];

		process->map_bytes = !options->has_map && process->set_bytes > map_bytes ? process->set_bytes : map_bytes;
		if (process->map_bytes > plan->map_bytes)
			plan->map_bytes = process->map_bytes;
		if (!process->set_bytes)
			process->set_bytes = process->map_bytes;
		if (process->set_bytes > process->map_bytes)
			return diag_usage("%s %s is more than -m %s: the set is a part of the map; raise -m or lower %s",
				options->setsize_count ? "--setsize-list" : "-s",
				units_format_size(process->set_bytes, set, sizeof(set)),
				units_format_size(process->map_bytes, map, sizeof(map)), options->setsize_count ? "the set" : "-s");
	}
	return DIAG_EXIT_OK;
}

/* Refuses maps that exceed memory and swap: the kernel would kill a process. */
static int check_memory(const struct pmbench_plan *plan, const struct machine *machine)
{
	const struct pressure_plan *pressure = &plan->options->pressure;
	/* User space has 47 address bits on common 64-bit machines. */
	uint64_t limit = sizeof(void *) == 8 ? 1ull << 47 : 3ull << 30, total = plan_total_bytes(plan);
	uint64_t ram_bytes = least(machine->available_bytes, plan->ram_bytes), swap_bytes = 0, eaten_bytes;
	char map[SIZE_TEXT], ram[SIZE_TEXT], swap[SIZE_TEXT];
	struct rlimit rlimit;

	if (!getrlimit(RLIMIT_AS, &rlimit) && rlimit.rlim_cur != RLIM_INFINITY)
		limit = least(limit, rlimit.rlim_cur);
	if (plan->map_bytes >= limit)
		return diag_host(0, "-m %s: beyond the address space of a process here, %s; lower -m",
			units_format_size(plan->map_bytes, map, sizeof(map)), units_format_size(limit, ram, sizeof(ram)));
	if (!mapping_is_swapped(&plan->options->mapping))
		return DIAG_EXIT_OK;
	/* Eaters lock their memory, so it is never swapped in place of the map. */
	eaten_bytes = pressure_eaten_bytes(pressure, plan->duration_ns ? plan->duration_ns : UINT64_MAX);
	ram_bytes -= least(eaten_bytes, ram_bytes);
	for (size_t i = 0; i < machine->swap_count && pressure->swap.kind != PRESSURE_SWAP_NONE; i++)
		swap_bytes += machine->swaps[i].size_bytes - machine->swaps[i].used_bytes;
	if (pressure->swap.kind != PRESSURE_SWAP_NONE && pressure->swap.kind != PRESSURE_SWAP_KEEP)
		swap_bytes += pressure_swap_bytes(&pressure->swap);
	if (total <= ram_bytes || total - ram_bytes <= swap_bytes)
		return DIAG_EXIT_OK;
	units_format_size(total, map, sizeof(map));
	units_format_size(ram_bytes, ram, sizeof(ram));
	units_format_size(swap_bytes, swap, sizeof(swap));
	return diag_host(0,
		"maps of %s are beyond the %s of memory%s%s and %s of available swap; lower -m%s%s or %s --swap "
		"zram:SIZE",
		map, ram, pressure->ram_bytes ? " (--ram)" : "", eaten_bytes ? " that eaters leave" : "", swap,
		plan->processes > 1 ? ", --processes" : "", eaten_bytes ? ", --eater" : "",
		pressure->swap.kind == PRESSURE_SWAP_KEEP ? "add" : "raise");
}

static int check_files(const struct pmbench_plan *plan)
{
	const struct pmbench_options *options = plan->options;
	const struct mapping_request *request = &options->mapping;
	bool is_writable = options->ratio < 100 || request->content != CONTENT_NONE;
	/* All processes take huge pages from one pool; of an existing file each maps its own part. */
	bool is_shared = request->kind == MAPPING_HUGETLB;
	char why[512];
	int rc = mapping_check(request, is_shared ? plan_total_bytes(plan) : plan->map_bytes, is_shared ? 1 : plan->processes,
		is_writable, why, sizeof(why));
	if (rc) {
		diag_error(0, "--map %s: %s", mapping_kind_name(request->kind), why);
		return rc == -EINVAL || rc == -EEXIST || rc == -ERANGE ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
	}
	/* mapping_open creates and unlinks the file, so two processes that do this at the same time could conflict. */
	if (request->kind == MAPPING_FILE && plan->processes > 1 && access(request->path, F_OK))
		return diag_usage("--map file:%s: %u processes cannot each make it; use one, or an existing file with -r 100",
			request->path, plan->processes);
	return DIAG_EXIT_OK;
}

/* --- the plan --- */

#define DEFAULT_WARMUP_LIMIT_NS 600000000000ull /* of a run that only --accesses bounds */
#define DEFAULT_INTERVAL_NS UNITS_NS_PER_SEC
#define MAX_INTERVALS 1000
#define WORD_BYTES 4

/* Returns the pattern of the command line, without defaults. */
static const struct pattern_spec *given_pattern(const struct pmbench_options *options, unsigned phase)
{
	return options->phase_count ? &options->phases[phase].pattern : &options->pattern;
}

void plan_pattern(const struct pmbench_plan *plan, unsigned phase, uint64_t pages, struct pattern_spec *spec)
{
	const char *why;

	*spec = *given_pattern(plan->options, phase);
	pattern_check(spec, pages, &why);
}

static int plan_phases(struct pmbench_plan *plan, const struct machine *machine)
{
	const struct pmbench_options *options = plan->options;

	plan->phase_count = options->phase_count ? (unsigned)options->phase_count : 1;
	for (unsigned phase = 0; phase < plan->phase_count; phase++) {
		plan->phases[phase].duration_ns = options->phase_count ? options->phases[phase].duration_ns : options->duration_ns;
		plan->duration_ns += plan->phases[phase].duration_ns;
		/* The pattern must suit the set of every process. */
		for (unsigned i = plan->processes; i-- > 0;) {
			struct pattern_spec filled = *given_pattern(options, phase);
			uint64_t pages = plan->process[i].set_bytes / machine->page_bytes;
			const char *why;

			if (pattern_check(&filled, pages, &why))
				return diag_usage("pattern %s over a set of %llu pages: %s", pattern_name(filled.kind),
					(unsigned long long)pages, why);
			plan->phases[phase].pattern = filled;
		}
	}
	return DIAG_EXIT_OK;
}

/* A row holds all counters, so even a run of days has a limited number of rows. */
static int plan_times(struct pmbench_plan *plan)
{
	const struct pmbench_options *options = plan->options;
	uint64_t least_ns = plan->duration_ns / MAX_INTERVALS;
	char interval[32], duration[32];

	plan->prints_interval = options->has_interval;
	plan->interval_ns = options->has_interval ? options->interval_ns :
		least_ns > DEFAULT_INTERVAL_NS ? least_ns : DEFAULT_INTERVAL_NS;
	plan->warmup_limit_ns = options->warmup_limit_ns ? options->warmup_limit_ns :
		plan->duration_ns ? plan->duration_ns : DEFAULT_WARMUP_LIMIT_NS;
	if (plan->duration_ns / plan->interval_ns <= PLAN_ROWS_MAX)
		return DIAG_EXIT_OK;
	return diag_usage("--interval %s: more than %d rows in %s; give a longer one",
		units_format_duration((double)plan->interval_ns, interval, sizeof(interval)), PLAN_ROWS_MAX,
		units_format_duration((double)plan->duration_ns, duration, sizeof(duration)));
}

uint64_t plan_warmup_accesses(enum pattern_kind kind, uint64_t pages)
{
	switch (kind) {
	case PATTERN_UNIFORM:
	case PATTERN_HOTSET:
		return 4 * pages;
	case PATTERN_PARETO:
	case PATTERN_ZIPF:
		return 8 * pages;
	default:
		return pages;
	}
}

int plan_make(const struct pmbench_options *options, const struct machine *machine, struct pmbench_plan *plan)
{
	int rc, words = (int)(machine->page_bytes / WORD_BYTES);
	char why[512];

	*plan = (struct pmbench_plan){.options = options};
	plan->read_threshold = (uint64_t)((unsigned __int128)options->ratio * (1ull << 63) / 100);
	/* A private anonymous page that is read before it is written maps the shared zero page. */
	plan->warns_zero_page = options->mapping.kind == MAPPING_ANONYMOUS && options->mapping.content == CONTENT_NONE &&
		(options->ratio == 100 || (options->warmup == WARMUP_NONE && options->ratio > 0));
	if (options->has_seed)
		plan->seed = options->seed;
	else if (getrandom(&plan->seed, sizeof(plan->seed), GRND_NONBLOCK) != sizeof(plan->seed))
		plan->seed = clock_ns(CLOCK_REALTIME);
	rc = plan_threads(plan, machine);
	if (!rc)
		rc = plan_sizes(plan, machine);
	if (!rc)
		rc = plan_phases(plan, machine);
	if (!rc && options->offset >= words)
		rc = diag_usage("-o %d: past the page: must be a word from 0 to %d of the page of %u bytes, or -1 for random",
			options->offset, words - 1, machine->page_bytes);
	if (!rc)
		rc = check_memory(plan, machine);
	if (!rc)
		rc = check_files(plan);
	if (!rc)
		rc = plan_times(plan);
	if (rc || !pressure_is_wanted(&options->pressure) || !pressure_check("", &options->pressure, why, sizeof(why)))
		return rc;
	if (why[0])
		diag_error(0, "%s", why);
	return DIAG_EXIT_HOST;
}
