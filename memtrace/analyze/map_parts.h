/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Grid of an access pattern that is finer than its map: the columns are divided into pieces of time, and the bands with the most
 * samples into narrow bands. Parts of the map are made from the grid, with as much detail as their samples support.
 */
#ifndef MEMTRACE_ANALYZE_MAP_PARTS_H
#define MEMTRACE_ANALYZE_MAP_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "memtrace/analyze/analysis.h"
#include "memtrace/estimate/buckets.h"

#define MAP_PIECES_EACH 16 /* pieces of a column of equal time */
#define MAP_PIECES (ANALYSIS_COLUMNS_MAX * MAP_PIECES_EACH)
#define MAP_NARROW 1024    /* narrow bands in total */
#define MAP_PARTS 64
#define MAP_PARTS_BYTES (1u << 20) /* approximate size of all parts in a report */

struct map_narrow {
	size_t first, end; /* sorted buckets */
	size_t band;
	uint64_t samples;
};

struct map_grid {
	double begin_s, piece_s;
	size_t count, bands;
	struct map_narrow narrow[MAP_NARROW]; /* by address; each band has at least one */
	uint64_t firsts[MAP_NARROW];          /* first key of each; UINT64_MAX after the last */
	const char *addresses[MAP_NARROW], *regions[MAP_NARROW];
	uint32_t (*cells)[MAP_NARROW];        /* by piece of time */
};

/* Halves the narrow bands with the most samples until there are MAP_NARROW or a further split has no use, beginning with one per
 * band. buckets must be sorted. */
void map_grid_split(struct map_grid *grid, const struct buckets *buckets);
/* Makes the parts with the most samples, of columns of equal time. Returns 0 or -ENOMEM. */
int map_parts(struct analysis_run *run, const struct map_grid *grid, struct field_child *parts);

#endif
