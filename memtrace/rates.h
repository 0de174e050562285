/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often pages are accessed, from the time that they stay paged out, and from samples that lean to nothing.
 *
 * Accesses to a page are taken for a Poisson process. A page that was paged out is accessed again after an exponential time; of k
 * refaults in a total time T out of memory the maximum-likelihood rate is k / T, a time that has not ended included (Epstein and
 * Sobel, 1953). Of few refaults that is wild: 1 / T of one has no mean. So the rates of all pages are taken to be drawn from one
 * distribution of any form, which is fitted to them (empirical Bayes; Kiefer and Wolfowitz, 1956; Laird, 1978), and a page's rate
 * is its mean given k and T, which is nearly k / T where k is large.
 *
 * Samples of bursts are as many as accesses in a time B, the same for all pages, which follows from the pages that both have met:
 * they add to k and B to T. Pages that come back within RATES_SATURATED_S have the time that paging takes rather than that to the
 * access: of these the samples alone are taken.
 */
#ifndef MEMTRACE_RATES_H
#define MEMTRACE_RATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RATES_SATURATED_S 100e-6 /* mean time out */

struct rate_event {
	uint64_t page;    /* any key; its process is in the bits from RATES_PROCESS_SHIFT on */
	uint64_t time_ns;
	uint32_t weight;  /* of TRACE_OUT */
	uint8_t kind;     /* enum trace_kind: TRACE_OUT, a fault, or a load or store */
};
#define RATES_PROCESS_SHIFT 36

struct page_rate {
	uint64_t page;
	uint32_t outs, refaults; /* times it was paged out, and of these those that it came back from */
	uint32_t samples;        /* of bursts */
	double out_s;            /* total time out */
	double rate;             /* accesses per second */
};

struct rates {
	struct page_rate *pages; /* the most accessed first; owned */
	size_t count;
	bool is_fitted;          /* false: too few pages or refaults for a distribution, rates are k / T */
	double burst_s;          /* B; 0: no bursts, or none that could be compared */
};

/* events are sorted. A page is known only by TRACE_OUT or samples; its faults without one before are passed over. A process is
 * taken to live until its last event. 0 or -ENOMEM. */
int rates_make(struct rate_event *events, size_t count, struct rates *rates);
void rates_free(struct rates *rates);

#endif
