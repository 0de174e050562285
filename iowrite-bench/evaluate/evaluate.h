/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of iowrite-bench evaluate. */
#ifndef IOWRITE_BENCH_EVALUATE_EVALUATE_H
#define IOWRITE_BENCH_EVALUATE_EVALUATE_H

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "common/command.h"
#include "common/frame.h"
#include "common/progress.h"
#include "common/report.h"
#include "common/target.h"
#include "iowrite-bench/dirty.h"
#include "iowrite-bench/throttle_state.h"
#include "iowrite-bench/measure.h"
#include "iowrite-bench/validity.h"
#include "iowrite-bench/predict/predict.h"
#include "iowrite-bench/scenario.h"
#include "iowrite-bench/scenario_options.h"
#include "iowrite-bench/test_setup.h"
#include "iowrite-bench/system.h"
#include "iowrite-bench/writer.h"

#define EVALUATE_SCENARIOS 64 /* more than the table has */

struct scenario;

/* Dirty thresholds: as they are, or each scenario's own. */
enum evaluate_thresholds { EVALUATE_KEEP, EVALUATE_SMALL };

struct evaluate_options {
	struct scenario_options shared; /* system_path is there */
	bool is_wanted[EVALUATE_SCENARIOS]; /* by the index in the table */
	size_t scenario_count;
	const struct scenario *scenarios[EVALUATE_SCENARIOS]; /* in the order of the table, each once */
	enum evaluate_thresholds thresholds;
	unsigned repetitions;
	uint64_t warmup_ns; /* of throttled writing before buffered scenarios, at most */
};

extern const struct opt evaluate_option_rows[];
extern const struct opt_relation evaluate_option_relations[];
/* command.add: the default of --thresholds, which depends on the user. */
int evaluate_options_add(void *options, struct opt_line *line);
/* command.check; the line is shared.line. */
int evaluate_options_check(void *whole, struct opt_line *line);

/* Which scenarios can be measured here, under which thresholds, and why the others cannot. */

struct plan_host {
	char lacks[TEST_SETUP_WHY];       /* for the thresholds and the slow device asked for (test_setup.h); "" = nothing */
	char device[64], file_system[32]; /* that the folder is on */
	uint64_t room_bytes;              /* free in the folder, what others are left of it taken off */
	uint64_t memory_bytes;            /* that this process may take */
	bool has_direct;
	unsigned offset_align;            /* of O_DIRECT, bytes */
};

struct plan_row {
	const struct scenario *scenario;
	bool is_run;
	char reason[200];                       /* why not */
	uint64_t background_bytes, dirty_bytes; /* thresholds to be set; 0 = as they are */
	uint64_t file_bytes, bytes;             /* of the file; of all writes of one repetition */
	double predicted_s;                     /* by the kernel model, delays included */
};

struct evaluate_plan {
	size_t count, run_count;
	struct plan_row rows[EVALUATE_SCENARIOS];
	bool is_slow;             /* the device is below 1 GB/s: which thresholds */
	bool needs_stage;         /* thresholds are set or a device is built */
	struct test_setup_request stage;
	uint64_t largest_file; /* of those that are run */
	uint64_t slow_bytes;   /* that a slow device needs for them */
};

/* What the folder and this machine have. 0 or a diag_exit code after one line. */
int plan_look(const struct evaluate_options *options, struct plan_host *host);
/* 0 or a diag_exit code after one line: the calibration is of another device, or root is needed. */
int plan_make(const struct evaluate_options *options, const struct system *system, const struct plan_host *host,
	struct evaluate_plan *plan);
void plan_print(FILE *out, const struct evaluate_options *options, const struct evaluate_plan *plan);

/*
 * What the writes of a trial cost, as predictions are held against it: without the clock's own cost, which is in every
 * record once and in no prediction (a third of an fwrite of 256 bytes), and sorted into groups of equal size.
 *
 * A clock goes in steps: of 10 ns on many a machine, where an fwrite of 256 bytes takes 11 ns and reads 7 or 17. What a
 * write has cost may be anything less than a step above or below its reading (docs/adr/0030-what-a-clock-can-tell.md).
 */

struct measured {
	size_t count;
	double step_ns;     /* of the clock */
	double *ns;         /* of each write, at least 1 */
	unsigned *group;    /* of writes of one size, from 0 in the order of size */
	unsigned group_count;
	double *group_mean; /* ns; group_count of them */
	double total_ns;
};

/* overhead_ns, step_ns: of the clock; step 0 = not known: it is taken for none. 0 or -ENOMEM. count > 0. */
int measured_make(const struct record *records, size_t count, double overhead_ns, double step_ns, struct measured *measured);
void measured_free(struct measured *measured);

/* What a write's errors are parts of: its reading, and of one below half of a step that half, which it might have been. */
static inline double measured_scale(const struct measured *measured, size_t index)
{
	return fmax(measured->ns[index], measured->step_ns / 2);
}

/* |ns - m| / m of the write's reading m, as far as the clock can tell: what is less than its step is none. */
static inline double measured_error(const struct measured *measured, size_t index, double ns)
{
	double distance = fabs(ns - measured->ns[index]) - measured->step_ns;

	return distance <= 0 ? 0 : distance / measured_scale(measured, index);
}

/* Writes as they were done: asked for was another delay. NULL when there is no memory. */
struct op *measured_ops(const struct measurement *measurement);
/* One of them for a report, with what the kernel model says of it; NULL = nothing. */
struct iow_write_values measured_write(const struct measurement *measurement, size_t index, const struct model_cost *kernel);

/*
 * How far a prediction is from what was measured (docs/report-iowrite.md, scenario/model), without name and improvement. What is
 * held against a single write is what the model calls typical (model/model.h), where it does: the best answer to that question,
 * as the mean is to that of the total. The pinball loss is of the band's ends as quantiles of 10 and 90 %: what a band that is
 * wide enough for everything pays for it. prediction has as many writes as measured.
 */
void errors_make(const struct measured *measured, const struct prediction *prediction, struct iow_model_errors_values *errors);

/* What evaluate found: the contents of <evaluation> (docs/report-iowrite.md). */

#define RESULT_MODELS 3
#define RESULT_WRITES 2000 /* that are kept of a trial, at most */

enum result_model { RESULT_NAIVE, RESULT_CAWL, RESULT_KERNEL };
/* As in model_kinds. */
const char *result_model_name(enum result_model model);

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
	struct iow_cost_split_values split;
	struct validity validity;
	struct iow_model_errors_values models[RESULT_MODELS]; /* name NULL = a row of `skipped` says why there is none */
	size_t write_count;
	struct iow_write_values *writes;
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

/* The next free one, zeroed; NULL when there is no memory. */
struct result_trial *result_add_trial(struct evaluate_result *result);
/* 0 or -ENOMEM. */
int result_skip(struct evaluate_result *result, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void result_free(struct evaluate_result *result);

/* A scenario asked of a model, under the conditions that were found when it was measured. */

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

/* A run of evaluate; too large for a stack. */
struct evaluation {
	struct evaluate_options options;
	struct system system;
	struct plan_host host;
	struct evaluate_plan plan;
	struct frame frame;
	struct evaluate_result result;
	/* While it measures. */
	struct test_setup *stage;        /* NULL = the machine as it is */
	struct target target;
	struct throttle_state *throttle; /* NULL = what the kernel stands at is not known */
	struct dirty dirty;
	struct progress progress;
	bool is_warm;                    /* the trial before was buffered: the kernel's estimate is of such writes */
	/* One scenario measured once. */
	const struct scenario *scenario;
	unsigned repetition;
};

/* What every model says of just these writes: the same offsets and sizes, with the delays that really passed, the thresholds and
 * the dirty bytes that were there when they began; control: then. Adds a trial to the result. 0 or -ENOMEM. */
int trial_decide(struct evaluation *all, const struct measurement *found, const struct model_control *control);

/*
 * The kernel throttles by what it takes the device to be: an average over seconds of what was written back
 * (wb_update_write_bandwidth) and a rate limit that follows it in small steps (wb_update_dirty_ratelimit). They begin with
 * 100 MB/s for a new device, and small synchronous writes pull them down to a fraction of what the device can; until they
 * have caught up, writers are held where throttling begins and not at the setpoint. So buffered scenarios come after some
 * seconds of throttled writing that nobody measures: until what is dirty or being written back stands near the setpoint.
 */

struct warmup {
	const struct target *target; /* its file is written, and empty afterwards */
	const struct dirty *dirty;
	uint64_t file_bytes;         /* that there is room for */
	uint64_t most_bytes;         /* that may be written, again and again */
	uint64_t longest_ns;
	const volatile int *stop;
};

/* Until it has settled, or most_bytes are written, or the time is over, or *stop. Nothing where file_bytes are too few
 * to be throttled. 0 or -errno. */
int warmup_run(const struct warmup *warmup);

/* The table for people: as section by section of the CAWL paper's evaluation, one row a trial. */

void evaluate_text(FILE *out, const struct evaluate_result *result);

/* For FIELD_BY (common/field.h): an iow_evaluation. from: struct evaluate_result */
void evaluate_report(struct report *report, const struct field *field, const void *from);

#endif
