/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buckets that a picture keeps, adds up and draws. Counts stay exact. */
#ifndef MEMSTOR_PLOT_BUCKET_H
#define MEMSTOR_PLOT_BUCKET_H

#include <stddef.h>

#include "memstor/loaded/loaded.h"

/* Parts of a doubling of latency, as wide as each other, that finer buckets are drawn in; the paper's layout has as
 * many. */
#define PLOT_BUCKET_PARTS 16
#define PLOT_BUCKET_FINE_NS 1.0 /* no bucket is narrower: steps of a clock up to that are not seen */

struct plot_buckets { /* zeroed: empty */
	struct loaded_histogram histogram; /* of the items; type, class and layout are "" */
	struct loaded_bucket *items;
};

/* Their sum (metric.h), in place of what is there; what it is of, for the message. 0 or a diag_exit code after one
 * line. */
int plot_buckets_sum(struct plot_buckets *buckets, const struct loaded_histogram *const *list, size_t count,
	const char *path);
/* Fine buckets as coarser ones with round edges: PLOT_BUCKET_PARTS to a doubling, but where the clock's own steps are
 * wider than that as many whole steps as make cells about so wide, since a finer picture shows the clock, whether its
 * step is a whole number of ns or not. A bucket is
 * where its middle is; one that is wider than half a cell stays as it is. granularity_ns: 0 or NAN = unknown. */
void plot_buckets_coarsen(struct plot_buckets *buckets, double granularity_ns);
void plot_buckets_free(struct plot_buckets *buckets);

/* The edges a bucket is drawn with. One from 0 begins at the minimum, one without end ends at the maximum; both are
 * drawn at least a doubling wide, since where their samples are inside is not known. One of zeros alone, [0, 1), stays. */
void plot_bucket_edges(const struct loaded_histogram *histogram, const struct loaded_bucket *bucket, double *lo,
	double *hi);
/* Whether the lowest bucket begins at 0 and is wider than 1 ns: nothing finer is known there. */
bool plot_bucket_is_wide_lowest(const struct loaded_histogram *histogram);

#endif
