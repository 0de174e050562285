/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a heat map keeps of its reports. */
#ifndef MEMSTOR_PLOT_HEATMAP_H
#define MEMSTOR_PLOT_HEATMAP_H

#include <stddef.h>

#include "memstor/plot/bucket.h"

#define PLOT_HEATMAP_REPORTS 4 /* panels over one another */

struct plot_heat_column {
	double begin, end;           /* seconds */
	struct plot_buckets buckets; /* of all its intervals */
};

struct plot_heat { /* one report */
	size_t count;
	struct plot_heat_column *columns;
	size_t intervals_together;
	double granularity_ns;
};

struct plot_heatmap {
	struct plot_heat reports[PLOT_HEATMAP_REPORTS];
};

#endif
