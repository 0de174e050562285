/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/memory/placement.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/base/units.h"

#define NODES_MAX 1024 /* the kernel's own maximum */
#define BITS_PER_LONG (8 * sizeof(unsigned long))

const char placement_no_cpus[] = "this NUMA node has no CPUs: it can hold memory (--membind) but run no thread";

struct node_mask {
	unsigned long bits[NODES_MAX / BITS_PER_LONG];
	size_t count;
};

static int parse_nodes(const char *text, struct node_mask *mask)
{
	unsigned nodes[NODES_MAX];
	int err = units_parse_list(text, NODES_MAX, nodes, NODES_MAX, &mask->count);

	if (err)
		return err;
	memset(mask->bits, 0, sizeof(mask->bits));
	for (size_t i = 0; i < mask->count; i++)
		mask->bits[nodes[i] / BITS_PER_LONG] |= 1ul << nodes[i] % BITS_PER_LONG;
	return mask->count ? 0 : -EINVAL;
}

static bool is_subset(const struct node_mask *some, const struct node_mask *all)
{
	for (size_t i = 0; i < sizeof(some->bits) / sizeof(some->bits[0]); i++)
		if (some->bits[i] & ~all->bits[i])
			return false;
	return true;
}

/* Stores the NUMA nodes that the cpuset permits, such as "0-1" (/proc/self/status). */
static int read_allowed(const char *root, char *text, size_t capacity)
{
	const char *list;
	char *status;
	size_t length;
	int err = sysfs_slurp(root, "/proc/self/status", 1 << 16, &status, &length);

	if (err)
		return err;
	list = sysfs_field(status, "Mems_allowed_list");
	if (list)
		snprintf(text, capacity, "%.*s", (int)strcspn(list, "\n"), list);
	free(status);
	return list ? 0 : -ENODATA;
}

int placement_check(const char *root, const struct placement_request *request, char *why, size_t length)
{
	struct node_mask wanted, present, allowed;
	uint64_t setting = 0;
	char text[4096];
	int err;

	if (request->is_balancing && request->policy != PLACEMENT_BIND)
		return diag_explain(-EINVAL, why, length, "--balancing moves pages within the nodes of --membind: give both");
	if (request->is_balancing) {
		err = sysfs_read_u64(root, "/proc/sys/kernel/numa_balancing", &setting);
		if (err || !setting)
			return diag_explain(-ENOTSUP, why, length, "--balancing has no effect here: %s", err
				? "this kernel has no NUMA balancing"
				: "kernel.numa_balancing is 0; sysctl kernel.numa_balancing=1 turns it on");
	}
	if (request->policy == PLACEMENT_DEFAULT)
		return 0;
	if (parse_nodes(request->nodes, &wanted))
		return diag_explain(-EINVAL, why, length, "'%s' is not a list of NUMA nodes like 0,2-3", request->nodes);
	if (sysfs_read(root, "/sys/devices/system/node/has_memory", text, sizeof(text)) || parse_nodes(text, &present))
		return diag_explain(-ENOTSUP, why, length, "this kernel has no NUMA support: leave the memory policy out");
	if (!is_subset(&wanted, &present))
		return diag_explain(-EINVAL, why, length, "NUMA nodes with memory are %s, and %s was asked for", text,
			request->nodes);
	if (!read_allowed(root, text, sizeof(text)) && !parse_nodes(text, &allowed) && !is_subset(&wanted, &allowed))
		return diag_explain(-EPERM, why, length, "the cpuset allows memory of the NUMA nodes %s, and %s was asked for",
			text, request->nodes);
	return 0;
}

int placement_apply_memory(const struct placement_request *request)
{
	unsigned long mode = MPOL_DEFAULT;
	struct node_mask mask;
	int err;

	if (request->policy == PLACEMENT_DEFAULT)
		return 0;
	err = parse_nodes(request->nodes, &mask);
	if (err)
		return err;
	switch (request->policy) {
	case PLACEMENT_BIND:
		mode = request->is_balancing ? MPOL_BIND | MPOL_F_NUMA_BALANCING : MPOL_BIND;
		break;
	case PLACEMENT_INTERLEAVE:
		mode = MPOL_INTERLEAVE;
		break;
	case PLACEMENT_PREFERRED:
		/* The old mode uses the first node only. */
		mode = mask.count > 1 ? MPOL_PREFERRED_MANY : MPOL_PREFERRED;
		break;
	case PLACEMENT_DEFAULT:
		break;
	}
	/* The kernel uses one bit less than this number. */
	if (syscall(SYS_set_mempolicy, mode, mask.bits, (unsigned long)NODES_MAX + 1))
		return -errno;
	return 0;
}
