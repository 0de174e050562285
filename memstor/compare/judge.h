/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One metric of two groups of runs: what changed, how sure that is, and the verdict (docs/adr/0016). Pure on its
 * arguments. A change is new/base - 1, in fractions; an interval of it holds the true change with probability
 * `level`, as far as its basis goes.
 */
#ifndef MEMSTOR_COMPARE_JUDGE_H
#define MEMSTOR_COMPARE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memstor/metric.h"
#include "memstor/compare/judge.h"

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
int compare_judge(const struct compare_rule *rule, enum metric_better better, const struct compare_samples *samples,
	struct compare_change *change);

/* The verdict on a change of groups that are the same in every number that is compared, so that there is none. */
void compare_judge_identical(struct compare_change *change);

/* The floor for groups of so many runs: medians of disjoint groups drawn from the A/A runs, as large as these
 * or a quarter of all; widened for what few runs leave unknown. NAN below COMPARE_FLOOR_RUNS or when a value
 * is not above 0. observed: |ln(new/base)|. 0 or -ENOMEM. */
int compare_floor(const double *values, size_t count, size_t base_count, size_t new_count, double level,
	uint64_t seed, double observed, struct compare_floor *floor);

/* All changes of a comparison together: which of those that are faster or slower hold when it is taken into
 * account that many were looked at (Benjamini and Hochberg at 1 - level), and the overall verdict. 0 or
 * -ENOMEM. */
int compare_settle(
	double level, struct compare_change *const *changes, size_t count, enum compare_verdict *overall);

const char *compare_verdict_name(enum compare_verdict verdict); /* "no difference" */
const char *compare_basis_name(enum compare_basis basis);       /* "ranks" "student" ... "none" */

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

#endif
