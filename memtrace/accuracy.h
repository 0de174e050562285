/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How well estimates of the popularity of pages agree with what is known of them. Both are lists by page of numbers not below 0,
 * of any unit: accesses, samples, rates; 0 of an estimate: the page was not met. Pages of equal numbers are in no order: where an
 * order is needed, each one of theirs is as likely.
 *
 * Functions that return an int return 0 or -ENOMEM.
 */
#ifndef MEMTRACE_ACCURACY_H
#define MEMTRACE_ACCURACY_H

#include <stddef.h>
#include <stdint.h>

#include "memtrace/estimate.h"

/* Which part of the top (1 to count) most popular pages are among the top pages by the estimates, 0 to 1: its expectation over
 * the orders of equal ones. Estimates that are all equal find top / count. */
int accuracy_recall(const double *known, const double *estimated, size_t count, size_t top, double *recall);

/* Spearman's rank correlation, equal ones having the mean of their ranks. NAN: one of the lists is all equal. */
int accuracy_correlation(const double *known, const double *estimated, size_t count, double *correlation);

/* Pages in the order of what is known, the most popular first (of equal ones the first), in groups: the first is of ranks 1 to
 * ends[0], the next from there to ends[1], and so on; ends rise, and the last is count. bias: the part of all estimates that is
 * in the group over the part of the known accesses; NAN: no estimates, or no accesses in the group. */
int accuracy_bias(const double *known, const double *estimated, size_t count, const size_t *ends, size_t groups, double *bias);

/* What an ideal sampler sees: so many accesses, drawn independently from the known popularity by rng stream (seed, 0). drawn:
 * samples by page. */
int accuracy_draw(const double *known, size_t count, uint64_t samples, uint64_t seed, double *drawn);

/* The curve of samples that are known by page, by estimate_independent. Without samples it has no points. */
int accuracy_curve(const double *sampled, size_t count, struct miss_curve *curve);

/* Exact miss ratios of LRU buffers of all sizes: the stack distance of each access (Mattson and others, 1970). */
struct lru_stack {
	size_t pages;
	uint32_t *last;       /* by page: the slot of its last access, from 1; 0 = none */
	uint32_t *page_of;    /* by slot, where is_last */
	uint32_t *tree;       /* Fenwick's, over the slots: 1 for each that is the last access of its page */
	size_t slots, used;
	uint64_t *distances;  /* by distance, from 1: reuses with so many pages since, the page itself included */
	uint64_t accesses;
};
int lru_stack_open(struct lru_stack *stack, size_t pages);
void lru_stack_access(struct lru_stack *stack, size_t page);
/* Of a buffer of so many pages: misses / accesses, first accesses included. Without accesses 0. */
double lru_stack_ratio(const struct lru_stack *stack, size_t buffer);
void lru_stack_close(struct lru_stack *stack);

/* Mean absolute difference of the miss ratios for buffers of 1/32, 2/32 ... of the pages; NAN: the curve has no points. */
#define ACCURACY_SIZES 32
double accuracy_curve_error(const struct lru_stack *exact, const struct miss_curve *curve);

#endif
