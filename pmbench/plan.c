/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/diag.h"
#include "common/frame.h"
#include "common/probe.h"
#include "common/units.h"

#define SIZE_TEXT 32

/* --- processes and threads --- */

static int check_nodes(const struct placement_request *placement)
{
	static const char *const options[] = {[PLACEMENT_DEFAULT] = "", [PLACEMENT_BIND] = "--membind",
		[PLACEMENT_INTERLEAVE] = "--interleave", [PLACEMENT_PREFERRED] = "--preferred"};
	char why[256];

	if (placement->policy == PLACEMENT_DEFAULT || !placement_check(placement, why, sizeof(why)))
		return DIAG_EXIT_OK;
	return diag_host(0, "%s %s: %s", options[placement->policy], placement->nodes, why);
}

static int parse_cpus(const char *option, const char *text, cpu_set_t *cpus)
{
	const char *why = "";

	if (!placement_parse_cpus(text, cpus, &why))
		return DIAG_EXIT_OK;
	return diag_host(0, "%s %s: %s", option, text, why);
}

/* The next process, of N threads. */
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

static int add_equal_processes(struct pmbench_plan *plan)
{
	const struct pmbench_options *options = plan->options;
	int rc = DIAG_EXIT_OK;

	for (unsigned i = 0; i < options->processes && !rc; i++)
		rc = add_process(plan, options->jobs ? options->jobs : 1);
	return rc;
}

/* Threads take the CPUs of the list in turn, one each. */
static int pin_in_turn(struct pmbench_plan *plan)
{
	cpu_set_t cpus;
	int cpu = -1, rc = parse_cpus("--cpus", plan->options->placement.cpus, &cpus);

	if (rc)
		return rc;
	for (unsigned i = 0; i < plan->threads; i++) {
		do {
			cpu = (cpu + 1) % CPU_SETSIZE;
		} while (!CPU_ISSET(cpu, &cpus));
		plan->thread[i].is_pinned = true;
		CPU_ZERO(&plan->thread[i].cpus);
		CPU_SET(cpu, &plan->thread[i].cpus);
	}
	return DIAG_EXIT_OK;
}

/* The nodes that any of these CPUs belongs to; nothing on a machine of one node. */
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

/* As the original: each set has a map of its own on the nodes of its CPUs, and each of its threads may run on all of
 * them. */
static int add_sets(struct pmbench_plan *plan, const struct machine *machine)
{
	const struct pmbench_options *options = plan->options;

	for (size_t i = 0; i < options->affinity_count; i++) {
		const struct options_affinity *set = &options->affinity[i];
		struct plan_process *process = &plan->process[plan->processes];
		cpu_set_t cpus;
		int rc = parse_cpus("-y", set->cpus, &cpus);

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
	return DIAG_EXIT_OK;
}

static int plan_threads(struct pmbench_plan *plan, const struct machine *machine)
{
	int rc = check_nodes(&plan->options->placement);

	if (!rc && plan->options->affinity_count)
		return add_sets(plan, machine);
	if (!rc)
		rc = add_equal_processes(plan);
	if (!rc && *plan->options->placement.cpus)
		rc = pin_in_turn(plan);
	return rc;
}

/* --- sizes --- */

#define DEFAULT_MAP (256 * UNITS_MIB)
#define DEFAULT_SET (128 * UNITS_MIB)

static uint64_t least(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* A share of memory is rounded down to MiB (or a huge page); a size must be whole by itself. */
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

static int resolve_sets(struct pmbench_plan *plan, uint64_t unit)
{
	const struct pmbench_options *options = plan->options;
	int rc = DIAG_EXIT_OK;

	for (unsigned i = 0; i < plan->processes && !rc; i++) {
		plan->process[i].set_bytes = 0;
		if (options->setsize_count)
			rc = resolve("--setsize-list", &options->setsizes[i], plan->ram_bytes, unit,
				&plan->process[i].set_bytes);
		else if (options->has_set)
			rc = resolve("-s", &options->set, plan->ram_bytes, unit, &plan->process[i].set_bytes);
		else if (!options->has_map)
			plan->process[i].set_bytes = DEFAULT_SET;
	}
	return rc;
}

/* Without -m each process of a list maps its set and no more, and any other the original's 256 MiB, or the set where
 * that is more. */
static int resolve_maps(struct pmbench_plan *plan, uint64_t unit)
{
	const struct pmbench_options *options = plan->options;
	uint64_t bytes = 0;
	int rc = DIAG_EXIT_OK;

	if (options->has_map)
		rc = resolve("-m", &options->map, plan->ram_bytes, unit, &bytes);
	else if (!options->setsize_count)
		bytes = DEFAULT_MAP + (unit - DEFAULT_MAP % unit) % unit;
	plan->map_bytes = 0;
	for (unsigned i = 0; i < plan->processes; i++) {
		struct plan_process *process = &plan->process[i];

		process->map_bytes = bytes;
		if (!options->has_map && process->set_bytes > bytes)
			process->map_bytes = process->set_bytes;
		if (process->map_bytes > plan->map_bytes)
			plan->map_bytes = process->map_bytes;
	}
	return rc;
}

static int fit_sets(struct pmbench_plan *plan)
{
	char set[SIZE_TEXT], map[SIZE_TEXT];

	for (unsigned i = 0; i < plan->processes; i++) {
		struct plan_process *process = &plan->process[i];

		if (!process->set_bytes)
			process->set_bytes = process->map_bytes;
		if (process->set_bytes <= process->map_bytes)
			continue;
		return diag_usage("%s %s is more than -m %s: the set is a part of the map; raise -m or lower %s",
			plan->options->setsize_count ? "--setsize-list" : "-s",
			units_format_size(process->set_bytes, set, sizeof(set)),
			units_format_size(process->map_bytes, map, sizeof(map)),
			plan->options->setsize_count ? "the set" : "-s");
	}
	return DIAG_EXIT_OK;
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
	/* What sizes are multiples of. */
	uint64_t unit = options->mapping.kind == MAPPING_HUGETLB ? mapping_huge_page_bytes() : machine->page_bytes;
	char why[256];
	int rc;

	if (!unit) {
		probe_require("", "hugetlb", why, sizeof(why));
		return diag_host(0, "--map hugetlb: %s; use --thp or another map", why);
	}
	plan->ram_bytes = least(machine->memory_bytes, machine->cgroup_limit_bytes);
	if (options->pressure.ram_bytes)
		plan->ram_bytes = least(plan->ram_bytes, options->pressure.ram_bytes);
	rc = resolve_sets(plan, unit);
	if (!rc)
		rc = resolve_maps(plan, unit);
	return rc ? rc : fit_sets(plan);
}

/* --- does it fit --- */

/* What the memory under test may take before something is killed. */
struct budget {
	uint64_t ram_bytes, swap_bytes;
	bool is_eaten; /* eaters take a part of ram_bytes, which is what they leave */
};

static int check_address_space(const struct pmbench_plan *plan)
{
	/* User space of the common 64-bit machines has 47 bits. */
	uint64_t limit = sizeof(void *) == 8 ? 1ull << 47 : 3ull << 30;
	struct rlimit rlimit;
	char map[SIZE_TEXT], room[SIZE_TEXT];

	if (!getrlimit(RLIMIT_AS, &rlimit) && rlimit.rlim_cur != RLIM_INFINITY)
		limit = least(limit, rlimit.rlim_cur);
	if (plan->map_bytes < limit)
		return DIAG_EXIT_OK;
	return diag_host(0, "-m %s: beyond the address space of a process here, %s; lower -m",
		units_format_size(plan->map_bytes, map, sizeof(map)),
		units_format_size(limit, room, sizeof(room)));
}

static void find_budget(const struct pmbench_plan *plan, const struct machine *machine, struct budget *budget)
{
	const struct pressure_plan *pressure = &plan->options->pressure;
	uint64_t eaten_bytes;

	budget->ram_bytes = machine->available_bytes;
	if (budget->ram_bytes > plan->ram_bytes)
		budget->ram_bytes = plan->ram_bytes;
	/* Eaters lock what they take: it is not swapped in place of the map. */
	eaten_bytes = pressure_eaten_bytes(pressure, plan->duration_ns ? plan->duration_ns : UINT64_MAX);
	budget->is_eaten = eaten_bytes > 0;
	budget->ram_bytes -= eaten_bytes < budget->ram_bytes ? eaten_bytes : budget->ram_bytes;
	budget->swap_bytes = 0;
	if (pressure->swap.kind == PRESSURE_SWAP_NONE)
		return;
	for (size_t i = 0; i < machine->swap_count; i++)
		budget->swap_bytes += machine->swaps[i].size_bytes - machine->swaps[i].used_bytes;
	if (pressure->swap.kind != PRESSURE_SWAP_KEEP)
		budget->swap_bytes += pressure_swap_bytes(&pressure->swap);
}

static int check_memory(const struct pmbench_plan *plan, const struct machine *machine)
{
	uint64_t total = plan_total_bytes(plan);
	struct budget budget;
	char map[SIZE_TEXT], ram[SIZE_TEXT], swap[SIZE_TEXT];

	find_budget(plan, machine, &budget);
	if (total <= budget.ram_bytes || total - budget.ram_bytes <= budget.swap_bytes)
		return DIAG_EXIT_OK;
	units_format_size(total, map, sizeof(map));
	units_format_size(budget.ram_bytes, ram, sizeof(ram));
	units_format_size(budget.swap_bytes, swap, sizeof(swap));
	return diag_host(0,
		"maps of %s are beyond the %s of memory%s%s and %s of available swap; lower -m%s%s or %s --swap "
		"zram:SIZE",
		map, ram, plan->options->pressure.ram_bytes ? " (--ram)" : "",
		budget.is_eaten ? " that eaters leave" : "", swap, plan->processes > 1 ? ", --processes" : "",
		budget.is_eaten ? ", --eater" : "",
		plan->options->pressure.swap.kind == PRESSURE_SWAP_KEEP ? "add" : "raise");
}

static int plan_memory(struct pmbench_plan *plan, const struct machine *machine)
{
	enum mapping_kind kind = plan->options->mapping.kind;
	int rc = check_address_space(plan);

	/* A file's pages go back to it, and huge pages were set apart before. */
	if (rc || kind == MAPPING_FILE || kind == MAPPING_HUGETLB)
		return rc;
	return check_memory(plan, machine);
}

/* --- files --- */

/* mapping_open makes the file and unlinks it at once: two processes doing so could meet. */
static int check_shared_file(const struct pmbench_plan *plan)
{
	const struct mapping_request *request = &plan->options->mapping;

	if (request->kind != MAPPING_FILE || plan->processes == 1 || !access(request->path, F_OK))
		return DIAG_EXIT_OK;
	return diag_usage("--map file:%s: %u processes cannot each make it; use one, or an existing file with -r 100",
		request->path, plan->processes);
}

static int check_map(const struct pmbench_plan *plan)
{
	const struct mapping_request *request = &plan->options->mapping;
	bool is_writable = plan->options->ratio < 100 || request->content != CONTENT_NONE;
	/* Huge pages are taken out of one store by all, of a file that is there each maps its part. */
	bool is_shared = request->kind == MAPPING_HUGETLB;
	char why[512];
	int rc = mapping_check(request, is_shared ? plan_total_bytes(plan) : plan->map_bytes,
		is_shared ? 1 : plan->processes, is_writable, why, sizeof(why));

	if (!rc)
		return check_shared_file(plan);
	diag_error(0, "--map %s: %s", mapping_kind_name(request->kind), why);
	return rc == -EINVAL || rc == -EEXIST || rc == -ERANGE ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
}

static int plan_files(struct pmbench_plan *plan, const struct machine *machine)
{
	int rc = frame_check_output("-f", plan->options->xml_path);

	(void)machine;
	if (!rc)
		rc = frame_check_output("--json", plan->options->json_path);
	return rc ? rc : check_map(plan);
}

/* --- the plan --- */

#define DEFAULT_WARMUP_LIMIT_NS 600000000000ull /* of a run that only --accesses bounds */
#define DEFAULT_INTERVAL_NS UNITS_NS_PER_SEC
#define MAX_INTERVALS 1000
#define WORD_BYTES 4

/* As it was given, with no default filled. */
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

/* The pattern must suit the set of every process. */
static int check_pattern(struct pmbench_plan *plan, const struct machine *machine, unsigned phase)
{
	for (unsigned i = plan->processes; i-- > 0;) {
		struct pattern_spec filled = *given_pattern(plan->options, phase);
		uint64_t pages = plan->process[i].set_bytes / machine->page_bytes;
		const char *why;

		if (pattern_check(&filled, pages, &why))
			return diag_usage("pattern %s over a set of %llu pages: %s", pattern_name(filled.kind),
				(unsigned long long)pages, why);
		plan->phases[phase].pattern = filled;
	}
	return DIAG_EXIT_OK;
}

static int plan_phases(struct pmbench_plan *plan, const struct machine *machine)
{
	const struct pmbench_options *options = plan->options;
	int rc = DIAG_EXIT_OK;

	plan->phase_count = options->phase_count ? (unsigned)options->phase_count : 1;
	plan->duration_ns = 0;
	for (unsigned i = 0; i < plan->phase_count && !rc; i++) {
		plan->phases[i].duration_ns =
			options->phase_count ? options->phases[i].duration_ns : options->duration_ns;
		plan->duration_ns += plan->phases[i].duration_ns;
		rc = check_pattern(plan, machine, i);
	}
	return rc;
}

static int check_offset(struct pmbench_plan *plan, const struct machine *machine)
{
	int words = (int)(machine->page_bytes / WORD_BYTES);

	if (plan->options->offset < words)
		return DIAG_EXIT_OK;
	return diag_usage("-o %d: past the page: must be a word from 0 to %d of the page of %u bytes, or -1 for "
		"random",
		plan->options->offset, words - 1, machine->page_bytes);
}

/* A run's numbers should not be those of the run before unless that is asked for. */
static void draw_seed(struct pmbench_plan *plan)
{
	if (plan->options->has_seed)
		plan->seed = plan->options->seed;
	else if (getrandom(&plan->seed, sizeof(plan->seed), GRND_NONBLOCK) != sizeof(plan->seed))
		plan->seed = clock_ns(CLOCK_REALTIME);
}

/* A private anonymous page that is read before it is written is the zero page, the same for all. */
static bool reads_zero_page(const struct pmbench_options *options)
{
	if (options->mapping.kind != MAPPING_ANONYMOUS || options->mapping.content != CONTENT_NONE)
		return false;
	return options->ratio == 100 || (options->warmup == WARMUP_NONE && options->ratio > 0);
}

/* A row holds all counters: a run of days without --interval has no more of them than can be kept and read. */
static int plan_times(struct pmbench_plan *plan, const struct machine *machine)
{
	const struct pmbench_options *options = plan->options;
	uint64_t least = plan->duration_ns / MAX_INTERVALS;
	char interval[32], duration[32];

	(void)machine;
	plan->interval_ns = least > DEFAULT_INTERVAL_NS ? least : DEFAULT_INTERVAL_NS;
	if (options->has_interval)
		plan->interval_ns = options->interval_ns;
	plan->warmup_limit_ns = options->warmup_limit_ns ? options->warmup_limit_ns :
		plan->duration_ns ? plan->duration_ns : DEFAULT_WARMUP_LIMIT_NS;
	if (plan->duration_ns / plan->interval_ns <= PLAN_ROWS_MAX)
		return DIAG_EXIT_OK;
	return diag_usage("--interval %s: more than %d rows in %s; give a longer one",
		units_format_duration((double)plan->interval_ns, interval, sizeof(interval)), PLAN_ROWS_MAX,
		units_format_duration((double)plan->duration_ns, duration, sizeof(duration)));
}

static int check_pressure(struct pmbench_plan *plan, const struct machine *machine)
{
	const struct pressure_plan *pressure = &plan->options->pressure;
	char why[512];

	(void)machine;
	if (!pressure_is_wanted(pressure) || !pressure_check("", pressure, why, sizeof(why)))
		return DIAG_EXIT_OK;
	if (why[0])
		diag_error(0, "%s", why);
	return DIAG_EXIT_HOST;
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
	/* In this order; each fills its fields, or refuses with one line. */
	static int (*const steps[])(struct pmbench_plan *plan, const struct machine *machine) = {
		plan_threads, plan_sizes, plan_phases, check_offset, plan_memory, plan_files, plan_times, check_pressure};
	int rc = DIAG_EXIT_OK;

	*plan = (struct pmbench_plan){.options = options};
	plan->read_threshold = (uint64_t)((unsigned __int128)options->ratio * (1ull << 63) / 100);
	plan->prints_interval = options->has_interval;
	plan->warns_zero_page = reads_zero_page(options);
	draw_seed(plan);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !rc; i++)
		rc = steps[i](plan, machine);
	return rc;
}
