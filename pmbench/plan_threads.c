/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/plan_parts.h"

#include "common/diag.h"
#include "common/units.h"

static const char *policy_option(enum placement_policy policy)
{
	switch (policy) {
	case PLACEMENT_BIND:
		return "--membind";
	case PLACEMENT_INTERLEAVE:
		return "--interleave";
	case PLACEMENT_PREFERRED:
		return "--preferred";
	case PLACEMENT_DEFAULT:
		break;
	}
	return "";
}

static int check_nodes(const struct placement_request *placement)
{
	char why[256];

	if (placement->policy == PLACEMENT_DEFAULT || !placement_check(placement, why, sizeof(why)))
		return DIAG_EXIT_OK;
	diag_error(0, "%s %s: %s", policy_option(placement->policy), placement->nodes, why);
	return DIAG_EXIT_HOST;
}

static int parse_cpus(const char *option, const char *text, cpu_set_t *cpus)
{
	const char *why = "";

	if (!placement_parse_cpus(text, cpus, &why))
		return DIAG_EXIT_OK;
	diag_error(0, "%s %s: %s", option, text, why);
	return DIAG_EXIT_HOST;
}

/* The next process of so many threads. */
static int add_process(struct pmbench_plan *plan, unsigned threads)
{
	struct plan_process *process = &plan->process[plan->processes];

	if (plan->threads + threads > PLAN_THREADS_MAX || plan->processes == PLAN_PROCESSES_MAX) {
		diag_error(0, "at most %d processes and %d threads in all; lower --processes, -j or -y",
			PLAN_PROCESSES_MAX, PLAN_THREADS_MAX);
		return DIAG_EXIT_USAGE;
	}
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

int plan_threads(struct pmbench_plan *plan, const struct machine *machine)
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
