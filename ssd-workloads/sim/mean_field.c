/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/sim/mean_field.h"

#include <math.h>
#include <stdlib.h>

#define BISECTIONS 60
#define NEWTONS 100
#define PRECISE 1e-13
#define RATE_LEAST 0.001   /* of a curve: valid pages lost for each write, by the share of valid pages */
#define RATE_MOST 400.0
#define STEP 0.4          /* of the fastest change of a state, in a step of time */
#define SETTLED 1e-6      /* relative change of the amplification in a time of all blocks */
#define TIMES_LEAST 20.0
#define TIMES_MOST 3000.0

double mean_field_closed_form(double space)
{
	double a = space, x = -a * exp(-a), w = 0;

	/* Newton's method for w e^w = x on the branch above -1, from 0 downwards. */
	for (int i = 0; i < NEWTONS; i++)
		w -= (w * exp(w) - x) / (exp(w) * (w + 1));
	return a / (a + w);
}

/* --- uniform: the fixed point --- */

/*
 * A collection of a block whose pages are all valid changes nothing: the model has it, and its copies are not counted.
 *
 * above[k]: share of blocks with k or more valid pages, from 1 (k = 0) to 0 (k = pages + 1). Of each collection, blocks go down
 * from k to k - 1 valid pages `rate` * k * (above[k] - above[k + 1]) times; as often they come into the states below k as they
 * leave these, which is when one of them is the victim: 1 - above[k]^choices. So above[k] follows from above[k + 1], and the
 * sum over k is the number of valid pages of a block. full: of blocks with no other pages.
 */
static double valid_pages(double rate, uint32_t pages, uint32_t choices, double *full)
{
	double next = 0, sum = 0;

	for (uint32_t k = pages; k; k--) {
		double flow = rate * k, at = 1;

		if (!choices) {
			at = fmin(1, next + 1 / flow);
		} else {
			/* Convex and rising: Newton's method comes down from 1. */
			for (int i = 0; i < NEWTONS; i++) {
				double power = pow(at, choices - 1.0);
				double step = (flow * (at - next) - 1 + power * at) / (flow + choices * power);

				at -= step;
				if (fabs(step) < PRECISE)
					break;
			}
		}
		if (k == pages)
			*full = at;
		sum += at;
		next = at;
	}
	return sum;
}

double mean_field_uniform(double space, uint32_t pages, uint32_t choices)
{
	double low = 0, high = space, full = 0;

	/* Blocks lose pages at this rate for each write of the host: more of it, fewer valid pages.
	 * rate = space / amplification. */
	for (int i = 0; i < BISECTIONS; i++) {
		double middle = (low + high) / 2;

		if (valid_pages(middle, pages, choices, &full) > pages / space)
			low = middle;
		else
			high = middle;
	}
	return space / high * (choices ? 1 - pow(full, choices) : 1);
}

void mean_field_curve(uint32_t pages, uint32_t choices, size_t count, double *space, double *amplification)
{
	for (size_t i = 0; i < count; i++) {
		double full, rate = RATE_LEAST * pow(RATE_MOST / RATE_LEAST, (double)i / (double)(count - 1));

		space[i] = pages / valid_pages(rate, pages, choices, &full);
		amplification[i] = space[i] / rate * (choices ? 1 - pow(full, choices) : 1);
	}
}

/* --- hot and cold: the flow in time, until it is steady --- */

struct field {
	uint32_t pages, choices;
	double hot_writes;
	double hot_pages, cold_pages;  /* valid ones of a block, which no collection changes */
	double *share, *change;        /* of blocks with h hot and c cold valid pages: [h * (pages + 1) + c] */
	double *count;                 /* share of blocks by valid pages */
	double full;                   /* share of collections of blocks whose pages are all valid */
	double *victim;                /* collections of blocks with this number of valid pages, in a time, by their share */
	double *binomial;              /* [n * (pages + 1) + k]: k of n host writes are hot */
};

static void make_binomials(struct field *field)
{
	uint32_t width = field->pages + 1;
	double hot = field->hot_writes, *at = field->binomial;

	at[0] = 1;
	for (uint32_t n = 1; n < width; n++) {
		for (uint32_t k = 0; k <= n; k++)
			at[n * width + k] = (k < n ? at[(n - 1) * width + k] * (1 - hot) : 0) +
					    (k ? at[(n - 1) * width + k - 1] * hot : 0);
	}
}

/* All pages are in full blocks at first. */
static void begin(struct field *field)
{
	uint32_t pages = field->pages, width = pages + 1;
	double full = (field->hot_pages + field->cold_pages) / pages;
	double hot = field->hot_pages / (field->hot_pages + field->cold_pages), row = pow(1 - hot, pages);

	field->share[0] = 1 - full;
	for (uint32_t h = 0; h <= pages; h++) {
		field->share[h * width + pages - h] = full * row;
		row *= hot / (1 - hot) * (pages - h) / (h + 1.0);
	}
}

/* Which blocks are collected. The host's writes for each collection. */
static double choose(struct field *field)
{
	uint32_t pages = field->pages, width = pages + 1;
	double above = 0, writes = 0;

	for (uint32_t j = 0; j <= pages; j++)
		field->count[j] = 0;
	for (uint32_t h = 0; h <= pages; h++) {
		for (uint32_t c = 0; c <= pages - h; c++)
			field->count[h + c] += field->share[h * width + c];
	}
	for (uint32_t j = pages + 1; j-- > 0;) {
		double more = above + field->count[j], chosen = pow(more, field->choices) - pow(above, field->choices);

		field->victim[j] = field->count[j] > 0 ? chosen / field->count[j] : 0;
		writes += chosen * (pages - j);
		if (j == pages)
			field->full = chosen;
		above = more;
	}
	return writes;
}

/* The largest time in which no state loses more than a part of itself. */
static double find_changes(struct field *field, double writes)
{
	uint32_t pages = field->pages, width = pages + 1;
	double hot_rate = writes * field->hot_writes / field->hot_pages;
	double cold_rate = writes * (1 - field->hot_writes) / field->cold_pages, fastest = 0;

	for (uint32_t i = 0; i < width * width; i++)
		field->change[i] = 0;
	for (uint32_t h = 0; h <= pages; h++) {
		for (uint32_t c = 0; c <= pages - h; c++) {
			uint32_t at = h * width + c, left = pages - h - c;
			double hot = field->share[at] * hot_rate * h, cold = field->share[at] * cold_rate * c;
			double collected = field->share[at] * field->victim[h + c];

			fastest = fmax(fastest, hot_rate * h + cold_rate * c + field->victim[h + c]);
			field->change[at] -= hot + cold + collected;
			if (h)
				field->change[at - width] += hot;
			if (c)
				field->change[at - 1] += cold;
			/* What is valid is copied, and the host fills the rest. */
			for (uint32_t k = 0; k <= left && collected > 0; k++)
				field->change[(h + k) * width + c + left - k] += collected * field->binomial[left * width + k];
		}
	}
	return STEP / fastest;
}

static double settle(struct field *field)
{
	uint32_t states = (field->pages + 1) * (field->pages + 1);
	double writes = choose(field), before = 0, time = 0, next = TIMES_LEAST;

	while (time < TIMES_MOST) {
		double step = find_changes(field, writes);

		for (uint32_t i = 0; i < states; i++)
			field->share[i] += step * field->change[i];
		writes = choose(field);
		time += step;
		if (time < next)
			continue;
		if (fabs(writes - before) < SETTLED * writes * TIMES_LEAST)
			break;
		before = writes;
		next = time + TIMES_LEAST;
	}
	return field->pages * (1 - field->full) / writes;
}

double mean_field_hot(double space, uint32_t pages, uint32_t choices, double hot_set, double hot_writes)
{
	size_t width = pages + 1, states = width * width;
	struct field field = {.pages = pages, .choices = choices, .hot_writes = hot_writes,
		.hot_pages = hot_set * pages / space, .cold_pages = (1 - hot_set) * pages / space};
	double *memory = calloc(3 * states + 2 * width, sizeof(*memory)), amplification;

	if (!memory)
		return NAN;
	field.share = memory;
	field.change = memory + states;
	field.binomial = memory + 2 * states;
	field.count = memory + 3 * states;
	field.victim = field.count + width;
	make_binomials(&field);
	begin(&field);
	amplification = settle(&field);
	free(memory);
	return amplification;
}
