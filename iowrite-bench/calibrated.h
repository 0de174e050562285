/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a calibration is one of what is going to be written to, and what it says of its speed. */
#ifndef IOWRITE_BENCH_CALIBRATED_H
#define IOWRITE_BENCH_CALIBRATED_H

#include <stdbool.h>
#include <stdint.h>

#include "common/frame.h"
#include "iowrite-bench/scenario.h"
#include "iowrite-bench/system.h"

#define CALIBRATED_FAST 1e9 /* bytes a second: from here on a scenario's thresholds for fast devices are taken */

/* The kernel's write-back, or else what the device took, bytes a second; NAN when the calibration has neither. */
double calibrated_rate(const struct system *system);
/* false when it is not known. */
bool calibrated_is_fast(const struct system *system);
/* The scenario's own thresholds for such a device; 0 = it has none. */
void calibrated_thresholds(const struct scenario *scenario, bool is_fast, uint64_t *background_bytes,
	uint64_t *dirty_bytes);

struct calibrated_place {
	const char *folder, *device, *file_system; /* that is written to; device "" = there is none */
	uint64_t slow_bytes_per_second;            /* 0 = no slow device is built; then nothing of the above counts */
	const char *slow_text;                     /* as typed */
};
/* path: of the calibration. 0, or DIAG_EXIT_USAGE after one line: it is of something else. */
int calibrated_check(const struct system *system, const char *path, const struct calibrated_place *place);
/* Of another kernel is of another law: a line about it before anything is measured, when nothing else was wrong; and
 * "other-kernel" in the frame. */
void calibrated_warn(const struct system *system, const char *path);
void calibrated_judge(const struct system *system, struct frame *frame);

#endif
