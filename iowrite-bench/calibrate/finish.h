/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns samples into a calibration: values, curves, bands of throttled writes, and reasons for missing values. */
#ifndef IOWRITE_BENCH_CALIBRATE_FINISH_H
#define IOWRITE_BENCH_CALIBRATE_FINISH_H

#include "iowrite-bench/calibrate/session.h"

#define FINISH_WHY 1024

/* Returns whether other processes used a noticeable part of the measured time; text: how much of what, as a sentence. */
bool finish_contention(const struct schedule *schedule, char *text, size_t length);

/* Lists values that predictions need and that are missing or unstable, as "coeff_bg, bw_sync, direct.append (9 of 12 sizes)";
 * "" = none. A curve is listed when more than half of its sizes are unstable, or one has fewer than CURVE_SAMPLES samples. */
void finish_doubts(const struct system *system, char why[FINISH_WHY]);

/* Adds the measured values to a system that has its facts (calibrate.c). Returns 0 or -ENOMEM. */
int finish(struct calibrate_session *session, const struct schedule *schedule, struct system *system);

void tables_print(const struct system *system);

#endif
