/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a calibration is read, not measured: thresholds, times, alignments, and where it was made. */
#ifndef IOWRITE_BENCH_CALIBRATE_FACTS_H
#define IOWRITE_BENCH_CALIBRATE_FACTS_H

#include "common/target.h"
#include "iowrite-bench/dirty.h"
#include "iowrite-bench/system.h"

/* Method of a threshold that follows the free memory: the kernel was given a ratio. */
#define FACTS_SHARE "/proc/vmstat, a share of the free memory"

/* root as in common/sysfs.h. system is fresh. */
void facts_read(const char *root, const struct target *target, const struct dirty_state *dirty, struct system *system);
/* Thresholds follow the free memory: what they are now, at the end. */
void facts_compare(const struct dirty_state *dirty, struct system *system);

#endif
