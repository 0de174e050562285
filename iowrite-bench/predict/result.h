/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the models say, and what of it is printed. */
#ifndef IOWRITE_BENCH_PREDICT_RESULT_H
#define IOWRITE_BENCH_PREDICT_RESULT_H

#include "iowrite-bench/predict/plan.h"
#include "iowrite-bench/predict/predict.h"

/* Each model, twice where warm and cold memory bound what it can say. */
#define PREDICT_ROWS (2 * PREDICT_MODELS)

struct predict_summary {
	double total_ns, mean_ns, p50_ns, p99_ns;
	double throttled_percent;     /* of the predicted time that the writer is held back */
	size_t throttled;             /* writes that begin or end held back */
	double low_ns, high_ns;       /* mean band of the throttled writes that have one; NAN = none */
	double close_ns, drain_ns;    /* what close(2) writes of a libc's buffer; until nothing is dirty */
	/* Against what was measured; NAN when nothing was. As in docs/report-iowrite.md, scenario/model. */
	double per_write_error_percent, total_error_percent, coverage_percent;
};

struct predict_row {
	char name[32];                /* "kernel", "kernel warm" */
	const struct model_kind *kind;
	const char *bound;            /* "warm", "cold"; NULL = a point */
	const char *missing;          /* the parameter that the system lacks: no prediction; NULL = there is one */
	const char *why_missing;      /* as the calibration says; "" = it does not */
	struct prediction prediction; /* only with --per-write */
	struct predict_summary summary;
};

struct predict_result {
	size_t count;
	struct predict_row rows[PREDICT_ROWS];
	/* Of the writes as they were measured; NAN without. Errors and throttling are not in it. */
	struct predict_summary measured;
};

/* 0 or a diag_exit code after one line: no memory, or not one model that has what it needs. */
int predict_result_make(const struct predict_options *options, const struct predict_plan *plan,
	struct predict_result *result);
void predict_result_free(struct predict_result *result);

/* To stdout. */
void predict_text(const struct predict_options *options, const struct predict_plan *plan,
	const struct predict_result *result);
/* 0 or a diag_exit code after one line. */
int predict_json(const struct predict_options *options, const struct predict_plan *plan,
	const struct predict_result *result);
int predict_per_write(const struct predict_options *options, const struct predict_plan *plan,
	const struct predict_result *result);

#endif
