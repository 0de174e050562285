/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/clock_step.h"

#include <math.h>
#include <stdlib.h>

#define FINE 3         /* steps below that cannot be told from the unit by what is rounded to it */
#define LARGEST 16     /* times the smallest difference: what is larger was interrupted, and says little */
#define RARE 1000      /* of so many differences one value that is seen once */
#define FINER 256      /* steps that are tried in a doubling; the largest difference tells so many apart */
#define PERIODIC .85   /* of 1: all differences are multiples, but for rounding to one of two neighbours */
#define SURE_STEPS .4  /* of the first guess: so many steps are counted right by a guess that is off by 1 */

struct value {
	uint64_t difference;
	double weight; /* the root of how often: no single value shall decide */
};

static int compare(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

/* Of the sorted differences above 0, in place of them: those that are neither rare nor large. */
static size_t count_values(const uint64_t *sorted, size_t count, struct value *values)
{
	size_t kept = 0, run;

	for (size_t i = 0; i < count; i += run) {
		for (run = 1; i + run < count && sorted[i + run] == sorted[i]; run++)
			;
		if (!sorted[i] || (run < 2 && count >= RARE) || run < count / RARE)
			continue;
		if (kept && (double)sorted[i] > (double)values[0].difference * LARGEST)
			break;
		values[kept++] = (struct value){sorted[i], sqrt((double)run)};
	}
	return kept;
}

/* 1 when all are multiples of the step, 0 when they are anything. */
static double periodicity(const struct value *values, size_t count, double step)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < count; i++) {
		double steps = (double)values[i].difference / step;

		sum += values[i].weight * cos(2 * M_PI * (steps - round(steps)));
		weight += values[i].weight;
	}
	return sum / weight;
}

/* The largest step that fits, since its parts fit as well; none is larger than the smallest difference. */
static double guess(const struct value *values, size_t count)
{
	double step = (double)values[0].difference + 1, best = 0, fit = 0;

	while (step >= FINE - 1) {
		double now = periodicity(values, count, step);

		if (best > 0 && now < fit)
			return best;
		if (now >= PERIODIC) {
			best = step;
			fit = now;
		}
		step *= exp2(-1.0 / FINER);
	}
	return best;
}

double clock_step(uint64_t *differences, size_t count)
{
	struct value *values = calloc(count + 1, sizeof(*values));
	double sum = 0, steps = 0, first = 0;
	size_t kept = 0;

	qsort(differences, count, sizeof(*differences), compare);
	if (values)
		kept = count_values(differences, count, values);
	if (kept)
		first = guess(values, kept);
	for (size_t i = 0; i < kept && first >= FINE; i++) {
		double these = round((double)values[i].difference / first), weight = values[i].weight * values[i].weight;

		if (these > fmax(first * SURE_STEPS, 1))
			break;
		sum += weight * (double)values[i].difference;
		steps += weight * these;
	}
	free(values);
	if (!kept)
		return 0;
	return first < FINE ? 1 : steps > 0 ? sum / steps : first;
}
