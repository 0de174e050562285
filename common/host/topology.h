/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packages, cores, CPUs, caches and NUMA nodes: the only file that uses hwloc. Only these are requested (no
 * devices, no plugins); CPUs and nodes outside this process's cpuset are included, offline ones are not.
 */
#ifndef COMMON_HOST_TOPOLOGY_H
#define COMMON_HOST_TOPOLOGY_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#define TOPOLOGY_CACHES 16
#define TOPOLOGY_NODES 64

struct machine_cache {
	unsigned level;
	char type[16]; /* "data", "instruction", "unified" */
	uint64_t capacity_bytes;
	unsigned line_bytes, ways, sets; /* 0 = unknown */
	unsigned instances;
};

struct machine_node {
	unsigned index;          /* the operating system's */
	uint64_t memory_bytes;
	char cpus[128];          /* cpulist; "" for a memory-only (CXL-like) node */
};

struct topology {
	unsigned cores, threads; /* physical cores, hardware threads online */
	size_t cache_count, node_count;
	struct machine_cache caches[TOPOLOGY_CACHES];
	struct machine_node nodes[TOPOLOGY_NODES];
};

/*
 * Reads cores, threads, caches and nodes. Equal caches are one entry with their number of instances, by level, data, instruction,
 * unified. Nodes are in the order of the operating system's numbers; a node without CPUs has cpus "" only where /sys (below root)
 * shows it, because hwloc gives such a node the CPUs near to it. root: "" or a fake root, which hwloc gets through the
 * environment, so no other thread may run. hwloc's own variables (HWLOC_XMLFILE, ...) are removed meanwhile, so that it describes
 * this machine. Returns 0 or -errno.
 */
int topology_read(const char *root, struct topology *topology);

/*
 * Converts a user's list of CPUs to a set: a cpulist "0-3,8", or a location "core:0-3" "package:0" "numa:1" "pu:2". Cores and
 * packages are numbered as hwloc does it (from 0 without gaps), NUMA nodes and CPUs by the operating system. Each CPU of a list
 * must be in the inherited affinity; a location stands for its CPUs in that affinity, of which there must be at least one.
 * -EINVAL and *why (static text) otherwise. no_cpus: the message for a NUMA node without CPUs, for callers that have options for
 * such a node; NULL = the default message.
 */
int cpus_parse(const char *text, const char *no_cpus, cpu_set_t *set, const char **why);
/* Does the same for the machine below root ("" or a fake one), with this inherited affinity. */
int cpus_locate(const char *root, const cpu_set_t *inherited, const char *text, const char *no_cpus, cpu_set_t *set,
	const char **why);

#endif
