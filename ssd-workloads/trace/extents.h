/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the bytes of a target lie on its disk. */
#ifndef SSD_WORKLOADS_TRACE_EXTENTS_H
#define SSD_WORKLOADS_TRACE_EXTENTS_H

#include "common/target.h"
#include "ssd-workloads/trace/split.h"

/* Of the first bytes of the target, by offset, neighbours in one: a file's by FIEMAP, a device's itself; all of them
 * begin_sector further on, which is that of the partition. A hole has none. *extents is the caller's to free. 0 or -errno;
 * -EOPNOTSUPP: the file system does not say, or what it says is no place of the disk (compressed, inline, not yet there). */
int extents_read(const struct target *target, uint64_t bytes, uint64_t begin_sector, struct split_extent **extents, size_t *count);

#endif
