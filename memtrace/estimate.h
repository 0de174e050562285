/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What samples say of all accesses. Samples are taken to be drawn from the accesses independently of their addresses; each
 * interval is of 95 %. Nothing here knows files or addresses.
 */
#ifndef MEMTRACE_ESTIMATE_H
#define MEMTRACE_ESTIMATE_H

#include <stddef.h>
#include <stdint.h>

struct estimate {
	double value, low, high; /* NAN: cannot be said */
};

/* The mean of a Poisson process of which so many events were seen; exact interval (Garwood, 1936). */
struct estimate estimate_poisson(uint64_t count);

/* Change of such a mean from before to after, as a ratio: the interval of the logarithm (Wald), no narrower than noise, the
 * deviation of two equal runs as |log ratio|. value NAN: nothing was seen before. */
struct estimate estimate_ratio(double before, double after, uint64_t before_count, uint64_t after_count, double noise);

/* Of buckets with these numbers of samples (rising, above 0), how many buckets have so many. */
struct spectrum {
	size_t count;
	struct spectrum_row {
		uint64_t samples, buckets;
	} *rows; /* by samples, rising */
	uint64_t samples, buckets; /* in all */
};
int spectrum_make(uint32_t *samples, size_t count, struct spectrum *spectrum); /* sorts the samples; 0 or -ENOMEM */
void spectrum_free(struct spectrum *spectrum);
/* Buckets with exactly so many samples. */
uint64_t spectrum_of(const struct spectrum *spectrum, uint64_t samples);

/* All buckets, with those that no sample met: Chao1, bias-corrected, with its log-normal interval (Chao, 1987). It is a lower
 * bound where the unseen are less popular than the seldom seen. */
struct estimate estimate_buckets(const struct spectrum *spectrum);
/* The share of accesses that go to buckets with a sample: 1 - f1 / n (Good, 1953). */
double estimate_coverage(const struct spectrum *spectrum);

/* Of values that rise; 0 for none. */
double estimate_gini(const uint32_t *values, size_t count);

/* The exponent of a Zipf distribution over the ranks 1 to ranks, cut off there, by maximum likelihood; values fall. The
 * interval is from the Fisher information. NAN with fewer than 10 ranks. */
#define ESTIMATE_ZIPF_SAMPLES 10 /* of the last rank that is worth fitting: ranks of fewer samples are their noise */
struct estimate estimate_zipf(const uint32_t *falling, size_t ranks);
/* The samples that the fit gives to a rank. */
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
/* The ratio of a buffer of so many buckets, between points linear. */
double miss_curve_at(const struct miss_curve *curve, double buckets);

/*
 * Independent references: the buffer that holds what was accessed in the last T accesses (Che and others, 2002). The number
 * of buckets in T is not taken from the shares of the samples, which see too few buckets, but interpolated (rarefaction) and
 * beyond the number of samples extrapolated by Chao1 (Chao and others, 2014); the miss ratio is its growth. 0 or -ENOMEM.
 */
int estimate_independent(const struct spectrum *spectrum, struct miss_curve *curve);

/* The same where the rates of all buckets are known, times scale for those like them that are not: accesses of the last time t. */
int estimate_from_rates(const double *rates, size_t count, double scale, struct miss_curve *curve);

/*
 * StatStack (Eklov and Hagersten, 2010): from the distribution of reuse times, when every access is recorded or reuses are
 * watched. Times are counted in bins whose width is at most 1/32 of their time.
 */
#define REUSE_BINS 2048
struct reuse_times { /* zeroed: empty */
	uint64_t bins[REUSE_BINS];
	uint64_t pairs, first; /* first: accesses without one before */
};
void reuse_add(struct reuse_times *times, uint64_t time); /* in accesses, from 1 */
/* The lowest time of a bin. */
uint64_t reuse_bin_from(size_t bin);
size_t reuse_bin(uint64_t time);
/* Mean number of buckets that are touched in a reuse of so many accesses, its own among them. */
double reuse_buckets(const struct reuse_times *times, uint64_t time);
int estimate_stack(const struct reuse_times *times, struct miss_curve *curve);

#endif
