/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/plot.h"


#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/diag.h"
#include "memstor/metric.h"

int plot_buckets_sum(struct plot_buckets *buckets, const struct loaded_histogram *const *list, size_t count,
	const char *path)
{
	struct loaded_histogram sum;
	int err = metric_merge(list, count, &sum);

	if (err == -ENOMEM)
		return plot_no_memory();
	if (err)
		return diag_usage("%s: its histograms cannot be added up: %s", path,
			err == -EOVERFLOW ? "the counts pass 2^64-1" : "their buckets do not fit together");
	plot_buckets_free(buckets);
	buckets->histogram = sum;
	/* Only the sum refers to them. */
	buckets->items = (struct loaded_bucket *)sum.buckets;
	return DIAG_EXIT_OK;
}

struct grid { /* of cells */
	double step; /* below `border` cells are as many of it wide */
	double first; /* where the second cell begins */
	double border;
};

/* A clock that counts single ns needs no care. One that is coarser shows multiples of its step, rounded to ns when that
 * is not a whole number of them: these are in the middle of cells, on an edge half of them would be in the wrong one. */
static struct grid grid_of(double granularity_ns)
{
	bool is_coarse = granularity_ns > PLOT_BUCKET_FINE_NS;
	double step = is_coarse ? granularity_ns : 1;

	/* From here on a cell is at least four steps. */
	return (struct grid){step, is_coarse ? step / 2 : step, exp2(ceil(log2(4 * PLOT_BUCKET_PARTS * step)))};
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
		cell.hi_ns = cell.lo_ns > 0 ? cell.lo_ns + width : grid->first;
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
	double width = bucket->hi_ns - bucket->lo_ns;

	if (isinf(bucket->hi_ns))
		return shape;
	shape = cell_of(grid, (bucket->lo_ns + bucket->hi_ns) / 2);
	/* Narrower than a step it has one of them or none, and a cell has it whole. */
	if (width >= grid->step && width * 2 > shape.hi_ns - shape.lo_ns)
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
	*lo = bucket->lo_ns;
	/* A minimum of 0 says nothing of where the others are. */
	if (*lo <= 0 && *hi > 1)
		*lo = histogram->min_ns >= 1 ? fmin(histogram->min_ns, *hi / 2) : *hi / 2;
}

bool plot_bucket_is_wide_lowest(const struct loaded_histogram *histogram)
{
	return histogram->bucket_count && histogram->buckets[0].lo_ns == 0 && histogram->buckets[0].hi_ns > 1;
}
