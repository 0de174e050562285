/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What predict is asked, made from its options: the list of writes, how they are made, and on what system. */
#ifndef IOWRITE_BENCH_PREDICT_PLAN_H
#define IOWRITE_BENCH_PREDICT_PLAN_H

#include "iowrite-bench/outside.h"
#include "iowrite-bench/predict/options.h"
#include "iowrite-bench/predict/trace_file.h"

struct predict_plan {
	struct system system;            /* with what the options and the scenario put in the calibration's place */
	struct trace_file writes;        /* from whatever source */
	uint64_t bytes, least_size, most_size;
	struct model_setup setup;
	const struct stdio_policy *policy; /* NULL = write(2) */
	uint64_t buffer_bytes;
	const char *limits_from;         /* "calibrated", "of the scenario", "as given" */
	struct outside outside;
	bool has_bounds;                 /* memory as it is, and nobody can say how warm: two predictions, no point */
};

/* root: as in common/sysfs.h, of the machine that is asked about its memory. 0 or a diag_exit code after one line. */
int predict_plan_make(const char *root, const struct predict_options *options, struct predict_plan *plan);
void predict_plan_free(struct predict_plan *plan);

#endif
