/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of memstor compare: what each file offers to the others. */
#ifndef MEMSTOR_COMPARE_COMPARE_H
#define MEMSTOR_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/arena.h"
#include "memstor/commands.h"
#include "memstor/inputs.h"
#include "memstor/loaded/loaded.h"
#include "memstor/metric.h"

/* --- run.c --- */

/*
 * What a comparison keeps of each report once the report is freed, so that a thousand of them are little
 * memory; and which reports are not compared at all.
 */

#define COMPARE_DEFAULTS_MAX 16 /* metrics of a tool, without those of each cell or scenario */

enum compare_side { COMPARE_BASE, COMPARE_NEW, COMPARE_AA, COMPARE_SIDES };

extern const char *const compare_side_names[]; /* by enum compare_side: "BASE" "NEW" "--floor" */

struct compare_texts {
	const struct loaded_text *texts; /* in the order of their names; equal names stay in the report's */
	size_t count;
};
/* The first of this name, or NULL. */
const char *compare_text(const struct compare_texts *texts, const char *name);

struct compare_run {
	enum compare_side side;
	size_t index; /* among all, in the order of reading */
	const char *path, *tool, *tool_version, *uuid, *boot_id, *wall_start;
	struct compare_texts options, labels, machine;
	uint64_t digest; /* of all that was measured: equal for equal data */
	size_t number_count;
	struct metric_number *numbers; /* by index of the metric; what is beyond is NAN */
	struct loaded_histogram *histograms; /* by index of compare_wanted.histograms; count 0 = it has none */
	const char *key; /* of its set: compare_sets */
	bool is_paired;  /* its set has BASE and NEW; of compare_sets, too */
};

/* What is read of each report. Metrics grow by the defaults of each tool that comes up when none are asked for. */
struct compare_wanted {
	struct metric *metrics;
	size_t metric_count, metric_room;
	bool is_default; /* no --metric: add the tool's */
	const struct metric *histograms; /* their type and class */
	size_t histogram_count;
	bool is_forced;        /* interrupted and untrustworthy ones, too */
	bool must_be_steady;
};

/* Why a report is not compared. */
struct compare_left_out {
	enum compare_side side;
	const char *path, *why;
};

struct compare_runs { /* zeroed: none */
	struct arena arena;
	struct compare_run **runs; /* of all sides, in the order of reading */
	size_t count, room;
	struct compare_left_out *left_out;
	size_t left_out_count, left_out_room;
};

/* The index of the metric of this name, which is added when it is new. 0 or -ENOMEM. */
int compare_want_metric(struct compare_wanted *wanted, const struct metric *metric, size_t *index);

/* Reads each report and frees it. A diag_exit code, after a line when it is not 0. */
int compare_read(const struct inputs *inputs, enum compare_side side, struct compare_wanted *wanted,
	struct compare_runs *runs);
void compare_runs_free(struct compare_runs *runs);

/* Whether two of them are of one and the same report. */
bool compare_is_same_run(const struct compare_run *one, const struct compare_run *other);

/* NAN where it has none. */
struct metric_number compare_number(const struct compare_run *run, size_t metric);

/* --- sets.c --- */

/*
 * Which runs are compared with which: those of one set of parameters, that is of one tool with equal options
 * (or equal in what --group-by names), and what else differs in a set. Seeds, labels and the names of outputs
 * are no differences.
 */

#define COMPARE_NAMES_MAX 64

struct compare_pairing {
	const char *group_by[COMPARE_NAMES_MAX]; /* labels or options */
	size_t group_by_count;
	const char *allowed[COMPARE_NAMES_MAX]; /* options and facts of the machine that may differ */
	size_t allowed_count;
	bool are_options_allowed, is_machine_allowed, are_sets_allowed;
};

struct compare_set {
	const char *title; /* what sets it apart from the others: "pattern=zipf ratio=80"; "" for the only one */
	const char *tool;
	struct compare_run **runs[COMPARE_SIDES];
	size_t counts[COMPARE_SIDES];
	bool is_paired; /* it has BASE and NEW */
	const struct compare_run *any; /* of BASE, if it has one */
	size_t first;   /* the lowest index of its runs */
};

struct compare_difference {
	const char *kind; /* "option" "machine" "tool" */
	const char *name;
	const char *base, *new; /* values, "4 and 8" when a group has several, "none" */
	const char *aa;         /* of --floor; NULL without */
	bool is_allowed;        /* by --allow-different */
};

struct compare_sets { /* zeroed: none */
	struct arena arena;
	struct compare_run **sorted;
	struct compare_set *sets; /* in the order of their first runs */
	size_t count, paired_count;
	struct compare_difference *differences;
	size_t difference_count, difference_room;
	const char **notes; /* what may be in a change besides the change */
	size_t note_count, note_room;
};

/* When no set has both BASE and NEW, the differences are those of the first set of BASE to the one of NEW
 * that is most like it. 0 or -ENOMEM. */
int compare_pair(const struct compare_runs *runs, const struct compare_pairing *pairing, struct compare_sets *sets);
void compare_sets_free(struct compare_sets *sets);

/* Whether the first bytes of text are its title, or the step of all of its runs. */
bool compare_is_set_called(const struct compare_set *set, const char *text, size_t length);

/* Whether an option says how something was measured, and not where to, under which name and from which seed. */
bool compare_is_condition(const char *option);

/* Adds a note, once. 0 or -ENOMEM. */
int compare_note(struct compare_sets *sets, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What differs inside sets though it should not; private to compare/sets.c. */
/* Of up to count names; a NULL ends them before. */
bool compare_is_among(const char *name, const char *const *names, size_t count);
/* Whether --allow-different has the name itself. */
bool compare_is_named(const struct compare_pairing *pairing, const char *name);
/* Whether runs may differ in an option, or in a fact of the machine. */
bool compare_is_allowed(const struct compare_pairing *pairing, const char *name, bool is_option);

/* Fills differences and notes. 0 or -ENOMEM. */
int compare_differ(struct compare_sets *sets, const struct compare_pairing *pairing);

/* --- decide.c --- */

/*
 * One metric of two groups of runs: what changed, how sure that is, and the verdict (docs/adr/0016). Pure on its
 * arguments. A change is new/base - 1, in fractions; an interval of it holds the true change with probability
 * `level`, as far as its basis goes.
 */

#define COMPARE_P_RUNS 5       /* a side: no p-value is shown below */
#define COMPARE_STUDENT_RUNS 3 /* a side: nothing is concluded from the scatter of fewer */
#define COMPARE_FLOOR_RUNS 8   /* fewer make no floor */
#define COMPARE_ROUNDS 2000    /* of a bootstrap */

enum compare_method { COMPARE_BY_RANKS, COMPARE_BY_BOOTSTRAP };

/* What an interval rests on. */
enum compare_basis {
	COMPARE_NO_BASIS,
	COMPARE_RANKS,     /* the order of all runs: holds for any distribution */
	COMPARE_STUDENT,   /* the logarithms of all runs, taken as normally distributed: too few for ranks */
	COMPARE_BOOTSTRAP, /* resampled runs */
	COMPARE_FLOOR,     /* the A/A floor alone */
	COMPARE_WITHIN_RUN, /* the intervals of one run a side: says nothing about the next run */
	COMPARE_IDENTICAL,  /* the data of both groups are the same */
};

enum compare_verdict { COMPARE_INCONCLUSIVE, COMPARE_NO_DIFFERENCE, COMPARE_FASTER, COMPARE_SLOWER };

struct compare_rule {
	double level;         /* of every interval */
	double margin;        /* a change within it is no difference */
	bool is_margin_given; /* otherwise a coarse histogram may raise it */
	bool is_within_run_enough;
	enum compare_method method;
	uint64_t seed;
};

/* What A/A runs say about changes that mean nothing. */
struct compare_floor {
	double radius; /* |ln(new/base)| that 95 % (level) of A/A changes stay below; NAN = none */
	double p;      /* how often A/A changes are as large as the one seen */
	size_t runs;
};

struct compare_change {
	size_t base_count, new_count;     /* runs that have the metric */
	size_t base_missing, new_missing; /* and those that have not */
	double base, new;                 /* medians; NAN = no run has it */
	double base_below, new_below;     /* the medians are known to be below this, as metric_below has it; 0 = they are known */
	double change;                    /* may be INFINITY */
	double low, high;                 /* interval of the change; NAN = none */
	double new_low, new_high;         /* interval of new's median; NAN = none */
	double within_low, within_high;   /* from the intervals of one run a side; NAN = none */
	double rank_p;                    /* Mann-Whitney; NAN below COMPARE_P_RUNS a side */
	double p;                         /* of the interval's basis, for compare_settle; NAN = no interval */
	double margin;                    /* in force */
	double bucket; /* width of the one bucket that all runs are in, as a fraction; NAN = none */
	struct compare_floor floor;
	enum compare_basis basis;
	enum compare_verdict verdict;
	bool holds; /* faster or slower, also among all verdicts of the comparison: compare_settle */
};

/* An interval of the ratio from the series of one run a side. */
struct compare_within {
	double low, high, p;
};

struct compare_samples {
	const struct metric_number *base, *new; /* one a run; NAN where it has no such metric */
	size_t base_count, new_count;
	const double *floor; /* values of A/A runs */
	size_t floor_count;
	const struct compare_within *within; /* NULL = none */
};
/* 0 or -ENOMEM. */
int compare_metric_decide(const struct compare_rule *rule, enum metric_better better, const struct compare_samples *samples,
	struct compare_change *change);

/* The verdict on a change of groups that are the same in every number that is compared, so that there is none. */
void compare_decide_identical(struct compare_change *change);

/* The floor for groups of N runs: medians of disjoint groups drawn from the A/A runs, as large as these
 * or a quarter of all; widened for what few runs leave unknown. NAN below COMPARE_FLOOR_RUNS or when a value
 * is not above 0. observed: |ln(new/base)|. 0 or -ENOMEM. */
int compare_floor(const double *values, size_t count, size_t base_count, size_t new_count, double level,
	uint64_t seed, double observed, struct compare_floor *floor);

/* All changes of a comparison together: which of those that are faster or slower hold when it is taken into
 * account that many were looked at (Benjamini and Hochberg at 1 - level), and the overall verdict. 0 or
 * -ENOMEM. */
int compare_settle(
	double level, struct compare_change *const *changes, size_t count, enum compare_verdict *overall);

bool compare_is_difference(const struct compare_change *change); /* faster or slower */
extern const char *const compare_verdict_names[]; /* "no difference" */
extern const char *const compare_basis_names[];   /* "ranks" "student" ... "none" */

/*
 * What one run against one still tells: how steady each was, from its series. Intervals of a run depend on
 * each other, so blocks of them are resampled (Kuensch, 1989; blocks wrap around). The interval is about
 * these two runs; how much a next run would differ is not in it.
 */
#define COMPARE_WITHIN_INTERVALS 10 /* a run: fewer say nothing */

/* A series: one number an interval, and what it weighs in their mean. */
struct compare_series {
	double *values, *weights;
	size_t count;
};

/* For each metric the ratio new/base with its interval; low is NAN where the series has no such number or is
 * too short. A diag_exit code, after a line when it is not 0. */
int compare_within(const char *base_path, const char *new_path, const struct metric *metrics, size_t count,
	double level, uint64_t seed, struct compare_within *within);

/* The same of two series. 0, -EINVAL (too short) or -ENOMEM. */
int compare_series(const struct compare_series *base, const struct compare_series *new, double level, uint64_t seed,
	struct compare_within *within);

/* --- gate.c --- */

/*
 * --gate: what must hold of a metric for the comparison to pass. "p99<+5%" is about the change, "p99<3us"
 * about the value itself of NEW; "mem-uniform:p99<3us" is about the set of that name alone. The whole interval
 * decides: a gate passes when its bad end does, fails when its good end does not.
 */

/* What stands before a colon may be a set, or what the metric is of (a cell, a stream), or one after the other. */
#define COMPARE_GATE_WAYS 3
struct compare_gate_way {
	size_t set_length; /* bytes of the text that name a set; 0 = every set */
	struct metric metric;
	size_t index; /* among the wanted metrics; the caller's */
};

struct compare_gate {
	const char *text; /* as given */
	struct compare_gate_way ways[COMPARE_GATE_WAYS]; /* to read it; the caller brings the right one to the front */
	size_t way_count;
	bool is_change;  /* limit is a fraction, else in the metric's unit */
	bool is_below;   /* '<' */
	double limit;
};

enum compare_gate_state {
	COMPARE_GATE_PASSED,
	COMPARE_GATE_FAILED,
	COMPARE_GATE_UNDECIDED,
	COMPARE_GATE_ABSENT, /* the set has no such metric */
};

/* text outlives the gate. 0, or -EINVAL and in why what is allowed. */
int compare_gate_parse(const char *text, struct compare_gate *gate, const char **why);
enum compare_gate_state compare_gate_decide(const struct compare_gate *gate, const struct compare_change *change);
extern const char *const compare_gate_state_names[]; /* "passed" "failed" "inconclusive" "absent" */

/* --- quantiles.c --- */

/*
 * Quantile shift (Doksum, 1974): how much later or earlier each part of the distribution is in new than in
 * base, over the summed histograms of each group, with a band that holds for all quantiles of the table at
 * once.
 */

#define COMPARE_QUANTILES 11

struct compare_quantile {
	double percent;
	double base_ns, new_ns;
	double base_below_ns, new_below_ns; /* as metric_below has it */
	double change, low, high; /* fractions; high may be INFINITY */
};

struct compare_shift {
	char name[METRIC_NAME]; /* "read", "write.major", "CELL:sync" */
	uint64_t base_samples, new_samples;
	size_t base_runs, new_runs;
	/* The band rests on the samples of single runs, taken as independent: it says nothing about the next
	 * run. */
	bool is_within_run;
	struct compare_quantile quantiles[COMPARE_QUANTILES];
};

/* One histogram a run; name is left alone. -EINVAL when the buckets do not fit together or a group is empty,
 * -EOVERFLOW, -ENOMEM. */
int compare_quantiles(const struct loaded_histogram *const *base, size_t base_count,
	const struct loaded_histogram *const *new, size_t new_count, double level, uint64_t seed,
	struct compare_shift *shift);

/* Histograms side by side on the buckets that any of them has, so that the sum of any choice of them is quick. */
struct compare_grid {
	size_t parts, buckets;
	uint64_t *counts;            /* parts times buckets */
	double *min_ns, *max_ns;     /* of each part */
	struct loaded_bucket *sum;   /* room for one sum */
	struct loaded_histogram all; /* the sum of all parts */
};

/* parts > 0. -EINVAL when their buckets do not fit together, -EOVERFLOW, -ENOMEM. */
int compare_grid_make(const struct loaded_histogram *const *parts, size_t count, struct compare_grid *grid);
void compare_grid_free(struct compare_grid *grid);

/* The sum of the picked parts, each as often as it is picked; good until the next. Counts that pass 2^64 - 1 stay
 * there. Buckets may be empty: fit for loaded_percentile above 0 %. */
struct loaded_histogram compare_grid_sum(struct compare_grid *grid, const size_t *picked, size_t count);

/* --- outcome.c --- */

/* The verdicts of every set of a comparison, its gates, and what it comes to: what compare_text, compare_json and
 * the others print. */

#define COMPARE_GATES_MAX 64

/* Beside those of diag.h: the reports are good, but not of the same thing (docs/adr/0019). */
#define COMPARE_EXIT_REFUSED 5

/* What was asked for, from the command line. */
struct compare_request {
	struct compare_rule rule;
	struct compare_pairing pairing;
	struct compare_wanted wanted;   /* metrics: those asked for come first */
	size_t asked_count;             /* of them; 0 = each tool's defaults */
	struct compare_gate gates[COMPARE_GATES_MAX];
	size_t gate_count;
	struct inputs inputs[COMPARE_SIDES];
};

struct compare_row { /* one line of what is printed */
	size_t index; /* among the wanted */
	const char *set, *tool, *metric, *unit, *better, *basis, *verdict;
	uint64_t base_runs, new_runs;
	double floor;
	struct compare_change change;
};

struct compare_outcome { /* of one paired set */
	const struct compare_set *set;
	struct compare_row *rows;
	size_t row_count;
	struct compare_shift *shifts;
	size_t shift_count;
	enum compare_gate_state gates[COMPARE_GATES_MAX];
};

struct compare_result {
	struct compare_runs runs;
	struct compare_sets sets;
	struct compare_outcome *outcomes;
	size_t outcome_count;
	enum compare_verdict overall;
	size_t verdicts[4]; /* rows by enum compare_verdict */
	size_t lost_sets;   /* of BASE, without runs in NEW, and not allowed to be */
	int exit_code;
};

/* The verdicts of the sets of result. A diag_exit code, after a line when it is not 0; the result is to be freed even so. */
int compare_decide(struct compare_request *request, struct compare_result *result);
void compare_result_free(struct compare_result *result);

/* What a gate is about in this set; NULL when it is of another set, or the set has no such metric. */
const struct compare_row *compare_gate_row(const struct compare_gate *gate, const struct compare_outcome *outcome);

/* --- options.c --- */

/* The command line of memstor compare: command_compare, and what it gives to compare_groups. */

enum compare_format { COMPARE_JSON, COMPARE_CSV, COMPARE_MARKDOWN, COMPARE_FORMATS };
enum compare_colour { COMPARE_COLOUR_AUTO, COMPARE_COLOUR_ALWAYS, COMPARE_COLOUR_NEVER };

#define COMPARE_HISTOGRAMS_MAX 16

struct compare_options {
	struct compare_request request;
	struct metric histograms[COMPARE_HISTOGRAMS_MAX];
	const char *outputs[COMPARE_FORMATS]; /* NULL = not wanted, "-" = stdout */
	const char *columns; /* of the text: the metrics alone; NULL = everything */
	bool has_no_headings;
	enum compare_colour colour;
	size_t floor_count;
	struct arena arena; /* words of --group-by and --allow-different */
};

/* Reads the reports, compares and prints. A diag_exit code, or COMPARE_EXIT_REFUSED, after one line. */
int compare_groups(struct compare_options *options);

/* --- print.c --- */

/* A comparison as text, Markdown, CSV and JSON, of one set of columns. */

/* For people, or for GitHub. Each 0 or -ENOMEM. */
int compare_print_text(FILE *out, const struct compare_request *request, const struct compare_result *result,
	bool is_markdown, bool is_coloured);
/* The metrics alone, one a line. */
int compare_print_columns(FILE *out, const struct compare_request *request, const struct compare_result *result,
	const char *names, bool has_no_headings, bool is_coloured);
/* One line a metric of a set. */
int compare_print_csv(FILE *out, const struct compare_request *request, const struct compare_result *result);
/* As described in memstor(1). */
int compare_print_json(FILE *out, const struct compare_request *request, const struct compare_result *result);

/* 0, or -EINVAL and in why what is wrong with the columns. */
int compare_check_columns(const char *names, char *why, size_t length);
/* "option jobs: 1 in BASE, 2 in NEW". */
char *compare_format_difference(const struct compare_difference *difference, char *buffer, size_t length);

#endif
