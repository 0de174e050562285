/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of iowrite-bench evaluate. */
#ifndef IOWRITE_BENCH_EVALUATE_EVALUATE_H
#define IOWRITE_BENCH_EVALUATE_EVALUATE_H

#include <math.h>

#include "common/base/progress.h"
#include "common/cli/command.h"
#include "common/report/report.h"
#include "common/storage/target.h"
#include "iowrite-bench/model/kinds.h"
#include "iowrite-bench/model/validity.h"
#include "iowrite-bench/predict/predict.h"
#include "iowrite-bench/predict/scenario_options.h"
#include "iowrite-bench/setup/test_setup.h"
#include "iowrite-bench/setup/throttle_state.h"
#include "iowrite-bench/write/measure.h"
#include "iowrite-bench/write/pin.h"

#define EVALUATE_SCENARIOS 64 /* more than the table has */

struct scenario;

/* Dirty thresholds: unchanged, or each scenario's own. */
enum evaluate_thresholds { EVALUATE_KEEP, EVALUATE_SMALL };

struct evaluate_options {
	struct scenario_options shared; /* system_path is set */
	bool is_wanted[EVALUATE_SCENARIOS]; /* by the index in the table */
	size_t scenario_count;
	const struct scenario *scenarios[EVALUATE_SCENARIOS]; /* in the order of the table, each once */
	enum evaluate_thresholds thresholds;
	unsigned repetitions;
	bool accepts_limits; /* --accept-limit */
	uint64_t warmup_ns; /* of throttled writing before buffered scenarios, at most */
};

extern const struct opt evaluate_option_rows[];
extern const struct opt_relation evaluate_option_relations[];
/* command.add: the default of --thresholds, which depends on the user. */
int evaluate_options_add(void *options, struct opt_line *line);
/* command.check; the line is shared.line. */
int evaluate_options_check(void *whole, struct opt_line *line);

/* Which scenarios can be measured here, under which thresholds, and why the others cannot. */

struct evaluate_plan_host {
	char lacks[TEST_SETUP_WHY];       /* missing for the requested thresholds or slow device (test_setup.h); "" = nothing */
	char device[64], file_system[32]; /* of the folder */
	uint64_t free_bytes;              /* free space in the folder, less the reserve */
	uint64_t memory_bytes;            /* that this process may use */
	bool has_direct;
	unsigned offset_align;            /* of O_DIRECT, bytes */
};

struct evaluate_plan_row {
	const struct scenario *scenario;
	bool is_run;
	char reason[200];                       /* why not */
	uint64_t background_bytes, dirty_bytes; /* thresholds to be set; 0 = unchanged */
	uint64_t file_bytes, bytes;             /* of the file; of all writes of one repetition */
	double predicted_s;                     /* by the kernel model, delays included */
};

struct evaluate_plan {
	size_t count, run_count;
	struct evaluate_plan_row rows[EVALUATE_SCENARIOS];
	bool is_slow;             /* the device is below 1 GB/s, which selects the thresholds */
	bool needs_stage;         /* thresholds are set or a device is built */
	struct test_setup_request stage;
	uint64_t largest_file; /* of the scenarios that are run */
	uint64_t slow_bytes;   /* that a slow device needs for them */
};

/* Reads the properties of the folder and this machine. Returns 0 or a diag_exit code after one line. */
int evaluate_plan_read_host(const struct evaluate_options *options, struct evaluate_plan_host *host);
/* Returns 0, or a diag_exit code after one line: the calibration is of another device, or root is needed. */
int evaluate_plan_make(const struct evaluate_options *options, const struct system *system, const struct evaluate_plan_host *host,
	struct evaluate_plan *plan);
void evaluate_plan_print(FILE *out, const struct evaluate_options *options, const struct evaluate_plan *plan);

/*
 * The costs of the writes of a trial, prepared for comparison with predictions: without the clock's own cost, which every
 * record includes once and no prediction does (a third of an fwrite of 256 bytes), and grouped by size.
 *
 * A clock advances in steps, of 10 ns on many machines, where an fwrite of 256 bytes takes 11 ns and reads 7 or 17. The cost
 * of a write may be up to one step above or below its reading (docs/adr/0030-what-a-clock-can-tell.md).
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

/* overhead_ns, step_ns: of the clock; a step of 0 = unknown, treated as none. count > 0. Returns 0 or -ENOMEM. */
int measured_make(const struct write_record *records, size_t count, double overhead_ns, double step_ns, struct measured *measured);
void measured_free(struct measured *measured);

/* Returns the denominator of a write's relative errors: its reading, but at least half of a clock step. */
static inline double measured_scale(const struct measured *measured, size_t index)
{
	return fmax(measured->ns[index], measured->step_ns / 2);
}

/* Returns |ns - m| / m of the write's reading m, with the clock step subtracted from the difference (not below 0). */
static inline double measured_error(const struct measured *measured, size_t index, double ns)
{
	double distance = fabs(ns - measured->ns[index]) - measured->step_ns;

	return distance <= 0 ? 0 : distance / measured_scale(measured, index);
}

/*
 * Errors of a prediction (docs/report-iowrite.md, scenario/model), without name and improvement. A single write is compared with
 * the model's typical_ns (model/model.h), which minimises this error; the total uses the mean. The pinball loss rates the band's
 * ends as quantiles of 10 and 90 %, relative to the mean of these writes; it penalises bands that are too wide. prediction has as
 * many writes as measured.
 */
void errors_make(const struct measured *measured, const struct prediction *prediction, struct iow_model_errors_values *errors);

/* Results of evaluate: the contents of <evaluation> (docs/report-iowrite.md). */

#define RESULT_WRITES 2000 /* the most that are kept of a trial */

struct evaluate_result_trial {
	const struct scenario *scenario;
	unsigned repetition; /* from 1 */
	enum model_memory memory;
	uint64_t background_bytes, freerun_bytes, limit_bytes; /* 0 = unknown */
	bool has_control; /* write-back matters to this scenario */
	struct model_control control; /* the models' input; 0 = unknown */
	size_t operations;
	uint64_t bytes;
	double measured_s;
	bool has_split;
	struct iow_cost_split_values split;
	struct validity validity;
	struct iow_model_errors_values models[MODEL_KINDS]; /* name NULL = a row of `skipped` says why there is none */
	size_t write_count;
	struct iow_write_values *writes;
};

struct evaluate_result_skipped {
	char name[48];
	char reason[200];
};

struct evaluate_result {
	const char *system_file, *system_date;
	char writer[128];     /* as iowrite-bench/write/pin.h says it; "" = nothing was measured */
	bool has_failed;      /* a scenario failed: DIAG_EXIT_HOST, but there is a report */
	const char *control_unknown; /* why the kernel's dirty-throttle state is unknown; NULL = it is known */
	size_t trial_count;
	struct evaluate_result_trial *trials;
	size_t skipped_count;
	struct evaluate_result_skipped *skipped;
};

/* Appends a zeroed trial and returns it; NULL if out of memory. */
struct evaluate_result_trial *evaluate_result_add_trial(struct evaluate_result *result);
/* Adds a scenario without a trial, and the reason. Returns 0 or -ENOMEM. */
int evaluate_result_skip(struct evaluate_result *result, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void evaluate_result_free(struct evaluate_result *result);

/* Prediction of a scenario by a model, under the conditions in which it was measured. */

struct forecast_conditions {
	const struct system *system;
	const struct scenario *scenario;
	enum model_memory memory;
	struct dirty_state before; /* right before the first write; thresholds of 0 = those of the calibration */
	struct model_control control;
};

/* Predicts as predict() does, but with the thresholds of `before` instead of the calibration's. */
int forecast(const struct forecast_conditions *conditions, enum model_id model, const struct op *ops, size_t count,
	struct prediction *prediction, const char **missing);

/* A run of evaluate; too large for a stack. */
struct evaluation {
	struct evaluate_options options;
	struct system system;
	struct evaluate_plan_host host;
	struct evaluate_plan plan;
	struct frame frame;
	struct evaluate_result result;
	/* While it measures. */
	struct test_setup *stage;        /* NULL = the machine unchanged */
	struct target target;
	struct throttle_state *throttle; /* NULL = the kernel's state is unknown */
	struct dirty dirty;
	struct pin pin;
	struct progress progress;
	bool is_warm;                    /* the last trial was buffered, so that the kernel's estimate is of such writes */
	/* One scenario measured once. */
	const struct scenario *scenario;
	unsigned repetition;
};

/* Predicts these writes by every model, with the same offsets and sizes, the actual delays, and the thresholds, dirty bytes and
 * control at the start, and adds a trial with the errors to the result. Returns 0 or -ENOMEM. */
int trial_decide(struct evaluation *all, const struct measurement *found, const struct model_control *control);

/*
 * The kernel throttles by its estimate of the device: an average over seconds of the write-back rate
 * (wb_update_write_bandwidth) and a rate limit that follows it in small steps (wb_update_dirty_ratelimit). They start at
 * 100 MB/s for a new device, and small synchronous writes reduce them to a fraction of the device's rate. Until they
 * have adapted, writers are kept at the start of throttling and not at the setpoint. So some seconds of unmeasured throttled
 * writing precede buffered scenarios, until the dirty and written-back bytes are near the setpoint.
 */

struct warmup {
	const struct target *target; /* its file is written, and empty afterwards */
	const struct dirty *dirty;
	uint64_t file_bytes;         /* for which there is space */
	uint64_t most_bytes;         /* the most to write, over the file repeatedly */
	uint64_t longest_ns;
	const volatile int *stop;
};

/* Writes until the state is steady, most_bytes are written, the time is over, or *stop. Does nothing when file_bytes are too
 * few to be throttled. Returns 0 or -errno. */
int warmup_run(const struct warmup *warmup);

/* Prints the table by sections of the CAWL paper's evaluation, one row per trial. */

void evaluate_text(FILE *out, const struct evaluate_result *result);

/* Writes an iow_evaluation, for FIELD_BY (common/report/field.h). from: struct evaluate_result */
void evaluate_report(struct report *report, const struct field *field, const void *from);

#endif
