/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The theoretical probability of each page under a pattern, by the kind's textbook formula. */
#ifndef TESTS_UNIT_PROBABILITIES_H
#define TESTS_UNIT_PROBABILITIES_H

#include <math.h>
#include <stdint.h>

#include "common/stats/pattern.h"

static inline void fill_even(double *probability, uint64_t first, uint64_t end, double total)
{
	for (uint64_t i = first; i < end; i++)
		probability[i] = total / (double)(end - first);
}

/* P(a <= g < b) of the standard normal; by the tail that is small, so that no digits cancel. */
static inline double normal_between(double a, double b)
{
	if (a > 0)
		return (erfc(a * M_SQRT1_2) - erfc(b * M_SQRT1_2)) / 2;
	if (b < 0)
		return (erfc(-b * M_SQRT1_2) - erfc(-a * M_SQRT1_2)) / 2;
	return (erf(b * M_SQRT1_2) - erf(a * M_SQRT1_2)) / 2;
}

/* P(sum of 12 uniforms <= x) = 1/12! sum over k <= x of (-1)^k C(12, k) (x - k)^12 (Irwin, Hall, 1927). Only
 * for x <= 6, where the terms do not cancel. */
static inline double irwin_hall_lower(double x)
{
	double sum = 0, binomial = 1;

	for (int k = 0; k < x && k <= 6; k++) {
		sum += binomial * pow(x - k, 12);
		binomial *= -(12.0 - k) / (k + 1);
	}
	return sum / 479001600;
}

/* By symmetry around 6: P(a <= sum - 6 < b). */
static inline double irwin_hall_between(double a, double b)
{
	if (a > 0)
		return irwin_hall_lower(6 - a) - irwin_hall_lower(6 - b);
	if (b > 0)
		return 1 - irwin_hall_lower(6 - b) - irwin_hall_lower(6 + a);
	return irwin_hall_lower(6 + b) - irwin_hall_lower(6 + a);
}

static inline void fill_bell(
	double *probability, uint64_t pages, double deviation, double (*between)(double, double))
{
	double centre = (double)pages / 2;

	for (uint64_t i = 0; i < pages; i++)
		probability[i] =
			between(((double)i - centre) / deviation, ((double)i + 1 - centre) / deviation);
}

static inline void fill_pareto(double *probability, uint64_t pages, double alpha)
{
	/* x^-alpha - (x + 1)^-alpha, the difference taken in the exponent. */
	for (uint64_t i = 0; i < pages; i++) {
		double x = (double)i + 1;

		probability[i] = pow(x, -alpha) * -expm1(-alpha * log1p(1 / x));
	}
}

static inline void fill_zipf(double *probability, uint64_t pages, double exponent)
{
	for (uint64_t i = 0; i < pages; i++)
		probability[i] = pow((double)i + 1, -exponent);
}

static inline void fill_hotset(double *probability, uint64_t pages, const struct pattern_spec *spec)
{
	uint64_t hot = (uint64_t)fmax(1, round(spec->hot_set * (double)pages));
	double hot_share = hot < pages ? spec->hot_access : 1;

	fill_even(probability, 0, hot, hot_share);
	fill_even(probability, hot, pages, 1 - hot_share);
}

/* Smallest last: the tails of the heavy ones start at the end of the set. */
static inline void normalize(double *probability, uint64_t pages)
{
	double sum = 0;

	for (uint64_t i = pages; i-- > 0;)
		sum += probability[i];
	for (uint64_t i = 0; i < pages; i++)
		probability[i] /= sum;
}

/* probability[0..pages-1], summing to 1 (before scatter; hotset: before it drifts). -ERANGE when pattern_check refuses the
 * spec. */
static inline int pattern_probabilities(const struct pattern_spec *spec, uint64_t pages, double *probability)
{
	struct pattern_spec checked = *spec;
	const char *why;
	int err = pattern_check(&checked, pages, &why);

	if (err)
		return err;
	switch (checked.kind) {
	case PATTERN_UNIFORM:
	case PATTERN_LINEAR:
		fill_even(probability, 0, pages, 1);
		break;
	case PATTERN_NORMAL:
		fill_bell(probability, pages, checked.shape, normal_between);
		break;
	case PATTERN_NORMAL_IH:
		fill_bell(probability, pages, checked.shape, irwin_hall_between);
		break;
	case PATTERN_PARETO:
		fill_pareto(probability, pages, checked.shape);
		break;
	case PATTERN_ZIPF:
		fill_zipf(probability, pages, checked.shape);
		break;
	case PATTERN_HOTSET:
		fill_hotset(probability, pages, &checked);
		break;
	case PATTERN_RECORDED: /* tests/unit/test_recorded.c */
		return -EINVAL;
	}
	normalize(probability, pages);
	return 0;
}

#endif
