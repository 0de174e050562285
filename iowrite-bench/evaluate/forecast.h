/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario asked of a model, under the conditions that were found when it was measured. */
#ifndef IOWRITE_BENCH_EVALUATE_FORECAST_H
#define IOWRITE_BENCH_EVALUATE_FORECAST_H

#include "iowrite-bench/dirty.h"
#include "iowrite-bench/evaluate/result.h"

struct forecast_conditions {
	const struct system *system;
	const struct scenario *scenario;
	enum model_memory memory;
	struct dirty_state before; /* right before the first write; thresholds of 0 = those of the calibration */
	struct model_control control;
};

/* As predict(): the thresholds are those of `before`, whatever the calibration found. */
int forecast(const struct forecast_conditions *conditions, enum result_model model, const struct op *ops, size_t count,
	struct prediction *prediction, const char **missing);

#endif
