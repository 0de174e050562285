/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The search for the highest load that meets objectives, with few runs: the ends of the range, then bisection by the geometric
 * mean, then one more point in the widest gap on each side of the answer, which may contradict it. Runs near to the answer may be
 * undecided: the answer is then the highest load whose runs are decided, if it is not far from the lowest one that misses an
 * objective.
 */
#ifndef SSD_WORKLOADS_SWEEP_SEARCH_H
#define SSD_WORKLOADS_SWEEP_SEARCH_H

#include "common/run/slo.h"
#include "common/stats/stats.h"

#define SEARCH_RUNS 5    /* runs of a point, at most, without discarded ones */
#define SEARCH_DECIDES 3 /* runs from which an interval of their values decides */
#define SEARCH_RATIO 1.05 /* maximum ratio of two values that are close enough; whole numbers may also be neighbours */
#define SEARCH_NEAR 1.25 /* a value within this factor of its limit is decided by several runs */
#define SEARCH_KNOWN 1.25 /* ratio of loads: an answer is no more precise than this if the runs between are undecided */
#define SEARCH_KNEE_POINTS 4 /* fewer have no knee */
/* the ends, at most 11 bisections of a ratio of 2^64 and 11 above an undecided point, and two more */
#define SEARCH_POINTS 26

enum search_verdict { SEARCH_UNDECIDED, SEARCH_MISSED, SEARCH_MET };
/* OVERLOADED: the target did not keep up with the load. UNTRUSTED: the run has another reason. */
enum search_end { SEARCH_OK, SEARCH_OVERLOADED, SEARCH_UNTRUSTED };

struct search_value { /* an objective's statistic in a run, or of the runs of a point */
	double ns;
	struct stats_interval interval; /* 95 %; NAN = unknown */
};

struct search_run {
	enum search_end end;
	char why[256];              /* reason of another end than SEARCH_OK */
	struct search_value values[SLOS_MAX];
	double mean_ns, per_second; /* mean response, writes per second */
};

struct search_point {
	uint64_t value;             /* of the parameter */
	unsigned run_count;
	struct search_run runs[SEARCH_RUNS];
	enum search_verdict verdict, verdicts[SLOS_MAX]; /* of the point, of each objective */
	char why[256];              /* why it is undecided; "" = it is decided */
};

/* Measures one run of a point, the first one with run 0, into a zeroed result. An untrusted run is discarded and repeated once. Any
 * value but 0 ends the search. */
typedef int search_measure_fn(void *data, uint64_t value, unsigned run, struct search_run *result);

enum search_outcome {
	SEARCH_NOT_DECIDED,         /* `odd` is undecided, or the search ended early */
	SEARCH_NOT_MONOTONE,        /* `odd` meets the objectives, though a lower load misses them */
	SEARCH_NONE,                /* no point meets them */
	SEARCH_ANSWERED,            /* `best`; `odd`, if any, is near to it and undecided */
};

struct search { /* too large for a stack */
	/* of the caller */
	uint64_t low, high;         /* the range: 0 < low < high */
	bool is_reversed;           /* a smaller value is a higher load, such as an interval */
	size_t slo_count;
	const struct slo *slos;
	search_measure_fn *measure;
	void *data;
	/* results */
	size_t count;
	struct search_point points[SEARCH_POINTS]; /* from the lowest load to the highest */
	enum search_outcome outcome;
	const struct search_point *best;   /* the highest load that meets all objectives; NULL = none */
	const struct search_point *beyond; /* the lowest load that misses one; NULL = none */
	const struct search_point *odd;
	const struct search_point *knee;   /* NULL = none */
	double knee_ratio;          /* mean response at the knee by that of the straight line between the ends of ln over ln */
};

/* Returns 0, or what measure returned: the points measured until then are kept. */
int search_find(struct search *search);
/* Returns the median of an objective's values over the runs of a point, with its interval; of a single run its own value. */
struct search_value search_value(const struct search_point *point, size_t objective);
/* Return means over the runs of a point. */
double search_mean_ns(const struct search_point *point);
double search_per_second(const struct search_point *point);
/* Return "met", "missed", "undecided"; "answered", "none", "not-decided", "not-monotone". */
const char *search_verdict_name(enum search_verdict verdict);
const char *search_outcome_name(enum search_outcome outcome);

#endif
