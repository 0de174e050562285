/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/plan_parts.h"

#include <sys/resource.h>
#include "common/diag.h"

#define SIZE_TEXT 32

/* What the memory under test may take before something is killed. */
struct budget {
	uint64_t ram_bytes, swap_bytes;
	bool is_eaten; /* eaters take a part of ram_bytes, which is what they leave */
};

/* User space of the common 64-bit machines has 47 bits. */
static uint64_t address_limit(void)
{
	uint64_t limit = sizeof(void *) == 8 ? 1ull << 47 : 3ull << 30;
	struct rlimit rlimit;

	if (!getrlimit(RLIMIT_AS, &rlimit) && rlimit.rlim_cur != RLIM_INFINITY && rlimit.rlim_cur < limit)
		limit = rlimit.rlim_cur;
	return limit;
}

static int check_address_space(const struct pmbench_plan *plan)
{
	uint64_t limit = address_limit();
	char map[SIZE_TEXT], room[SIZE_TEXT];

	if (plan->map_bytes < limit)
		return DIAG_EXIT_OK;
	diag_error(0, "-m %s: beyond the address space of a process here, %s; lower -m",
		units_format_size(plan->map_bytes, map, sizeof(map)),
		units_format_size(limit, room, sizeof(room)));
	return DIAG_EXIT_HOST;
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
	diag_error(0,
		"maps of %s are beyond the %s of memory%s%s and %s of swap to be had; lower -m%s%s or %s --swap "
		"zram:SIZE",
		map, ram, plan->options->pressure.ram_bytes ? " (--ram)" : "",
		budget.is_eaten ? " that eaters leave" : "", swap, plan->processes > 1 ? ", --processes" : "",
		budget.is_eaten ? ", --eater" : "",
		plan->options->pressure.swap.kind == PRESSURE_SWAP_KEEP ? "add" : "raise");
	return DIAG_EXIT_HOST;
}

int plan_memory(const struct pmbench_plan *plan, const struct machine *machine)
{
	enum mapping_kind kind = plan->options->mapping.kind;
	int rc = check_address_space(plan);

	/* A file's pages go back to it, and huge pages were set apart before. */
	if (rc || kind == MAPPING_FILE || kind == MAPPING_HUGETLB)
		return rc;
	return check_memory(plan, machine);
}
