/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One scenario measured once, and what every model says of just these writes: the same offsets and sizes, with the
 * delays that really passed, the thresholds and the dirty bytes that were there when they began.
 */
#ifndef IOWRITE_BENCH_EVALUATE_TRIAL_H
#define IOWRITE_BENCH_EVALUATE_TRIAL_H

#include "iowrite-bench/evaluate/result.h"
#include "common/frame.h"
#include "iowrite-bench/gauge.h"
#include "iowrite-bench/measure.h"

struct trial_setup {
	const struct target *target;
	const struct dirty *dirty;
	const struct system *system;
	const struct scenario *scenario;
	unsigned repetition;
	enum model_memory memory;
	struct gauge *gauge; /* NULL = what the kernel stands at is not known */
	const volatile int *stop;
};

/* Adds a trial, or a row that says why there is none, to the result, and reasons to the frame. 0 or a diag_exit code
 * after one line, when no other trial can be made. */
int trial_run(const struct trial_setup *setup, struct frame *frame, struct evaluate_result *result);

/* The second half of it: judges what was measured. control: when it began. 0 or -ENOMEM. */
int trial_judge(const struct trial_setup *setup, const struct measurement *measurement, const struct model_control *control,
	const struct frame *frame, struct evaluate_result *result);

#endif
