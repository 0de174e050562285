/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot_bucket.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static int compare(const struct loaded_bucket *one, const struct loaded_bucket *other)
{
	if (one->lo_ns != other->lo_ns)
		return one->lo_ns < other->lo_ns ? -1 : 1;
	if (one->hi_ns != other->hi_ns)
		return one->hi_ns < other->hi_ns ? -1 : 1;
	return 0;
}

/* Both in order to one, in order. False when a count is too large. */
static bool merge(const struct loaded_histogram *a, const struct loaded_histogram *b, struct loaded_bucket *to,
	size_t *count)
{
	size_t i = 0, j = 0;

	*count = 0;
	while (i < a->bucket_count || j < b->bucket_count) {
		int order = i == a->bucket_count ? 1 : j == b->bucket_count ? -1 : compare(&a->buckets[i], &b->buckets[j]);
		struct loaded_bucket *bucket = &to[(*count)++];

		*bucket = order <= 0 ? a->buckets[i] : b->buckets[j];
		if (order == 0 && __builtin_add_overflow(bucket->count, b->buckets[j].count, &bucket->count))
			return false;
		i += order <= 0;
		j += order >= 0;
	}
	return true;
}

int plot_buckets_add(struct plot_buckets *sum, const struct loaded_histogram *more)
{
	struct loaded_histogram *histogram = &sum->histogram;
	size_t room = histogram->bucket_count + more->bucket_count, count;
	struct loaded_bucket *items = calloc(room ? room : 1, sizeof(*items));
	uint64_t total;

	if (!items)
		return -ENOMEM;
	if (__builtin_add_overflow(histogram->count, more->count, &total) || !merge(histogram, more, items, &count)) {
		free(items);
		return -EOVERFLOW;
	}
	if (histogram->count == 0) {
		histogram->min_ns = more->min_ns;
		histogram->max_ns = more->max_ns;
	} else if (more->count) {
		bool has_min = !isnan(histogram->min_ns) && !isnan(more->min_ns);
		bool has_max = !isnan(histogram->max_ns) && !isnan(more->max_ns);

		histogram->min_ns = has_min ? fmin(histogram->min_ns, more->min_ns) : NAN;
		histogram->max_ns = has_max ? fmax(histogram->max_ns, more->max_ns) : NAN;
	}
	free(sum->items);
	sum->items = items;
	sum->room = room;
	histogram->type = histogram->class = histogram->layout = "";
	histogram->mean_ns = histogram->stddev_ns = NAN;
	histogram->count = total;
	histogram->bucket_count = count;
	histogram->buckets = items;
	return 0;
}

/* The part that holds the bucket whole, or the bucket itself. */
static struct loaded_bucket part_of(const struct loaded_bucket *bucket)
{
	struct loaded_bucket part = *bucket;
	double octave, width;

	if (bucket->lo_ns < PLOT_BUCKET_PARTS || isinf(bucket->hi_ns))
		return part;
	octave = exp2(floor(log2(bucket->lo_ns)));
	width = octave / PLOT_BUCKET_PARTS;
	part.lo_ns = octave + floor((bucket->lo_ns - octave) / width) * width;
	part.hi_ns = part.lo_ns + width;
	if (bucket->hi_ns <= part.hi_ns)
		return part;
	return *bucket;
}

void plot_buckets_coarsen(struct plot_buckets *buckets)
{
	struct loaded_histogram *histogram = &buckets->histogram;
	size_t kept = 0;

	for (size_t i = 0; i < histogram->bucket_count; i++) {
		struct loaded_bucket part = part_of(&buckets->items[i]);

		/* The sum of all counts fits, so any part of it does. */
		if (kept && compare(&buckets->items[kept - 1], &part) == 0)
			buckets->items[kept - 1].count += part.count;
		else
			buckets->items[kept++] = part;
	}
	histogram->bucket_count = kept;
}

void plot_buckets_free(struct plot_buckets *buckets)
{
	free(buckets->items);
}

void plot_bucket_edges(
	const struct loaded_histogram *histogram, const struct loaded_bucket *bucket, double *lo, double *hi)
{
	*hi = isinf(bucket->hi_ns) ? fmax(histogram->max_ns, 2 * bucket->lo_ns) : bucket->hi_ns;
	*lo = bucket->lo_ns > 0 ? bucket->lo_ns : fmin(histogram->min_ns, *hi / 2);
	/* A latency of 0 has no place on a log axis. */
	*lo = fmax(*lo, 0.5);
}

double plot_bucket_octaves(const struct loaded_histogram *histogram, const struct loaded_bucket *bucket)
{
	double lo, hi;

	plot_bucket_edges(histogram, bucket, &lo, &hi);
	return log2(hi / lo);
}
