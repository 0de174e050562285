/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is going to be written and traced. All that can be refused is refused here; nothing is changed. */
#ifndef IOWRITE_BENCH_TRACE_PLAN_H
#define IOWRITE_BENCH_TRACE_PLAN_H

#include <stdio.h>

#include "iowrite-bench/dirty.h"
#include "iowrite-bench/method.h"
#include "iowrite-bench/model/model.h"
#include "iowrite-bench/predict/predict.h"
#include "iowrite-bench/stage.h"
#include "iowrite-bench/system.h"
#include "iowrite-bench/trace/options.h"

struct trace_plan {
	const char *name, *meaning; /* "c1", "buffered, ..."; the file's name and "" of a table */
	const struct method *method;
	struct scenario asked;      /* how they are made: mode, regime, is_stdio and what else a model asks of a scenario */
	enum model_memory memory;
	bool needs_direct;
	size_t count;
	struct op *ops;
	uint64_t bytes, file_bytes; /* of all writes; of the file at the end */
	bool needs_stage;
	struct stage_request stage;
	bool has_system;
	const char *system_path;
	struct system system;
};

/* 0 or a diag_exit code after one line. */
int trace_plan_make(const struct trace_options *options, struct trace_plan *plan);
void trace_plan_free(struct trace_plan *plan);
struct trace_conditions { /* when the first write began */
	struct dirty_state before; /* thresholds of 0 = those of the calibration */
	struct model_control control;
};
/* What the kernel model says of writes of the plan's kind. 0 or a diag_exit code after one line: DIAG_EXIT_USAGE when the
 * calibration lacks something, which is seen without writes, too. */
int trace_plan_predict(const struct trace_plan *plan, const struct trace_conditions *found, const struct op *ops, size_t count,
	struct prediction *prediction);
void trace_plan_print(FILE *out, const struct trace_options *options, const struct trace_plan *plan);

#endif
