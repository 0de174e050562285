/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/estimate.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "memtrace/buckets.h"
#include "memtrace/search.h"

#define Z95 1.959963984540054
#define CURVE_POINTS 400

/* Above it GSL's inverse does not always converge, and ends the program; the approximation is right in five digits. */
#define GSL_COUNT 1000

/* Of the chi-square distribution (Wilson and Hilferty 1931). */
static double large_quantile(double z, double freedom)
{
	double variance = 2 / (9 * freedom);

	return freedom * pow(1 - variance + z * sqrt(variance), 3);
}

struct estimate estimate_poisson(uint64_t count)
{
	double n = (double)count;

	if (count > GSL_COUNT)
		return (struct estimate){n, large_quantile(-Z95, 2 * n) / 2, large_quantile(Z95, 2 * n + 2) / 2};
	return (struct estimate){n, count ? gsl_cdf_chisq_Pinv(0.025, 2 * n) / 2 : 0, gsl_cdf_chisq_Pinv(0.975, 2 * n + 2) / 2};
}

struct estimate estimate_ratio(double before, double after, uint64_t before_count, uint64_t after_count, double noise)
{
	double middle, width;

	if (!before_count)
		return (struct estimate){NAN, NAN, NAN};
	/* Without any, the upper end is that of a mean of up to 3.7. */
	if (!after_count) {
		double most = estimate_poisson(0).high / (double)before_count * (before > 0 ? 1 : 0);

		return (struct estimate){0, 0, fmax(most, 0) * exp(Z95 / sqrt((double)before_count))};
	}
	middle = log(after / before);
	width = fmax(Z95 * sqrt(1 / (double)before_count + 1 / (double)after_count), noise);
	return (struct estimate){exp(middle), exp(middle - width), exp(middle + width)};
}

/* --- spectrum --- */

int spectrum_make(uint32_t *samples, size_t count, struct spectrum *spectrum)
{
	struct spectrum made = {0};

	if (count)
		qsort(samples, count, sizeof(*samples), buckets_compare_samples);
	for (size_t i = 0; i < count; i++)
		made.count += !i || samples[i] != samples[i - 1];
	made.rows = calloc(made.count + 1, sizeof(*made.rows));
	if (!made.rows)
		return -ENOMEM;
	made.count = 0;
	for (size_t i = 0; i < count; i++) {
		if (!i || samples[i] != samples[i - 1])
			made.rows[made.count++].samples = samples[i];
		made.rows[made.count - 1].buckets++;
		made.samples += samples[i];
	}
	made.buckets = count;
	*spectrum = made;
	return 0;
}

void spectrum_free(struct spectrum *spectrum)
{
	free(spectrum->rows);
	*spectrum = (struct spectrum){0};
}

/* The number of buckets with exactly this number of samples. */
static uint64_t buckets_with(const struct spectrum *spectrum, uint64_t samples)
{
	for (size_t i = 0; i < spectrum->count && spectrum->rows[i].samples <= samples; i++) {
		if (spectrum->rows[i].samples == samples)
			return spectrum->rows[i].buckets;
	}
	return 0;
}

/* Chao1: buckets that no sample met. */
static double unseen(const struct spectrum *spectrum)
{
	double f1 = (double)buckets_with(spectrum, 1), f2 = (double)buckets_with(spectrum, 2);
	double n = (double)spectrum->samples;

	return n > 0 ? (n - 1) / n * f1 * (f1 - 1) / (2 * (f2 + 1)) : 0;
}

struct estimate estimate_buckets(const struct spectrum *spectrum)
{
	double seen = (double)spectrum->buckets, f0 = unseen(spectrum), variance, factor;
	double f1 = (double)buckets_with(spectrum, 1), f2 = (double)buckets_with(spectrum, 2);

	if (!(f0 > 0))
		return (struct estimate){seen, seen, seen};
	variance = f1 * (f1 - 1) / (2 * (f2 + 1)) + f1 * pow(2 * f1 - 1, 2) / (4 * pow(f2 + 1, 2)) +
		f1 * f1 * f2 * pow(f1 - 1, 2) / (4 * pow(f2 + 1, 4));
	factor = exp(Z95 * sqrt(log1p(variance / (f0 * f0))));
	return (struct estimate){seen + f0, seen + f0 / factor, seen + f0 * factor};
}

double estimate_coverage(const struct spectrum *spectrum)
{
	return spectrum->samples ? 1 - (double)buckets_with(spectrum, 1) / (double)spectrum->samples : 0;
}

/* --- skew --- */

double estimate_gini(const uint32_t *values, size_t count)
{
	long double sum = 0, weighted = 0;

	for (size_t i = 0; i < count; i++) {
		sum += values[i];
		weighted += (long double)(i + 1) * values[i];
	}
	return sum > 0 ? (double)(2 * weighted / ((long double)count * sum) - (long double)(count + 1) / (long double)count) : 0;
}

/* Sums of k^-s, of its product with log k, and with the square of that, over the ranks 1 to ranks: each of the first ones,
 * then blocks of a 64th of a rank by their middle. */
static void zipf_sums(double s, size_t ranks, double sums[3])
{
	size_t next;

	sums[0] = sums[1] = sums[2] = 0;
	for (size_t k = 1; k <= ranks; k = next) {
		size_t width = k < 1024 ? 1 : k / 64;
		double middle, weight, log_k;

		width = width > ranks + 1 - k ? ranks + 1 - k : width;
		next = k + width;
		middle = (double)k + (double)(width - 1) / 2;
		log_k = log(middle);
		weight = (double)width * exp(-s * log_k);
		sums[0] += weight;
		sums[1] += weight * log_k;
		sums[2] += weight * log_k * log_k;
	}
}

struct estimate estimate_zipf(const uint32_t *falling, size_t ranks)
{
	double samples = 0, logs = 0, low = 0, high = 20, sums[3], s = 0, information, width;

	if (ranks < 10)
		return (struct estimate){NAN, NAN, NAN};
	for (size_t i = 0; i < ranks; i++) {
		samples += falling[i];
		logs += falling[i] * log((double)(i + 1));
	}
	/* The mean of log k falls with s. */
	for (int i = 0; i < 60; i++) {
		s = (low + high) / 2;
		zipf_sums(s, ranks, sums);
		if (sums[1] / sums[0] > logs / samples)
			low = s;
		else
			high = s;
	}
	information = samples * (sums[2] / sums[0] - pow(sums[1] / sums[0], 2));
	width = information > 0 ? Z95 / sqrt(information) : NAN;
	return (struct estimate){s, fmax(s - width, 0), s + width};
}

double estimate_zipf_samples(double exponent, size_t ranks, uint64_t samples, double rank)
{
	double sums[3];

	zipf_sums(exponent, ranks, sums);
	return (double)samples * pow(rank, -exponent) / sums[0];
}

/* --- miss-ratio curves --- */

void miss_curve_free(struct miss_curve *curve)
{
	free(curve->points);
	*curve = (struct miss_curve){0};
}

double miss_curve_at(const struct miss_curve *curve, double buckets)
{
	size_t next = SEARCH(curve->count, i, curve->points[i].buckets <= buckets);
	const struct miss_point *point;

	if (!next)
		return 1;
	point = &curve->points[next];
	if (next == curve->count)
		return point[-1].ratio.value;
	return point[-1].ratio.value + (buckets - point[-1].buckets) * (point->ratio.value - point[-1].ratio.value) /
		(point->buckets - point[-1].buckets);
}

/* Only where the buffer grows. */
static void add_point(struct miss_curve *curve, double buckets, struct estimate ratio)
{
	if (curve->count && buckets <= curve->points[curve->count - 1].buckets)
		return;
	ratio.value = fmin(fmax(ratio.value, 0), 1);
	ratio.low = fmin(fmax(ratio.low, 0), ratio.value);
	ratio.high = fmax(fmin(ratio.high, 1), ratio.value);
	curve->points[curve->count++] = (struct miss_point){buckets, ratio};
}

/* Buckets that t of the samples are in, and the part of the next that is new, with its standard error: each bucket of r
 * samples is missed by all t with probability (1 - t/n)^r. */
static void rarefy(const struct spectrum *spectrum, double t, double *buckets, struct estimate *ratio)
{
	double n = (double)spectrum->samples, variance = 0, left = log1p(-t / n);

	*buckets = 0;
	*ratio = (struct estimate){0};
	for (size_t i = 0; i < spectrum->count; i++) {
		double r = (double)spectrum->rows[i].samples, f = (double)spectrum->rows[i].buckets;
		double none = r > 1 ? exp((r - 1) * left) : 1, growth = r / n * none;

		*buckets += f * (1 - none * (1 - t / n));
		ratio->value += f * growth;
		variance += f * growth * growth;
	}
	ratio->low = ratio->value - Z95 * sqrt(variance);
	ratio->high = ratio->value + Z95 * sqrt(variance);
}

int estimate_independent(const struct spectrum *spectrum, struct miss_curve *curve)
{
	double n = (double)spectrum->samples, f0 = unseen(spectrum), f1 = (double)buckets_with(spectrum, 1);
	double step = pow(n, 1. / CURVE_POINTS), buckets;
	struct miss_curve made = {.points = calloc(2 * CURVE_POINTS + 4, sizeof(*made.points))};
	struct estimate ratio;

	if (!made.points)
		return -ENOMEM;
	for (int i = 0; step > 1 && i < CURVE_POINTS; i++) {
		double t = pow(step, i);

		if (t >= n * 0.9999)
			break;
		rarefy(spectrum, t, &buckets, &ratio);
		add_point(&made, buckets, ratio);
	}
	/* The growth decays with what is unseen. */
	for (int i = 0; f0 > 0 && i <= 60; i++) {
		double part = i / 60. * 0.999, growth = f1 / n * (1 - part), width = Z95 * sqrt(fmax(f1, 1)) / n * (1 - part);

		add_point(&made, (double)spectrum->buckets + f0 * part, (struct estimate){growth, growth - width, growth + width});
	}
	add_point(&made, (double)spectrum->buckets + fmax(f0, 0), (struct estimate){0});
	*curve = made;
	return 0;
}

int estimate_from_rates(const double *rates, size_t count, double scale, struct miss_curve *curve)
{
	struct miss_curve made = {.points = calloc(CURVE_POINTS + 2, sizeof(*made.points))};
	double total = 0, least = INFINITY, step, t;

	if (!made.points)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		total += rates[i];
		least = rates[i] > 0 ? fmin(least, rates[i]) : least;
	}
	if (!(total > 0)) {
		*curve = made;
		return 0;
	}
	/* From the time of one access to that in which all buckets are accessed. */
	t = 1 / total;
	step = pow(20 / least / t, 1. / CURVE_POINTS);
	for (int i = 0; i < CURVE_POINTS; i++) {
		double buckets = 0, missed = 0;

		for (size_t j = 0; j < count; j++) {
			double none = exp(-rates[j] * t);

			buckets += 1 - none;
			missed += rates[j] * none;
		}
		missed /= total;
		add_point(&made, buckets * scale, (struct estimate){missed, missed, missed});
		t *= step;
	}
	add_point(&made, (double)count * scale, (struct estimate){0, 0, 0});
	*curve = made;
	return 0;
}

/* Each time below 64 for itself, then 32 bins to a doubling. */
size_t reuse_bin(uint64_t time)
{
	unsigned bits;

	if (time < 64)
		return (size_t)time;
	bits = 63 - (unsigned)__builtin_clzll(time);
	return 64 + (size_t)(bits - 6) * 32 + (size_t)(time >> (bits - 5) & 31);
}

uint64_t reuse_bin_from(size_t bin)
{
	unsigned bits;

	if (bin < 64)
		return bin;
	bits = 6 + (unsigned)(bin - 64) / 32;
	if (bits > 63)
		return UINT64_MAX; /* the end of the last */
	return 1ull << bits | (uint64_t)((bin - 64) % 32) << (bits - 5);
}

void reuse_add(struct reuse_times *times, uint64_t time)
{
	times->bins[reuse_bin(time)]++;
	times->pairs++;
}

/* The walk of times: at each bin's begin the share of accesses that are not reused before, and the sum of that so far, which
 * is the number of buckets in a window of this time. */
struct walk {
	double longer, sum, total;
	uint64_t time;
};

static void walk_bin(struct walk *walk, const struct reuse_times *times, size_t bin)
{
	double width = (double)(reuse_bin_from(bin + 1) - walk->time), part = (double)times->bins[bin] / walk->total;

	/* Times of a bin are spread over it, and end within their unit. */
	walk->sum += width * (walk->longer - part * (width + 1) / (2 * width));
	walk->longer -= part;
	walk->time = reuse_bin_from(bin + 1);
}

static struct walk walk_begin(const struct reuse_times *times)
{
	return (struct walk){.longer = 1, .total = (double)(times->pairs + times->first)};
}

double reuse_buckets(const struct reuse_times *times, uint64_t time)
{
	struct walk walk = walk_begin(times);
	size_t end = reuse_bin(time);

	for (size_t bin = 0; bin < end; bin++)
		walk_bin(&walk, times, bin);
	return fmin(walk.sum + (double)(time - walk.time) * walk.longer, (double)times->first);
}

int estimate_stack(const struct reuse_times *times, struct miss_curve *curve)
{
	struct walk walk = walk_begin(times);
	struct miss_curve made = {.points = calloc(REUSE_BINS + 2, sizeof(*made.points))};
	size_t end = REUSE_BINS;

	if (!made.points)
		return -ENOMEM;
	while (end && !times->bins[end - 1])
		end--;
	/* A reuse of time t needs a buffer of the buckets in t accesses: it holds those reused after t or sooner. */
	for (size_t bin = 1; bin < end && walk.total > 0; bin++) {
		double width, ratio;

		walk_bin(&walk, times, bin - 1);
		ratio = walk.longer - (double)times->bins[bin] / walk.total / (double)(reuse_bin_from(bin + 1) - walk.time);
		width = Z95 * sqrt(ratio * (1 - ratio) / walk.total);
		add_point(&made, fmin(walk.sum, (double)times->first), (struct estimate){ratio, ratio - width, ratio + width});
	}
	if (walk.total > 0)
		add_point(&made, (double)times->first, (struct estimate){(double)times->first / walk.total,
			(double)times->first / walk.total, (double)times->first / walk.total});
	*curve = made;
	return 0;
}
