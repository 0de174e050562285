/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include "common/hot/bucket.h"
#include "common/stats/histogram.h"

static void log16_edges(unsigned i, uint64_t *lo, uint64_t *hi)
{
	if (i == 0) {
		*lo = 0;
		*hi = 256;
	} else if (i <= 240) {
		unsigned width_bits = 4 + (i - 1) / 16;

		*lo = (uint64_t)(16 + (i - 1) % 16) << width_bits;
		*hi = *lo + (1ull << width_bits);
	} else {
		*lo = 1ull << (23 + i - 241);
		*hi = i + 1 < BUCKET_LOG16_COUNT ? 2 * *lo : UINT64_MAX;
	}
}

static void hdr_edges(unsigned i, uint64_t *lo, uint64_t *hi)
{
	unsigned per_power = 1u << BUCKET_HDR_BITS;
	unsigned width_bits = i < per_power ? 0 : (i >> BUCKET_HDR_BITS) - 1;

	*lo = (uint64_t)(i - width_bits * per_power) << width_bits;
	*hi = i + 1 < BUCKET_HDR_COUNT ? *lo + (1ull << width_bits) : UINT64_MAX;
}

const struct histogram_layout histogram_log16 = {"log16", BUCKET_LOG16_COUNT, bucket_log16, log16_edges};
const struct histogram_layout histogram_hdr = {"hdr", BUCKET_HDR_COUNT, bucket_hdr, hdr_edges};

uint64_t histogram_total(const struct histogram_layout *layout, const uint64_t *counts)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < layout->buckets; i++)
		total += counts[i];
	return total;
}

int histogram_merge(const struct histogram_layout *layout, uint64_t *dst, const uint64_t *src)
{
	for (unsigned i = 0; i < layout->buckets; i++) {
		if (dst[i] > UINT64_MAX - src[i])
			return -EOVERFLOW;
	}
	for (unsigned i = 0; i < layout->buckets; i++)
		dst[i] += src[i];
	return 0;
}

int histogram_subtract(const struct histogram_layout *layout, uint64_t *dst, const uint64_t *src)
{
	for (unsigned i = 0; i < layout->buckets; i++) {
		if (dst[i] < src[i])
			return -ERANGE;
	}
	for (unsigned i = 0; i < layout->buckets; i++)
		dst[i] -= src[i];
	return 0;
}

void histogram_moments_add(struct histogram_moments *dst, const struct histogram_moments *src)
{
	if (src->count == 0)
		return;
	if (dst->count == 0) {
		*dst = *src;
		return;
	}
	dst->count += src->count;
	dst->sum_ns += src->sum_ns;
	dst->sum_squares_ns2 += src->sum_squares_ns2;
	dst->min_ns = fmin(dst->min_ns, src->min_ns);
	dst->max_ns = fmax(dst->max_ns, src->max_ns);
}

static double clamp(double value, const struct histogram_moments *moments)
{
	return fmin(fmax(value, moments->min_ns), moments->max_ns);
}

double histogram_rank(uint64_t total, double percent)
{
	double rank = (double)total * percent / 100;
	double whole = round(rank);

	/* Rounds to a whole rank: 99.9 % of 1000 is 999, although 99.9's last binary digit makes the product larger. */
	return fabs(rank - whole) <= rank * 1e-14 ? whole : rank;
}

double histogram_percentile_limit(double mean_ns, double percent)
{
	return percent < 100 ? mean_ns / (1 - percent / 100) : NAN;
}

bool histogram_is_vague(double lo, double low, double high)
{
	return lo == 0 && high > 1 && high > 2 * low;
}

double histogram_percentile(const struct histogram_layout *layout, const uint64_t *counts,
	const struct histogram_moments *moments, double percent)
{
	uint64_t total = histogram_total(layout, counts);
	double rank = histogram_rank(total, percent);
	uint64_t below = 0;

	if (total == 0)
		return NAN;
	for (unsigned i = 0; i < layout->buckets; i++) {
		uint64_t lo, hi;
		double low, high;

		if (counts[i] == 0 || (double)(below + counts[i]) < rank) {
			below += counts[i];
			continue;
		}
		layout->edges(i, &lo, &hi);
		low = clamp((double)lo, moments);
		high = clamp((double)hi, moments);
		/* The extremes (0 % and 100 %) are exact. */
		if (percent > 0 && percent < 100 && histogram_is_vague((double)lo, low, high))
			return NAN;
		return fmin(low + (high - low) * (rank - (double)below) / (double)counts[i],
			histogram_percentile_limit(moments->sum_ns / (double)total, percent));
	}
	return moments->max_ns;
}

void histogram_summarize(const struct histogram_layout *layout, const uint64_t *counts,
	const struct histogram_moments *moments, struct histogram_summary *summary)
{
	const struct {
		double percent;
		double *value;
	} percentiles[] = {
		{50, &summary->p50_ns},
		{90, &summary->p90_ns},
		{95, &summary->p95_ns},
		{99, &summary->p99_ns},
		{99.9, &summary->p999_ns},
		{99.99, &summary->p9999_ns},
	};
	bool is_empty = moments->count == 0;
	double n = (double)moments->count, squares = moments->sum_squares_ns2 - moments->sum_ns * moments->sum_ns / n;

	summary->count = moments->count;
	summary->min_ns = is_empty ? NAN : moments->min_ns;
	summary->max_ns = is_empty ? NAN : moments->max_ns;
	summary->mean_ns = is_empty ? NAN : moments->sum_ns / n;
	/* For equal samples rounding may make squares negative. */
	summary->stddev_ns = is_empty || isnan(squares) ? NAN
		: moments->count > 1 && squares > 0 ? sqrt(squares / (n - 1)) : 0;
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
		*percentiles[i].value = histogram_percentile(layout, counts, moments, percentiles[i].percent);
}

double histogram_mode(const struct histogram_layout *layout, const uint64_t *counts)
{
	double highest = 0, mode = NAN;

	for (unsigned i = 0; i < layout->buckets; i++) {
		bool is_open = i + 1 == layout->buckets;
		uint64_t lo, hi;
		double density;

		layout->edges(i, &lo, &hi);
		density = (double)counts[i] / (double)(is_open ? lo : hi - lo);
		if (density > highest) {
			highest = density;
			mode = is_open ? (double)lo : ((double)lo + (double)hi) / 2;
		}
	}
	return mode;
}
