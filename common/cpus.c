/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cpus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "common/sysfs.h"
#include "common/topology.h"
#include "common/units.h"

static const char not_a_list[] = "allowed are a list like 0-3,8 and the locations core:LIST, package:LIST, numa:LIST, pu:LIST";

struct cpu_list {
	unsigned values[CPU_SETSIZE];
	size_t count;
};

/* Each CPU that is named must be ours. */
static int take_listed(const cpu_set_t *inherited, const struct cpu_list *list, cpu_set_t *set, const char **why)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!CPU_ISSET(list->values[i], inherited)) {
			*why = "names a CPU that is offline or not in the inherited affinity (taskset -cp $$ shows it)";
			return -EINVAL;
		}
		CPU_SET(list->values[i], set);
	}
	return 0;
}

static int add_node(const char *root, unsigned node, const char *no_cpus, cpu_set_t *set, const char **why)
{
	char path[64], text[4096];
	struct cpu_list cpus;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpulist", node);
	if (sysfs_read(root, path, text, sizeof(text)) ||
		units_parse_list(text, CPU_SETSIZE, cpus.values, CPU_SETSIZE, &cpus.count)) {
		*why = "this machine has no NUMA node of that number";
		return -EINVAL;
	}
	if (!cpus.count) {
		*why = no_cpus ? no_cpus : "this NUMA node has no CPUs: it can run no thread";
		return -EINVAL;
	}
	for (size_t i = 0; i < cpus.count; i++)
		CPU_SET(cpus.values[i], set);
	return 0;
}

static int add_nodes(const char *root, const struct cpu_list *list, const char *no_cpus, cpu_set_t *set, const char **why)
{
	int err = 0;

	for (size_t i = 0; i < list->count && !err; i++)
		err = add_node(root, list->values[i], no_cpus, set, why);
	return err;
}

static int add_objects(const char *root, enum topology_kind kind, const struct cpu_list *list, cpu_set_t *set,
	const char **why)
{
	struct topology *topology;
	int err = topology_load(root, &topology);

	if (err) {
		*why = "the machine's topology cannot be read";
		return -EINVAL;
	}
	for (size_t i = 0; i < list->count && !err; i++)
		err = topology_cpus(topology, kind, list->values[i], set);
	topology_free(topology);
	if (err)
		*why = kind == TOPOLOGY_CORE ? "this machine has no core of that number"
					     : "this machine has no package of that number";
	return err ? -EINVAL : 0;
}

static int take_location(const char *root, const cpu_set_t *inherited, const char *kind, const struct cpu_list *list,
	const char *no_cpus, cpu_set_t *set, const char **why)
{
	int err;

	if (!strcmp(kind, "pu"))
		return take_listed(inherited, list, set, why);
	if (!strcmp(kind, "numa")) {
		err = add_nodes(root, list, no_cpus, set, why);
	} else if (!strcmp(kind, "core")) {
		err = add_objects(root, TOPOLOGY_CORE, list, set, why);
	} else if (!strcmp(kind, "package")) {
		err = add_objects(root, TOPOLOGY_PACKAGE, list, set, why);
	} else {
		*why = not_a_list;
		return -EINVAL;
	}
	if (err)
		return err;
	CPU_AND(set, set, inherited);
	if (!CPU_COUNT(set)) {
		*why = "none of these CPUs is in the inherited affinity (taskset -cp $$ shows it)";
		return -EINVAL;
	}
	return 0;
}

int cpus_locate(const char *root, const cpu_set_t *inherited, const char *text, const char *no_cpus, cpu_set_t *set,
	const char **why)
{
	const char *colon = strchr(text, ':');
	struct cpu_list list;
	cpu_set_t found;
	char kind[16];
	int err;

	CPU_ZERO(&found);
	if (units_parse_list(colon ? colon + 1 : text, CPU_SETSIZE, list.values, CPU_SETSIZE, &list.count) ||
		!list.count) {
		*why = not_a_list;
		return -EINVAL;
	}
	snprintf(kind, sizeof(kind), "%.*s", colon ? (int)(colon - text) : 0, text);
	err = colon ? take_location(root, inherited, kind, &list, no_cpus, &found, why)
		    : take_listed(inherited, &list, &found, why);
	if (!err)
		*set = found;
	return err;
}

int cpus_parse(const char *text, const char *no_cpus, cpu_set_t *set, const char **why)
{
	cpu_set_t inherited;

	if (sched_getaffinity(0, sizeof(inherited), &inherited)) {
		*why = "the inherited affinity cannot be read: more than 1024 CPUs?";
		return -EINVAL;
	}
	return cpus_locate("", &inherited, text, no_cpus, set, why);
}
