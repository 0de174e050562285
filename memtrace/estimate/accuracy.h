/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agreement of estimates of page popularity with the known popularity. Both are lists by page of non-negative numbers in any
 * unit: accesses, samples, rates. An estimate of 0 means that the page has no sample. Pages with equal numbers have no order; where
 * an order is needed, each order of them is equally likely.
 *
 * Functions that return an int return 0 or -ENOMEM.
 */
#ifndef MEMTRACE_ESTIMATE_ACCURACY_H
#define MEMTRACE_ESTIMATE_ACCURACY_H

#include <stddef.h>
#include <stdint.h>

/* Computes the share (0 to 1) of the top most popular pages that are among the top pages by the estimates. top is 1 to count.
 * The result is the expectation over the orders of equal pages; estimates that are all equal yield top / count. */
int accuracy_recall(const double *known, const double *estimated, size_t count, size_t top, double *recall);

/* Computes which share (0 to 1) of all accesses, and of all estimates, the top most popular pages by known have; of equally
 * popular pages the first ones. top is up to count. A share is NAN if all numbers of its list are 0. */
int accuracy_share(const double *known, const double *estimated, size_t count, size_t top, double *known_share,
	double *estimated_share);

/* Simulates an ideal sampler: draws `samples` accesses independently from the known popularity by rng stream (seed, 0). drawn
 * receives the samples by page. */
int accuracy_draw(const double *known, size_t count, uint64_t samples, uint64_t seed, double *drawn);

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

#endif
