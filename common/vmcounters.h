/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Snapshots of the kernel's own memory counters, and their differences. One snapshot is one struct with
 * names and values in the kernel's order; names are prefixed by their source: "meminfo.MemFree" (bytes),
 * "vmstat.pgmajfault" (events or pages as the kernel counts), "psi.memory.some.total" (us),
 * "cgroup.pgmajfault" (memory.stat as it is), "cgroup.usage" (bytes), "stat.steal" and "stat.total" (ticks of
 * USER_HZ, over all CPUs), "interrupts.TLB" (over all CPUs; the architecture's own lines, not devices'). Of a
 * memory cgroup also "cgroup.swap" (v2) or "cgroup.memsw_usage" (v1) in bytes, "cgroup.events.oom_kill",
 * "cgroup.failcnt" (v1) and "cgroup.psi.memory.some.total" (v2). A counter that the kernel does not have is
 * absent, never 0.
 *
 * Reading keeps nothing open and is cheap enough for a series of every 200 ms.
 */
#ifndef COMMON_VMCOUNTERS_H
#define COMMON_VMCOUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VMCOUNTERS_NAME 48
#define VMCOUNTERS_MAX 512

struct vmcounters_value {
	char name[VMCOUNTERS_NAME];
	uint64_t value;
};

struct vmcounters {
	uint64_t raw_ns; /* CLOCK_MONOTONIC_RAW in the middle of the reading */
	size_t count;
	size_t left_out; /* counters for which there was no room, or whose name is too long; not an error */
	struct vmcounters_value values[VMCOUNTERS_MAX];
};

/* Which parts to read. */
enum vmcounters_part {
	VMCOUNTERS_MEMINFO = 1,
	VMCOUNTERS_VMSTAT = 2, /* pg* psw* workingset* numa* thp* zswp* swp* nr_dirty nr_writeback ..., not zones' */
	VMCOUNTERS_PSI = 4,
	VMCOUNTERS_CGROUP = 8,
	VMCOUNTERS_STAT = 16,
	VMCOUNTERS_INTERRUPTS = 32,
	VMCOUNTERS_ALL = 63,
};

/* cgroup_dir is the memory cgroup's folder (v1 or v2, without root) or NULL. Missing files are left out; -errno
 * only when nothing at all could be read. */
int vmcounters_read(const char *root, const char *cgroup_dir, unsigned parts, struct vmcounters *snapshot);

bool vmcounters_get(const struct vmcounters *snapshot, const char *name, uint64_t *value);

/* later - earlier by name (as signed 64-bit in two's complement), for names that both have, in later's order;
 * raw_ns is the time between. delta is neither of the two. */
void vmcounters_delta(const struct vmcounters *earlier, const struct vmcounters *later, struct vmcounters *delta);

#endif
