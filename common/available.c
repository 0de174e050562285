/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/available.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/sysfs.h"
#include "common/vmcounters.h"

/* Of the address space that this process may have (ulimit -v); UINT64_MAX = it may have all. */
static uint64_t address_space_left(const char *root)
{
	char text[128];
	uint64_t pages, taken;
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY ||
		sysfs_read(root, "/proc/self/statm", text, sizeof(text)) || !sysfs_scan_u64(text, &pages))
		return UINT64_MAX;
	taken = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	return taken < limit.rlim_cur ? limit.rlim_cur - taken : 0;
}

uint64_t available_memory(const char *root)
{
	struct vmcounters *counters = malloc(sizeof(*counters)); /* large for a stack */
	uint64_t left = cgroup_left(root), space = address_space_left(root), bytes;

	if (counters && !vmcounters_read(root, NULL, VMCOUNTERS_MEMINFO, counters) &&
		vmcounters_get(counters, "meminfo.MemAvailable", &bytes) && bytes < left)
		left = bytes;
	free(counters);
	return left < space ? left : space;
}
