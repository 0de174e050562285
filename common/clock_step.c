/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/clock_step.h"

#include <math.h>
#include <stdlib.h>

#define FINE_NS 3     /* steps below that cannot be told from ns by what is rounded to ns */
#define LARGEST 16    /* times the smallest difference: what is larger was interrupted, and says little */
#define SURE_STEPS .4 /* of the first guess in ns: so many steps are counted right by a guess that is off by 1 ns */

static int compare(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

/* Multiples of a step are rounded to one of two neighbours. The least distance between two such pairs, or of the first
 * from 0; 1 when more than two neighbours are there. */
static uint64_t guess(const uint64_t *sorted, size_t count, uint64_t limit)
{
	uint64_t begin = sorted[0], last = sorted[0], least = sorted[0];

	for (size_t i = 1; i < count && sorted[i] <= limit; i++) {
		if (sorted[i] - last > 1) {
			least = sorted[i] - begin < least ? sorted[i] - begin : least;
			begin = sorted[i];
		} else if (sorted[i] - begin > 1) {
			return 1;
		}
		last = sorted[i];
	}
	return least;
}

double clock_step_ns(uint64_t *differences, size_t count)
{
	double sum = 0, steps = 0, first;
	uint64_t limit;
	size_t zeros = 0;

	qsort(differences, count, sizeof(*differences), compare);
	while (zeros < count && !differences[zeros])
		zeros++;
	if (zeros == count)
		return 0;
	differences += zeros;
	count -= zeros;
	limit = differences[0] > UINT64_MAX / LARGEST ? UINT64_MAX : differences[0] * LARGEST;
	first = (double)guess(differences, count, limit);
	if (first < FINE_NS)
		return 1;
	for (size_t i = 0; i < count && differences[i] <= limit; i++) {
		double these = round((double)differences[i] / first);

		if (these > fmax(first * SURE_STEPS, 1))
			break;
		sum += (double)differences[i];
		steps += these;
	}
	return steps > 0 ? sum / steps : first;
}
