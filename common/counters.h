/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a block device and the whole machine counted: the numbers of a stat file and the totals of PSI, read together, at a
 * fixed cost and without memory of its own, so that a series of 100,000 can be kept. Their names ("disk.write_ios",
 * "psi.io.some.total") are those of common/vmcounters.h.
 */
#ifndef COMMON_COUNTERS_H
#define COMMON_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vmcounters.h"

/* Numbers of /sys/block/DISK/stat (Documentation/admin-guide/iostats.rst). */
enum counters_disk {
	COUNTERS_READ_IOS, COUNTERS_READ_MERGES, COUNTERS_READ_SECTORS, COUNTERS_READ_TICKS_MS,
	COUNTERS_WRITE_IOS, COUNTERS_WRITE_MERGES, COUNTERS_WRITE_SECTORS, COUNTERS_WRITE_TICKS_MS,
	COUNTERS_IN_FLIGHT, /* the one that is no sum */
	COUNTERS_IO_TICKS_MS, COUNTERS_TIME_IN_QUEUE_MS,
	COUNTERS_DISCARD_IOS, COUNTERS_DISCARD_MERGES, COUNTERS_DISCARD_SECTORS, COUNTERS_DISCARD_TICKS_MS, /* since 4.18 */
	COUNTERS_FLUSH_IOS, COUNTERS_FLUSH_TICKS_MS, /* since 5.5 */
	COUNTERS_DISK
};
#define COUNTERS_SECTOR 512.0

struct counters {
	uint64_t time_ns;         /* CLOCK_MONOTONIC, as it was given */
	bool has_disk, has_pressure;
	uint64_t disk[COUNTERS_DISK]; /* 0 of what a kernel does not have */
	uint64_t io_some_us, io_full_us, cpu_some_us; /* PSI totals since boot */
};

/* stat_path: below root (common/sysfs.h); "" = no device. What cannot be read is marked as not there. */
void counters_read(const char *root, const char *stat_path, uint64_t now_ns, struct counters *counters);
/* What was counted between two snapshots, by name. */
void counters_difference(const struct counters *from, const struct counters *to, struct vmcounters *difference);

/* A stat file alone: how many numbers it has (the rest of values is 0), 0 = it cannot be read. */
unsigned counters_read_disk(const char *root, const char *stat_path, uint64_t values[COUNTERS_DISK]);
/* A PSI total alone: resource "cpu", "io" or "memory", kind "some" or "full". False: the kernel does not count it. */
bool counters_read_pressure(const char *root, const char *resource, const char *kind, uint64_t *us);

#endif
