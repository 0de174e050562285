/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits that cgroups put on the CPU time of this process and on its I/O to the disks below a target, from its own cgroup
 * upwards, in both versions of the kernel's interface. A run within a limit measures the limit, not the machine. Above the
 * root of a cgroup namespace (in a container) nothing can be seen.
 */
#ifndef COMMON_RUN_LIMITS_H
#define COMMON_RUN_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/host/contention.h"
#include "common/report/field.h"
#include "common/storage/storage.h"

#define LIMITS_MAX 16

/* --accept-limit of the tools that measure. */
#define LIMITS_OPTION_HELP "trust a run whose cgroups limit its CPU time or I/O"
#define LIMITS_OPTION_MANUAL "Trusts a run although its cgroups limit its I/O to the disks that it uses (`io.max`,\n" \
	"`io.latency`, `io.weight`, `blkio.throttle`), or a CPU quota stopped it (`cpu.max`,\n" \
	"`cpu.cfs_quota_us`). The report lists the limits. Without this option the verdict is\n" \
	"`io-limit` or `cpu-quota` and the status 4: the numbers would be those of the limit. A CPU quota\n" \
	"that did not stop the run changes nothing."

struct limit {
	char name[48];    /* the kernel's: "io.max", "cpu.cfs_quota_us" */
	char cgroup[160]; /* its folder; a long one is cut at the front */
	char device[64];  /* kernel name of the disk; "" = of CPU time, or of all disks */
	char value[96];   /* as the kernel prints it, without the device's number; a quota with its period, both in us */
	double cpus;      /* of a quota; 0 = a limit of I/O */
};

struct limits { /* all 0 = none */
	size_t count;
	struct limit all[LIMITS_MAX];
	char cgroup2_dir[256]; /* set by the caller: the run's cgroup of version 2, if it is not that of this process; else "" */
	char own_disk[64];     /* limits_own_disk */
};

/* Adds the limits of CPU time that are not in the list yet. root as in common/base/sysfs.h. */
void limits_read_cpu(const char *root, struct limits *limits);
/* Does the same for the limits of I/O: io.max, io.latency and a weight of version 2 that is not the default, and the
 * blkio.throttle files of version 1. They are set for whole disks. */
void limits_read_io(const char *root, const struct durability *durability, struct limits *limits);

/* Leaves the limits of a disk that the run itself slows down out of the list, now and later. */
void limits_own_disk(struct limits *limits, const char *disk);
/* Returns the first limit of I/O; NULL = none. */
const struct limit *limits_of_io(const struct limits *limits);
/* Returns the limit that makes a calibration impossible: one of I/O, or of less than one CPU; NULL = none. */
const struct limit *limits_of_calibration(const struct limits *limits);
/* Example: "io.max of /sys/fs/cgroup/a is wbps=1048576 for vda". */
void limits_text(const struct limit *limit, char *text, size_t length);
/* Writes the command that removes the limit. */
void limits_fix(const struct limit *limit, char *text, size_t length);
/* Writes a row for each limit, for FIELD_INSIDE. from: struct limits */
void limits_rows(struct report *report, const struct field *field, const void *from);

/* The number and duration of stops by CPU quotas, since the cgroups that have a quota were made. */
struct limits_stops {
	uint64_t periods, ns; /* ns: of all CPUs together */
};
void limits_read_stops(const char *root, const struct limits *limits, struct limits_stops *stops);
/* Subtracts an earlier reading from *stops. */
void limits_stops_since(const struct limits_stops *earlier, struct limits_stops *stops);
/* Writes the finding of a difference as a sentence with its numbers and the remedy. Returns whether there is one. */
bool limits_stops_text(const struct limits *limits, const struct limits_stops *stops, char *text, size_t length);
/* Tells whether quotas explain that a thread waited for a CPU: without the time for which they stopped processes, of window_ns,
 * its wait is within the limit of CONTENTION_PERCENT. */
bool limits_explain(const struct limits_stops *stops, uint64_t window_ns, const struct contention_finding *finding);

#endif
