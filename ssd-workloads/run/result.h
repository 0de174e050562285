/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All results of one `run`, for the table and the report. */
#ifndef SSD_WORKLOADS_RUN_RESULT_H
#define SSD_WORKLOADS_RUN_RESULT_H

#include "common/run/frame.h"
#include "common/storage/target_mark.h"
#include "ssd-workloads/dump/split.h"
#include "ssd-workloads/engine/prepare.h"
#include "ssd-workloads/run/plan.h"
#include "ssd-workloads/verify/verify.h"

/* means over the writes, and over the syncs, of a stream, in ns, by part */
struct run_split {
	const char *why_not;               /* reason why there is no trace; NULL = there is one */
	struct split_counts counts;
	double mean_ns[MIX_STREAMS][SPLIT_PARTS], sync_ns[MIX_STREAMS][SPLIT_PARTS]; /* NAN = none */
};

/* a stream with and without the cause of --without */
struct run_counterfactual {
	bool is_known;
	double mean_ns, without_ns;        /* mean response, in repetitions of one seed */
	double attributed_ns;              /* part of mean_ns attributed to the cause by the records; NAN = not known */
	uint64_t writes, attributed_writes; /* writes of mean_ns; those of attributed_ns, whose records are kept */
};

struct run_repetition {
	size_t cell;                       /* cell of the plan's baselines */
	unsigned run;
	struct engine_result engine;
};

struct ssd_run_result { /* too large for a stack */
	const struct ssd_run_plan *plan;
	struct frame *frame;
	struct backend_choice backend;
	bool is_prepared;                  /* by this run */
	bool is_unprepared;                /* prepared neither by this run nor by an earlier one */
	struct prepare_result prepare;
	size_t repetition_count;
	struct run_repetition *repetitions; /* by time; allocated for all of the plan; owned */
	struct run_split split;
	char dump_uuid[40], checkpoint_dump_uuid[40]; /* "" = no dump was written */
	struct durability layers[LAYOUT_TARGETS]; /* devices below each place but the first: ssd_run_result_layers */
	struct durability_check durability[LAYOUT_TARGETS][BASELINE_CELLS]; /* by place and cell, all repetitions together */
	struct storage second_storage;      /* of the log's second target; all 0 = there is none */
	size_t missed;                     /* objectives that are decided and not met */
	struct objective_values objectives[SLOS_MAX]; /* of options.slos, in their order */
	bool has_baselines;
	struct baseline_result baselines;
	struct run_counterfactual counterfactuals[MIX_STREAMS];
	bool has_verify;
	struct verify_result verify;
	bool has_short_rings;              /* memory did not suffice for longer rings */
	bool is_interrupted;
	char changed[LAYOUT_TARGETS][TARGET_CHANGE]; /* by place: how another process changed it; "" = unchanged */
	struct engine_failure trial;       /* failures of writes before the first repetition */
	int code;                          /* worst diag_exit code of failures outside the measurement, after their messages */
};

/* Initialises the result. Returns 0, or DIAG_EXIT_HOST after an error message. */
int ssd_run_result_init(struct ssd_run_result *result, const struct ssd_run_plan *plan, struct frame *frame);
void ssd_run_result_free(struct ssd_run_result *result);
/* Returns the last repetition of the mix; NULL = there is none. */
struct run_repetition *ssd_run_result_last_mix(struct ssd_run_result *result);
/* Returns the counts of a stream in a cell, all repetitions together; the caller frees them. NULL = no memory. */
struct counts *ssd_run_result_counts(const struct ssd_run_result *result, size_t cell, enum mix_stream stream);
/* Names a target in a cell: "mix" of the first one, else "mix, log target". */
#define RUN_PLACE_NAME 64
void ssd_run_result_name_place(const struct ssd_run_result *result, size_t cell, size_t place, char text[RUN_PLACE_NAME]);
/* Returns the devices below a place. */
const struct durability *ssd_run_result_layers(const struct ssd_run_result *result, size_t place);
/* Returns the mix's counts, over all repetitions, that contain the latency of an objective, and that latency in *latency; the
 * caller frees the counts. NULL = no memory. */
struct counts *ssd_run_result_slo_counts(const struct ssd_run_result *result, const struct slo *slo,
	const struct latency **latency);
/* Frees the memory of records that are no longer used: all but those of the mix's last repetition. */
void ssd_run_result_drop_records(struct ssd_run_result *result);
/* Adds the reasons of the verdict to the frame: errors, unprepared, late in an open loop, lost events, too few samples, objectives
 * of syncs that may not be durable; and decides the objectives.
 * Steadiness is a check of the environment (docs/adr/0003-not-steady-is-a-warning.md). */
void ssd_run_result_decide(struct ssd_run_result *result);
/* Returns whether a write failed, in a repetition or before, or another process changed the target. */
bool ssd_run_result_has_failed(const struct ssd_run_result *result);
/* Returns the exit code, after ssd_run_result_decide: 1 if verification found a loss, else 4 if a worker failed or the run was
 * interrupted, else result->code, else 4 if the verdict is not ok, else 1 if an objective was missed, else 0. */
int ssd_run_result_code(const struct ssd_run_result *result);

#endif
