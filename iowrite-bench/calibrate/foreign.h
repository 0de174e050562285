/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time in which a disk was busy for other processes. PSI (io) does not show it, because it includes the calibration's own
 * waits. But the disk counts the bytes that it moved, and the kernel those that this process caused: reads when they are
 * submitted, writes when a page becomes dirty or a direct write is submitted, and discarded dirty pages (/proc/self/io). The
 * rest belongs to other processes. It is a lower bound: metadata of the file system count as this process's, up to
 * FOREIGN_METADATA for each write, cut or sync that is not buffered, and so do its bytes that may still be dirty. Bytes are
 * converted to time by the disk's busy time.
 */
#ifndef IOWRITE_BENCH_CALIBRATE_FOREIGN_H
#define IOWRITE_BENCH_CALIBRATE_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

/* Journal, inode and bitmaps: some blocks each, and a commit. */
#define FOREIGN_METADATA 65536

/* All since the machine or the process began. */
struct foreign_counts {
	uint64_t moved_bytes;  /* by the disk, either way */
	uint64_t busy_ns;
	uint64_t own_bytes, cancelled_bytes; /* caused by this process; dirty and then discarded */
	uint64_t own_syncs;    /* syncs and other calls for which a file system writes metadata */
	uint64_t pending_bytes; /* now dirty or under write-back, of all files */
};

struct foreign {
	struct foreign_counts last;
	bool has_last;
	double ahead_bytes; /* of this process, not moved by the disk yet */
	double ns;
};

/* Returns the time that the disk was busy for other processes since the first call. */
uint64_t foreign_add(struct foreign *foreign, const struct foreign_counts *now);
/* Of a disk by the kernel's name, below root as in common/sysfs.h; own_syncs and pending_bytes are left alone. 0 or
 * -errno. */
int foreign_read(const char *root, const char *disk, struct foreign_counts *counts);

#endif
