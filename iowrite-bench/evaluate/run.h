/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan carried out: stage, target, trials in turn, everything put back. */
#ifndef IOWRITE_BENCH_EVALUATE_RUN_H
#define IOWRITE_BENCH_EVALUATE_RUN_H

#include "iowrite-bench/evaluate/options.h"
#include "iowrite-bench/evaluate/plan.h"
#include "iowrite-bench/evaluate/result.h"
#include "common/frame.h"

/* frame is started here: the target may be on a device that is built first. 0 or a diag_exit code after one line; then
 * there is nothing to report. An interrupted run is a result. */
int evaluate_run(const struct evaluate_options *options, const struct evaluate_plan *plan, const struct system *system,
	struct frame *frame, struct evaluate_result *result);

#endif
