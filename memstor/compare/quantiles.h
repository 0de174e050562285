/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Quantile shift (Doksum, 1974): how much later or earlier each part of the distribution is in new than in
 * base, over the summed histograms of each group, with a band that holds for all quantiles of the table at
 * once.
 */
#ifndef MEMSTOR_COMPARE_QUANTILES_H
#define MEMSTOR_COMPARE_QUANTILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memstor/loaded/loaded.h"
#include "memstor/metric.h"

#define COMPARE_QUANTILES 11

struct compare_quantile {
	double percent;
	double base_ns, new_ns;
	double base_below_ns, new_below_ns; /* as metric_below has it */
	double change, low, high; /* fractions; high may be INFINITY */
};

struct compare_shift {
	char name[METRIC_NAME]; /* "read", "write.major", "CELL:sync" */
	uint64_t base_samples, new_samples;
	size_t base_runs, new_runs;
	/* The band rests on the samples of single runs, taken as independent: it says nothing about the next
	 * run. */
	bool is_within_run;
	struct compare_quantile quantiles[COMPARE_QUANTILES];
};

/* One histogram a run; name is left alone. -EINVAL when the buckets do not fit together or a group is empty,
 * -EOVERFLOW, -ENOMEM. */
int compare_quantiles(const struct loaded_histogram *const *base, size_t base_count,
	const struct loaded_histogram *const *new, size_t new_count, double level, uint64_t seed,
	struct compare_shift *shift);

/* Histograms side by side on the buckets that any of them has, so that the sum of any choice of them is quick. */
struct compare_grid {
	size_t parts, buckets;
	uint64_t *counts;            /* parts times buckets */
	double *min_ns, *max_ns;     /* of each part */
	struct loaded_bucket *sum;   /* room for one sum */
	struct loaded_histogram all; /* the sum of all parts */
};

/* parts > 0. -EINVAL when their buckets do not fit together, -EOVERFLOW, -ENOMEM. */
int compare_grid_make(const struct loaded_histogram *const *parts, size_t count, struct compare_grid *grid);
void compare_grid_free(struct compare_grid *grid);

/* The sum of the picked parts, each as often as it is picked; good until the next. Counts that pass 2^64 - 1 stay
 * there. Buckets may be empty: fit for loaded_percentile above 0 %. */
struct loaded_histogram compare_grid_sum(struct compare_grid *grid, const size_t *picked, size_t count);

#endif
