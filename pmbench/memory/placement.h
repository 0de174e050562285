/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Placement of threads on CPUs, by hwloc, and of pages on NUMA nodes, by set_mempolicy(2). */
#ifndef PMBENCH_MEMORY_PLACEMENT_H
#define PMBENCH_MEMORY_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

enum placement_policy { PLACEMENT_DEFAULT, PLACEMENT_BIND, PLACEMENT_INTERLEAVE, PLACEMENT_PREFERRED };

struct placement_request {
	enum placement_policy policy;
	char nodes[128];     /* list "0,2-3" of NUMA nodes, including those without CPUs */
	bool is_balancing;   /* MPOL_F_NUMA_BALANCING with bind */
	char cpus[256];      /* --cpus: cpulist or hwloc location; "" = inherited affinity, no pinning */
};

/* the message of cpus_parse (common/host/topology.h) for a NUMA node without CPUs */
extern const char placement_no_cpus[];

/* Checks that the nodes exist, have memory and are allowed for this process, and that the policy can have an effect.
 * Returns 0, or -errno and one line in why. root as in common/base/sysfs.h. */
int placement_check(const char *root, const struct placement_request *request, char *why, size_t length);
/* Sets the memory policy of the calling thread and its children; PLACEMENT_DEFAULT keeps the inherited policy. Returns 0
 * or -errno. */
int placement_apply_memory(const struct placement_request *request);

#endif
