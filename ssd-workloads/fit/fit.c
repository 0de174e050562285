/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/fit/fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define CURVE 300
#define GRID 300
#define SECTIONS 60
#define NEWTONS 100
#define PRECISE 1e-13
#define RATE_LEAST 0.001   /* valid pages that a block loses for each write, by the share of valid pages */
#define RATE_MOST 400.0

struct curve { double space[CURVE], amplification[CURVE]; }; /* by rising space */

/*
 * The mean field: the limit of many blocks with mutually independent states (as by Van Houdt, SIGMETRICS 2013; derived from the
 * balance of flows, not from that text). One open block is shared by the host's and the collector's pages; the victim is the block
 * with the fewest valid pages of `choices` drawn blocks, 0 = of all (greedy); if all its pages are valid, others are drawn.
 *
 * A collection of a block whose pages are all valid changes nothing: the model has it, and its copies are not counted.
 *
 * above[k]: share of blocks with k or more valid pages, from 1 (k = 0) to 0 (k = pages + 1). Of each collection, blocks go down
 * from k to k - 1 valid pages `rate` * k * (above[k] - above[k + 1]) times; as often they come into the states below k as they
 * leave these, which is when one of them is the victim: 1 - above[k]^choices. So above[k] follows from above[k + 1], and the
 * sum over k is the number of valid pages of a block. *full receives above[pages].
 */
static double valid_pages(double rate, uint32_t pages, uint32_t choices, double *full)
{
	double next = 0, sum = 0;

	for (uint32_t k = pages; k; k--) {
		double flow = rate * k, at = 1;

		if (!choices) {
			at = fmin(1, next + 1 / flow);
		} else {
			/* The function is convex and rising, so Newton's method converges from 1 downwards. */
			for (int i = 0; i < NEWTONS; i++) {
				double power = pow(at, choices - 1.0);
				double step = (flow * (at - next) - 1 + power * at) / (flow + choices * power);

				at -= step;
				if (fabs(step) < PRECISE)
					break;
			}
		}
		if (k == pages)
			*full = at;
		sum += at;
		next = at;
	}
	return sum;
}

/* Computes points from a space near 1 to one above 8. */
static void make_curve(uint32_t pages, uint32_t choices, struct curve *curve)
{
	for (size_t i = 0; i < CURVE; i++) {
		double full = 0, rate = RATE_LEAST * pow(RATE_MOST / RATE_LEAST, (double)i / (CURVE - 1));

		curve->space[i] = pages / valid_pages(rate, pages, choices, &full);
		curve->amplification[i] = curve->space[i] / rate * (choices ? 1 - pow(full, choices) : 1);
	}
}

/* Interpolates linearly in logarithms between two adjacent points. */
static double amplification_at(const struct curve *curve, double space)
{
	size_t low = 0, high = CURVE - 1;
	double part;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (curve->space[middle] <= space)
			low = middle;
		else
			high = middle;
	}
	part = log(space / curve->space[low]) / log(curve->space[high] / curve->space[low]);
	return curve->amplification[low] * pow(curve->amplification[high] / curve->amplification[low], part);
}

/* Returns the mean square of the logarithmic deviations; programs per second are fitted, NAN without rates. */
static double deviation(const struct curve *curve, const struct fit_point *points, size_t count, double op, double *programs)
{
	double sum = 0, logarithms = 0;
	size_t rates = 0;

	for (size_t i = 0; i < count; i++) {
		if (!points[i].is_rate)
			continue;
		logarithms += log(points[i].value * amplification_at(curve, (1 + op) / points[i].fill));
		rates++;
	}
	*programs = rates ? exp(logarithms / (double)rates) : NAN;
	for (size_t i = 0; i < count; i++) {
		double amplification = amplification_at(curve, (1 + op) / points[i].fill);
		double model = points[i].is_rate ? *programs / amplification : amplification;
		double off = log(model / points[i].value);

		sum += off * off;
	}
	return sum / (double)count;
}

/* Searches a grid first, because two points may have two minima. */
static void find_op(const struct curve *curve, const struct fit_point *points, size_t count, struct fit_candidate *candidate)
{
	double step = pow(FIT_OP_MOST / FIT_OP_LEAST, 1.0 / GRID), best = FIT_OP_LEAST, least = INFINITY, programs, low, high;

	for (int i = 0; i <= GRID; i++) {
		double op = FIT_OP_LEAST * pow(step, i), found = deviation(curve, points, count, op, &programs);

		if (found >= least)
			continue;
		least = found;
		best = op;
	}
	low = fmax(best / step, FIT_OP_LEAST);
	high = fmin(best * step, FIT_OP_MOST);
	for (int i = 0; i < SECTIONS; i++) {
		double left = low + (high - low) / 3, right = high - (high - low) / 3;

		if (deviation(curve, points, count, left, &programs) < deviation(curve, points, count, right, &programs))
			high = right;
		else
			low = left;
	}
	candidate->op = (low + high) / 2;
	candidate->error = sqrt(deviation(curve, points, count, candidate->op, &candidate->programs_per_second));
}

int fit(const struct fit_point *points, size_t count, uint32_t pages, double fill, struct fit_candidate candidates[FIT_CANDIDATES])
{
	static const uint32_t choices[FIT_CANDIDATES] = {0, 50, 20, 10, 5, 4, 3, 2, 1};
	struct curve *curve = malloc(sizeof(*curve));

	if (!curve)
		return -ENOMEM;
	for (size_t i = 0; i < FIT_CANDIDATES; i++) {
		struct fit_candidate *candidate = &candidates[i];

		candidate->choices = choices[i];
		make_curve(pages, choices[i], curve);
		find_op(curve, points, count, candidate);
		candidate->amplification = amplification_at(curve, (1 + candidate->op) / fill);
		candidate->rate = candidate->programs_per_second / candidate->amplification;
	}
	free(curve);
	return 0;
}
