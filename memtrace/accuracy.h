/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agreement of estimates of page popularity with the known popularity. Both are lists by page of non-negative numbers in any
 * unit: accesses, samples, rates. An estimate of 0 means that the page has no sample. Pages with equal numbers have no order; where
 * an order is needed, each order of them is equally likely.
 *
 * Functions that return an int return 0 or -ENOMEM.
 */
#ifndef MEMTRACE_ACCURACY_H
#define MEMTRACE_ACCURACY_H

#include <stddef.h>
#include <stdint.h>

#include "memtrace/estimate.h"

/* Computes the share (0 to 1) of the top most popular pages that are among the top pages by the estimates. top is 1 to count.
 * The result is the expectation over the orders of equal pages; estimates that are all equal yield top / count. */
int accuracy_recall(const double *known, const double *estimated, size_t count, size_t top, double *recall);

/* Computes Spearman's rank correlation; equal numbers have the mean of their ranks. The result is NAN if all numbers of a list
 * are equal. */
int accuracy_correlation(const double *known, const double *estimated, size_t count, double *correlation);

/* Sorts the pages by known popularity, the most popular first (equal ones by index), and divides them into groups: the first
 * holds ranks 1 to ends[0], the next the ranks from there to ends[1], and so on. ends rises, and the last end is count. bias is
 * the group's share of all estimates divided by its share of all known accesses, or NAN if there are no estimates or the group
 * has no accesses. */
int accuracy_bias(const double *known, const double *estimated, size_t count, const size_t *ends, size_t groups, double *bias);

/* Simulates an ideal sampler: draws `samples` accesses independently from the known popularity by rng stream (seed, 0). drawn
 * receives the samples by page. */
int accuracy_draw(const double *known, size_t count, uint64_t samples, uint64_t seed, double *drawn);

/* Computes the miss-ratio curve of samples by page with estimate_independent. The curve has no points if there are no samples. */
int accuracy_curve(const double *sampled, size_t count, struct miss_curve *curve);

/* Exact miss ratios of LRU buffers of all sizes, from the stack distance of each access (Mattson and others, 1970). */
struct lru_stack {
	size_t pages;
	uint32_t *last;       /* by page: the slot of its last access, from 1; 0 = none */
	uint32_t *page_of;    /* by slot, where is_last */
	uint32_t *tree;       /* Fenwick tree over the slots: 1 for each slot that is the last access of its page */
	size_t slots, used;
	uint64_t *distances;  /* by distance, from 1: reuses with this number of distinct pages since, the page included */
	uint64_t accesses;
};
int lru_stack_open(struct lru_stack *stack, size_t pages);
void lru_stack_access(struct lru_stack *stack, size_t page);
/* Returns misses / accesses of a buffer of `buffer` pages, first accesses included, or 0 without accesses. */
double lru_stack_ratio(const struct lru_stack *stack, size_t buffer);
void lru_stack_close(struct lru_stack *stack);

/* Returns the mean absolute difference of the miss ratios for buffers of 1/32, 2/32 ... of the pages, or NAN if the curve has no
 * points. */
#define ACCURACY_SIZES 32
double accuracy_curve_error(const struct lru_stack *exact, const struct miss_curve *curve);

#endif
