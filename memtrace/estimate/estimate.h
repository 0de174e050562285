/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Estimates of all accesses from samples. The model is that samples are drawn from the accesses independently of their addresses;
 * intervals are of 95 %. This module is independent of files and addresses.
 */
#ifndef MEMTRACE_ESTIMATE_ESTIMATE_H
#define MEMTRACE_ESTIMATE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ESTIMATE_Z95 1.959963984540054

struct estimate {
	double value, low, high; /* NAN: not known; high INFINITY: no upper end */
};

/* Returns the mean of a Poisson process of which `count` events were observed; exact interval (Garwood, 1936). */
struct estimate estimate_poisson(uint64_t count);

/* Returns the ratio of such a mean after to before. The interval is that of the logarithm (Wald), and no narrower than noise,
 * the deviation of two equal runs as |log ratio|. value is NAN if before_count is 0. */
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

uint64_t spectrum_buckets(const struct spectrum *spectrum, uint64_t samples); /* with exactly this number of samples */

/* Returns the share of the samples in the most popular part of the buckets, and their Gini coefficient, for the samples alone;
 * 0 if there are none. */
double spectrum_top(const struct spectrum *spectrum, double part);
double spectrum_gini(const struct spectrum *spectrum);

/* Estimates the number of accessed buckets without a sample: Chao1 (1984) and its lower end (1987). Both are lower bounds:
 * samples do not show how many buckets share the accesses that they have missed, so that the upper end is INFINITY. */
struct estimate estimate_unseen(const struct spectrum *spectrum);
/* Estimates the share of all accesses that go to buckets without a sample (Good and Turing), with the interval of Esty (1983). */
struct estimate estimate_unseen_share(const struct spectrum *spectrum);
/* Estimates the number of accessed buckets, with and without a sample. The upper end is `most`, the buckets that can be
 * accessed (INFINITY: not known), or less where the unseen accesses are fewer. accesses is the number of all accesses, NAN: not
 * known. The lower end is the number of buckets with a sample unless samples are independent. */
struct estimate estimate_buckets(const struct spectrum *spectrum, double accesses, double most, bool is_independent);

/*
 * The share of the accesses that go to the k most popular buckets, by k (Lorenz curve). The buckets that had the most samples also
 * had luck: their samples count too much, and are the upper end. The value counts a sample if its bucket would be one of these
 * k without it, which has no bias for the buckets that are chosen so, and these are at most as popular as the most popular ones.
 */
struct lorenz {
	size_t count;
	struct lorenz_point {
		double buckets;
		struct estimate share;
	} *points; /* owned; the first is 0, the last has all buckets with a sample */
};
int lorenz_make(const struct spectrum *spectrum, struct lorenz *lorenz); /* 0 or -ENOMEM */
void lorenz_free(struct lorenz *lorenz);
/* Returns the share of the most popular part (0 to 1) of this number of buckets, and the Gini coefficient over them. There must
 * be a sample. */
struct estimate lorenz_top(const struct lorenz *lorenz, double part, struct estimate buckets);
struct estimate lorenz_gini(const struct lorenz *lorenz, struct estimate buckets);

/*
 * The exponent of a Zipf distribution over all accessed buckets by maximum likelihood: numbers of samples are Poisson, their ranks
 * are not known, and the number of buckets is any in the interval. The interval is that of the profile likelihood.
 */
struct zipf_fit {
	struct estimate exponent; /* value NAN: fewer than 10 buckets, or no bucket has two samples */
	double buckets;           /* number of buckets of the best fit */
	bool is_like_zipf;        /* the samples do not contradict a Zipf distribution (chi-square test, 0.1 %) */
};
int estimate_zipf(const struct spectrum *spectrum, struct estimate buckets, struct zipf_fit *zipf); /* 0 or -ENOMEM */
/* Returns the number of samples that the fit predicts for a rank. */
double estimate_zipf_samples(const struct zipf_fit *fit, uint64_t samples, double rank);

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
struct estimate miss_curve_at(const struct miss_curve *curve, double buckets);

/*
 * Computes the curve under independent references: a buffer holds the buckets of the last T accesses (Che and others, 2002). The
 * number of buckets in T is not computed from the samples' shares, which would count too few buckets; it is interpolated
 * (rarefaction), and the miss ratio is the growth of this number. Beyond the samples the curve is convex: it is between its
 * tangent, which ends at Chao1, and the line to the most buckets that there can ever be (INFINITY: not known), not only in the
 * recording: a buffer that holds all of those still misses what is accessed later.
 *
 * The interval holds for independent references if is_order_seen, that is if their order was seen to be independent; otherwise its
 * upper end is that of references as regular as those of a scan. Clustered references miss less. Returns 0 or -ENOMEM.
 */
#define MISS_SAMPLES_MIN 200 /* by simulation: the interval of fewer is too narrow */
int estimate_independent(const struct spectrum *spectrum, double most, bool is_order_seen, struct miss_curve *curve);

/*
 * StatStack (Eklov and Hagersten, 2010), from the distribution of reuse times, for recordings of every access or of watched reuses.
 * Times are counted in bins whose width is at most 1/32 of their time.
 */
#define REUSE_BINS 2048
struct reuse_times { /* zeroed: empty */
	uint64_t bins[REUSE_BINS];
	uint64_t pairs, first; /* first: accesses without an earlier one to the same bucket */
};
void reuse_add(struct reuse_times *times, uint64_t time); /* time: in accesses, from 1 */
/* Returns the lowest time of a bin. */
uint64_t reuse_bin_from(size_t bin);
size_t reuse_bin(uint64_t time);
/* Returns the mean number of distinct buckets accessed in a reuse time of `time` accesses, the reused bucket included. */
double reuse_buckets(const struct reuse_times *times, uint64_t time);
int estimate_stack(const struct reuse_times *times, struct miss_curve *curve);

#endif
