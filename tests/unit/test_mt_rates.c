/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <math.h>

#include "common/hot/rng.h"
#include "memtrace/rates.h"
#include "memtrace/trace_file.h"

#define PAGES 2000u
#define PICKS 40000u
#define SPAN_NS 20000000000ull /* of the simulation */
#define CALL_NS 30000u

static struct rate_event *events;
static size_t count;

static void add(uint64_t page, uint64_t time_ns, unsigned kind, uint32_t weight)
{
	events[count++] = (struct rate_event){page, time_ns, weight, (uint8_t)kind};
}

static void begin(size_t most)
{
	events = calloc(most, sizeof(*events));
	assert_non_null(events);
	count = 0;
}

static double exponential_ns(struct rng *rng, double rate)
{
	return -log1p(-rng_double(rng)) / rate * 1e9;
}

static double exponent = 1; /* of the rates by rank */

/* Of page k + 1, by rank: from 20000 down to 10 accesses per second. */
static double rate_of(uint64_t page)
{
	return exponent > 0 ? (exponent < 1 ? 5000. : 20000.) / pow((double)page, exponent) : 50;
}

/* Pages are drawn uniformly at even times, those that are in memory are paged out, and come back with their next access. */
static void simulate(struct rng *rng, struct rates *rates, double burst_s)
{
	uint64_t *back = calloc(PAGES + 1, sizeof(*back));

	assert_non_null(back);
	begin(2 * PICKS + 200000);
	for (uint64_t i = 0; i < PICKS; i++) {
		uint64_t page = 1 + rng_below(rng, PAGES), now = (i + 1) * (SPAN_NS / PICKS);

		if (back[page] > now)
			continue;
		add(page, now, TRACE_OUT, CALL_NS << 1);
		back[page] = now + 1 + (uint64_t)exponential_ns(rng, rate_of(page));
		if (back[page] < SPAN_NS)
			add(page, back[page], i % 2 ? TRACE_MAJOR_FAULT : TRACE_MINOR_FAULT, 0);
	}
	for (uint64_t page = 1; page <= PAGES && burst_s > 0; page++) {
		double at = exponential_ns(rng, rate_of(page));

		while (at < burst_s * 1e9) {
			add(page, (uint64_t)at + 1, TRACE_LOAD, 0);
			at += exponential_ns(rng, rate_of(page));
		}
	}
	add(PAGES + 1, SPAN_NS, TRACE_MINOR_FAULT, 0);
	assert_int_equal(rates_make(events, count, rates), 0);
	free(events);
	free(back);
}

TEST("times out of memory, ended or not, give the maximum-likelihood rate of a page")
{
	struct rates rates;

	begin(8);
	add(7, 1000000000, TRACE_OUT, 0);
	add(7, 1002000000, TRACE_MAJOR_FAULT, 0);
	add(7, 2000000000, TRACE_OUT, 0);
	add(7, 2004000000, TRACE_MINOR_FAULT, 0);
	add(7, 3000000000, TRACE_OUT, 0);
	add(9, 3000000000, TRACE_OUT, 0);
	add(9, 3010000000, TRACE_MINOR_FAULT, 0);
	assert_int_equal(rates_make(events, count, &rates), 0);
	assert_int_equal(rates.count, 2);
	/* Too few pages to fit a distribution. */
	assert_false(rates.is_fitted);
	assert_int_equal(rates.pages[0].page, 7);
	assert_int_equal(rates.pages[0].outs, 3);
	assert_int_equal(rates.pages[0].refaults, 2);
	/* 2 ms, 4 ms, and until the process was last seen. */
	assert_true(fabs(rates.pages[0].out_s - 0.016) < 1e-9);
	assert_true(fabs(rates.pages[0].rate - 2 / 0.016) < 1e-6);
	assert_true(fabs(rates.pages[1].rate - 100) < 1e-6);
	rates_free(&rates);
	free(events);
}

TEST("what was never out, or whose way back is lost, counts no time")
{
	struct rates rates;

	begin(16);
	/* Resident right after the call, and its next fault comes much later. */
	add(1, 1000000000, TRACE_OUT, CALL_NS << 1 | 1);
	add(1, 1500000000, TRACE_MINOR_FAULT, 0);
	/* Paged out again without a fault. */
	add(2, 1000000000, TRACE_OUT, CALL_NS << 1);
	add(2, 1600000000, TRACE_OUT, CALL_NS << 1);
	add(2, 1601000000, TRACE_MAJOR_FAULT, 0);
	/* Back before the call had returned. */
	add(3, 1000000000, TRACE_OUT, CALL_NS << 1 | 1);
	add(3, 999990000, TRACE_MAJOR_FAULT, 0);
	/* Another process, which ended long before. */
	add((1ull << RATES_PROCESS_SHIFT) + 5, 1000000, TRACE_OUT, 0);
	add((1ull << RATES_PROCESS_SHIFT) + 6, 3000000, TRACE_MINOR_FAULT, 0);
	assert_int_equal(rates_make(events, count, &rates), 0);
	assert_int_equal(rates.count, 3);
	assert_int_equal(rates.pages[0].page, 3);
	/* Within 0.1 ms: some time of this order. */
	assert_true(rates.pages[0].rate == 2e4 && rates.pages[0].fast == 1 && rates.saturated == 1);
	assert_int_equal(rates.pages[1].page, 2);
	assert_true(fabs(rates.pages[1].out_s - 0.001) < 1e-9);
	assert_int_equal(rates.pages[1].outs, 1);
	assert_int_equal(rates.pages[2].refaults, 0);
	assert_true(fabs(rates.pages[2].out_s - 0.002) < 1e-9);
	rates_free(&rates);
	free(events);
}

/* Estimated accesses over true ones, of the pages from first to before end. */
static double bias_of(const struct rates *rates, uint64_t first, uint64_t end)
{
	double estimated = 0, actual = 0;

	for (size_t i = 0; i < rates->count; i++) {
		if (rates->pages[i].page < first || rates->pages[i].page >= end)
			continue;
		estimated += rates->pages[i].rate;
		actual += rate_of(rates->pages[i].page);
	}
	return estimated / actual;
}

TEST("of simulated Poisson processes the rates of groups of pages are met, and nearly all pages are in order")
{
	struct rates rates;
	struct rng rng;
	uint64_t apart = 0;

	rng_seed(&rng, 1, 0);
	simulate(&rng, &rates, 0);
	assert_true(rates.count > PAGES * 99 / 100);
	assert_true(rates.is_fitted);
	for (uint64_t first = 2, end; first < PAGES; first = end) {
		end = 4 * first < PAGES ? 4 * first : PAGES + 1;
		assert_true(fabs(bias_of(&rates, first, end) - 1) < 0.35);
	}
	for (size_t i = 0; i < rates.count; i++)
		apart += rates.pages[i].page > 4 * (i + 1) || 4 * rates.pages[i].page < i + 1;
	assert_true(apart < PAGES / 100);
	rates_free(&rates);
}

/* Share of the most accessed part of the pages. */
static double top_of(double part)
{
	double top = 0, all = 0;

	for (uint64_t page = 1; page <= PAGES; page++) {
		all += rate_of(page);
		top += (double)page <= part * PAGES ? rate_of(page) : 0;
	}
	return top / all;
}

TEST("the noise of the rates of single pages is no skew: equal rates have none, and others theirs")
{
	static const double exponents[] = {0, 0.6, 0.8};

	for (size_t i = 0; i < 3; i++) {
		struct rates rates;
		struct rng rng;

		exponent = exponents[i];
		rng_seed(&rng, 3, i);
		simulate(&rng, &rates, 0);
		assert_true(rates.is_fitted && !rates.saturated);
		assert_true(fabs(rates_exponent(&rates) - exponents[i]) < 0.1);
		assert_true(fabs(rates_top(&rates, 0.01) - top_of(0.01)) < 0.02);
		assert_true(fabs(rates_top(&rates, 0.1) - top_of(0.1)) < 0.03);
		assert_true(exponents[i] > 0 || rates_gini(&rates) < 0.05);
		rates_free(&rates);
	}
	exponent = 1;
}

TEST("the rates of pages that come back too fast are those of bursts, scaled by the pages that both have met")
{
	struct rates rates;
	struct rng rng;
	double top = 0;

	rng_seed(&rng, 2, 0);
	simulate(&rng, &rates, 0.1);
	assert_true(fabs(rates.burst_s / 0.1 - 1) < 0.2);
	/* Page 1 and 2 come back within 100 us: 2000 and 1000 samples are all that is known of them. */
	for (size_t i = 0; i < rates.count; i++) {
		if (rates.pages[i].page == 1) {
			top = rates.pages[i].rate;
			assert_true(fabs(top - rates.pages[i].samples / rates.burst_s) < 1e-6);
		}
	}
	assert_true(fabs(top / rate_of(1) - 1) < 0.25);
	rates_free(&rates);
}

TEST("no events have no rates")
{
	struct rates rates;

	assert_int_equal(rates_make(NULL, 0, &rates), 0);
	assert_int_equal(rates.count, 0);
	rates_free(&rates);
}
