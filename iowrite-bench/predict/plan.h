/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of iowrite-bench predict. */
#ifndef IOWRITE_BENCH_PREDICT_PLAN_H
#define IOWRITE_BENCH_PREDICT_PLAN_H

#include "common/cli/command.h"
#include "iowrite-bench/model/kinds.h"
#include "iowrite-bench/model/validity.h"
#include "iowrite-bench/predict/predict.h"
#include "iowrite-bench/predict/scenario.h"

enum predict_order { PREDICT_WRITE, PREDICT_RANDWRITE, PREDICT_BACKWRITE };

/* Writes of one size, as fio has them. */
struct predict_pattern {
	uint64_t size;            /* 0 = no pattern was given */
	uint64_t total;           /* bytes of all writes; a multiple of size is written, at least one */
	uint64_t delay_ns;
	enum predict_order order; /* PREDICT_RANDWRITE: each within total, aligned to size */
	double back;              /* of PREDICT_BACKWRITE: share of a write by which the next one begins before its end */
	uint64_t seed;
	uint64_t files;           /* written in turn */
};

struct predict_options {
	const char *system_path;
	/* Source of the writes, one of three; NULL, NULL or size 0 = not given. */
	const char *trace_path;
	const struct scenario *scenario;
	struct predict_pattern pattern;

	bool has_model[MODEL_KINDS];
	struct predict_setup setup;          /* of all models: as given, or by default */
	bool has_mode, has_regime;           /* given; what a scenario or a table has is in the plan */
	const struct method_sync *sync;       /* NULL = not given */
	uint64_t ratelimit0, limit_bg, limit_hard; /* 0 = not given */
	const char *per_write_path, *json_path;    /* NULL = not wanted, "-" = stdout */
};

extern const struct opt predict_option_rows[];
extern const struct opt_relation predict_option_relations[];
/* command.check. */
int predict_options_check(void *whole, struct opt_line *line);

/* The plan of predict, made from its options: the list of writes, how they are made, and the system. */

struct predict_plan {
	struct system system;            /* with values of options and scenario instead of the calibration's */
	struct trace_file writes;        /* from whatever source */
	uint64_t bytes, least_size, most_size;
	struct predict_setup setup;      /* of all models */
	const struct method_sync *sync;
	enum op_mode opened;             /* as the file is; setup.model.mode when no sync call makes it a synchronous one */
	bool lacks_sync_times;           /* measured costs exclude the syncs, predictions include them: not compared */
	const char *limits_from;         /* "calibrated", "of the scenario", "as given" */
	size_t used_count;
	struct iow_size_cost_values *used; /* by the model kernel; of curves only */
	struct validity validity;
	bool has_bounds;                 /* MODEL_AS_IS with an unknown share of warm memory: two predictions, no point */
};

/* root: as in common/base/sysfs.h, of the machine whose memory is used. Returns 0 or a diag_exit code after one line. */
int predict_plan_make(const char *root, const struct predict_options *options, struct predict_plan *plan);
/* Returns the name of the curve that predicts synchronous writes: of setup.model.mode and its file state, or a replacement. */
const char *predict_plan_curve(const struct predict_plan *plan);
void predict_plan_free(struct predict_plan *plan);

/* Predictions of the models, and their summary. */

/* A model has two rows where warm and cold memory are its bounds. */
#define PREDICT_ROWS (2 * MODEL_KINDS)

struct predict_summary {
	double total_ns, mean_ns, p50_ns, p99_ns;
};

struct predict_row {
	char name[32];                /* "kernel", "kernel warm" */
	struct prediction prediction; /* only with --per-write */
	double total_ns;
	struct iow_predicted_values values; /* missing: the parameter that the system lacks; NULL = there is a prediction */
};

struct predict_result {
	size_t count;
	struct predict_row rows[PREDICT_ROWS];
	struct predict_summary measured; /* of the writes as they were measured; NAN without */
};

/* Returns 0, or a diag_exit code after one line: no memory, or no model has all that it needs. */
int predict_result_make(const struct predict_options *options, const struct predict_plan *plan,
	struct predict_result *result);
void predict_result_free(struct predict_result *result);

#endif
