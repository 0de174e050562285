/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of iowrite-bench predict. */
#ifndef IOWRITE_BENCH_PREDICT_OPTIONS_H
#define IOWRITE_BENCH_PREDICT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/command.h"
#include "iowrite-bench/method.h"
#include "iowrite-bench/model/model.h"
#include "iowrite-bench/model/stdio.h"
#include "iowrite-bench/scenario.h"

#define PREDICT_MODELS 8 /* more than model_kinds has */

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
	/* One of the three. */
	const char *trace_path;
	const struct scenario *scenario;
	struct predict_pattern pattern;

	bool has_model[PREDICT_MODELS];      /* by the index in model_kinds */
	bool is_paper_literal, is_detailed;
	bool has_mode, has_regime;           /* given; what a scenario or a table has is in the plan */
	const struct method_sync *sync;       /* NULL = not given */
	enum op_mode mode;
	enum op_regime regime;
	enum model_memory memory;
	const struct stdio_policy *policy;   /* NULL = write(2) */
	uint64_t buffer_bytes;               /* 0 = the libc's */
	uint64_t ratelimit0, limit_bg, limit_hard; /* 0 = not given */
	const char *per_write_path, *json_path;    /* NULL = not wanted, "-" = stdout */
};

extern const struct opt predict_option_rows[];
extern const struct opt_relation predict_option_relations[];
/* command.check. */
int predict_options_check(void *whole, struct opt_line *line);
/* Something else than the text goes to stdout. */
bool predict_options_take_stdout(const struct predict_options *options);

#endif
