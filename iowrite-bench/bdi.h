/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel's events of writeback call the device that a file lies on: "254:0" of a disk and all its partitions. */
#ifndef IOWRITE_BENCH_BDI_H
#define IOWRITE_BENCH_BDI_H

#include <stddef.h>
#include <sys/types.h>

/* root as in common/sysfs.h. 0, or -ENODEV: nothing is written back there (tmpfs), or by a name that cannot be found out
 * (btrfs). */
int bdi_of(const char *root, dev_t device, char *name, size_t length);

#endif
