/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/available.h"

#include <stdlib.h>

#include "common/cgroup.h"
#include "common/vmcounters.h"

uint64_t available_memory(const char *root)
{
	struct vmcounters *counters = malloc(sizeof(*counters)); /* large for a stack */
	uint64_t left = cgroup_left(root), bytes;

	if (counters && !vmcounters_read(root, NULL, VMCOUNTERS_MEMINFO, counters) &&
		vmcounters_get(counters, "meminfo.MemAvailable", &bytes) && bytes < left)
		left = bytes;
	free(counters);
	return left;
}
