/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything that one `run` found, for the table and for the report. */
#ifndef SSD_WORKLOADS_RUN_RESULT_H
#define SSD_WORKLOADS_RUN_RESULT_H

#include "common/frame.h"
#include "ssd-workloads/engine/prepare.h"
#include "ssd-workloads/run/plan.h"
#include "ssd-workloads/trace/split.h"
#include "ssd-workloads/verify/verify.h"

/* A mean over the writes of a stream, in ns, by part. */
struct run_split {
	const char *why_not;               /* NULL = there was a trace */
	struct split_counts counts;
	double mean_ns[MIX_STREAMS][SPLIT_PARTS];
};

/* A stream with and without the cause of --without. */
struct run_counterfactual {
	bool is_known;
	double mean_ns, without_ns;        /* mean response, in repetitions of one seed */
	double attributed_ns;              /* of it, by the records of the former; NAN = they do not say */
	uint64_t writes, attributed_writes; /* of mean_ns; of them those of attributed_ns, whose records are kept */
};

struct run_repetition {
	size_t cell;                       /* of the plan's baselines */
	unsigned run;
	struct engine_result engine;
};

struct run_result { /* large: not for a stack */
	const struct run_plan *plan;
	struct frame *frame;
	struct backend_choice backend;
	bool is_prepared;                  /* by this run */
	bool is_unprepared;                /* and was not by an earlier one */
	struct prepare_result prepare;
	size_t repetition_count;
	struct run_repetition *repetitions; /* in time; room for all of the plan; owned */
	struct run_split split;
	struct durability_check durability[BASELINE_CELLS]; /* of each cell, all repetitions together */
	struct durability checkpoint_layers; /* below --ckpt-target */
	struct durability_check checkpoint_durability[BASELINE_CELLS]; /* the same as durability, of --ckpt-target */
	bool has_baselines;
	struct baseline_result baselines;
	struct run_counterfactual counterfactuals[MIX_STREAMS];
	bool has_verify;
	struct verify_result verify;
	bool has_short_rings;              /* no more memory was available */
	bool is_interrupted;
	char changed[MIX_STREAMS][TARGET_CHANGE]; /* of each target: how another process changed it; "" = not */
	struct engine_failure trial;       /* before the first repetition */
	int code;                          /* the worst diag_exit code of what failed beside the measurement, after its line */
};

/* 0, or DIAG_EXIT_HOST after one line. */
int run_result_init(struct run_result *result, const struct run_plan *plan, struct frame *frame);
void run_result_free(struct run_result *result);
/* The last repetition of the mix; NULL = there is none. */
struct run_repetition *run_result_last_mix(struct run_result *result);
/* Frees the memory of records that are not used any more: all but those of the mix's last repetition. */
void run_result_drop_records(struct run_result *result);
/* Reasons into the frame: errors, unprepared, late in an open loop, lost events, too few samples. That it was not steady is
 * a check of the environment (docs/adr/0003-not-steady-is-a-warning.md). */
void run_result_decide(struct run_result *result);
/* A write failed, in a repetition or before, or another process changed the target. */
bool run_result_has_failed(const struct run_result *result);
/* 1 when verification found a loss, else 4 when a worker failed or it was interrupted, else result->code, else 4 when the
 * verdict is another than ok, else 0. After run_result_decide. */
int run_result_code(const struct run_result *result);

#endif
