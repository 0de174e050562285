/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/grid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "memstor/metric.h"

static void place(struct compare_grid *grid, size_t part, const struct loaded_histogram *histogram)
{
	uint64_t *counts = grid->counts + part * grid->buckets;
	size_t at = 0;

	for (size_t i = 0; i < histogram->bucket_count; i++) {
		while (grid->all.buckets[at].lo_ns != histogram->buckets[i].lo_ns)
			at++;
		counts[at] = histogram->buckets[i].count;
	}
	grid->min_ns[part] = histogram->min_ns;
	grid->max_ns[part] = histogram->max_ns;
}

int compare_grid_make(const struct loaded_histogram *const *parts, size_t count, struct compare_grid *grid)
{
	struct compare_grid new = {.parts = count};
	int err = metric_merge(parts, count, &new.all);

	if (err)
		return err;
	new.buckets = new.all.bucket_count;
	new.counts = calloc(count * new.buckets + 1, sizeof(*new.counts));
	new.min_ns = calloc(count, sizeof(*new.min_ns));
	new.max_ns = calloc(count, sizeof(*new.max_ns));
	new.sum = calloc(new.buckets + 1, sizeof(*new.sum));
	if (!new.counts || !new.min_ns || !new.max_ns || !new.sum) {
		compare_grid_free(&new);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		place(&new, i, parts[i]);
	*grid = new;
	return 0;
}

void compare_grid_free(struct compare_grid *grid)
{
	metric_merge_free(&grid->all);
	free(grid->counts);
	free(grid->min_ns);
	free(grid->max_ns);
	free(grid->sum);
}

struct loaded_histogram compare_grid_sum(struct compare_grid *grid, const size_t *picked, size_t count)
{
	struct loaded_histogram sum = {.type = "", .class = "", .layout = "", .min_ns = INFINITY, .max_ns = 0,
		.mean_ns = NAN, .stddev_ns = NAN, .bucket_count = grid->buckets, .buckets = grid->sum};

	for (size_t i = 0; i < grid->buckets; i++) {
		grid->sum[i] = grid->all.buckets[i];
		grid->sum[i].count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		const uint64_t *counts = grid->counts + picked[i] * grid->buckets;

		for (size_t k = 0; k < grid->buckets; k++)
			grid->sum[k].count += counts[k];
		sum.min_ns = fmin(sum.min_ns, grid->min_ns[picked[i]]);
		sum.max_ns = isnan(grid->max_ns[picked[i]]) ? NAN : fmax(sum.max_ns, grid->max_ns[picked[i]]);
	}
	for (size_t i = 0; i < grid->buckets; i++) {
		if (__builtin_add_overflow(sum.count, grid->sum[i].count, &sum.count))
			sum.count = UINT64_MAX;
	}
	/* Where one part does not say, the buckets' edges stand. */
	if (isnan(sum.max_ns) || isinf(sum.min_ns))
		sum.min_ns = sum.max_ns = NAN;
	return sum;
}
