/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Estimates of all accesses from samples. The model is that samples are drawn from the accesses independently of their addresses;
 * intervals are of 95 %. This module is independent of files and addresses.
 */
#ifndef MEMTRACE_ESTIMATE_H
#define MEMTRACE_ESTIMATE_H

#include <stddef.h>
#include <stdint.h>

struct estimate {
	double value, low, high; /* NAN: not known */
};

/* The mean of a Poisson process of which `count` events were observed; exact interval (Garwood, 1936). */
struct estimate estimate_poisson(uint64_t count);

/* The ratio of such a mean after to before. The interval is that of the logarithm (Wald), and no narrower than noise, the
 * deviation of two equal runs as |log ratio|. value is NAN if before_count is 0. */
struct estimate estimate_ratio(double before, double after, uint64_t before_count, uint64_t after_count, double noise);

/* The number of buckets by number of samples. spectrum_make takes the numbers of samples, above 0, in any order. */
struct spectrum {
	size_t count;
	struct spectrum_row {
		uint64_t samples, buckets;
	} *rows; /* by samples, rising */
	uint64_t samples, buckets; /* in all */
};
int spectrum_make(uint32_t *samples, size_t count, struct spectrum *spectrum); /* sorts the samples; returns 0 or -ENOMEM */
void spectrum_free(struct spectrum *spectrum);

/* The number of all buckets, including those without a sample: Chao1, bias-corrected, with its log-normal interval (Chao, 1987).
 * It is a lower bound if the unseen buckets are less popular than the seldom seen. */
struct estimate estimate_buckets(const struct spectrum *spectrum);
/* Returns the share of accesses that go to buckets with a sample: 1 - f1 / n (Good, 1953). */
double estimate_coverage(const struct spectrum *spectrum);

/* Returns the Gini coefficient of rising values; 0 if there are none. */
double estimate_gini(const uint32_t *values, size_t count);

/* The exponent of a Zipf distribution over the ranks 1 to `ranks`, truncated there, by maximum likelihood; values fall. The
 * interval is from the Fisher information. The result is NAN with fewer than 10 ranks. */
#define ESTIMATE_ZIPF_SAMPLES 10 /* samples of the last rank that is fitted; ranks with fewer are dominated by noise */
struct estimate estimate_zipf(const uint32_t *falling, size_t ranks);
/* Returns the number of samples that the fit predicts for a rank. */
double estimate_zipf_samples(double exponent, size_t ranks, uint64_t samples, double rank);

/* A miss-ratio curve of an LRU buffer: sizes in buckets, rising; ratios fall. */
struct miss_curve {
	size_t count;
	struct miss_point {
		double buckets;
		struct estimate ratio;
	} *points; /* owned */
};
void miss_curve_free(struct miss_curve *curve);
/* Returns the ratio of a buffer of this number of buckets, interpolated linearly between points. */
double miss_curve_at(const struct miss_curve *curve, double buckets);

/*
 * Computes the curve under independent references: a buffer holds the buckets of the last T accesses (Che and others, 2002). The
 * number of buckets in T is not computed from the samples' shares, which would count too few buckets; it is interpolated
 * (rarefaction) and beyond the number of samples extrapolated by Chao1 (Chao and others, 2014). The miss ratio is the growth of
 * this number. Returns 0 or -ENOMEM.
 */
int estimate_independent(const struct spectrum *spectrum, struct miss_curve *curve);

/* The same from known rates of buckets; a buffer holds the buckets accessed in the last time t. scale multiplies the number of
 * buckets, for unknown buckets that are like the known ones. Returns 0 or -ENOMEM. */
int estimate_from_rates(const double *rates, size_t count, double scale, struct miss_curve *curve);

/*
 * StatStack (Eklov and Hagersten, 2010), from the distribution of reuse times, for recordings of every access or of watched reuses.
 * Times are counted in bins whose width is at most 1/32 of their time.
 */
#define REUSE_BINS 2048
struct reuse_times { /* zeroed: empty */
	uint64_t bins[REUSE_BINS];
	uint64_t pairs, first; /* first: accesses without an earlier one to the same bucket */
};
void reuse_add(struct reuse_times *times, uint64_t time); /* in accesses, from 1 */
/* Returns the lowest time of a bin. */
uint64_t reuse_bin_from(size_t bin);
size_t reuse_bin(uint64_t time);
/* Returns the mean number of distinct buckets accessed in a reuse time of `time` accesses, the reused bucket included. */
double reuse_buckets(const struct reuse_times *times, uint64_t time);
int estimate_stack(const struct reuse_times *times, struct miss_curve *curve);

#endif
