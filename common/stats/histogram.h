/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latency histograms: arrays of exact 64-bit counts under one of two layouts (common/hot/bucket.h).
 * Counts belong to the caller; every function is pure on its arguments.
 */
#ifndef COMMON_STATS_HISTOGRAM_H
#define COMMON_STATS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct histogram_layout {
	const char *name; /* "log16", "hdr" */
	unsigned buckets;
	unsigned (*index)(uint64_t ns);
	/* Bucket i holds lo <= ns < hi; the last bucket's hi is UINT64_MAX (log16 prints it as 2^32). */
	void (*edges)(unsigned i, uint64_t *lo, uint64_t *hi);
};
extern const struct histogram_layout histogram_log16;
extern const struct histogram_layout histogram_hdr;

/* Exact moments in ns that bucket counts lose. count equals the histogram's total. */
struct histogram_moments {
	uint64_t count;
	double sum_ns; /* NaN = unknown */
	double sum_squares_ns2; /* NaN = unknown; the deviation is then unknown, too */
	double min_ns, max_ns; /* meaningless when count is 0 */
};

/* The p-th percentile is the smallest sample that at least p % of all do not exceed (nearest rank). Estimates are interpolated
 * linearly in the bucket of that sample, cut to the observed [min, max]: their error is at most the bucket's width, and they
 * never decrease with p. None exceeds histogram_percentile_limit. A percentile is NaN, unknown, where histogram_is_vague.
 * stddev is the sample's (n - 1); 0 for one. */
struct histogram_summary {
	uint64_t count;
	double min_ns, mean_ns, stddev_ns;
	double p50_ns, p90_ns, p95_ns, p99_ns, p999_ns, p9999_ns;
	double max_ns;
};

/* Returns the sum. Counts whose sum exceeds 2^64 - 1 are not supported: 10^11 accesses a second for five years. */
uint64_t histogram_total(const struct histogram_layout *layout, const uint64_t *counts);

/* Adds src to dst, exactly. -EOVERFLOW (dst unchanged) when a count would exceed 2^64 - 1. */
int histogram_merge(const struct histogram_layout *layout, uint64_t *dst, const uint64_t *src);

/* Subtracts src from dst, for intervals. -ERANGE (dst unchanged) when any count of src is larger. */
int histogram_subtract(const struct histogram_layout *layout, uint64_t *dst, const uint64_t *src);

void histogram_moments_add(struct histogram_moments *dst, const struct histogram_moments *src);

/* Returns how many of total samples lie at or below the percentile, fractions included. */
double histogram_rank(uint64_t total, double percent);
/* Returns the upper bound of a percentile above 0 for latencies with this mean (Markov's inequality); NaN if the mean is. */
double histogram_percentile_limit(double mean_ns, double percent);
/* Tells whether the bucket from lo, cut to [low, high] by the extremes, gives only an upper bound of a latency: the first
 * bucket of log16, unless the extremes are within it and near each other. */
bool histogram_is_vague(double lo, double low, double high);
/* percent is in [0, 100]. NaN when the histogram is empty, or the percentile unknown. */
double histogram_percentile(const struct histogram_layout *layout, const uint64_t *counts,
	const struct histogram_moments *moments, double percent);

/* All fields but count are NaN when the histogram is empty. */
void histogram_summarize(const struct histogram_layout *layout, const uint64_t *counts,
	const struct histogram_moments *moments, struct histogram_summary *summary);

/* Returns the middle of the fullest bucket by density (count / width; the lowest of equals), the paper's "most frequent
 * latency". The open last bucket counts as wide as its lower edge, which is its result. NaN when empty. */
double histogram_mode(const struct histogram_layout *layout, const uint64_t *counts);

#endif
