/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dirty bytes of the page cache, of all files of the machine, and the kernel's thresholds: four lines of
 * /proc/vmstat by one pread(2) (tens of microseconds: never inside a measured window).
 */
#ifndef IOWRITE_BENCH_WRITE_DIRTY_H
#define IOWRITE_BENCH_WRITE_DIRTY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dirty_state { /* bytes */
	uint64_t dirty, writeback;                /* nr_dirty, nr_writeback */
	uint64_t background_threshold, threshold; /* nr_dirty_background_threshold, nr_dirty_threshold */
};

struct dirty {
	int fd;
	uint64_t page_bytes;
};

/* root as in common/base/sysfs.h. Returns 0 or -errno. */
int dirty_open(const char *root, struct dirty *dirty);
void dirty_close(struct dirty *dirty);
/* Returns 0 or -errno; -ENODATA when the kernel lacks one of the lines. */
int dirty_read(const struct dirty *dirty, struct dirty_state *state);

/* Waits until no more than limit bytes are dirty or being written back, timeout_ns has passed, or *stop: other processes dirty
 * pages, too. Begins with sync(2) when `wants_sync`. Returns the bytes that are left. */
uint64_t dirty_settle(const struct dirty *dirty, uint64_t limit, uint64_t timeout_ns, int wants_sync,
	const volatile int *stop);

/* Names in the kernel's events of write-back: of the device that a file lies on, "254:0" for a disk and all its partitions, and
 * of the cgroup: with version 2 of cgroups each has a write-back of its own, with its own ratelimit, on the same device. */

/* root as in common/base/sysfs.h. Returns 0, or -ENODEV: nothing is written back there (tmpfs), or by a name that cannot be
 * found out (btrfs). */
int bdi_of(const char *root, dev_t device, char *name, size_t length);

/* The cgroup of all writers where cgroups have no write-back of their own (version 1, or the file system lacks it). */
#define BDI_CGROUP_FIRST 1
/* Returns cgroup_ino in events of this process's writes to a file system ("ext4"; "none" is a device). 0 = unknown. */
uint64_t bdi_cgroup(const char *root, const char *file_system);

#endif
