/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel's events of writeback call the device that a file lies on, "254:0" of a disk and all its partitions, and
 * the cgroup: with version 2 of cgroups each has a write-back of its own, with its own ratelimit, on the same device. */
#ifndef IOWRITE_BENCH_BDI_H
#define IOWRITE_BENCH_BDI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* root as in common/sysfs.h. 0, or -ENODEV: nothing is written back there (tmpfs), or by a name that cannot be found out
 * (btrfs). */
int bdi_of(const char *root, dev_t device, char *name, size_t length);

/* The first cgroup: everybody's, where cgroups have none of their own (version 1, or a file system that cannot). */
#define BDI_CGROUP_FIRST 1
/* cgroup_ino in events of what this process writes to a file system ("ext4"; "none" is a device). 0 = it cannot be found
 * out. */
uint64_t bdi_cgroup(const char *root, const char *file_system);

#endif
