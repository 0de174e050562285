/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where threads run and where pages go: CPUs through hwloc, memory policy through set_mempolicy(2). */
#ifndef PMBENCH_PLACEMENT_H
#define PMBENCH_PLACEMENT_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

enum placement_policy { PLACEMENT_DEFAULT, PLACEMENT_BIND, PLACEMENT_INTERLEAVE, PLACEMENT_PREFERRED };

struct placement_request {
	enum placement_policy policy;
	char nodes[128];     /* list "0,2-3" of NUMA nodes, those without CPUs included */
	bool is_balancing;   /* MPOL_F_NUMA_BALANCING with bind */
	char cpus[256];      /* --cpus: cpulist or hwloc location; "" = inherited affinity, threads not pinned */
};

/*
 * A cpulist "0-3,8", or a location "core:0-3" "package:0" "numa:1" "pu:2", to a set of CPUs. Cores and packages are
 * numbered as hwloc does it (from 0 without gaps), NUMA nodes and CPUs by the operating system. Each CPU of a list
 * must be in the inherited affinity; of a location's CPUs those are taken that are, at least one. -EINVAL and *why
 * (static text) otherwise.
 */
int placement_parse_cpus(const char *text, cpu_set_t *set, const char **why);
/* The same for the machine below root ("" or a fake one), with this inherited affinity. */
int placement_locate(const char *root, const cpu_set_t *inherited, const char *text, cpu_set_t *set, const char **why);

/* The nodes exist, have memory and are allowed here, and the policy can have an effect; -errno with one line in why
 * otherwise. CPUs are placement_parse_cpus' business. */
int placement_check(const struct placement_request *request, char *why, size_t length);
int placement_check_below(const char *root, const struct placement_request *request, char *why, size_t length);
/* Sets the calling thread's (and its children's) memory policy; the default policy leaves the inherited one. 0 or
 * -errno. */
int placement_apply_memory(const struct placement_request *request);

#endif
