/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/estimate/estimate.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "memtrace/estimate/buckets.h"
#include "memtrace/file/search.h"

#define SOFT 8.         /* samples from which on the threshold of the chosen buckets is soft */
#define SOFT_POINTS 200 /* points of the curve above this threshold */

/* Above this count GSL's inverse does not always converge and ends the program; the approximation is right in five digits. */
#define GSL_COUNT 1000

/* Approximation by Wilson and Hilferty (1931). */
static double large_quantile(double z, double freedom)
{
	double variance = 2 / (9 * freedom);

	return freedom * pow(1 - variance + z * sqrt(variance), 3);
}

struct estimate estimate_poisson(uint64_t count)
{
	double n = (double)count;

	if (count > GSL_COUNT)
		return (struct estimate){n, large_quantile(-ESTIMATE_Z95, 2 * n) / 2, large_quantile(ESTIMATE_Z95, 2 * n + 2) / 2};
	return (struct estimate){n, count ? gsl_cdf_chisq_Pinv(0.025, 2 * n) / 2 : 0, gsl_cdf_chisq_Pinv(0.975, 2 * n + 2) / 2};
}

struct estimate estimate_ratio(double before, double after, uint64_t before_count, uint64_t after_count, double noise)
{
	double middle, width;

	if (!before_count)
		return (struct estimate){NAN, NAN, NAN};
	/* Without events in `after`, the upper end is that of a Poisson mean (up to 3.7). */
	if (!after_count) {
		double most = estimate_poisson(0).high / (double)before_count * (before > 0 ? 1 : 0);

		return (struct estimate){0, 0, fmax(most, 0) * exp(ESTIMATE_Z95 / sqrt((double)before_count))};
	}
	middle = log(after / before);
	width = fmax(ESTIMATE_Z95 * sqrt(1 / (double)before_count + 1 / (double)after_count), noise);
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

uint64_t spectrum_buckets(const struct spectrum *spectrum, uint64_t samples)
{
	for (size_t i = 0; i < spectrum->count && spectrum->rows[i].samples <= samples; i++) {
		if (spectrum->rows[i].samples == samples)
			return spectrum->rows[i].buckets;
	}
	return 0;
}

double spectrum_top(const struct spectrum *spectrum, double part)
{
	double left = ceil(part * (double)spectrum->buckets), sum = 0;

	for (size_t i = spectrum->count; i-- > 0 && left > 0;) {
		double f = (double)spectrum->rows[i].buckets;

		sum += fmin(f, left) * (double)spectrum->rows[i].samples;
		left -= f;
	}
	return spectrum->samples ? sum / (double)spectrum->samples : 0;
}

double spectrum_gini(const struct spectrum *spectrum)
{
	double all = (double)spectrum->buckets, before = 0, weighted = 0;

	/* Ranks begin with the least popular; equal buckets share their mean rank. */
	for (size_t i = 0; i < spectrum->count; i++) {
		double f = (double)spectrum->rows[i].buckets;

		weighted += f * (double)spectrum->rows[i].samples * (before + (f + 1) / 2);
		before += f;
	}
	return spectrum->samples ? fmax(2 * weighted / (all * (double)spectrum->samples) - (all + 1) / all, 0) : 0;
}

/* --- buckets without a sample --- */

/* Chao1 (Chao, 1984), bias-corrected. */
static double chao_unseen(const struct spectrum *spectrum)
{
	double f1 = (double)spectrum_buckets(spectrum, 1), f2 = (double)spectrum_buckets(spectrum, 2);
	double n = (double)spectrum->samples;

	return n > 0 ? (n - 1) / n * f1 * (f1 - 1) / (2 * (f2 + 1)) : 0;
}

struct estimate estimate_unseen(const struct spectrum *spectrum)
{
	double f1 = (double)spectrum_buckets(spectrum, 1), f2 = (double)spectrum_buckets(spectrum, 2);
	double f0 = chao_unseen(spectrum), variance;

	if (!(f0 > 0))
		return (struct estimate){0, 0, INFINITY};
	/* Chao (1987) assumes a normal logarithm of the unseen. */
	variance = f1 * (f1 - 1) / (2 * (f2 + 1)) + f1 * pow(2 * f1 - 1, 2) / (4 * pow(f2 + 1, 2)) +
		f1 * f1 * f2 * pow(f1 - 1, 2) / (4 * pow(f2 + 1, 4));
	/* With so few singles, all of them may belong to seen buckets. */
	if (!(estimate_unseen_share(spectrum).low > 0))
		return (struct estimate){f0, 0, INFINITY};
	/* If few buckets have two samples, there could have been more. */
	return (struct estimate){f0, fmin(f0 / exp(ESTIMATE_Z95 * sqrt(log1p(variance / (f0 * f0)))),
		f1 * (f1 - 1) / 2 / estimate_poisson((uint64_t)f2).high), INFINITY};
}

struct estimate estimate_unseen_share(const struct spectrum *spectrum)
{
	double f1 = (double)spectrum_buckets(spectrum, 1), f2 = (double)spectrum_buckets(spectrum, 2);
	double n = (double)spectrum->samples, width;

	if (!(n > 0))
		return (struct estimate){1, 0, 1};
	/* Width by Esty (1983); adding 1, and the square of the quantile to the upper end, corrects it for few samples. */
	width = ESTIMATE_Z95 * sqrt(f1 * (1 - f1 / n) + 2 * f2 + 1);
	return (struct estimate){f1 / n, fmax(f1 - width, 0) / n,
		fmin((f1 + width + ESTIMATE_Z95 * ESTIMATE_Z95 / 2) / n, 1)};
}

struct estimate estimate_buckets(const struct spectrum *spectrum, double accesses, double most, bool is_independent)
{
	struct estimate unseen = estimate_unseen(spectrum);
	double seen = (double)spectrum->buckets, high = estimate_unseen_share(spectrum).high * accesses;

	/* Each accessed bucket has at least one of the unseen accesses. */
	high = seen + (isnan(accesses) ? INFINITY : high);
	high = fmax(fmin(high, most), seen);
	return (struct estimate){fmin(seen + unseen.value, high), is_independent ? fmin(seen + unseen.low, high) : seen, high};
}

/* --- shares of the most popular buckets --- */

void lorenz_free(struct lorenz *lorenz)
{
	free(lorenz->points);
	*lorenz = (struct lorenz){0};
}

/* Returns the part of the buckets with this number of samples that is above a threshold, which is as soft as the number is
 * noisy. */
static double chosen(double samples, double threshold)
{
	double softness = sqrt(threshold);

	if (threshold < SOFT || fabs(samples - threshold) > 6 * softness)
		return samples >= threshold;
	return 0.5 * erfc((threshold - samples) / softness / M_SQRT2);
}

/*
 * Computes the share of the chosen buckets without a bias: for a bucket with c samples from a Poisson process of mean m and any
 * function g, E[c g(c - 1)] = m E[g(c)] (Stein and Chen; with a step function it is the estimator of Good).
 */
static struct lorenz_point point_of(const struct spectrum *spectrum, double threshold)
{
	double n = (double)spectrum->samples, buckets = 0, known = 0, squares = 0, plain = 0, left, width;

	for (size_t i = spectrum->count; i-- > 0;) {
		double c = (double)spectrum->rows[i].samples, f = (double)spectrum->rows[i].buckets;
		double part = chosen(c, threshold), less = c > 1 ? chosen(c - 1, threshold) : 0;
		double step = less - (c > 2 ? chosen(c - 2, threshold) : 0);

		buckets += f * part;
		known += f * c * less;
		squares += f * c * (less * less + (c - 1) * step * step);
	}
	known /= n;
	width = ESTIMATE_Z95 * sqrt(fmax(squares - n * known * known, 0) + 1) / n;
	/* Sums the samples of as many buckets that have the most. */
	left = buckets;
	for (size_t i = spectrum->count; i-- > 0 && left > 0;) {
		double f = (double)spectrum->rows[i].buckets;

		plain += fmin(f, left) * (double)spectrum->rows[i].samples / n;
		left -= f;
	}
	plain = fmin(plain, 1);
	return (struct lorenz_point){buckets, {known, fmax(known - width, 0),
		fmin(plain + ESTIMATE_Z95 * sqrt(plain * (1 - plain) / n) + ESTIMATE_Z95 * ESTIMATE_Z95 / 2 / n, 1)}};
}

int lorenz_make(const struct spectrum *spectrum, struct lorenz *lorenz)
{
	struct lorenz made = {.points = calloc(spectrum->count + SOFT_POINTS + 2, sizeof(*made.points))};
	struct estimate unseen = estimate_unseen_share(spectrum);
	double most, threshold;

	if (!made.points)
		return -ENOMEM;
	made.count = 1;
	most = spectrum->count ? (double)spectrum->rows[spectrum->count - 1].samples : 0;
	for (int i = 0; i <= SOFT_POINTS && most >= SOFT; i++) {
		threshold = SOFT * pow((most + 3 * sqrt(most)) / SOFT, 1 - (double)i / SOFT_POINTS);
		made.points[made.count] = point_of(spectrum, threshold);
		made.count += made.points[made.count].buckets > made.points[made.count - 1].buckets;
	}
	for (size_t i = spectrum->count; i-- > 0;) {
		if (spectrum->rows[i].samples < SOFT) {
			made.points[made.count] = point_of(spectrum, (double)spectrum->rows[i].samples);
			made.count += made.points[made.count].buckets > made.points[made.count - 1].buckets;
		}
	}
	/* The last point has all buckets with a sample. */
	if (spectrum->buckets)
		made.points[made.count - 1] = (struct lorenz_point){(double)spectrum->buckets,
			{1 - unseen.value, 1 - unseen.high, 1}};
	for (size_t i = 1; i < made.count; i++) {
		struct estimate *share = &made.points[i].share;

		share->low = fmin(share->low, made.points[made.count - 1].share.low);
		share->value = fmax(share->value, made.points[i - 1].share.value);
		share->low = fmax(share->low, made.points[i - 1].share.low);
		share->high = fmax(share->high, share->value);
	}
	*lorenz = made;
	return 0;
}

/* Interpolates between two points, of a curve that is at least the line between them. */
static double between(double at, double from, double to, double from_value, double to_value)
{
	return to > from ? from_value + (at - from) / (to - from) * (to_value - from_value) : to_value;
}

static struct estimate share_at(const struct lorenz *lorenz, double top, double buckets)
{
	const struct lorenz_point *last = &lorenz->points[lorenz->count - 1], *next;

	if (top >= last->buckets)
		return (struct estimate){between(top, last->buckets, buckets, last->share.value, 1),
			isinf(buckets) ? last->share.low : between(top, last->buckets, buckets, last->share.low, 1), 1};
	next = &lorenz->points[SEARCH(lorenz->count, i, lorenz->points[i].buckets <= top)];
	return (struct estimate){
		between(top, next[-1].buckets, next->buckets, next[-1].share.value, next->share.value),
		between(top, next[-1].buckets, next->buckets, next[-1].share.low, next->share.low),
		between(top, next[-1].buckets, next->buckets, next[-1].share.high, next->share.high)};
}

struct estimate lorenz_top(const struct lorenz *lorenz, double part, struct estimate buckets)
{
	struct estimate low = share_at(lorenz, ceil(part * buckets.low), buckets.low);
	struct estimate high = isinf(buckets.high) ? (struct estimate){1, 1, 1}
		: share_at(lorenz, ceil(part * buckets.high), buckets.high);
	double value = share_at(lorenz, ceil(part * buckets.value), buckets.value).value;

	return (struct estimate){value, fmin(low.low, value), fmax(high.high, value)};
}

/* Computes the Gini coefficient, twice the area under the curve from 0 to all buckets, over their number, less 1: with the
 * lower ends, the values and the upper ends of the shares. */
static struct estimate gini_of(const struct lorenz *lorenz, double buckets)
{
	const struct lorenz_point *points = lorenz->points, *last = &points[lorenz->count - 1];
	double value = 0, low = 0, high = 0, unseen = buckets - last->buckets;

	for (size_t i = 1; i < lorenz->count; i++) {
		double width = points[i].buckets - points[i - 1].buckets;

		value += width * (points[i].share.value + points[i - 1].share.value);
		low += width * (points[i].share.low + points[i - 1].share.low);
		high += width * (points[i].share.high + points[i - 1].share.high);
	}
	value += unseen * (1 + last->share.value);
	low += unseen * (1 + last->share.low);
	high += unseen * 2;
	return (struct estimate){value / buckets - 1, low / buckets - 1, high / buckets - 1};
}

struct estimate lorenz_gini(const struct lorenz *lorenz, struct estimate buckets)
{
	double value = fmax(gini_of(lorenz, buckets.value).value, 0), low = gini_of(lorenz, buckets.low).low;
	double most = isinf(buckets.high) ? lorenz->points[lorenz->count - 1].share.low : gini_of(lorenz, buckets.high).low;
	double high = isinf(buckets.high) ? 1 : gini_of(lorenz, buckets.high).high;

	return (struct estimate){value, fmin(fmax(fmin(low, most), 0), value), fmax(high, value)};
}
