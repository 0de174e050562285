/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long a disk was busy for others, as far as it can be told without knowing who they are. PSI (io) cannot tell it:
 * the calibration's own waits are in it, and it waits all the time. But the disk counts the bytes that it moved, and the
 * kernel those that this process has caused: reads when they are submitted, writes when a page becomes dirty or a direct
 * write is submitted, and dirty pages that were thrown away (/proc/self/io). What was moved beyond was others'. It is
 * what is surely theirs: blocks that the file system writes of its own are taken to be ours, up to FOREIGN_METADATA for
 * each write, cut or sync that is not buffered, and so is what of ours may still be dirty. Bytes are turned into time by
 * the disk's busy time.
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
	uint64_t own_bytes, cancelled_bytes; /* caused by us; dirty, and thrown away */
	uint64_t own_syncs;    /* of these, and of what else a file system writes for */
	uint64_t pending_bytes; /* now: dirty or in write-back, of all */
};

struct foreign {
	struct foreign_counts last;
	bool has_last;
	double ahead_bytes; /* ours, that the disk has not moved yet */
	double ns;
};

/* Time that the disk was busy for others since the first call. */
uint64_t foreign_add(struct foreign *foreign, const struct foreign_counts *now);
/* Of a disk by the kernel's name, below root as in common/sysfs.h; own_syncs and pending_bytes are left alone. 0 or
 * -errno. */
int foreign_read(const char *root, const char *disk, struct foreign_counts *counts);

#endif
