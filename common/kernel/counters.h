/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters of a block device and of the whole machine: the numbers of a stat file and the totals of PSI, read together, at a
 * fixed cost and without allocating memory, so that a series of 100,000 can be kept. Their names ("disk.write_ios",
 * "psi.io.some.total") are those of a snapshot.
 */
#ifndef COMMON_KERNEL_COUNTERS_H
#define COMMON_KERNEL_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Snapshots of the kernel's own memory counters, and their differences. One snapshot is one struct with
 * names and values in the kernel's order; names are prefixed by their source: "meminfo.MemFree" (bytes),
 * "vmstat.pgmajfault" (events or pages as the kernel counts), "psi.memory.some.total" (us),
 * "cgroup.pgmajfault" (memory.stat as it is), "cgroup.usage" (bytes), "stat.steal" and "stat.total" (ticks of
 * USER_HZ, over all CPUs), "interrupts.TLB" (over all CPUs; the architecture's own lines, not devices'). Of a
 * memory cgroup also "cgroup.swap" (v2) or "cgroup.memsw_usage" (v1) in bytes, "cgroup.events.oom_kill",
 * "cgroup.failcnt" (v1), "cgroup.psi.memory.some.total" and "cgroup.psi.io.some.total" (v2). A counter that the kernel does
 * not have is absent, never 0.
 *
 * Reading keeps nothing open and is cheap enough for a series of every 200 ms.
 */

#define VMCOUNTERS_NAME 48
#define VMCOUNTERS_MAX 512

struct vmcounters_value {
	char name[VMCOUNTERS_NAME];
	uint64_t value;
};

struct vmcounters {
	uint64_t raw_ns; /* CLOCK_MONOTONIC_RAW in the middle of the reading */
	size_t count;
	size_t left_out; /* counters beyond VMCOUNTERS_MAX, or whose name is too long; not an error */
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

/* cgroup_dir is the memory cgroup's folder (v1 or v2, without root) or NULL. Missing files are left out; returns -errno only
 * when nothing could be read. */
int vmcounters_read(const char *root, const char *cgroup_dir, unsigned parts, struct vmcounters *snapshot);

bool vmcounters_get(const struct vmcounters *snapshot, const char *name, uint64_t *value);

/* Computes later - earlier by name (as signed 64-bit in two's complement), for names that both have, in later's order; raw_ns
 * is the time between. delta must be neither of the two. */
void vmcounters_delta(const struct vmcounters *earlier, const struct vmcounters *later, struct vmcounters *delta);

/* Numbers of /sys/block/DISK/stat (Documentation/admin-guide/iostats.rst). */
enum counters_disk {
	COUNTERS_READ_IOS, COUNTERS_READ_MERGES, COUNTERS_READ_SECTORS, COUNTERS_READ_TICKS_MS,
	COUNTERS_WRITE_IOS, COUNTERS_WRITE_MERGES, COUNTERS_WRITE_SECTORS, COUNTERS_WRITE_TICKS_MS,
	COUNTERS_IN_FLIGHT, /* the only one that is not a sum */
	COUNTERS_IO_TICKS_MS, COUNTERS_TIME_IN_QUEUE_MS,
	COUNTERS_DISCARD_IOS, COUNTERS_DISCARD_MERGES, COUNTERS_DISCARD_SECTORS, COUNTERS_DISCARD_TICKS_MS, /* since 4.18 */
	COUNTERS_FLUSH_IOS, COUNTERS_FLUSH_TICKS_MS, /* since 5.5 */
	COUNTERS_DISK
};
#define COUNTERS_SECTOR 512.0

struct counters {
	uint64_t time_ns;         /* CLOCK_MONOTONIC, given by the caller */
	bool has_disk, has_pressure;
	uint64_t disk[COUNTERS_DISK]; /* 0 for values that the kernel lacks */
	uint64_t io_some_us, io_full_us, cpu_some_us; /* PSI totals since boot */
	int64_t others_us; /* counters_read_others */
};

/* Reads all counters. stat_path: below root (common/base/sysfs.h); "" = no device. Unreadable values are marked as absent. */
void counters_read(const char *root, const char *stat_path, uint64_t now_ns, struct counters *counters);
/* Computes the difference of two snapshots, by name. */
void counters_difference(const struct counters *from, const struct counters *to, struct vmcounters *difference);

/* Reads a stat file alone. Returns how many numbers it has (the rest of values is 0); 0 = it cannot be read. */
unsigned counters_read_disk(const char *root, const char *stat_path, uint64_t values[COUNTERS_DISK]);
/* Reads the "some" total of the CPU's PSI alone. False: the kernel does not count it. */
bool counters_read_cpu_pressure(const char *root, uint64_t *us);
/* Reads the CPU time of all other processes (user and nice of /proc/stat, in ticks, less this process's own). A difference is
 * exact to one tick per CPU. System time is not included. */
bool counters_read_others(const char *root, int64_t *us);

#endif
