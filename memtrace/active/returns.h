/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Returns of pages that were paged out: the times until they were accessed again.
 *
 * Pages are drawn uniformly, so that the number of returns is meaningless; their times are not: the sooner, the more often the
 * page is accessed. The frequency is not computed from them. That needs a model, as of a Poisson process of constant rate, which
 * programs do not follow: they wait, and are not run while others are. A page has few returns, each from another moment, and the
 * pace of the whole program then looks like differences between its pages: a uniform program like a skewed one.
 *
 * The order of pages needs no such model if the times of one page agree more than those of different pages do. Pages are ordered
 * by their mean logarithm, drawn to the mean of all pages as far as single times disagree. A time below RETURNS_FAST_S is mostly
 * that of paging, and counts as this much.
 */
#ifndef MEMTRACE_ACTIVE_RETURNS_H
#define MEMTRACE_ACTIVE_RETURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memtrace/estimate/estimate.h"

#define RETURNS_FAST_S 100e-6
#define RETURNS_PAGE_SHIFT 12

struct return_event {
	uint64_t page;    /* any key; the process is in the bits from RETURNS_PROCESS_SHIFT on */
	uint64_t time_ns;
	uint32_t weight;  /* of TRACE_OUT */
	uint8_t kind;     /* enum trace_kind: TRACE_OUT, a fault, or a load or store */
};
#define RETURNS_PROCESS_SHIFT 36

struct page_returns {
	uint64_t page;
	uint32_t outs, returns; /* outs: times it was paged out; returns: times it came back */
	uint32_t fast;          /* returns within RETURNS_FAST_S */
	uint32_t samples;       /* samples of bursts */
	/* Moments of the logarithms of its times out in seconds, ended or not; squares: sum of squared deviations from their
	 * mean. */
	double mean, squares;
	double order;           /* the lower, the more often accessed */
};

struct returns {
	struct page_returns *pages; /* most often accessed first: by samples of bursts, then by order; owned */
	size_t count;
	size_t saturated;           /* pages most of whose returns are fast: they are accessed often, but have no order */
	/* The correlation of the logarithms of two times of one page: 1 if they are equal, 0 if pages do not differ. NAN: too few
	 * pages were paged out twice. */
	struct estimate agreement;
	bool is_ordered;            /* the order is expected to have a correlation of 0.5 or more with that of the accesses */
};

/* Returns the number of attempts that paged a page out: of `outs` attempts, the page was resident after `stayed`, and there
 * were this many faults. A hot page is back at once, by a fault; a page that was new a moment ago is in a batch of another CPU,
 * and the kernel leaves it. */
uint64_t returns_left(uint64_t outs, uint64_t stayed, uint64_t faults);

/* Computes the returns from events, which it sorts. Only TRACE_OUT and samples make a page known; its faults before the first
 * TRACE_OUT are ignored. A process is assumed to live until its last event. Returns 0 or -ENOMEM. */
int returns_make(struct return_event *events, size_t count, struct returns *returns);
void returns_free(struct returns *returns);

#endif
