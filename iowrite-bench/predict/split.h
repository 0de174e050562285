/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the measured time of buffered writes went: what a model explains of it, by cause, and what it does not. */
#ifndef IOWRITE_BENCH_PREDICT_SPLIT_H
#define IOWRITE_BENCH_PREDICT_SPLIT_H

#include "common/report.h"
#include "iowrite-bench/predict/predict.h"

struct split { /* percent of the measured time; they add up to 100, the residual may be negative */
	const char *predicted_by;
	double syscall_percent, copy_percent, throttle_percent, device_percent, residual_percent;
};

void split_make(const struct prediction *prediction, const char *predicted_by, double measured_ns, struct split *split);
/* <cost_split> */
void split_write(struct report *report, const struct split *split);

#endif
