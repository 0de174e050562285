/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Called for every access of a measured loop. */
#include "config.h"
#include <math.h>
#include "common/pattern_draw.h"

uint64_t pattern_draw_uniform(struct pattern *self)
{
	return rng_below(&self->rng, self->pages);
}

/* Turns a deviation from the centre into a page; false when that is outside the set. The offset is floored by
 * itself, since centre + offset would lose a small one beside a large centre. */
static bool place(const struct pattern *self, double deviation, uint64_t *page)
{
	double offset = deviation * self->normal.deviation_pages + self->normal.remainder;
	int64_t whole = (int64_t)offset;

	whole -= (double)whole > offset;
	*page = self->normal.half + (uint64_t)whole;
	/* Below page 0 it has wrapped to a huge one. */
	return *page < self->pages;
}

/* A standard normal variate by the ratio of uniforms, with the quick bounds of Leva ("A fast normal random
 * number generator", 1992): in 99 of 100 draws no logarithm and no table is touched. */
static double draw_gaussian(struct rng *rng)
{
	for (;;) {
		double u = 1 - rng_double(rng);
		double v = 1.7156 * (rng_double(rng) - 0.5);
		double x = u - 0.449871;
		double y = fabs(v) + 0.386595;
		double q = x * x + y * (0.196 * y - 0.25472 * x);

		if (q < 0.27597)
			return v / u;
		if (q <= 0.27846 && v * v <= -4 * log(u) * u * u)
			return v / u;
	}
}

uint64_t pattern_draw_normal(struct pattern *self)
{
	uint64_t page;

	while (!place(self, draw_gaussian(&self->rng), &page))
		;
	return page;
}

uint64_t pattern_draw_normal_ih(struct pattern *self)
{
	uint64_t page, sum;

	do {
		sum = 0;
		/* 60 bits each: twelve of them just fit the word. */
		for (int i = 0; i < 12; i++)
			sum += rng_next(&self->rng) >> 4;
	} while (!place(self, (double)(int64_t)(sum - (6ull << 60)) * 0x1p-60, &page));
	return page;
}

uint64_t pattern_draw_linear(struct pattern *self)
{
	uint64_t page = self->linear.page;

	self->linear.page += self->linear.stride;
	if (self->linear.page >= self->pages) {
		if (++self->linear.phase == self->linear.stride)
			self->linear.phase = 0;
		self->linear.page = self->linear.phase;
	}
	return page;
}

uint64_t pattern_draw_pareto(struct pattern *self)
{
	/* The inverse of 1 - x^-alpha, with log1p because mass is tiny for a tiny alpha. */
	double log_x = -log1p(-rng_double(&self->rng) * self->pareto.mass) * self->pareto.inverse_alpha;
	uint64_t rank = (uint64_t)exp(log_x);

	/* Rounding may give 1 - epsilon or pages + 1. */
	if (KEEP_UNLIKELY(rank < 1))
		return 0;
	return KEEP_UNLIKELY(rank > self->pages) ? self->pages - 1 : rank - 1;
}

static uint64_t wrap(uint64_t page, uint64_t pages)
{
	return page >= pages ? page - pages : page;
}

uint64_t pattern_draw_hotset(struct pattern *self)
{
	uint64_t first = self->hot.first;
	uint64_t offset;

	if (rng_double(&self->rng) < self->hot.access)
		offset = rng_below(&self->rng, self->hot.pages);
	else
		offset = self->hot.pages + rng_below(&self->rng, self->pages - self->hot.pages);
	if (self->hot.drift && --self->hot.left == 0) {
		self->hot.left = self->hot.drift;
		self->hot.first = wrap(first + 1, self->pages);
	}
	return wrap(first + offset, self->pages);
}

uint64_t pattern_draw_scattered(struct pattern *self)
{
	return pattern_permute(&self->permutation, self->draw(self));
}
