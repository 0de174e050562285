/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/plan_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "common/diag.h"
#include "common/vmcounters.h"

#define DEFAULT_MAP (256 * UNITS_MIB)
#define DEFAULT_SET (128 * UNITS_MIB)
#define SIZE_TEXT 32

static uint64_t least(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* What sizes are multiples of: 0 when this kernel has no huge pages. */
static uint64_t unit_of(const struct pmbench_options *options, const struct machine *machine)
{
	struct vmcounters *counters;
	uint64_t bytes = machine->page_bytes;

	if (options->mapping.kind != MAPPING_HUGETLB)
		return bytes;
	bytes = 0;
	counters = calloc(1, sizeof(*counters));
	if (counters && !vmcounters_read("", NULL, VMCOUNTERS_MEMINFO, counters))
		vmcounters_get(counters, "meminfo.Hugepagesize", &bytes);
	free(counters);
	return bytes;
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
	diag_error(0, "%s %s: must be a multiple of the page size, %s, and not 0", option, size,
		units_format_size(unit, whole, sizeof(whole)));
	return DIAG_EXIT_USAGE;
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
		diag_error(0, "%s %s is more than -m %s: the set is a part of the map; raise -m or lower %s",
			plan->options->setsize_count ? "--setsize-list" : "-s",
			units_format_size(process->set_bytes, set, sizeof(set)),
			units_format_size(process->map_bytes, map, sizeof(map)),
			plan->options->setsize_count ? "the set" : "-s");
		return DIAG_EXIT_USAGE;
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

int plan_sizes(struct pmbench_plan *plan, const struct machine *machine)
{
	const struct pmbench_options *options = plan->options;
	uint64_t unit = unit_of(options, machine);
	int rc;

	if (!unit) {
		diag_error(0, "--map hugetlb: this kernel has no huge pages; use --thp or another map");
		return DIAG_EXIT_HOST;
	}
	plan->ram_bytes = least(machine->memory_bytes, machine->cgroup_limit_bytes);
	if (options->pressure.ram_bytes)
		plan->ram_bytes = least(plan->ram_bytes, options->pressure.ram_bytes);
	rc = resolve_sets(plan, unit);
	if (!rc)
		rc = resolve_maps(plan, unit);
	return rc ? rc : fit_sets(plan);
}
