/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What predict is asked, made from its options: the list of writes, how they are made, and on what system. */
#ifndef IOWRITE_BENCH_PREDICT_PLAN_H
#define IOWRITE_BENCH_PREDICT_PLAN_H

#include "iowrite-bench/outside.h"
#include "iowrite-bench/predict/options.h"
#include "iowrite-bench/predict/trace_file.h"

/* A size of a curve that costs are taken from. */
struct predict_used {
	enum op_mode mode;
	enum op_regime regime;
	const struct system_point *point;
	const struct system_pooled *pooled;
};

struct predict_plan {
	struct system system;            /* with what the options and the scenario put in the calibration's place */
	struct trace_file writes;        /* from whatever source */
	uint64_t bytes, least_size, most_size;
	struct model_setup setup;
	const struct method_sync *sync;
	enum op_mode opened;             /* as the file is; setup.mode when no sync call makes it a synchronous one */
	bool lacks_sync_times;           /* what was measured is of the writes alone, and the prediction is not: left out */
	const struct stdio_policy *policy; /* NULL = write(2) */
	uint64_t buffer_bytes;
	const char *limits_from;         /* "calibrated", "of the scenario", "as given" */
	size_t used_count;
	struct predict_used *used;       /* by the model kernel; of curves only */
	struct outside outside;
	bool has_bounds;                 /* memory as it is, and nobody can say how warm: two predictions, no point */
};

/* root: as in common/sysfs.h, of the machine that is asked about its memory. 0 or a diag_exit code after one line. */
int predict_plan_make(const char *root, const struct predict_options *options, struct predict_plan *plan);
/* The curve that synchronous writes are predicted by, in buffer, which is returned: of setup.mode and this regime, or of the
 * one that takes its place. */
char *predict_plan_curve(const struct predict_plan *plan, char buffer[SYSTEM_CURVE_NAME]);
void predict_plan_free(struct predict_plan *plan);

#endif
