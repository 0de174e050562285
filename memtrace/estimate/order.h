/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tells whether successive samples go to nearby buckets more often than samples in random order would: references that depend on
 * each other, as those of scans and of loops over few buckets, or phases of a program.
 */
#ifndef MEMTRACE_ESTIMATE_ORDER_H
#define MEMTRACE_ESTIMATE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memtrace/estimate/buckets.h"

#define ORDER_NEAR 8        /* buckets */
#define ORDER_PAIRS_MIN 200 /* fewer show nothing */

struct order { /* zeroed: empty */
	uint64_t pairs;            /* successive samples */
	uint64_t same, next, near; /* in one bucket, in adjacent ones, in two at most ORDER_NEAR apart */
	double expected_same, expected_next, expected_near; /* shares of the pairs if the order were random */
};

enum order_kind {
	ORDER_UNSEEN,      /* samples are too few or too far apart to show the order of accesses */
	ORDER_INDEPENDENT, /* successive accesses were seen, and do not depend on each other */
	ORDER_DEPENDENT,
};

/* Adds a pair of successive samples whose buckets are this far apart. */
void order_add(struct order *order, int64_t distance);
/* Computes the expected shares from the samples by bucket, sorted by key (buckets_sort). */
void order_expect(struct order *order, const struct bucket *sorted, size_t count);
/* Classifies the order. is_successive: a pair is two accesses with no other between them. */
enum order_kind order_kind(const struct order *order, bool is_successive);

#endif
