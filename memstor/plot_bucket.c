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

struct grid { /* of cells */
	double step; /* below `border` edges are multiples of it; a clock that counts single ns needs no care */
	double border;
};

static struct grid grid_of(double granularity_ns)
{
	double step = granularity_ns >= PLOT_BUCKET_COARSE_NS ? granularity_ns : 1;

	/* From here on a cell is at least four steps. */
	return (struct grid){step, exp2(ceil(log2(4 * PLOT_BUCKET_PARTS * step)))};
}

/* The cell that holds the value. Below the border, where there are few, each cell follows from the one before it. */
static struct loaded_bucket cell_of(const struct grid *grid, double value)
{
	struct loaded_bucket cell = {0};
	double octave, width;

	if (value >= grid->border) {
		octave = exp2(floor(log2(value)));
		width = octave / PLOT_BUCKET_PARTS;
		cell.lo_ns = octave + floor((value - octave) / width) * width;
		cell.hi_ns = cell.lo_ns + width;
		return cell;
	}
	while (cell.hi_ns <= value) {
		cell.lo_ns = cell.hi_ns;
		width = fmax(round(cell.lo_ns / PLOT_BUCKET_PARTS / grid->step), 1) * grid->step;
		cell.hi_ns = cell.lo_ns + width;
		/* What is left up to the border is no cell of its own. */
		if (grid->border - cell.hi_ns < width / 2)
			cell.hi_ns = grid->border;
	}
	return cell;
}

/* A bucket in which the clock has room for one of its steps or two is drawn with its neighbours. */
static struct loaded_bucket widen(const struct grid *grid, const struct loaded_bucket *bucket)
{
	double octave = exp2(floor(log2(bucket->lo_ns))), width = bucket->hi_ns - bucket->lo_ns;
	struct loaded_bucket wide = *bucket;

	if (width >= 2 * grid->step || bucket->lo_ns < PLOT_BUCKET_PARTS)
		return wide;
	while (width < 3 * grid->step && width < octave)
		width *= 2;
	wide.lo_ns = octave + floor((bucket->lo_ns - octave) / width) * width;
	wide.hi_ns = wide.lo_ns + width;
	return bucket->hi_ns <= wide.hi_ns ? wide : *bucket;
}

/* What the bucket is drawn as, behind what is there already. */
static struct loaded_bucket shape_of(const struct grid *grid, const struct loaded_bucket *bucket, double before)
{
	struct loaded_bucket shape = *bucket;

	if (isinf(bucket->hi_ns))
		return shape;
	shape = cell_of(grid, (bucket->lo_ns + bucket->hi_ns) / 2);
	if ((bucket->hi_ns - bucket->lo_ns) * 2 > shape.hi_ns - shape.lo_ns)
		shape = widen(grid, bucket);
	shape.lo_ns = fmax(shape.lo_ns, before);
	shape.count = bucket->count;
	return shape;
}

void plot_buckets_coarsen(struct plot_buckets *buckets, double granularity_ns)
{
	struct loaded_histogram *histogram = &buckets->histogram;
	struct grid grid = grid_of(granularity_ns);
	size_t kept = 0;

	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct loaded_bucket *bucket = &buckets->items[i];
		double before = kept ? buckets->items[kept - 1].hi_ns : 0;

		/* The sum of all counts fits, so any part of it does. */
		if (kept && (bucket->lo_ns + bucket->hi_ns) / 2 < before)
			buckets->items[kept - 1].count += bucket->count;
		else
			buckets->items[kept++] = shape_of(&grid, bucket, before);
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
