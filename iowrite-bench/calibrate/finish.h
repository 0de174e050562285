/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From samples to a calibration: values, curves, the throttled writes' bands, and why what is missing is missing. */
#ifndef IOWRITE_BENCH_CALIBRATE_FINISH_H
#define IOWRITE_BENCH_CALIBRATE_FINISH_H

#include "iowrite-bench/calibrate/schedule.h"

/* Adds to a system that has its facts (facts.h). 0 or -ENOMEM. */
int finish(struct rig *rig, const struct schedule *schedule, struct system *system);

#endif
