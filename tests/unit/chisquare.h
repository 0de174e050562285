/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pearson's goodness of fit for the tests of random draws. */
#ifndef TESTS_UNIT_CHISQUARE_H
#define TESTS_UNIT_CHISQUARE_H

#include <gsl/gsl_cdf.h>
#include <stddef.h>
#include <stdint.h>

/* Neighbouring cells are merged until each expects at least this many. */
#define CHISQUARE_EXPECTED 10.0
/* With a fixed seed a right implementation fails once in 5000 seeds; then the seed, and why, are looked at. A
 * fit that is too good is as wrong as one that is too bad. */
#define CHISQUARE_SUSPICIOUS 1e-4

struct chisquare {
	double statistic;
	size_t cells;
	double expected, observed; /* of the cell being filled */
	double last_expected, last_observed;
};

static inline void chisquare_close(struct chisquare *c)
{
	double miss = c->observed - c->expected;

	c->statistic += miss * miss / c->expected;
	c->cells++;
	c->last_expected = c->expected;
	c->last_observed = c->observed;
	c->expected = c->observed = 0;
}

/* What is left over at the end is too small for a cell: it goes to the last one. */
static inline void chisquare_close_rest(struct chisquare *c)
{
	double miss = c->last_observed - c->last_expected;

	if (c->cells && (c->expected > 0 || c->observed > 0)) {
		c->statistic -= miss * miss / c->last_expected;
		c->cells--;
		c->expected += c->last_expected;
		c->observed += c->last_observed;
		chisquare_close(c);
	}
}

/* The probability that chance alone misses `probability` by more than these counts do. Where nothing may be,
 * nothing must be: 0. A single cell proves nothing: 0.5. */
static inline double chisquare_p(const uint64_t *count, const double *probability, size_t n, uint64_t draws)
{
	struct chisquare c = {0};

	for (size_t i = 0; i < n; i++) {
		if (probability[i] == 0 && count[i])
			return 0;
		c.expected += probability[i] * (double)draws;
		c.observed += (double)count[i];
		if (c.expected >= CHISQUARE_EXPECTED)
			chisquare_close(&c);
	}
	chisquare_close_rest(&c);
	return c.cells < 2 ? 0.5 : gsl_cdf_chisq_Q(c.statistic, (double)c.cells - 1);
}

static inline int chisquare_fits(double p)
{
	return p > CHISQUARE_SUSPICIOUS && p < 1 - CHISQUARE_SUSPICIOUS;
}

/* Against equal shares. */
static inline double chisquare_even_p(const uint64_t *count, size_t n)
{
	double probability = 1.0 / (double)n, statistic = 0, expected;
	uint64_t draws = 0;

	for (size_t i = 0; i < n; i++)
		draws += count[i];
	expected = probability * (double)draws;
	for (size_t i = 0; i < n; i++)
		statistic += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
	return gsl_cdf_chisq_Q(statistic, (double)n - 1);
}

#endif
