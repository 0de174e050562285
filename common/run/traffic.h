/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The work of the disks below a run for other programs. PSI (io) does not show it, because it includes the run's own waits. But
 * a disk counts the bytes that it moved, and the kernel those that this process caused: reads when they are submitted, writes
 * when a page becomes dirty or a direct write is submitted, and discarded dirty pages (/proc/self/io). The rest belongs to
 * other programs. It is a lower bound: blocks that a file system writes for a sync count as the run's (traffic_metadata), and so
 * do its bytes that may still be dirty or under write-back. Bytes are converted to time by the disks' busy time.
 *
 * The disk that is watched is the one below the target: of a partition its disk, of a volume on one disk (LVM, LUKS) that disk,
 * so that writers to other partitions and volumes are seen. A volume or array over several devices is watched itself, because
 * it writes more bytes than it takes, as is a loop device, whose file may be cached. Merged and split requests do not matter,
 * because bytes are counted, not requests. A file system on several devices of its own (btrfs) is not watched: it may write
 * everything twice. Several disks (two targets, several swap areas) are watched as one.
 */
#ifndef COMMON_RUN_TRAFFIC_H
#define COMMON_RUN_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/report/field.h"
#include "common/storage/storage.h"
#include "common/storage/target.h"

#define TRAFFIC_DISKS 8

/* All counts since the machine or the process began, except pending_bytes. */
struct traffic_counts {
	uint64_t time_ns;        /* CLOCK_MONOTONIC */
	uint64_t moved_bytes;    /* by the disks, either way */
	uint64_t busy_ns;
	uint64_t own_bytes, cancelled_bytes; /* caused by the run; dirty and then discarded */
	uint64_t metadata_bytes; /* upper bound of the bytes that file systems wrote for its syncs */
	uint64_t pending_bytes;  /* now dirty or under write-back, of all files */
};

struct traffic_sums { /* since the first traffic_add, or of a window */
	double time_ns, moved_bytes, own_bytes, foreign_bytes;
	double foreign_ns; /* time that the disks were busy for other programs */
};

struct traffic { /* all 0 = no disk */
	size_t disk_count;
	char disks[TRAFFIC_DISKS][64]; /* kernel names */
	struct traffic_counts last;
	bool has_last;
	double ahead_bytes; /* of the run, not moved by the disks yet */
	struct traffic_sums sums, begun; /* begun: at the beginning of the present window */
	struct traffic_sums measured;    /* of all windows */
};

/* Adds the disk below a target to the watched disks; does nothing if it is unknown or already watched. */
void traffic_watch(const struct durability *durability, struct traffic *traffic);
/* Reads the counters of the disks and the pending bytes; metadata_bytes is unchanged, and own_bytes and cancelled_bytes are 0.
 * root as in common/base/sysfs.h. Returns 0, -ENODEV without a disk, -EOPNOTSUPP if a disk's counters are switched off, or
 * -errno. Takes some 100 us. */
int traffic_read(const char *root, const struct traffic *traffic, struct traffic_counts *counts);
/* Adds the traffic of a process (0: the calling one) to own_bytes and cancelled_bytes. Returns 0 or -errno. */
int traffic_read_process(const char *root, unsigned process_id, struct traffic_counts *counts);
/* Adds the differences since the last call. */
void traffic_add(struct traffic *traffic, const struct traffic_counts *now);
/* Begin and end a window in which the run measures, each after a traffic_add. */
void traffic_begin(struct traffic *traffic);
struct traffic_sums traffic_end(struct traffic *traffic);

/*
 * Foreign traffic is reported above TRAFFIC_PERCENT of the run's own (the same share as for CPU waiting,
 * common/host/contention.h) and above that of an idle system: its logs and a journal's commit every 5 s are some 10 to 100 KiB/s,
 * and a single commit or flush may be 1 MiB.
 */
#define TRAFFIC_PERCENT 5.0
#define TRAFFIC_LEAST_BYTES (1u << 20)
#define TRAFFIC_LEAST_RATE (256u << 10) /* bytes/s */
bool traffic_is_foreign(const struct traffic_sums *window);
/* Writes the finding as a sentence with its numbers and the advice. */
void traffic_text(const struct traffic *traffic, const struct traffic_sums *window, char *text, size_t length);
/* Writes a row of all windows, for FIELD_INSIDE; nothing if there was none. from: struct traffic */
void traffic_rows(struct report *report, const struct field *field, const void *from);

/*
 * Upper bound of the metadata that a file system writes for one sync. The commit of a journal (ext4, xfs) has a descriptor, some
 * blocks of inode, bitmaps and descriptors of groups, and the commit block, 20 to 28 KiB; later each block once more in its
 * place. Copy-on-write file systems write nodes of 16 KiB of several trees, some of them twice. A device has no metadata, and
 * neither has a write in place that is synced without its times (fdatasync, O_DSYNC).
 */
#define TRAFFIC_METADATA (64u << 10)
#define TRAFFIC_METADATA_COPIED (256u << 10)
uint64_t traffic_metadata(const struct target *target, bool is_in_place_data_only);

#endif
