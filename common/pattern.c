/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include <errno.h>
#include <math.h>
#include "common/pattern_draw.h"

/* Where the sequences start is hashed apart from where the caller's own generators do. */
#define SEQUENCE_SALT 0x7061747465726e31ull
#define SCATTER_SALT 0x7363617474657231ull

static void init_nothing(struct pattern *self, const struct pattern_spec *spec)
{
	(void)self;
	(void)spec;
}

static void init_normal(struct pattern *self, const struct pattern_spec *spec)
{
	self->normal.deviation_pages = spec->shape;
	self->normal.half = self->pages / 2;
	self->normal.remainder = self->pages % 2 ? 0.5 : 0;
}

static void init_linear(struct pattern *self, const struct pattern_spec *spec)
{
	self->linear.stride = (uint64_t)spec->shape;
	self->linear.page = 0;
	self->linear.phase = 0;
}

static void init_pareto(struct pattern *self, const struct pattern_spec *spec)
{
	/* Already the limit for alpha -> 0 to the last digit; below, mass would lose digits as a subnormal.
	 */
	double alpha = fmax(spec->shape, 1e-200);

	self->pareto.mass = -expm1(-alpha * log((double)self->pages + 1));
	self->pareto.inverse_alpha = 1 / alpha;
}

static void init_zipf(struct pattern *self, const struct pattern_spec *spec)
{
	pattern_zipf_init(self, spec->shape);
}

static void init_hotset(struct pattern *self, const struct pattern_spec *spec)
{
	uint64_t hot = (uint64_t)llround(spec->hot_set * (double)self->pages);

	self->hot.pages = hot ? hot : 1;
	/* Without a rest of the set there is nothing else to draw from. */
	self->hot.access = self->hot.pages < self->pages ? spec->hot_access : 1;
	self->hot.first = 0;
	self->hot.drift = spec->hot_drift;
	self->hot.left = spec->hot_drift;
}

struct kind {
	const char *name;
	void (*init)(struct pattern *self, const struct pattern_spec *spec);
	uint64_t (*draw)(struct pattern *self);
	double default_shape;
	double default_shape_per_page;
};

static const struct kind kinds[PATTERN_KINDS] = {
	[PATTERN_UNIFORM] = {"uniform", init_nothing, pattern_draw_uniform, 0, 0},
	[PATTERN_NORMAL] = {"normal", init_normal, pattern_draw_normal, 0, 1.0 / 12},
	[PATTERN_NORMAL_IH] = {"normal_ih", init_normal, pattern_draw_normal_ih, 0, 1.0 / 12},
	[PATTERN_LINEAR] = {"linear", init_linear, pattern_draw_linear, 1, 0},
	[PATTERN_PARETO] = {"pareto", init_pareto, pattern_draw_pareto, 1.00001, 0},
	[PATTERN_ZIPF] = {"zipf", init_zipf, pattern_draw_zipf, 1.00001, 0},
	[PATTERN_HOTSET] = {"hotset", init_hotset, pattern_draw_hotset, 0, 0},
};

const char *pattern_name(enum pattern_kind kind)
{
	return kinds[kind].name;
}

const char *pattern_shape_complaint(enum pattern_kind kind, double shape)
{
	switch (kind) {
	case PATTERN_NORMAL:
	case PATTERN_NORMAL_IH:
		return shape > 0 ? NULL : "the standard deviation in pages must be above 0";
	case PATTERN_LINEAR:
		return shape >= 1 ? NULL : "the stride in pages must be at least 1";
	case PATTERN_PARETO:
		return shape > 0 && shape <= 100 ? NULL : "alpha must be above 0 and at most 100";
	case PATTERN_ZIPF:
		return shape > 0 && shape <= 100 ? NULL : "s must be above 0 and at most 100";
	default:
		return NULL;
	}
}

/* The same for a set of this many pages. */
static const char *shape_complaint_for(enum pattern_kind kind, double shape, uint64_t pages)
{
	const char *complaint = pattern_shape_complaint(kind, shape);

	if (complaint)
		return complaint;
	if (kind == PATTERN_LINEAR && !(shape < (double)pages + 1))
		return "the stride must be at most the number of pages in the set";
	/* Wider, most draws would fall outside the set and be drawn again: it is uniform in all but speed. */
	if ((kind == PATTERN_NORMAL || kind == PATTERN_NORMAL_IH) && !(shape <= (double)pages))
		return "the standard deviation must be at most the number of pages in the set";
	return NULL;
}

static const char *complaint_of(const struct pattern_spec *spec, double shape, uint64_t pages)
{
	if (pages == 0)
		return "a pattern needs a set of at least one page";
	if (pages > PATTERN_PAGES_MAX)
		return "a pattern can draw from at most 2^40 pages";
	if (spec->kind == PATTERN_HOTSET && !(spec->hot_set > 0 && spec->hot_set <= 1))
		return "the hot set must be above 0% and at most 100% of the pages";
	if (spec->kind == PATTERN_HOTSET && !(spec->hot_access >= 0 && spec->hot_access <= 1))
		return "the hot set's accesses must be 0% to 100%";
	return shape_complaint_for(spec->kind, shape, pages);
}

int pattern_check(struct pattern_spec *spec, uint64_t pages, const char **why)
{
	const struct kind *kind = &kinds[spec->kind];
	double shape = spec->shape;
	const char *complaint;

	if (!spec->has_shape)
		shape = kind->default_shape + kind->default_shape_per_page * (double)pages;
	complaint = complaint_of(spec, shape, pages);
	if (complaint) {
		*why = complaint;
		return -ERANGE;
	}
	spec->shape = spec->kind == PATTERN_LINEAR ? floor(shape) : shape;
	return 0;
}

void pattern_init(struct pattern *pattern, const struct pattern_spec *spec, uint64_t pages, uint64_t seed,
	uint64_t stream)
{
	const struct kind *kind = &kinds[spec->kind];

	*pattern = (struct pattern){
		.next = spec->is_scattered ? pattern_draw_scattered : kind->draw,
		.draw = kind->draw,
		.pages = pages,
	};
	rng_seed(&pattern->rng, seed ^ SEQUENCE_SALT, stream);
	kind->init(pattern, spec);
	pattern_permutation_init(&pattern->permutation, pages, seed ^ SCATTER_SALT);
}
