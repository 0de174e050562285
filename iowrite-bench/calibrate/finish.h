/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From samples to a calibration: values, curves, the throttled writes' bands, and why what is missing is missing. */
#ifndef IOWRITE_BENCH_CALIBRATE_FINISH_H
#define IOWRITE_BENCH_CALIBRATE_FINISH_H

#include "iowrite-bench/calibrate/session.h"

#define FINISH_WHY 1024

/* Whether other processes took a noticeable part of the measured time, and which part of what, as a sentence. */
bool finish_contention(const struct schedule *schedule, char *text, size_t length);

/* What predictions need and cannot rely on, as "coeff_bg, bw_sync, direct.append (9 of 12 sizes)"; "" = nothing. A curve is
 * not to be relied on when more than half of its sizes are unstable, or one has fewer samples than stand for themselves. */
void finish_doubts(const struct system *system, char why[FINISH_WHY]);

/* Adds to a system that has its facts (calibrate.c). 0 or -ENOMEM. */
int finish(struct calibrate_session *session, const struct schedule *schedule, struct system *system);

/* A calibration as tables for people. */

void tables_print(const struct system *system);

#endif
