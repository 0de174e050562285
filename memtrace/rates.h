/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Access rates of pages, from the time that they stay paged out, and from unbiased samples.
 *
 * Accesses to a page are modelled as a Poisson process. A page that was paged out is accessed again after an exponential time; with
 * k refaults in a total time T out of memory the maximum-likelihood rate is k / T, where T includes a time that has not ended
 * (Epstein and Sobel, 1953). This rate is unstable for few refaults: 1 / T of one has no mean. The rates of all pages are therefore
 * modelled as drawn from one distribution of any form, which is fitted to the data (empirical Bayes; Kiefer and Wolfowitz, 1956;
 * Laird, 1978), and a page's rate is its mean given k and T, which is nearly k / T for large k.
 *
 * Samples of bursts are as many as the accesses in a time B, which is the same for all pages and is fitted to the pages that have
 * both: samples are added to k and B to T. A page that comes back within RATES_FAST_S was accessed within this time: the time until
 * then is mostly that of paging, and the likelihood takes no more from it. The rates of pages that always come back so fast are
 * only known to be high, from samples alone.
 */
#ifndef MEMTRACE_RATES_H
#define MEMTRACE_RATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RATES_FAST_S 100e-6
#define RATES_PAGE_SHIFT 12

struct rate_event {
	uint64_t page;    /* any key; the process is in the bits from RATES_PROCESS_SHIFT on */
	uint64_t time_ns;
	uint32_t weight;  /* of TRACE_OUT */
	uint8_t kind;     /* enum trace_kind: TRACE_OUT, a fault, or a load or store */
};
#define RATES_PROCESS_SHIFT 36

struct page_rate {
	uint64_t page;
	uint32_t outs, refaults; /* outs: times it was paged out; refaults: those after which it came back */
	uint32_t fast;           /* refaults within RATES_FAST_S */
	uint32_t samples;        /* of bursts */
	double out_s;            /* total time out, without that of fast refaults */
	double rate;             /* accesses per second */
};

struct rates {
	struct page_rate *pages; /* the most accessed first; owned */
	size_t count;
	struct rates_part {      /* the distribution of the rates of all pages, without the noise of single ones; rising rates */
		double rate, weight; /* weights add up to 1 */
	} *parts;                /* owned; NULL unless is_fitted */
	size_t part_count;
	size_t saturated;        /* pages that come back fast nearly always: their rates are only known to be high */
	bool is_fitted;          /* false: too few pages or refaults to fit a distribution; rates are k / T */
	double burst_s;          /* B; 0: no bursts, or no pages to compare */
};

/* Computes the rates from sorted events. Only TRACE_OUT and samples make a page known; its faults before the first TRACE_OUT are
 * ignored. A process is assumed to live until its last event. Returns 0 or -ENOMEM. */
int rates_make(struct rate_event *events, size_t count, struct rates *rates);
void rates_free(struct rates *rates);

/* Of the fitted distribution: the share (0 to 1) of all accesses that goes to the most accessed part of the pages, the Gini
 * coefficient, and the exponent of the Zipf distribution that is closest (least squares of the logarithms of rate and rank). */
double rates_top(const struct rates *rates, double part);
double rates_gini(const struct rates *rates);
double rates_exponent(const struct rates *rates);

#endif
