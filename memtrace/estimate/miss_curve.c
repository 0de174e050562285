/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Miss-ratio curves (memtrace/estimate/estimate.h). */
#include "config.h"
#include "memtrace/estimate/estimate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "memtrace/file/search.h"

#define CURVE_POINTS 400
#define UNSEEN_POINTS 60

void miss_curve_free(struct miss_curve *curve)
{
	free(curve->points);
	*curve = (struct miss_curve){0};
}

struct estimate miss_curve_at(const struct miss_curve *curve, double buckets)
{
	size_t next = SEARCH(curve->count, i, curve->points[i].buckets <= buckets);
	struct estimate ratio = next ? curve->points[next - 1].ratio : (struct estimate){1, 1, 1};
	const struct miss_point *point;
	double part;

	if (!next || next == curve->count)
		return ratio;
	point = &curve->points[next];
	part = (buckets - point[-1].buckets) / (point->buckets - point[-1].buckets);
	ratio.value += part * (point->ratio.value - ratio.value);
	ratio.low += part * (point->ratio.low - ratio.low);
	ratio.high += part * (point->ratio.high - ratio.high);
	return ratio;
}

/* The buffer must grow. */
static void add_point(struct miss_curve *curve, double buckets, struct estimate ratio)
{
	if (curve->count && buckets <= curve->points[curve->count - 1].buckets)
		return;
	ratio.value = fmin(fmax(ratio.value, 0), 1);
	ratio.low = fmin(fmax(ratio.low, 0), ratio.value);
	ratio.high = fmax(fmin(ratio.high, 1), ratio.value);
	curve->points[curve->count++] = (struct miss_point){buckets, ratio};
}

/* --- independent references --- */

/*
 * Computes how many buckets t of the samples are in, and the miss ratio, the chance that the next sample is in a new one: a
 * bucket of r samples is missed by all t with probability (1 - t/n)^r. The interval is that of the ratio of a buffer of this
 * size: where the samples find more buckets than there are in t accesses, the ratio of the size is that of fewer accesses, along
 * the slope of the curve.
 */
static void rarefy(const struct spectrum *spectrum, double t, double *buckets, struct estimate *ratio)
{
	double n = (double)spectrum->samples, left = t < n ? log1p(-t / n) : -INFINITY, slope = 0, sum = 0, squares = 0, width;
	double all = (double)spectrum->buckets + estimate_unseen(spectrum).value;

	*buckets = 0;
	*ratio = (struct estimate){0};
	for (size_t i = 0; i < spectrum->count; i++) {
		double r = (double)spectrum->rows[i].samples, f = (double)spectrum->rows[i].buckets;
		double none = r > 1 ? exp((r - 1) * left) : 1;

		*buckets += f * (1 - none * (1 - t / n));
		ratio->value += f * r / n * none;
		slope -= r > 1 ? f * r * (r - 1) / (n * n) * (r > 2 ? exp((r - 2) * left) : 1) : 0;
	}
	slope /= ratio->value;
	for (size_t i = 0; i < spectrum->count; i++) {
		double r = (double)spectrum->rows[i].samples, f = (double)spectrum->rows[i].buckets;
		double none = r > 1 ? exp((r - 1) * left) : 1, part = r / n * none - slope * (1 - none * (1 - t / n));

		sum += f * part;
		squares += f * part * part;
	}
	width = ESTIMATE_Z95 * sqrt(fmax(squares - sum * sum / all, 0));
	ratio->low = ratio->value - width;
	ratio->high = ratio->value + width;
}

/*
 * Returns an upper bound of the miss ratio where accesses to a bucket are no more clustered than random ones: that of accesses as
 * regular as a scan's. A bucket is then missed if its time between accesses is longer than the time T in which the buffer fills,
 * and with the shares of the k most popular buckets L(k), B = k + (1 - L(k)) T and L'(k) = 1 / T: the line from (B, 1) that
 * touches L touches it at k. The popular buckets may be random, and are missed as such.
 */
static double regular_ratio(const struct spectrum *spectrum, const struct lorenz *lorenz, double buffer)
{
	double slope = INFINITY, n = (double)spectrum->samples, missed, share = 0, chosen = 0;

	for (size_t i = 0; i < lorenz->count && lorenz->points[i].buckets < buffer; i++) {
		const struct lorenz_point *point = &lorenz->points[i];
		/* Four standard errors, because the line touches the curve where it is high by chance. */
		double low = fmax(2 * point->share.low - point->share.value, 0);

		if ((1 - low) / (buffer - point->buckets) <= slope) {
			slope = (1 - low) / (buffer - point->buckets);
			chosen = point->buckets;
			share = low;
		}
	}
	missed = 1 - share;
	for (size_t i = spectrum->count; i-- > 0 && chosen > 0 && slope > 0;) {
		double r = (double)spectrum->rows[i].samples, f = (double)spectrum->rows[i].buckets;

		/* The buffer may fill sooner by chance. */
		missed += f * r / n * exp(-r / n * fmax(1 / slope - sqrt(1 / slope), 0));
		chosen -= f;
	}
	return missed;
}

/* Buffers hold whole buckets: the mean number in T accesses is exact only to half of one, which matters to small buffers. */
static void widen(struct miss_curve *curve)
{
	const struct miss_point *points = curve->points;

	for (size_t i = 0; i < curve->count; i++)
		curve->points[i].ratio.low = fmin(points[i].ratio.low, miss_curve_at(curve, points[i].buckets + 0.5).low);
	for (size_t i = curve->count; i-- > 0;)
		curve->points[i].ratio.high = fmax(points[i].ratio.high, miss_curve_at(curve, points[i].buckets - 0.5).high);
}

int estimate_independent(const struct spectrum *spectrum, double most, bool is_order_seen, struct miss_curve *curve)
{
	double n = (double)spectrum->samples, step = pow(n, 1. / CURVE_POINTS), seen = (double)spectrum->buckets, buckets;
	struct estimate unseen = estimate_unseen(spectrum), share = estimate_unseen_share(spectrum), ratio;
	double unseen_most = fmax(most - seen, 0), end = isinf(unseen_most) ? 20 * unseen.value : unseen_most;
	struct miss_curve made = {.points = calloc(CURVE_POINTS + UNSEEN_POINTS + 4, sizeof(*made.points))};
	struct lorenz lorenz = {0};
	int err = made.points ? lorenz_make(spectrum, &lorenz) : -ENOMEM;

	if (err) {
		free(made.points);
		return err;
	}
	for (int i = 0; step > 1 && i < CURVE_POINTS; i++) {
		double t = pow(step, i);

		if (t >= n * 0.9999)
			break;
		rarefy(spectrum, t, &buckets, &ratio);
		add_point(&made, buckets, ratio);
	}
	/* The curve is convex: above its tangent, which ends at Chao1, and below the line to the most buckets. */
	for (int i = 0; end > 0 && i < UNSEEN_POINTS; i++) {
		double more = end * pow(1 / (1 + end), 1 - (double)i / UNSEEN_POINTS), line = 1 - more / unseen_most;

		add_point(&made, seen + more, (struct estimate){
			fmin(unseen.value > 0 ? share.value * exp(-more / unseen.value) : 0, share.value * line),
			unseen.low > 0 ? share.low * (1 - more / unseen.low) : 0, share.high * line});
	}
	/* A larger buffer does not miss more. */
	for (size_t i = made.count; i-- > 0;) {
		struct miss_point *point = &made.points[i];
		double regular = is_order_seen ? 0 : regular_ratio(spectrum, &lorenz, point->buckets);

		point->ratio.high = fmin(fmax(point->ratio.high, regular), 1);
		if (i + 1 < made.count)
			point->ratio.high = fmax(point->ratio.high, point[1].ratio.high);
	}
	for (size_t i = 1; i < made.count; i++)
		made.points[i].ratio.low = fmin(made.points[i].ratio.low, made.points[i - 1].ratio.low);
	widen(&made);
	if (!isinf(most))
		add_point(&made, fmax(most, seen), (struct estimate){0});
	lorenz_free(&lorenz);
	*curve = made;
	return 0;
}

/* --- reuse times --- */

/* Times below 64 have a bin each, then a doubling has 32. */
size_t reuse_bin(uint64_t time)
{
	unsigned bits;

	if (time < 64)
		return (size_t)time;
	bits = 63 - (unsigned)__builtin_clzll(time);
	return 64 + (size_t)(bits - 6) * 32 + (size_t)(time >> (bits - 5) & 31);
}

uint64_t reuse_bin_from(size_t bin)
{
	unsigned bits;

	if (bin < 64)
		return bin;
	bits = 6 + (unsigned)(bin - 64) / 32;
	if (bits > 63)
		return UINT64_MAX; /* the end of the last bin */
	return 1ull << bits | (uint64_t)((bin - 64) % 32) << (bits - 5);
}

void reuse_add(struct reuse_times *times, uint64_t time)
{
	times->bins[reuse_bin(time)]++;
	times->pairs++;
}

/* State of a walk through the times: at each bin's begin the share of accesses that are not reused before, and its sum so far,
 * which is the number of buckets in a window of this time. */
struct walk {
	double longer, sum, total;
	uint64_t time;
};

static void walk_bin(struct walk *walk, const struct reuse_times *times, size_t bin)
{
	double width = (double)(reuse_bin_from(bin + 1) - walk->time), part = (double)times->bins[bin] / walk->total;

	/* The times of a bin are assumed to be spread evenly over its whole numbers. */
	walk->sum += width * (walk->longer - part * (width + 1) / (2 * width));
	walk->longer -= part;
	walk->time = reuse_bin_from(bin + 1);
}

static struct walk walk_begin(const struct reuse_times *times)
{
	return (struct walk){.longer = 1, .total = (double)(times->pairs + times->first)};
}

double reuse_buckets(const struct reuse_times *times, uint64_t time)
{
	struct walk walk = walk_begin(times);
	size_t end = reuse_bin(time);

	for (size_t bin = 0; bin < end; bin++)
		walk_bin(&walk, times, bin);
	return fmin(walk.sum + (double)(time - walk.time) * walk.longer, (double)times->first);
}

int estimate_stack(const struct reuse_times *times, struct miss_curve *curve)
{
	struct walk walk = walk_begin(times);
	struct miss_curve made = {.points = calloc(REUSE_BINS + 2, sizeof(*made.points))};
	size_t end = REUSE_BINS;

	if (!made.points)
		return -ENOMEM;
	while (end && !times->bins[end - 1])
		end--;
	/* A reuse of time t needs a buffer for the buckets in t accesses, which holds all buckets reused after t or sooner. */
	for (size_t bin = 1; bin < end && walk.total > 0; bin++) {
		double width, ratio;

		walk_bin(&walk, times, bin - 1);
		ratio = walk.longer - (double)times->bins[bin] / walk.total / (double)(reuse_bin_from(bin + 1) - walk.time);
		width = ESTIMATE_Z95 * sqrt(ratio * (1 - ratio) / walk.total);
		add_point(&made, fmin(walk.sum, (double)times->first), (struct estimate){ratio, ratio - width, ratio + width});
	}
	if (walk.total > 0)
		add_point(&made, (double)times->first, (struct estimate){(double)times->first / walk.total,
			(double)times->first / walk.total, (double)times->first / walk.total});
	*curve = made;
	return 0;
}
