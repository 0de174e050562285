/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/stats/pattern.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/units.h"

/* --- drawing: called for every access of a measured loop --- */

void pattern_permutation_init(struct pattern_permutation *permutation, uint64_t pages, uint64_t key)
{
	unsigned bits = 0;

	while (bits < 63 && (1ull << bits) < pages)
		bits++;
	permutation->pages = pages;
	permutation->mask = (1ull << bits) - 1;
	permutation->shift = (bits + 1) / 2;
	/* Small sets need more rounds: with 4 the unit test finds deviations below 6 bits. */
	permutation->rounds = bits < 8 ? PATTERN_PERMUTATION_ROUNDS : 4;
	for (unsigned i = 0; i < permutation->rounds; i++)
		permutation->keys[i] = rng_splitmix64(&key);
}

/* Mixes by three steps that are invertible modulo 2^bits: an addition, a multiplication by an odd number, and an exclusive or
 * with its own upper half. The product carries low bits up, the shift brings high bits down. */
static uint64_t mix(const struct pattern_permutation *permutation, uint64_t x)
{
	for (unsigned i = 0; i < permutation->rounds; i++) {
		uint64_t key = permutation->keys[i];

		x = ((x + (key >> 32)) * (key | 1)) & permutation->mask;
		x ^= x >> permutation->shift;
	}
	return x;
}

uint64_t pattern_permute(const struct pattern_permutation *permutation, uint64_t page)
{
	/* Following the cycle until it returns to the pages keeps the map one to one. */
	do
		page = mix(permutation, page);
	while (page >= permutation->pages);
	return page;
}

/*
 * Zipf by rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from
 * monotone discrete distributions", 1996), with their hat H, the integral of x^-s, written so that it is
 * smooth at s = 1: H(x) = (x^(1-s) - 1) / (1 - s), and log x there. A rank costs one logarithm and one
 * exponential; at most 1 in 50 is rejected, whatever s and pages (tests/unit/test_pattern.c), and no table
 * grows with pages.
 */

/* Return expm1(x) / x and log1p(x) / x, both 1 at 0; below the bound the series is exact to a double. */
static double expm1_ratio(double x)
{
	return fabs(x) > 1e-8 ? expm1(x) / x : 1 + x / 2;
}

static double log1p_ratio(double x)
{
	return fabs(x) > 1e-8 ? log1p(x) / x : 1 - x / 2;
}

static double density(double exponent, double x)
{
	return exp(-exponent * log(x));
}

static double integral(double exponent, double x)
{
	double log_x = log(x);

	return log_x * expm1_ratio((1 - exponent) * log_x);
}

static double integral_inverse(double exponent, double y)
{
	/* Rounding could leave the domain of log1p; -1 itself gives infinity, which is cut to the last rank. */
	double t = fmax(y * (1 - exponent), -1);

	return exp(y * log1p_ratio(t));
}

static uint64_t draw_zipf(struct pattern *self)
{
	double s = self->zipf.exponent;
	double low = self->zipf.integral_low, high = self->zipf.integral_high;

	for (;;) {
		double y = high - rng_double(&self->rng) * (high - low);
		double x = integral_inverse(s, y);
		uint64_t rank = x < (double)self->pages ? (uint64_t)(x + 0.5) : self->pages;
		double k = (double)rank;

		if (k - x <= self->zipf.squeeze || y >= integral(s, k + 0.5) - density(s, k))
			return rank - 1;
	}
}

static uint64_t draw_uniform(struct pattern *self)
{
	return rng_below(&self->rng, self->pages);
}

/* Turns a deviation from the centre into a page; false when that is outside the set. The offset is floored before the centre is
 * added, because centre + offset would lose a small offset. */
static bool place(const struct pattern *self, double deviation, uint64_t *page)
{
	double offset = deviation * self->normal.deviation_pages + self->normal.remainder;
	int64_t whole = (int64_t)offset;

	whole -= (double)whole > offset;
	*page = self->normal.half + (uint64_t)whole;
	/* A page below 0 has wrapped to a huge number. */
	return *page < self->pages;
}

/* Draws a standard normal variate by the ratio of uniforms, with the quick bounds of Leva ("A fast normal random number
 * generator", 1992): 99 of 100 draws need no logarithm and no table. */
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

static uint64_t draw_normal(struct pattern *self)
{
	uint64_t page;

	while (!place(self, draw_gaussian(&self->rng), &page))
		;
	return page;
}

static uint64_t draw_normal_ih(struct pattern *self)
{
	uint64_t page, sum;

	do {
		sum = 0;
		/* The sum of twelve numbers of 60 bits just fits the word. */
		for (int i = 0; i < 12; i++)
			sum += rng_next(&self->rng) >> 4;
	} while (!place(self, (double)(int64_t)(sum - (6ull << 60)) * 0x1p-60, &page));
	return page;
}

static uint64_t draw_linear(struct pattern *self)
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

static uint64_t draw_pareto(struct pattern *self)
{
	/* Inverts 1 - x^-alpha, with log1p because mass is tiny for a tiny alpha. */
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

static uint64_t draw_hotset(struct pattern *self)
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

static uint64_t draw_recorded(struct pattern *self)
{
	const struct recorded *table = self->recorded.table;
	uint64_t rest, page;

	if (table->order) {
		page = table->order[self->recorded.position++];
		if (self->recorded.position == table->order_count)
			self->recorded.position = 0;
		return page;
	}
	page = rng_below_rest(&self->rng, table->pages, &rest);
	return rest >> 32 < table->stay[page] ? page : table->alias[page];
}

static uint64_t draw_scattered(struct pattern *self)
{
	return pattern_permute(&self->permutation, self->draw(self));
}

/* --- kinds --- */

/* The caller's own generators use the same seed and stream, so the sequences are hashed with a salt. */
#define SEQUENCE_SALT 0x7061747465726e31ull
#define SCATTER_SALT 0x7363617474657231ull

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
	/* At 1e-200 the distribution equals its limit for alpha -> 0 to the last digit; smaller values would make mass
	 * subnormal and lose digits. */
	double alpha = fmax(spec->shape, 1e-200);

	self->pareto.mass = -expm1(-alpha * log((double)self->pages + 1));
	self->pareto.inverse_alpha = 1 / alpha;
}

static void init_zipf(struct pattern *self, const struct pattern_spec *spec)
{
	double exponent = spec->shape;

	self->zipf.exponent = exponent;
	/* The first bar is shifted so that the hat is as high as the bar there: rank 1 is never rejected. */
	self->zipf.integral_low = integral(exponent, 1.5) - 1;
	self->zipf.integral_high = integral(exponent, (double)self->pages + 0.5);
	/* Points this close to the left of a rank are inside its bar for every rank (the paper's s). */
	self->zipf.squeeze = 2 - integral_inverse(exponent, integral(exponent, 2.5) - density(exponent, 2));
}

static void init_hotset(struct pattern *self, const struct pattern_spec *spec)
{
	uint64_t hot = (uint64_t)llround(spec->hot_set * (double)self->pages);

	self->hot.pages = hot ? hot : 1;
	/* If the window is the whole set, all draws come from it. */
	self->hot.access = self->hot.pages < self->pages ? spec->hot_access : 1;
	self->hot.first = 0;
	self->hot.drift = spec->hot_drift;
	self->hot.left = spec->hot_drift;
}

static void init_recorded(struct pattern *self, const struct pattern_spec *spec)
{
	self->recorded.table = spec->recorded;
	self->recorded.position = 0;
}

struct kind {
	const char *name;
	void (*init)(struct pattern *self, const struct pattern_spec *spec); /* NULL = nothing to initialise */
	uint64_t (*draw)(struct pattern *self);
	double default_shape;
	double default_shape_per_page;
};

static const struct kind kinds[PATTERN_KINDS + 1] = {
	[PATTERN_UNIFORM] = {"uniform", NULL, draw_uniform, 0, 0},
	[PATTERN_NORMAL] = {"normal", init_normal, draw_normal, 0, 1.0 / 12},
	[PATTERN_NORMAL_IH] = {"normal_ih", init_normal, draw_normal_ih, 0, 1.0 / 12},
	[PATTERN_LINEAR] = {"linear", init_linear, draw_linear, 1, 0},
	[PATTERN_PARETO] = {"pareto", init_pareto, draw_pareto, 1.00001, 0},
	[PATTERN_ZIPF] = {"zipf", init_zipf, draw_zipf, 1.00001, 0},
	[PATTERN_HOTSET] = {"hotset", init_hotset, draw_hotset, 0, 0},
	[PATTERN_RECORDED] = {"recorded", init_recorded, draw_recorded, 0, 0},
};

const char *pattern_name(enum pattern_kind kind)
{
	return kinds[kind].name;
}

static const char *shape_complaint(enum pattern_kind kind, double shape)
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

static const char bad_hot_set[] = "the hot set must be above 0% and at most 100% of the pages";
static const char bad_hot_access[] = "the hot set's accesses must be 0% to 100%";

int pattern_check(struct pattern_spec *spec, uint64_t pages, const char **why)
{
	const struct kind *kind = &kinds[spec->kind];
	bool is_normal = spec->kind == PATTERN_NORMAL || spec->kind == PATTERN_NORMAL_IH;
	double shape = spec->has_shape ? spec->shape : kind->default_shape + kind->default_shape_per_page * (double)pages;
	const char *complaint = shape_complaint(spec->kind, shape);

	if (pages == 0)
		complaint = "a pattern needs a set of at least one page";
	else if (pages > PATTERN_PAGES_MAX)
		complaint = "a pattern can draw from at most 2^40 pages";
	else if (spec->kind == PATTERN_HOTSET && !(spec->hot_set > 0 && spec->hot_set <= 1))
		complaint = bad_hot_set;
	else if (spec->kind == PATTERN_HOTSET && !(spec->hot_access >= 0 && spec->hot_access <= 1))
		complaint = bad_hot_access;
	else if (spec->kind == PATTERN_RECORDED && spec->recorded->pages > pages)
		complaint = "the recorded pattern has more pages than the set; give a larger -s, or export with a larger --bucket";
	else if (!complaint && spec->kind == PATTERN_LINEAR && !(shape < (double)pages + 1))
		complaint = "the stride must be at most the number of pages in the set";
	/* With a larger deviation most draws would fall outside the set and be repeated; the result would be nearly uniform. */
	else if (!complaint && is_normal && !(shape <= (double)pages))
		complaint = "the standard deviation must be at most the number of pages in the set";
	if (complaint)
		return diag_why(-ERANGE, why, complaint);
	spec->shape = spec->kind == PATTERN_LINEAR ? floor(shape) : shape;
	return 0;
}

void pattern_init(struct pattern *pattern, const struct pattern_spec *spec, uint64_t pages, uint64_t seed,
	uint64_t stream)
{
	const struct kind *kind = &kinds[spec->kind];

	*pattern = (struct pattern){
		.next = spec->is_scattered ? draw_scattered : kind->draw,
		.draw = kind->draw,
		.pages = pages,
	};
	rng_seed(&pattern->rng, seed ^ SEQUENCE_SALT, stream);
	if (kind->init)
		kind->init(pattern, spec);
	pattern_permutation_init(&pattern->permutation, pages, seed ^ SCATTER_SALT);
}

/* --- parsing --- */

#define FIELDS 4
#define FIELD_BYTES 40

/* Text split at the commas; the first field is the name. */
struct fields {
	size_t count;
	char text[FIELDS][FIELD_BYTES];
};

static const char junk_text[] =
	"allowed are uniform, normal[,SD], normal_ih[,SD], linear[,STRIDE], pareto[,ALPHA], zipf[,S], "
	"hotset[,SET%[,ACCESS%[,DRIFT]]]";

/* Messages that name the parameters of each kind. */
static const char *const parameters[PATTERN_KINDS] = {
	[PATTERN_UNIFORM] = "uniform takes no number",
	[PATTERN_NORMAL] = "normal takes one number, its standard deviation in pages: normal,1536",
	[PATTERN_NORMAL_IH] = "normal_ih takes one number, its standard deviation in pages: normal_ih,1536",
	[PATTERN_LINEAR] = "linear takes one number, its stride in pages: linear,23",
	[PATTERN_PARETO] = "pareto takes one number, its alpha: pareto,1.161",
	[PATTERN_ZIPF] = "zipf takes one number, its exponent s: zipf,1.1",
	[PATTERN_HOTSET] =
		"hotset takes its share of the pages, of the accesses, and draws a step: hotset,20%,80%,1000",
};

static int split(const char *text, struct fields *fields)
{
	fields->count = 0;
	for (;;) {
		size_t length = strcspn(text, ",");

		if (fields->count == FIELDS || length >= FIELD_BYTES)
			return -EINVAL;
		memcpy(fields->text[fields->count], text, length);
		fields->text[fields->count++][length] = '\0';
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

static int parse_shape(const char *text, struct pattern_spec *spec, const char **why)
{
	const char *complaint;
	int err = units_parse_double(text, -DBL_MAX, DBL_MAX, &spec->shape);

	if (err == -EINVAL)
		return err;
	/* A number beyond a double is outside every range; its sign decides on which side. */
	if (err)
		spec->shape = *text == '-' ? -DBL_MAX : DBL_MAX;
	complaint = shape_complaint(spec->kind, spec->shape);
	if (!complaint && err)
		complaint = "the number is too large";
	if (complaint)
		*why = complaint;
	spec->has_shape = true;
	return complaint ? -ERANGE : 0;
}

static int parse_percent(char *text, double *share)
{
	size_t length = strlen(text);
	double percent;
	int err;

	if (length && text[length - 1] == '%')
		text[length - 1] = '\0';
	err = units_parse_double(text, 0, 100, &percent);
	if (!err)
		*share = percent / 100;
	return err;
}

static int parse_hotset(struct fields *fields, struct pattern_spec *spec, const char **why)
{
	int err = 0;

	spec->hot_set = 0.2;
	spec->hot_access = 0.8;
	if (fields->count > 1) {
		err = parse_percent(fields->text[1], &spec->hot_set);
		if (err == -ERANGE || (!err && spec->hot_set == 0))
			return diag_why(-ERANGE, why, bad_hot_set);
	}
	if (!err && fields->count > 2) {
		err = parse_percent(fields->text[2], &spec->hot_access);
		if (err == -ERANGE)
			*why = bad_hot_access;
	}
	if (!err && fields->count > 3) {
		err = units_parse_u64(fields->text[3], 0, UINT64_MAX, &spec->hot_drift);
		if (err == -ERANGE)
			*why = "the draws a step of the hot set must be at most 2^64 - 1 (0: it stays)";
	}
	return err;
}

int pattern_parse(const char *text, struct pattern_spec *spec, const char **why)
{
	struct pattern_spec parsed = {0};
	struct fields fields;
	unsigned kind = 0;
	int err;

	*why = junk_text;
	fields.text[0][0] = '\0';
	err = split(text, &fields);
	while (kind < PATTERN_KINDS && strcmp(fields.text[0], kinds[kind].name))
		kind++;
	if (kind == PATTERN_KINDS)
		return -EINVAL;
	parsed.kind = (enum pattern_kind)kind;
	*why = parameters[kind];
	if (err)
		return err;
	if (parsed.kind == PATTERN_HOTSET)
		err = parse_hotset(&fields, &parsed, why);
	else if (fields.count > 2 || (fields.count == 2 && parsed.kind == PATTERN_UNIFORM))
		err = -EINVAL;
	else if (fields.count == 2)
		err = parse_shape(fields.text[1], &parsed, why);
	if (!err)
		*spec = parsed;
	return err;
}
