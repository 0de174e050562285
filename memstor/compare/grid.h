/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histograms side by side on the buckets that any of them has, so that the sum of any choice of them is quick. */
#ifndef MEMSTOR_COMPARE_GRID_H
#define MEMSTOR_COMPARE_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "memstor/loaded/loaded.h"

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
