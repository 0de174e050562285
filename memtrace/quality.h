/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The true popularity of a generator's pages, and the quality of estimates of it, compared with those of an ideal sampler. */
#ifndef MEMTRACE_QUALITY_H
#define MEMTRACE_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memtrace/accuracy.h"
#include "memtrace/generator.h"

#define QUALITY_GROUPS 12 /* groups of ranks, each four times as large as the one before: up to 4^11 pages */

struct truth {
	double *known;          /* accesses by page; owned */
	struct lru_stack exact; /* of the first 4 million accesses */
};
/* Draws the generator's accesses again; generator->accesses must be set. Returns 0 or -ENOMEM. */
int truth_find(const struct generator *generator, struct truth *truth);
void truth_free(struct truth *truth);

/* Indices of the numbers of memtrace/accuracy.h; those of the groups of ranks follow. */
enum quality {
	QUALITY_RECALL_1, QUALITY_RECALL_10,
	QUALITY_CORRELATION, QUALITY_MET_CORRELATION, /* of all pages, and of those with an estimate */
	QUALITY_CURVE,
	QUALITY_BIAS_1, QUALITY_BIAS_10, QUALITY_BIAS_REST, /* the top 1 % of the pages, from there to 10 %, the others */
	QUALITY_BIAS_GROUPS,
	QUALITIES = QUALITY_BIAS_GROUPS + QUALITY_GROUPS,
};
/* Fills the last ranks of the groups. Returns the number of groups. */
size_t quality_groups(size_t pages, size_t ends[QUALITY_GROUPS]);

struct outcome { /* of a run; zeroed */
	double slowdown, values[QUALITIES], ideal[QUALITIES];
	uint64_t samples, lost, met; /* met: pages with an estimate above 0 */
	bool is_complete;
};
/* Fills met, the values of the estimates by page, and ideal for as many samples as the outcome has. curve is that of the
 * estimates, and is freed. estimated is overwritten. Returns 0 or -ENOMEM. */
int quality_find(const struct truth *truth, double *estimated, struct miss_curve *curve, uint64_t seed, struct outcome *outcome);

#endif
