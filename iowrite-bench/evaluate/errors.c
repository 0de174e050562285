/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/errors.h"

#include <math.h>

#define LOW 0.1
#define HIGH 0.9

/* Of a quantile's estimate: what lies above costs `quantile` a unit, what lies below the rest. */
static double pinball(double measured, double estimate, double quantile)
{
	double over = measured - estimate;

	return over > 0 ? over * quantile : -over * (1 - quantile);
}

static void judge_points(const struct measured *measured, const struct model_cost *costs, struct errors *errors)
{
	double predicted_sum = 0, measured_sum = 0, gaps = 0, per_write = 0, all = 0, mean_write = 0;
	double count = (double)measured->count;

	for (size_t i = 0; i < measured->count; i++) {
		double ns = measured->ns[i], mean = measured->group_mean[measured->group[i]];

		per_write += measured_error(measured, i, costs[i].typical_ns);
		all += fabs(costs[i].typical_ns - ns) / measured_scale(measured, i);
		mean_write += fabs(costs[i].ns - mean) / mean;
		predicted_sum += costs[i].ns;
		measured_sum += ns;
		gaps += fabs(predicted_sum - measured_sum);
	}
	errors->per_write = 100 * per_write / count;
	errors->unresolved = 100 * (all - per_write) / count;
	errors->mean_write = 100 * mean_write / count;
	errors->total = 100 * (predicted_sum - measured_sum) / measured_sum;
	errors->curve_gap = 100 * gaps / count / measured_sum;
}

static void judge_bands(const struct measured *measured, const struct model_cost *costs, struct errors *errors)
{
	double banded = 0, inside = 0, loss = 0, sum = 0;

	for (size_t i = 0; i < measured->count; i++) {
		const struct model_cost *cost = &costs[i];
		double ns = measured->ns[i];

		if (!(cost->low_ns < cost->high_ns))
			continue;
		banded++;
		sum += ns;
		inside += ns >= cost->low_ns && ns <= cost->high_ns;
		loss += (pinball(ns, cost->low_ns, LOW) + pinball(ns, cost->high_ns, HIGH)) / 2;
	}
	errors->coverage = banded > 0 ? 100 * inside / banded : NAN;
	errors->pinball = banded > 0 ? 100 * loss / sum : NAN;
}

void errors_make(const struct measured *measured, const struct prediction *prediction, struct errors *errors)
{
	judge_points(measured, prediction->costs, errors);
	judge_bands(measured, prediction->costs, errors);
}
