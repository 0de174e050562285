/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exponent of a Zipf distribution (memtrace/estimate/estimate.h). */
#include "config.h"
#include "memtrace/estimate/estimate.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#define BUCKETS_LEAST 10
#define EXPONENT_MAX 4.
#define BISECTIONS 12
#define STEP 1e-3        /* of the exponent, in numeric derivatives */
#define ROUNDS 12
#define SIZES 5          /* numbers of buckets tried in a pass */
#define PASSES 4
#define DROP 1.920729    /* half of the 95 % quantile of chi-square with one degree of freedom */
#define CLASSES 24       /* of the test: one for each doubling of the samples */
#define REJECTED 1e-3

/* Ranks with nearly equal rates, represented by their middle: the noise of their samples is larger than their differences. */
struct rank_class {
	double width, log_of_rank, rate, log_rate;
};

struct fit {
	const struct spectrum *spectrum;
	struct rank_class *classes; /* the most popular first */
	double *log_factorials;     /* by row of the spectrum */
	size_t count;
};

static double class_width(double rank, double buckets, double samples)
{
	double width = floor(rank * fmin(1. / 16, sqrt(2.5 * rank / samples)));

	return fmin(fmax(width, 1), floor(buckets) + 1 - rank);
}

static size_t make_classes(struct rank_class *classes, double buckets, double samples)
{
	double k = 1, width;
	size_t count = 0;

	while (k <= buckets) {
		width = class_width(k, buckets, samples);
		if (classes)
			classes[count] = (struct rank_class){.width = width, .log_of_rank = log(k + (width - 1) / 2)};
		count++;
		k += width;
	}
	return count;
}

static void set_rates(struct fit *fit, double exponent)
{
	double sum = 0, log_samples;

	for (size_t i = 0; i < fit->count; i++) {
		fit->classes[i].rate = exp(-exponent * fit->classes[i].log_of_rank);
		sum += fit->classes[i].rate * fit->classes[i].width;
	}
	log_samples = log((double)fit->spectrum->samples / sum);
	for (size_t i = 0; i < fit->count; i++) {
		fit->classes[i].rate *= (double)fit->spectrum->samples / sum;
		fit->classes[i].log_rate = log_samples - exponent * fit->classes[i].log_of_rank;
	}
}

/* Returns the logarithm of the expected number of buckets with this number of samples. first: the first class to consider, kept
 * from larger numbers. */
static double log_expected(const struct fit *fit, double samples, double log_factorial, size_t *first)
{
	double reach = 8 * sqrt(samples) + 10, sum = 0, most = samples * log(samples) - samples, near = -INFINITY;
	size_t i;

	/* Classes with distant rates do not contribute; the nearest one on either side is kept. */
	while (*first + 1 < fit->count && fit->classes[*first + 1].rate > samples + reach)
		++*first;
	for (i = *first; i < fit->count; i++) {
		const struct rank_class *class = &fit->classes[i];
		double part = samples * class->log_rate - class->rate - most;

		near = part > near ? part : near;
		if (part > -40)
			sum += class->width * exp(part);
		if (class->rate < samples - reach)
			break;
	}
	return (sum > 0 ? log(sum) : near) + most - log_factorial;
}

static double expected_seen(const struct fit *fit)
{
	double seen = 0;

	for (size_t i = 0; i < fit->count; i++)
		seen -= fit->classes[i].width * expm1(-fit->classes[i].rate);
	return seen;
}

/* The likelihood is that of the buckets with a sample. */
static double likelihood(struct fit *fit, double exponent)
{
	const struct spectrum *spectrum = fit->spectrum;
	double sum = 0;
	size_t first = 0;

	set_rates(fit, exponent);
	for (size_t i = spectrum->count; i-- > 0;)
		sum += (double)spectrum->rows[i].buckets *
			log_expected(fit, (double)spectrum->rows[i].samples, fit->log_factorials[i], &first);
	return sum - (double)spectrum->buckets * log(expected_seen(fit));
}

/* Maximizes the likelihood by Newton's steps from *exponent, within 0 to EXPONENT_MAX. */
static double maximize(struct fit *fit, double *exponent)
{
	double at = likelihood(fit, *exponent), first, second, step = 1;

	for (int round = 0; round < ROUNDS && fabs(step) > STEP; round++) {
		double middle = fmax(*exponent, STEP), above, below, moved, value = -INFINITY;

		above = likelihood(fit, middle + STEP);
		below = likelihood(fit, middle - STEP);
		first = (above - below) / (2 * STEP);
		second = (above + below - 2 * (middle > *exponent ? likelihood(fit, middle) : at)) / (STEP * STEP);
		step = second < 0 ? -first / second : first > 0 ? 0.2 : -0.2;
		step = fmin(fmax(step, -0.5), 0.5);
		for (int halving = 0; halving < 8; halving++) {
			moved = fmin(fmax(*exponent + step, 0), EXPONENT_MAX);
			value = likelihood(fit, moved);
			if (value >= at)
				break;
			step /= 2;
		}
		if (value < at)
			break;
		step = moved - *exponent;
		*exponent = moved;
		at = value;
	}
	return at;
}

/* Returns the exponent for which the expected number of buckets with a sample is the observed one. */
static double match_seen(struct fit *fit)
{
	double low = 0, high = EXPONENT_MAX;

	for (int i = 0; i < BISECTIONS; i++) {
		double middle = (low + high) / 2;

		set_rates(fit, middle);
		if (expected_seen(fit) > (double)fit->spectrum->buckets)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Chooses where to begin, because there are several maxima: the best of the previous exponent, that of match_seen, and, if few
 * buckets are unseen, a grid. */
static double begin_at(struct fit *fit, double before, bool is_first)
{
	double best = match_seen(fit), most = likelihood(fit, best), value = likelihood(fit, before), exponent = 0;

	if (value > most) {
		most = value;
		best = before;
	}
	while (is_first && exponent < 3) {
		value = likelihood(fit, exponent);
		if (value > most) {
			most = value;
			best = exponent;
		}
		exponent += exponent < 0.1 ? 0.01 : 0.05;
	}
	return best;
}

struct tried {
	double buckets, exponent, likelihood;
};

static void try_size(struct fit *fit, double buckets, double before, bool is_first, struct tried *tried)
{
	fit->count = make_classes(fit->classes, buckets, (double)fit->spectrum->samples);
	*tried = (struct tried){.buckets = buckets, .exponent = begin_at(fit, before, is_first)};
	tried->likelihood = maximize(fit, &tried->exponent);
}

/* Tests whether the numbers of buckets in each doubling of samples agree with the fit. */
static bool fits(struct fit *fit, const struct tried *best)
{
	const struct spectrum *spectrum = fit->spectrum;
	double expected[CLASSES] = {0}, observed[CLASSES] = {0}, square = 0, wanted = 0, found = 0, scale;
	unsigned classes = 0;

	fit->count = make_classes(fit->classes, best->buckets, (double)spectrum->samples);
	set_rates(fit, best->exponent);
	scale = (double)spectrum->buckets / expected_seen(fit);
	for (size_t i = 0; i < fit->count; i++) {
		double rate = fit->classes[i].rate, below = exp(-rate);

		for (unsigned class = 0; class < CLASSES; class++) {
			/* The class has 2^class samples to one less than twice as many. */
			double up_to = ldexp(2, (int)class) - 1, share;

			if (up_to < rate - 8 * sqrt(rate) - 10)
				continue;
			share = rate > 1e3 || up_to > 1e3
				? 0.5 * erfc((rate - up_to - 0.5) / sqrt(2 * rate)) : gsl_cdf_poisson_P((unsigned)up_to, rate);
			expected[class] += fmax(share - below, 0) * fit->classes[i].width * scale;
			below = fmax(share, below);
			if (below >= 1 - 1e-9)
				break;
		}
	}
	for (size_t i = 0; i < spectrum->count; i++) {
		unsigned class = 63 - (unsigned)__builtin_clzll(spectrum->rows[i].samples);

		observed[class < CLASSES ? class : CLASSES - 1] += (double)spectrum->rows[i].buckets;
	}
	for (unsigned class = 0; class < CLASSES; class++) {
		wanted += expected[class];
		found += observed[class];
		if (wanted < 5)
			continue;
		square += (found - wanted) * (found - wanted) / wanted;
		classes++;
		wanted = found = 0;
	}
	if (wanted > 0.5)
		square += (found - wanted) * (found - wanted) / wanted;
	return classes < 4 || gsl_cdf_chisq_Q(square, classes - 3) > REJECTED;
}

/* Finds the exponent between inside and outside at which the likelihood falls below least. */
static double end_of(struct fit *fit, double inside, double outside, double least)
{
	if (likelihood(fit, outside) >= least)
		return outside;
	for (int i = 0; i < BISECTIONS; i++) {
		double middle = (inside + outside) / 2;

		if (likelihood(fit, middle) >= least)
			inside = middle;
		else
			outside = middle;
	}
	return outside;
}

/* Extends the interval by that of this number of buckets. The likelihood is no parabola near 0, where it depends on the square. */
static void add_interval(struct fit *fit, const struct tried *tried, double least, struct estimate *exponent)
{
	if (tried->likelihood < least)
		return;
	fit->count = make_classes(fit->classes, tried->buckets, (double)fit->spectrum->samples);
	if (tried->exponent < exponent->low || likelihood(fit, exponent->low) > least)
		exponent->low = end_of(fit, fmin(tried->exponent, exponent->low), 0, least);
	if (tried->exponent > exponent->high || likelihood(fit, exponent->high) > least)
		exponent->high = end_of(fit, fmax(tried->exponent, exponent->high), EXPONENT_MAX, least);
}

int estimate_zipf(const struct spectrum *spectrum, struct estimate buckets, struct zipf_fit *zipf)
{
	double low = (double)spectrum->buckets, high = isinf(buckets.high) ? 1e3 * low : buckets.high, from, to;
	struct fit fit = {.spectrum = spectrum};
	struct tried tried[PASSES * SIZES] = {0}, *best = tried;
	size_t count = 0;

	*zipf = (struct zipf_fit){.exponent = {NAN, NAN, NAN}};
	if (spectrum->buckets < BUCKETS_LEAST || spectrum->samples == spectrum->buckets)
		return 0;
	high = fmax(floor(high), low);
	fit.classes = malloc((make_classes(NULL, high, (double)spectrum->samples) + 1) * sizeof(*fit.classes));
	fit.log_factorials = malloc(spectrum->count * sizeof(*fit.log_factorials));
	if (!fit.classes || !fit.log_factorials) {
		free(fit.classes);
		free(fit.log_factorials);
		return -ENOMEM;
	}
	for (size_t i = 0; i < spectrum->count; i++)
		fit.log_factorials[i] = lgamma((double)spectrum->rows[i].samples + 1);
	from = low;
	to = high;
	/* Each pass tries sizes closer to the best number of buckets. */
	for (int pass = 0; pass < PASSES; pass++) {
		double ratio = pow(to / from, 1. / (pass ? SIZES + 1 : SIZES - 1));

		for (int i = 0; i < SIZES && count < PASSES * SIZES; i++) {
			double size = round(from * pow(ratio, pass ? i + 1 : i));

			try_size(&fit, fmin(size, high), best->exponent, !count, &tried[count]);
			if (tried[count].likelihood > best->likelihood)
				best = &tried[count];
			count++;
		}
		from = fmax(best->buckets / ratio, low);
		to = fmin(best->buckets * ratio, high);
		if (to - from < 2 || ratio < 1.001)
			break;
	}
	zipf->exponent = (struct estimate){best->exponent, best->exponent, best->exponent};
	zipf->buckets = best->buckets;
	for (size_t i = 0; i < count; i++)
		add_interval(&fit, &tried[i], best->likelihood - DROP, &zipf->exponent);
	zipf->is_like_zipf = fits(&fit, best);
	free(fit.classes);
	free(fit.log_factorials);
	return 0;
}

double estimate_zipf_samples(const struct zipf_fit *fit, uint64_t samples, double rank)
{
	double sum = 0, k = 1, width;

	while (k <= fit->buckets) {
		width = class_width(k, fit->buckets, (double)samples);
		sum += width * pow(k + (width - 1) / 2, -fit->exponent.value);
		k += width;
	}
	return (double)samples * pow(rank, -fit->exponent.value) / sum;
}
