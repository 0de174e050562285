/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/beside.h"

#include <errno.h>
#include <math.h>

/* The first point that is later than time; count when none is. */
static size_t find_after(const struct beside_point *points, size_t count, uint64_t time_ns)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (points[middle].time_ns > time_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

double beside_at(const struct beside_point *points, size_t count, uint64_t time_ns)
{
	size_t after = find_after(points, count, time_ns);
	const struct beside_point *left, *right;

	if (!after)
		return points[0].bytes;
	if (after == count)
		return points[count - 1].bytes;
	left = &points[after - 1];
	right = &points[after];
	return left->bytes + (right->bytes - left->bytes) * (double)(time_ns - left->time_ns) /
		(double)(right->time_ns - left->time_ns);
}

int beside_largest(const struct beside_point *points, size_t count, const struct timeline *timeline,
	struct beside_gap *gap)
{
	double largest = -1;

	if (!count || !timeline->state_count)
		return -ENODATA;
	for (size_t i = 0; i < timeline->state_count; i++) {
		const struct timeline_state *state = &timeline->states[i];
		double kernel = (double)state->dirty + (double)state->writeback;
		double model = beside_at(points, count, state->time_ns);

		if (fabs(model - kernel) <= largest)
			continue;
		largest = fabs(model - kernel);
		*gap = (struct beside_gap){state->time_ns, model, kernel};
	}
	return 0;
}
