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

struct topology;

/* root: "" or a fake root, which is given to hwloc through the environment. Not while other threads run.
 * hwloc's own variables (HWLOC_XMLFILE, ...) are not obeyed: it is this machine that is described. They are hidden
 * from it and restored. 0 or -errno; the caller frees. */
int topology_load(const char *root, struct topology **topology);
void topology_free(struct topology *topology);

unsigned topology_count(const struct topology *topology, enum topology_kind kind);
/* Adds the CPUs of one object to set. Packages and cores are numbered as hwloc does it, from 0 without gaps; CPUs
 * by the operating system. -ENOENT when there is none. */
int topology_cpus(const struct topology *topology, enum topology_kind kind, unsigned number, cpu_set_t *set);
/* Equal caches are one entry with their number of instances; by level, data, instruction, unified. */
size_t topology_caches(const struct topology *topology, struct machine_cache *caches, size_t max);
/* By the operating system's number. A node without CPUs has cpus "" only where /sys tells (below root): hwloc gives
 * such a node the CPUs near to it. */
size_t topology_nodes(const struct topology *topology, const char *root, struct machine_node *nodes, size_t max);

#endif
