/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packages, cores, CPUs, caches and NUMA nodes: the only file that knows hwloc. Only these are asked for (no
 * devices, no plugins' work); CPUs and nodes outside our cpuset are included, offline ones are not.
 */
#ifndef COMMON_TOPOLOGY_H
#define COMMON_TOPOLOGY_H

#include <sched.h>
#include <stddef.h>

#include "common/machine.h"

enum topology_kind { TOPOLOGY_PACKAGE, TOPOLOGY_CORE, TOPOLOGY_CPU };

struct hwloc_topology; /* hwloc's own */

/* root: "" or a fake root, which is given to hwloc through the environment. Not while other threads run.
 * hwloc's own variables (HWLOC_XMLFILE, ...) are not obeyed: it is this machine that is described. They are hidden
 * from it and restored. 0 or -errno; the caller frees. */
int topology_load(const char *root, struct hwloc_topology **topology);
void topology_free(struct hwloc_topology *topology);

unsigned topology_count(struct hwloc_topology *topology, enum topology_kind kind);
/* Equal caches are one entry with their number of instances; by level, data, instruction, unified. */
size_t topology_caches(struct hwloc_topology *topology, struct machine_cache *caches, size_t max);
/* By the operating system's number. A node without CPUs has cpus "" only where /sys tells (below root): hwloc gives
 * such a node the CPUs near to it. */
size_t topology_nodes(struct hwloc_topology *topology, const char *root, struct machine_node *nodes, size_t max);

/* Where threads may run, as people say it. */

/*
 * A cpulist "0-3,8", or a location "core:0-3" "package:0" "numa:1" "pu:2", to a set of CPUs. Cores and packages are
 * numbered as hwloc does it (from 0 without gaps), NUMA nodes and CPUs by the operating system. Each CPU of a list
 * must be in the inherited affinity; of a location's CPUs those are taken that are, at least one. -EINVAL and *why
 * (static text) otherwise. no_cpus: what is said of a NUMA node of memory alone, for callers that have options for
 * such a one; NULL = they have none.
 */
int cpus_parse(const char *text, const char *no_cpus, cpu_set_t *set, const char **why);
/* The same for the machine below root ("" or a fake one), with this inherited affinity. */
int cpus_locate(const char *root, const cpu_set_t *inherited, const char *text, const char *no_cpus, cpu_set_t *set,
	const char **why);

#endif
