/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <math.h>

#include "common/hot/rng.h"
#include "memtrace/active/returns.h"
#include "memtrace/file/trace_file.h"

#define PAGES 2000u
#define PICKS 8000u
#define SPAN_NS 4000000000ull /* of the simulation */
#define CALL_NS 30000u
#define TRIALS 100u

static struct return_event *events;
static size_t count;

static void add(uint64_t page, uint64_t time_ns, unsigned kind, uint32_t weight)
{
	events[count++] = (struct return_event){page, time_ns, weight, (uint8_t)kind};
}

static void begin(size_t most)
{
	events = calloc(most, sizeof(*events));
	assert_non_null(events);
	count = 0;
}

struct program {
	double rate, exponent; /* of accesses to the page of rank k: rate / k^exponent per second of its run time */
	uint64_t run_ns;       /* it runs for this time, then does not for `wait_ns` */
	uint64_t wait_ns;
	bool is_slow_later;    /* a tenth of its pace in the second half */
};

/* The time that it has run for at a time, and back. */
static double run_time(const struct program *program, double time)
{
	double period = (double)(program->run_ns + program->wait_ns), half = SPAN_NS / 2.;

	if (program->is_slow_later && time > half)
		time = half + (time - half) / 10;
	return floor(time / period) * (double)program->run_ns + fmin(fmod(time, period), (double)program->run_ns);
}

static double time_of(const struct program *program, double run)
{
	double period = (double)(program->run_ns + program->wait_ns), half = SPAN_NS / 2.;
	double time = floor(run / (double)program->run_ns) * period + fmod(run, (double)program->run_ns);

	return program->is_slow_later && time > half ? half + (time - half) * 10 : time;
}

/* Pages are drawn uniformly at even times, those that are in memory are paged out, and come back with their next access. */
static void simulate(const struct program *program, uint64_t seed, struct returns *returns)
{
	uint64_t *back = calloc(PAGES + 1, sizeof(*back));
	struct rng rng;

	assert_non_null(back);
	begin(2 * PICKS + 1);
	rng_seed(&rng, 1, seed);
	for (uint64_t i = 0; i < PICKS; i++) {
		uint64_t page = 1 + rng_below(&rng, PAGES), now = (i + 1) * (SPAN_NS / PICKS);
		double rate = program->rate / pow((double)page, program->exponent) / 1e9;

		if (back[page] > now)
			continue;
		add(page, now, TRACE_OUT, CALL_NS << 1);
		back[page] = 1 + (uint64_t)fmin(time_of(program, run_time(program, (double)now) - log1p(-rng_double(&rng)) / rate),
			2. * SPAN_NS);
		if (back[page] < SPAN_NS)
			add(page, back[page], i % 2 ? TRACE_MAJOR_FAULT : TRACE_MINOR_FAULT, 0);
	}
	add(PAGES + 1, SPAN_NS, TRACE_MINOR_FAULT, 0);
	assert_int_equal(returns_make(events, count, returns), 0);
	free(events);
	free(back);
}

TEST("a page that stays resident was paged out if a fault brought it back")
{
	assert_int_equal(returns_left(810, 790, 60), 80);
	assert_int_equal(returns_left(5526, 5000, 6000), 5526);
	assert_int_equal(returns_left(0, 0, 9), 0);
}

TEST("the times of a page are those until it came back, or until its process was last seen")
{
	struct returns returns;

	begin(8);
	add(7, 1000000000, TRACE_OUT, 0);
	add(7, 1002000000, TRACE_MAJOR_FAULT, 0);
	add(7, 2000000000, TRACE_OUT, 0);
	add(7, 2004000000, TRACE_MINOR_FAULT, 0);
	add(7, 3000000000, TRACE_OUT, 0);
	add(9, 3000000000, TRACE_OUT, 0);
	add(9, 3010000000, TRACE_MINOR_FAULT, 0);
	assert_int_equal(returns_make(events, count, &returns), 0);
	assert_int_equal(returns.count, 2);
	/* Too few pages. */
	assert_true(isnan(returns.agreement.value) && !returns.is_ordered);
	assert_int_equal(returns.pages[0].page, 7);
	assert_int_equal(returns.pages[0].outs, 3);
	assert_int_equal(returns.pages[0].returns, 2);
	assert_true(fabs(exp(returns.pages[0].mean) - cbrt(0.002 * 0.004 * 0.01)) < 1e-9);
	assert_true(fabs(exp(returns.pages[1].mean) - 0.01) < 1e-9);
	returns_free(&returns);
	free(events);
}

TEST("what was never out, or whose way back is lost, has no time")
{
	struct returns returns;

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
	add((1ull << RETURNS_PROCESS_SHIFT) + 5, 1000000, TRACE_OUT, 0);
	add((1ull << RETURNS_PROCESS_SHIFT) + 6, 3000000, TRACE_MINOR_FAULT, 0);
	assert_int_equal(returns_make(events, count, &returns), 0);
	assert_int_equal(returns.count, 3);
	assert_int_equal(returns.pages[0].page, 3);
	/* Within 0.1 ms counts as 0.1 ms. */
	assert_true(fabs(exp(returns.pages[0].mean) - RETURNS_FAST_S) < 1e-9);
	assert_true(returns.pages[0].fast == 1 && returns.saturated == 1);
	assert_int_equal(returns.pages[1].page, 2);
	assert_true(fabs(exp(returns.pages[1].mean) - 0.001) < 1e-9);
	assert_int_equal(returns.pages[1].outs, 1);
	assert_int_equal(returns.pages[2].returns, 0);
	assert_true(fabs(exp(returns.pages[2].mean) - 0.002) < 1e-9);
	returns_free(&returns);
	free(events);
}

TEST("of a uniform program the times of a page agree no more than those of two, whatever its pace, and its pages have no order")
{
	static const struct program programs[] = {
		{200, 0, 1000000, 0, false},
		{2000, 0, 3000000, 17000000, false},
		{5000, 0, 50000000, 200000000, true},
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		unsigned held = 0;

		for (unsigned trial = 0; trial < TRIALS; trial++) {
			struct returns returns;

			simulate(&programs[i], trial, &returns);
			/* Less than none: a page that is out for long while the pace is slow is drawn more often at other times. */
			held += returns.agreement.low <= 0;
			assert_false(returns.is_ordered);
			returns_free(&returns);
		}
		assert_true(held >= TRIALS * 95 / 100);
	}
}

TEST("pages that are accessed at different rates are in order of them, whatever the pace of the program")
{
	static const struct program programs[] = {
		{5000, 1, 1000000, 0, false},
		{20000, 1, 50000000, 20000000, true},
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct returns returns;
		uint64_t apart = 0, ranks = 0;

		simulate(&programs[i], 1, &returns);
		assert_true(returns.is_ordered);
		assert_true(returns.agreement.low > 0.1 && returns.agreement.high < 1);
		for (size_t k = 0; k < returns.count; k++)
			apart += returns.pages[k].page > 4 * (k + 1) || 4 * returns.pages[k].page < k + 1;
		for (size_t k = 0; k < 20; k++)
			ranks += returns.pages[k].page;
		/* Of any 20 pages they would be 1500 and 20000. */
		assert_true(apart < returns.count / 10 && ranks < 1500);
		returns_free(&returns);
	}
}

TEST("pages that always come back within 0.1 ms are counted, and have no order")
{
	const struct program program = {1e9, 1, 1000000, 0, false};
	struct returns returns;

	simulate(&program, 1, &returns);
	assert_false(returns.is_ordered);
	assert_true(returns.saturated > PAGES * 9 / 10);
	returns_free(&returns);
}

TEST("pages with samples of bursts are first, by their number")
{
	struct returns returns;

	begin(8);
	add(1, 1000, TRACE_LOAD, 0);
	add(2, 1000, TRACE_LOAD, 0);
	add(2, 2000, TRACE_STORE, 0);
	add(3, 1000, TRACE_OUT, 0);
	add(3, 2000, TRACE_MAJOR_FAULT, 0);
	assert_int_equal(returns_make(events, count, &returns), 0);
	assert_int_equal(returns.count, 3);
	assert_int_equal(returns.pages[0].page, 2);
	assert_int_equal(returns.pages[1].page, 1);
	assert_int_equal(returns.saturated, 1);
	returns_free(&returns);
	free(events);
}

TEST("no events have no returns")
{
	struct returns returns;

	assert_int_equal(returns_make(NULL, 0, &returns), 0);
	assert_int_equal(returns.count, 0);
	returns_free(&returns);
}
