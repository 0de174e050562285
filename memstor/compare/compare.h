/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interfaces between the source files of memstor compare. */
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
 * The data that a comparison keeps of each report after the report is freed, so that a thousand reports need little
 * memory; and the reports that are not compared.
 */

#define COMPARE_DEFAULTS_MAX 16 /* default metrics of a tool, without those of each cell or scenario */

enum compare_side { COMPARE_BASE, COMPARE_NEW, COMPARE_AA, COMPARE_SIDES };

extern const char *const compare_side_names[]; /* by enum compare_side: "BASE" "NEW" "--floor" */

/* Returns the first text of this name, or NULL. */
const char *compare_text(const struct loaded_texts *texts, const char *name);

struct compare_run {
	enum compare_side side;
	size_t index; /* number in the order of reading */
	const char *path, *tool, *tool_version, *uuid, *boot_id, *wall_start;
	struct loaded_texts options, labels, machine; /* sorted by name; equal names in the order of the report */
	uint64_t digest; /* of the measured data: equal for equal data */
	size_t number_count;
	struct metric_number *numbers; /* by index of the metric; metrics beyond number_count are NAN */
	struct loaded_histogram *histograms; /* by index of compare_wanted.histograms; count 0 = none */
	const char *key; /* key of its set, by compare_pair */
	bool is_paired;  /* its set has BASE and NEW, by compare_pair */
};

/* What is read of each report. If no metrics were requested, the defaults of each tool are added when it first occurs. */
struct compare_wanted {
	struct metric *metrics;
	size_t metric_count, metric_room;
	bool is_default; /* no --metric: add the defaults of the tools */
	const struct metric *histograms; /* metrics whose type and class select the histograms */
	size_t histogram_count;
	bool is_forced;        /* compare interrupted and untrustworthy reports, too */
	bool must_be_steady;
};

/* A report that is not compared, and the reason. */
struct compare_left_out {
	const char *path, *why;
};

struct compare_runs { /* zeroed: none */
	struct arena arena;
	struct compare_run **runs; /* of all sides, in the order of reading */
	size_t count, room;
	struct compare_left_out *left_out;
	size_t left_out_count, left_out_room;
};

/* Stores the index of a metric, which is added if it is new. Returns 0 or -ENOMEM. */
int compare_want_metric(struct compare_wanted *wanted, const struct metric *metric, size_t *index);

/* Reads and frees each report. Returns 0 or a diag_exit code after one line. */
int compare_read(const struct inputs *inputs, enum compare_side side, struct compare_wanted *wanted,
	struct compare_runs *runs);
void compare_runs_free(struct compare_runs *runs);

/* Whether two runs are of the same report. */
bool compare_is_same_run(const struct compare_run *one, const struct compare_run *other);

/* Returns the value of a metric of a run; NAN = it has none. */
struct metric_number compare_number(const struct compare_run *run, size_t metric);

/* --- sets.c --- */

/*
 * Sets of runs that are compared with each other: those of one tool with equal options (or with equal values of the names
 * of --group-by), and the other differences in a set. Seeds, labels and the names of outputs do not count as
 * differences.
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
	const char *title; /* its differences from other sets: "pattern=zipf ratio=80"; "" if it is the only one */
	const char *tool;
	struct compare_run **runs[COMPARE_SIDES];
	size_t counts[COMPARE_SIDES];
	bool is_paired; /* it has BASE and NEW */
	const struct compare_run *any; /* a run of it, of BASE if it has one */
	size_t first;   /* the lowest index of a run in it */
};

struct compare_difference {
	const char *kind; /* "option" "machine" "tool" */
	const char *name;
	const char *base, *new; /* values; "4 and 8" if a group has several; "none" */
	const char *aa;         /* value of --floor; NULL = no --floor */
	bool is_allowed;        /* by --allow-different */
};

struct compare_sets { /* zeroed: none */
	struct arena arena;
	struct compare_run **sorted;
	struct compare_set *sets; /* in the order of their first runs */
	size_t count, paired_count;
	struct compare_difference *differences;
	size_t difference_count, difference_room;
	const char **notes; /* other possible causes of a change */
	size_t note_count, note_room;
};

/* Makes the sets. If no set has both BASE and NEW, the differences are those between the first set of BASE and the most
 * similar set of NEW. Returns 0 or -ENOMEM. */
int compare_pair(const struct compare_runs *runs, const struct compare_pairing *pairing, struct compare_sets *sets);
void compare_sets_free(struct compare_sets *sets);

/* Whether the first `length` bytes of text are the title of the set, or the step of all of its runs. */
bool compare_is_set_called(const struct compare_set *set, const char *text, size_t length);

/* Whether an option affects the measurement, unlike those for outputs, labels and seeds. */
bool compare_is_condition(const char *option);

/* Adds a note, unless it is there. Returns 0 or -ENOMEM. */
int compare_note(struct compare_sets *sets, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Unwanted differences within sets; for compare/sets.c and compare/differ.c only. */
/* Whether --allow-different lists this name. */
bool compare_is_named(const struct compare_pairing *pairing, const char *name);
/* Whether runs may differ in an option, or in a fact of the machine. */
bool compare_is_allowed(const struct compare_pairing *pairing, const char *name, bool is_option);

/* Fills differences and notes. Returns 0 or -ENOMEM. */
int compare_differ(struct compare_sets *sets, const struct compare_pairing *pairing);

/* --- decide.c --- */

/*
 * One metric of two groups of runs: its change, the interval of the change, and the verdict (docs/adr/0016). The functions
 * depend on their arguments only. A change is new/base - 1, a fraction; its interval contains the true change with
 * probability `level`, under the assumptions of its basis.
 */

#define COMPARE_P_RUNS 5       /* per side: no p-value is shown for fewer */
#define COMPARE_STUDENT_RUNS 3 /* per side: nothing is concluded from the variation of fewer */
#define COMPARE_FLOOR_RUNS 8   /* no floor is computed from fewer */
#define COMPARE_ROUNDS 2000    /* resamples of a bootstrap */

enum compare_method { COMPARE_BY_RANKS, COMPARE_BY_BOOTSTRAP };

/* The basis of an interval. */
enum compare_basis {
	COMPARE_NO_BASIS,
	COMPARE_RANKS,     /* the ranks of all runs: valid for any distribution */
	COMPARE_STUDENT,   /* the logarithms of all runs, assumed to be normal: too few runs for ranks */
	COMPARE_BOOTSTRAP, /* resampled runs */
	COMPARE_FLOOR,     /* the A/A floor alone */
	COMPARE_WITHIN_RUN, /* the intervals of one run per side: not valid for other runs */
	COMPARE_IDENTICAL,  /* the data of both groups are identical */
};

enum compare_verdict { COMPARE_INCONCLUSIVE, COMPARE_NO_DIFFERENCE, COMPARE_FASTER, COMPARE_SLOWER };

struct compare_rule {
	double level;         /* of every interval */
	double margin;        /* changes within it are no difference */
	bool is_margin_given; /* if not, a coarse histogram may raise the margin */
	bool is_within_run_enough;
	enum compare_method method;
	uint64_t seed;
};

/* The A/A floor: changes between runs of the same configuration. */
struct compare_floor {
	double radius; /* |ln(new/base)| of A/A changes is below this with probability `level`; NAN = none */
	double p;      /* probability of an A/A change as large as the observed one */
	size_t runs;
};

struct compare_change {
	size_t base_count, new_count;     /* runs that have the metric */
	size_t base_missing, new_missing; /* runs that do not have it */
	double base, new;                 /* medians; NAN = no run has the metric */
	double base_below, new_below;     /* upper bounds of the medians, as metric_below; 0 = they are known */
	double change;                    /* may be INFINITY */
	double low, high;                 /* interval of the change; NAN = none */
	double new_low, new_high;         /* interval of the median of new; NAN = none */
	double within_low, within_high;   /* from the intervals of one run per side; NAN = none */
	double rank_p;                    /* Mann-Whitney; NAN with fewer than COMPARE_P_RUNS per side */
	double p;                         /* of the interval's basis, for compare_settle; NAN = no interval */
	double margin;                    /* the margin that was applied */
	double bucket; /* width, as a fraction, of the bucket that contains all runs; NAN = none */
	struct compare_floor floor;
	enum compare_basis basis;
	enum compare_verdict verdict;
	bool holds; /* faster or slower after the correction for all metrics, by compare_settle */
};

/* An interval of the ratio, from the series of one run per side. */
struct compare_within {
	double low, high, p;
};

struct compare_samples {
	const struct metric_number *base, *new; /* one per run; NAN = it has no such metric */
	size_t base_count, new_count;
	const double *floor; /* values of A/A runs */
	size_t floor_count;
	const struct compare_within *within; /* NULL = none */
};
/* Returns new/base; 1 if both are 0. */
static inline double compare_ratio(double base, double new)
{
	return base == 0 && new == 0 ? 1 : new / base;
}

/* Fills change. Returns 0 or -ENOMEM. */
int compare_metric_decide(const struct compare_rule *rule, enum metric_better better, const struct compare_samples *samples,
	struct compare_change *change);

/* Sets the verdict for two groups in which every compared number is the same. */
void compare_decide_identical(struct compare_change *change);

/* Computes the floor for groups of base_count and new_count runs, from the medians of disjoint random groups of the A/A
 * runs. These groups have the same sizes, but at most a quarter of all A/A runs; the floor is widened for small numbers of
 * runs. It is NAN with fewer than COMPARE_FLOOR_RUNS values or if a value is not above 0. observed: |ln(new/base)|.
 * Returns 0 or -ENOMEM. */
int compare_floor(const double *values, size_t count, size_t base_count, size_t new_count, double level,
	uint64_t seed, double observed, struct compare_floor *floor);

/* Decides over all changes of a comparison which verdicts of faster or slower hold after the correction for multiple tests
 * (Benjamini and Hochberg at 1 - level), and the overall verdict. Returns 0 or -ENOMEM. */
int compare_settle(
	double level, struct compare_change *const *changes, size_t count, enum compare_verdict *overall);

bool compare_is_difference(const struct compare_change *change); /* faster or slower */
extern const char *const compare_verdict_names[]; /* "no difference" */
extern const char *const compare_basis_names[];   /* "ranks" "student" ... "none" */

/*
 * Comparison of one run per side by the variation within their series. Intervals of a run depend on
 * each other, so blocks of them are resampled (Kuensch, 1989; blocks wrap around). The result is valid for
 * these two runs only; it does not include the variation between runs.
 */
#define COMPARE_WITHIN_INTERVALS 10 /* minimum per run */

/* A series: the value of each interval, and its weight in the mean. */
struct compare_series {
	double *values, *weights;
	size_t count;
};

/* Computes for each metric the interval of the ratio new/base; low is NAN if the series has no such value or is too short.
 * Returns 0 or a diag_exit code after one line. */
int compare_within(const char *base_path, const char *new_path, const struct metric *metrics, size_t count,
	double level, uint64_t seed, struct compare_within *within);

/* The same for two series. Returns 0, -EINVAL if one is too short, or -ENOMEM. */
int compare_series(const struct compare_series *base, const struct compare_series *new, double level, uint64_t seed,
	struct compare_within *within);

/* --- gate.c --- */

/*
 * --gate: a condition on a metric for the comparison to pass. "p99<+5%" limits the change, "p99<3us" the value
 * of NEW; "mem-uniform:p99<3us" is for the set of this name alone. The whole interval is checked: a gate passes if
 * the worse end of the interval meets the condition, and fails if the better end does not.
 */

/* A prefix before a colon may be a set, the subject of the metric (a cell, a stream), or both. */
#define COMPARE_GATE_WAYS 3
struct compare_gate_way {
	size_t set_length; /* length of the name of the set in the text, in bytes; 0 = every set */
	struct metric metric;
	size_t index; /* among the wanted metrics; set by the caller */
};

struct compare_gate {
	const char *text; /* as given */
	struct compare_gate_way ways[COMPARE_GATE_WAYS]; /* possible interpretations; the caller moves the right one to the front */
	size_t way_count;
	bool is_change;  /* limit is a fraction, otherwise in the unit of the metric */
	bool is_below;   /* the operator is '<', otherwise '>' */
	double limit;
};

enum compare_gate_state {
	COMPARE_GATE_PASSED,
	COMPARE_GATE_FAILED,
	COMPARE_GATE_UNDECIDED,
	COMPARE_GATE_ABSENT, /* the set has no such metric */
};

/* Parses a gate; text must outlive it. Returns 0, or -EINVAL and in why what is allowed. */
int compare_gate_parse(const char *text, struct compare_gate *gate, const char **why);
/* Returns the state of a gate for the change of its metric. */
enum compare_gate_state compare_gate_decide(const struct compare_gate *gate, const struct compare_change *change);
extern const char *const compare_gate_state_names[]; /* "passed" "failed" "inconclusive" "absent" */

/* --- quantiles.c --- */

/*
 * Quantile shift (Doksum, 1974): the change of each quantile from base to new, over the summed histograms of
 * each group, with a simultaneous confidence band for all quantiles of the table.
 */

#define COMPARE_QUANTILES 11

struct compare_quantile {
	double percent;
	double base_ns, new_ns;
	double base_below_ns, new_below_ns; /* as metric_below */
	double change, low, high; /* fractions; high may be INFINITY */
};

struct compare_shift {
	char name[METRIC_NAME]; /* "read", "write.major", "CELL:sync" */
	uint64_t base_samples, new_samples;
	size_t base_runs, new_runs;
	/* The band is that of the samples of single runs, assumed to be independent: it is not valid for other
	 * runs. */
	bool is_within_run;
	struct compare_quantile quantiles[COMPARE_QUANTILES];
};

/* Fills shift, except its name, from one histogram per run. Returns 0, -EINVAL if the buckets are incompatible or a group
 * is empty, -EOVERFLOW or -ENOMEM. */
int compare_quantiles(const struct loaded_histogram *const *base, size_t base_count,
	const struct loaded_histogram *const *new, size_t new_count, double level, uint64_t seed,
	struct compare_shift *shift);

/* Histograms on the union of their buckets, for fast sums of any selection of them. */
struct compare_grid {
	size_t parts, buckets;
	uint64_t *counts;            /* parts times buckets */
	double *min_ns, *max_ns;     /* of each part */
	struct loaded_bucket *sum;   /* room for one sum */
	struct loaded_histogram all; /* the sum of all parts */
};

/* Makes a grid of at least one histogram. Returns 0, -EINVAL if the buckets are incompatible, -EOVERFLOW or -ENOMEM. */
int compare_grid_make(const struct loaded_histogram *const *parts, size_t count, struct compare_grid *grid);
void compare_grid_free(struct compare_grid *grid);

/* Returns the sum of the picked parts, each counted as often as it is picked; valid until the next call. The total count
 * saturates at 2^64 - 1. Buckets may be empty, so that loaded_percentile is valid above 0 % only. */
struct loaded_histogram compare_grid_sum(struct compare_grid *grid, const size_t *picked, size_t count);

/* --- outcome.c --- */

/* The verdicts of every set of a comparison, its gates and its result: the input of compare_print_text and the other
 * functions that print. */

#define COMPARE_GATES_MAX 64

/* Exit code in addition to those of diag.h: the reports are valid, but their configurations differ (docs/adr/0019). */
#define COMPARE_EXIT_REFUSED 5

/* The request of the command line. */
struct compare_request {
	struct compare_rule rule;
	struct compare_pairing pairing;
	struct compare_wanted wanted;   /* the requested metrics come first */
	size_t asked_count;             /* requested metrics; 0 = the defaults of each tool */
	struct compare_gate gates[COMPARE_GATES_MAX];
	size_t gate_count;
	struct inputs inputs[COMPARE_SIDES];
};

struct compare_row { /* one line of the output */
	size_t index; /* among the wanted metrics */
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
	size_t verdicts[4]; /* number of rows per enum compare_verdict */
	size_t lost_sets;   /* sets of BASE that have no runs in NEW, which is not allowed */
	int exit_code;
};

/* Fills the verdicts of the sets of result. Returns 0 or a diag_exit code after one line; the result must be freed in both
 * cases. */
int compare_decide(struct compare_request *request, struct compare_result *result);
void compare_result_free(struct compare_result *result);

/* Returns the row of a gate in this set; NULL = it is for another set, or the set has no such metric. */
const struct compare_row *compare_gate_row(const struct compare_gate *gate, const struct compare_outcome *outcome);

/* --- options.c --- */

/* The command line of memstor compare: command_compare, and the options that it passes to compare_groups. */

enum compare_format { COMPARE_JSON, COMPARE_CSV, COMPARE_MARKDOWN, COMPARE_FORMATS };
enum compare_colour { COMPARE_COLOUR_AUTO, COMPARE_COLOUR_ALWAYS, COMPARE_COLOUR_NEVER };

#define COMPARE_HISTOGRAMS_MAX 16

struct compare_options {
	struct compare_request request;
	struct metric histograms[COMPARE_HISTOGRAMS_MAX];
	const char *outputs[COMPARE_FORMATS]; /* NULL = not wanted, "-" = stdout */
	const char *columns; /* of the text output, which has then the metrics alone; NULL = everything */
	bool has_no_headings;
	enum compare_colour colour;
	size_t floor_count;
	struct arena arena; /* names of --group-by and --allow-different */
};

/* Reads the reports, compares and prints. Returns the exit code: a diag_exit code or COMPARE_EXIT_REFUSED. */
int compare_groups(struct compare_options *options);

/* --- print.c --- */

/* Prints a comparison as text, Markdown, CSV and JSON, with the same columns. */

/* Prints text or Markdown. This and the following functions return 0 or -ENOMEM. */
int compare_print_text(FILE *out, const struct compare_request *request, const struct compare_result *result,
	bool is_markdown, bool is_coloured);
/* Prints the metrics alone, one per line. */
int compare_print_columns(FILE *out, const struct compare_request *request, const struct compare_result *result,
	const char *names, bool has_no_headings, bool is_coloured);
/* Prints one line per metric of a set. */
int compare_print_csv(FILE *out, const struct compare_request *request, const struct compare_result *result);
/* Prints JSON as described in memstor(1). */
int compare_print_json(FILE *out, const struct compare_request *request, const struct compare_result *result);

/* Returns 0, or -EINVAL and in why what is wrong with the columns. */
int compare_check_columns(const char *names, char *why, size_t length);
/* Formats a difference as "option jobs: 1 in BASE, 2 in NEW". Returns buffer. */
char *compare_format_difference(const struct compare_difference *difference, char *buffer, size_t length);

#endif
