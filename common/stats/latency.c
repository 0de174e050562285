/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/stats/latency.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/stats/stats.h"

#define MIN_TAIL 5
#define MAX_SLOPE_PERCENT 10.0
#define MAX_CV_PERCENT 20.0
#define MAX_RANGE_PERCENT 10.0

void latency_clear(struct latency *latency)
{
	memset(latency, 0, sizeof(*latency));
	latency->min_ns = UINT64_MAX;
}

void latency_merge(struct latency *total, const struct latency *part)
{
	total->count += part->count;
	total->sum_ns += part->sum_ns;
	total->sum_squares_ns2 += part->sum_squares_ns2;
	total->min_ns = part->min_ns < total->min_ns ? part->min_ns : total->min_ns;
	total->max_ns = part->max_ns > total->max_ns ? part->max_ns : total->max_ns;
	for (unsigned i = 0; i < BUCKET_HDR_COUNT; i++)
		total->counts[i] += part->counts[i];
}

void latency_moments(const struct latency *latency, struct histogram_moments *moments)
{
	*moments = (struct histogram_moments){latency->count, latency->sum_ns, latency->sum_squares_ns2,
		(double)latency->min_ns, (double)latency->max_ns};
}

double latency_percentile(const struct latency *latency, double percent)
{
	struct histogram_moments moments;

	latency_moments(latency, &moments);
	return histogram_percentile(&histogram_hdr, latency->counts, &moments, percent);
}

void latency_summarize(const struct latency *latency, struct histogram_summary *summary)
{
	struct histogram_moments moments;

	latency_moments(latency, &moments);
	histogram_summarize(&histogram_hdr, latency->counts, &moments, summary);
}

const char *latency_verdict_name(enum latency_verdict verdict)
{
	static const char *const names[] = {
		[LATENCY_UNKNOWN] = "unknown", [LATENCY_STEADY] = "steady", [LATENCY_NOT_STEADY] = "not-steady"};

	return names[verdict];
}

static const struct latency_steady unknown = {LATENCY_UNKNOWN, 0, NAN, NAN, NAN, NAN};

/* The verdict is left out. False: there is no mean, or no line. */
static bool describe(const double *time, const double *rate, size_t from, size_t count, struct latency_steady *steady)
{
	double mean = 0, squares = 0, range = 0;
	struct stats_line line;

	for (size_t i = from; i < count; i++)
		mean += rate[i] / (double)(count - from);
	if (!(mean > 0) || stats_fit_line(time + from, rate + from, count - from, &line))
		return false;
	for (size_t i = from; i < count; i++) {
		squares += (rate[i] - mean) * (rate[i] - mean);
		range = fmax(range, fabs(rate[i] - mean));
	}
	*steady = (struct latency_steady){
		.from = from,
		.mean = mean,
		.slope_percent = line.slope * (time[count - 1] - time[from]) / mean * 100,
		.cv_percent = sqrt(squares / (double)(count - from - 1)) / mean * 100,
		.range_percent = range / mean * 100,
	};
	return true;
}

void latency_steady_tail(const double *time, const double *rate, size_t count, struct latency_steady *steady)
{
	*steady = unknown;
	if (count < LATENCY_TAIL_INTERVALS)
		return;
	for (size_t from = 0; count - from >= MIN_TAIL && from <= count / 2; from++) {
		if (!describe(time, rate, from, count, steady)) {
			*steady = unknown;
			return;
		}
		steady->verdict = fabs(steady->slope_percent) <= MAX_SLOPE_PERCENT && steady->cv_percent <= MAX_CV_PERCENT
					  ? LATENCY_STEADY
					  : LATENCY_NOT_STEADY;
		if (steady->verdict == LATENCY_STEADY)
			return;
	}
}

void latency_steady_last(const double *rate, size_t count, struct latency_steady *steady)
{
	static const double time[LATENCY_LAST_INTERVALS] = {0, 1, 2, 3, 4};
	size_t from = count - LATENCY_LAST_INTERVALS;

	*steady = unknown;
	if (count < LATENCY_LAST_INTERVALS || !describe(time, rate + from, 0, LATENCY_LAST_INTERVALS, steady))
		return;
	steady->from = from;
	steady->verdict = steady->range_percent <= MAX_RANGE_PERCENT && fabs(steady->slope_percent) <= MAX_SLOPE_PERCENT
				  ? LATENCY_STEADY
				  : LATENCY_NOT_STEADY;
}
