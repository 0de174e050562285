/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/engine/steady.h"

#include <math.h>

#include "common/stats.h"

#define RANGE_PERCENT 10.0 /* of each value from the mean, and of the line over the window */

const char *steady_name(enum steady_verdict verdict)
{
	static const char *const names[] = {
		[STEADY_UNKNOWN] = "unknown", [STEADY_YES] = "steady", [STEADY_NO] = "not-steady"};

	return names[verdict];
}

void steady_judge(const double *values, size_t count, struct steady *steady)
{
	static const double times[STEADY_WINDOW] = {0, 1, 2, 3, 4};
	const double *window;
	double mean = 0, far = 0;
	struct stats_line line;

	*steady = (struct steady){STEADY_UNKNOWN, NAN, NAN, NAN};
	if (count < STEADY_WINDOW)
		return;
	window = values + count - STEADY_WINDOW;
	for (unsigned i = 0; i < STEADY_WINDOW; i++)
		mean += window[i] / STEADY_WINDOW;
	if (mean <= 0 || stats_fit_line(times, window, STEADY_WINDOW, &line))
		return;
	for (unsigned i = 0; i < STEADY_WINDOW; i++)
		far = fmax(far, fabs(window[i] - mean));
	steady->mean_per_second = mean;
	steady->range_percent = 100 * far / mean;
	steady->slope_percent = 100 * line.slope * (STEADY_WINDOW - 1) / mean;
	steady->verdict = steady->range_percent <= RANGE_PERCENT && fabs(steady->slope_percent) <= RANGE_PERCENT
				  ? STEADY_YES
				  : STEADY_NO;
}
