/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What evaluate found: the contents of <evaluation> (docs/report-iowrite.md). */
#ifndef IOWRITE_BENCH_EVALUATE_RESULT_H
#define IOWRITE_BENCH_EVALUATE_RESULT_H

#include "iowrite-bench/evaluate/errors.h"
#include "iowrite-bench/outside.h"
#include "iowrite-bench/predict/split.h"
#include "iowrite-bench/scenario.h"

#define RESULT_MODELS 3
#define RESULT_WRITES 2000 /* that are kept of a trial, at most */

enum result_model { RESULT_NAIVE, RESULT_CAWL, RESULT_KERNEL };
/* As in model_kinds. */
const char *result_model_name(enum result_model model);

struct result_write {
	size_t index;
	double time_s; /* its start, from the first one's */
	uint64_t offset, size, measured_ns;
	uint64_t dirty_bytes, writeback_bytes; /* WRITER_NOT_LOOKED = nobody looked */
	double predicted_ns[RESULT_MODELS];    /* NAN = that model said nothing */
	double typical_ns;                     /* of the kernel model; NAN = it said nothing */
	double low_ns, high_ns;                /* NAN = no band */
	double predicted_dirty, predicted_writeback; /* by the kernel model; NAN = it said nothing */
	double cawl_dirty;                     /* by the cawl model, which does not know what is being written */
};

struct result_judgement {
	bool is_there; /* otherwise a row of `skipped` says why not */
	double predicted_s;
	struct errors errors;
};

struct result_trial {
	const struct scenario *scenario;
	unsigned repetition; /* from 1 */
	enum model_memory memory;
	uint64_t background_bytes, freerun_bytes, limit_bytes; /* 0 = unknown */
	bool has_control; /* write-back is something to this scenario */
	struct model_control control; /* as the models were told; 0 = not known */
	size_t operations;
	uint64_t bytes;
	double measured_s;
	bool has_split;
	struct split split;
	struct outside outside;
	struct result_judgement models[RESULT_MODELS];
	size_t write_count;
	struct result_write *writes;
};

struct result_skipped {
	char name[48];
	char reason[200];
};

struct evaluate_result {
	const char *system_file, *system_date;
	char writer[128];     /* as iowrite-bench/pin.h says it; "" = nothing was measured */
	bool has_failed;      /* a scenario did: this host cannot, though there is a report */
	const char *control_unknown; /* why nothing tells what the kernel's control stands at; NULL = it is told */
	size_t trial_count, trial_room;
	struct result_trial *trials;
	size_t skipped_count, skipped_room;
	struct result_skipped *skipped;
};

/* How much smaller a model's error per write is than the naive model's, as a part of that: the CAWL paper's improvement over
 * SimGrid (section 6). Below 0 the model is worse. NAN of the naive model, and where either error is not known. */
double result_improvement_percent(const struct result_trial *trial, enum result_model model);
/* The next free one, zeroed; NULL when there is no memory. */
struct result_trial *result_add_trial(struct evaluate_result *result);
/* 0 or -ENOMEM. */
int result_skip(struct evaluate_result *result, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void result_free(struct evaluate_result *result);

#endif
