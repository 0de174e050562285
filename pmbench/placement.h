/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Placement of threads on CPUs, by hwloc, and of pages on NUMA nodes, by set_mempolicy(2). */
#ifndef PMBENCH_PLACEMENT_H
#define PMBENCH_PLACEMENT_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

enum placement_policy { PLACEMENT_DEFAULT, PLACEMENT_BIND, PLACEMENT_INTERLEAVE, PLACEMENT_PREFERRED };

struct placement_request {
	enum placement_policy policy;
	char nodes[128];     /* list "0,2-3" of NUMA nodes, including those without CPUs */
	bool is_balancing;   /* MPOL_F_NUMA_BALANCING with bind */
	char cpus[256];      /* --cpus: cpulist or hwloc location; "" = inherited affinity, no pinning */
};

/*
 * Parses a cpulist "0-3,8" or a location "core:0-3" "package:0" "numa:1" "pu:2" to a set of CPUs. Cores and packages have
 * hwloc's logical numbers (from 0 without gaps), NUMA nodes and CPUs those of the operating system. Each CPU of a list
 * must be in the inherited affinity; a location means its CPUs that are in it, at least one. Returns 0, or -EINVAL and the
 * cause in *why (static text).
 */
int placement_parse_cpus(const char *text, cpu_set_t *set, const char **why);
/* The same for the machine described below root ("" = this one) and the given inherited affinity. */
int placement_locate(const char *root, const cpu_set_t *inherited, const char *text, cpu_set_t *set, const char **why);

/* Checks that the nodes exist, have memory and are allowed for this process, and that the policy can have an effect.
 * Returns 0, or -errno and one line in why. placement_parse_cpus checks the CPUs. placement_check_below does the same for
 * the machine described below root. */
int placement_check(const struct placement_request *request, char *why, size_t length);
int placement_check_below(const char *root, const struct placement_request *request, char *why, size_t length);
/* Sets the memory policy of the calling thread and its children; PLACEMENT_DEFAULT keeps the inherited policy. Returns 0
 * or -errno. */
int placement_apply_memory(const struct placement_request *request);

#endif
