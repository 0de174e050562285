/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The statistics that every tool reports of a latency (struct latency, common/hot/latency.h), and whether a rate was steady. */
#ifndef COMMON_STATS_LATENCY_H
#define COMMON_STATS_LATENCY_H

#include <stddef.h>

#include "common/hot/latency.h"
#include "common/stats/histogram.h"

void latency_clear(struct latency *latency);
void latency_merge(struct latency *total, const struct latency *part);
void latency_moments(const struct latency *latency, struct histogram_moments *moments);
/* Like histogram_percentile and histogram_summarize. */
double latency_percentile(const struct latency *latency, double percent);
void latency_summarize(const struct latency *latency, struct histogram_summary *summary);

enum latency_verdict { LATENCY_UNKNOWN, LATENCY_STEADY, LATENCY_NOT_STEADY };
const char *latency_verdict_name(enum latency_verdict verdict); /* "unknown", "steady", "not-steady" */

/* A rate over a window of intervals. NAN when unknown. */
struct latency_steady {
	enum latency_verdict verdict;
	size_t from;          /* index of the window's first interval; the window ends with the last one */
	double mean;
	double slope_percent; /* change of the fitted line over the window, % of the mean */
	double cv_percent;    /* standard deviation (n - 1), % of the mean */
	double range_percent; /* largest distance from the mean, % of the mean */
};

/* Finds the longest tail, at least half of the intervals and at least 5, in which the fitted line changes by at most 10 % of
 * the mean and the coefficient of variation is at most 20 %; when there is none, the shortest one that was tried. Unknown with
 * fewer than 10 intervals or a mean of 0. time: end of each interval, rising. */
#define LATENCY_TAIL_INTERVALS 10u
void latency_steady_tail(const double *time, const double *rate, size_t count, struct latency_steady *steady);

/* Applies the rule of SNIA's Solid State Storage Performance Test Specification: in the last five intervals, of the same
 * length, no value is further than 10 % from their mean, and the fitted line changes by at most 10 % of it. Unknown with fewer
 * intervals. */
#define LATENCY_LAST_INTERVALS 5u
void latency_steady_last(const double *rate, size_t count, struct latency_steady *steady);

#endif
