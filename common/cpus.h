/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where threads may run, as people say it. */
#ifndef COMMON_CPUS_H
#define COMMON_CPUS_H

#include <sched.h>

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
