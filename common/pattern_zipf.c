/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Zipf by rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from
 * monotone discrete distributions", 1996), with their hat H, the integral of x^-s, written so that it is
 * smooth at s = 1: H(x) = (x^(1-s) - 1) / (1 - s), and log x there. A rank costs one logarithm and one
 * exponential; at most 1 in 50 is rejected, whatever s and pages (tests/unit/test_pattern.c), and no table
 * grows with pages.
 */
#include "config.h"
#include <math.h>
#include "common/pattern_draw.h"

/* expm1(x) / x and log1p(x) / x, both 1 at 0; below the bound the series is exact to a double. */
static double expm1_ratio(double x)
{
	return fabs(x) > 1e-8 ? expm1(x) / x : 1 + x / 2;
}

static double log1p_ratio(double x)
{
	return fabs(x) > 1e-8 ? log1p(x) / x : 1 - x / 2;
}

static double density(double exponent, double x)
{
	return exp(-exponent * log(x));
}

static double integral(double exponent, double x)
{
	double log_x = log(x);

	return log_x * expm1_ratio((1 - exponent) * log_x);
}

static double integral_inverse(double exponent, double y)
{
	/* Rounding could leave the logarithm's domain; -1 itself gives infinity, which is cut to the last
	 * rank. */
	double t = fmax(y * (1 - exponent), -1);

	return exp(y * log1p_ratio(t));
}

void pattern_zipf_init(struct pattern *self, double exponent)
{
	self->zipf.exponent = exponent;
	/* The first bar is shifted so that the hat there is as high as the bar: rank 1 is never rejected. */
	self->zipf.integral_low = integral(exponent, 1.5) - 1;
	self->zipf.integral_high = integral(exponent, (double)self->pages + 0.5);
	/* Points this close to the left of a rank are inside its bar for every rank (the paper's s). */
	self->zipf.squeeze = 2 - integral_inverse(exponent, integral(exponent, 2.5) - density(exponent, 2));
}

uint64_t pattern_draw_zipf(struct pattern *self)
{
	double s = self->zipf.exponent;
	double low = self->zipf.integral_low, high = self->zipf.integral_high;

	for (;;) {
		double y = high - rng_double(&self->rng) * (high - low);
		double x = integral_inverse(s, y);
		uint64_t rank = x < (double)self->pages ? (uint64_t)(x + 0.5) : self->pages;
		double k = (double)rank;

		if (k - x <= self->zipf.squeeze || y >= integral(s, k + 0.5) - density(s, k))
			return rank - 1;
	}
}
