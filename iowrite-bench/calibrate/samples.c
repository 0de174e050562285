/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iowrite-bench/calibrate/session.h"
#include "iowrite-bench/estimate.h"

#define BLOCKS_WANTED 3
#define MEAN_STABLE 0.1 /* as estimate.h has it for medians */
#define SPREAD_NS 10000000000u
#define ALIKE 1.25 /* disturbances that say nothing of which block is better */

struct block {
	struct estimate_block samples;
	size_t room;
	uint64_t begin_ns;
	double disturbance;
};

struct quantity {
	struct samples_key key;
	unsigned probe;
	unsigned turn; /* of the last block */
	size_t count;
	struct block blocks[ESTIMATE_BLOCKS];
};

struct samples {
	struct quantity **all;
	size_t count, room;
	unsigned probe, turn;
	uint64_t begin_ns;
	int error;
};

int samples_new(struct samples **samples)
{
	*samples = calloc(1, sizeof(**samples));
	return *samples ? 0 : -ENOMEM;
}

void samples_free(struct samples *samples)
{
	for (size_t i = 0; samples && i < samples->count; i++) {
		for (size_t k = 0; k < samples->all[i]->count; k++)
			free(samples->all[i]->blocks[k].samples.values);
		free(samples->all[i]);
	}
	if (samples)
		free(samples->all);
	free(samples);
}

void samples_begin(struct samples *samples, unsigned probe, uint64_t now_ns)
{
	samples->probe = probe;
	samples->turn++;
	samples->begin_ns = now_ns;
}

static bool is_same(const struct samples_key *a, const struct samples_key *b)
{
	if (a->parameter != b->parameter || a->parameter != SAMPLES_POINT)
		return a->parameter == b->parameter;
	return a->mode == b->mode && a->regime == b->regime && a->size == b->size;
}

static struct quantity *add_quantity(struct samples *samples, const struct samples_key *key)
{
	struct quantity *fresh;

	if (samples->count == samples->room) {
		size_t room = samples->room ? 2 * samples->room : 64;
		struct quantity **all = reallocarray(samples->all, room, sizeof(struct quantity *));

		if (!all)
			return NULL;
		samples->all = all;
		samples->room = room;
	}
	fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return NULL;
	fresh->key = *key;
	fresh->probe = samples->probe;
	samples->all[samples->count++] = fresh;
	return fresh;
}

static struct quantity *find(struct samples *samples, const struct samples_key *key)
{
	for (size_t i = 0; i < samples->count; i++) {
		if (is_same(&samples->all[i]->key, key))
			return samples->all[i];
	}
	return add_quantity(samples, key);
}

/* NULL: no more blocks are kept, or (error) no memory. */
static struct block *present_block(struct samples *samples, struct quantity *quantity)
{
	struct block *block;

	if (quantity->turn == samples->turn)
		return &quantity->blocks[quantity->count - 1];
	if (quantity->count == ESTIMATE_BLOCKS)
		return NULL;
	quantity->turn = samples->turn;
	block = &quantity->blocks[quantity->count++];
	block->begin_ns = samples->begin_ns;
	return block;
}

void samples_add(struct samples *samples, const struct samples_key *key, double value)
{
	struct quantity *quantity = find(samples, key);
	struct block *block = quantity ? present_block(samples, quantity) : NULL;

	if (!quantity)
		samples->error = -ENOMEM;
	if (!block)
		return;
	quantity->key.scale = key->scale;
	if (block->samples.count == block->room) {
		size_t room = block->room ? 2 * block->room : 16;
		double *values = reallocarray(block->samples.values, room, sizeof(*values));

		if (!values) {
			samples->error = -ENOMEM;
			return;
		}
		block->samples.values = values;
		block->room = room;
	}
	block->samples.values[block->samples.count++] = value;
}

void samples_end(struct samples *samples, double disturbance)
{
	for (size_t i = 0; i < samples->count; i++) {
		struct quantity *quantity = samples->all[i];

		if (quantity->turn == samples->turn && quantity->count)
			quantity->blocks[quantity->count - 1].disturbance = disturbance;
	}
}

int samples_error(const struct samples *samples)
{
	return samples->error;
}

static int compare_disturbance(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return (x->disturbance > y->disturbance) - (x->disturbance < y->disturbance);
}

static int compare_begins(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* The undisturbed ones; when they are too few, the half that was disturbed least; in the order of time. Sorts copies;
 * their samples are shared. */
static size_t pick(const struct quantity *quantity, struct estimate_block *picked, double *worst)
{
	size_t count = 0, least = quantity->count / 2 > BLOCKS_WANTED ? quantity->count / 2 : BLOCKS_WANTED;
	struct block sorted[ESTIMATE_BLOCKS];
	double limit = SAMPLES_DISTURBED;

	memcpy(sorted, quantity->blocks, quantity->count * sizeof(*sorted));
	qsort(sorted, quantity->count, sizeof(*sorted), compare_disturbance);
	if (least > quantity->count)
		least = quantity->count;
	limit = fmax(limit, ALIKE * sorted[least - 1].disturbance);
	for (; count < quantity->count && sorted[count].disturbance <= limit; count++)
		*worst = sorted[count].disturbance;
	qsort(sorted, count, sizeof(*sorted), compare_begins);
	for (size_t i = 0; i < count; i++)
		picked[i] = sorted[i].samples;
	return count;
}

static void __attribute__((format(printf, 2, 3))) append(struct system_value *value, const char *format, ...)
{
	size_t length = strlen(value->unstable);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(value->unstable + length, sizeof(value->unstable) - length, format, arguments);
	va_end(arguments);
}

/* Means are what the models add up. */
static void decide_mean(const struct quantity *quantity, const struct estimate_block *blocks, size_t count,
	struct system_value *value)
{
	double off = quantity->key.parameter == SAMPLES_POINT ? why_mean_off(blocks, count) : 0;

	if (!value->unstable[0] && off > MEAN_STABLE)
		append(value, "its mean is off by up to %.0f %% within %zu blocks", 100 * off, count);
}

static int say_why(const struct quantity *quantity, const struct estimate_block *blocks, size_t count, double worst,
	struct system_value *value)
{
	char why[SYSTEM_WHY];
	int rc;

	if (!value->unstable[0])
		return 0;
	rc = why_unstable(blocks, count, quantity->key.scale > 0, why, sizeof(why));
	if (!rc)
		append(value, ": %s", why);
	if (worst > SAMPLES_DISTURBED)
		append(value, "; other processes competed for CPU or disk %.0f %% of the time", 100 * worst);
	return rc;
}

int samples_value(struct samples *samples, size_t index, struct system_value *value)
{
	const struct quantity *quantity = samples->all[index];
	struct estimate_block picked[ESTIMATE_BLOCKS];
	double worst = 0;
	size_t count = pick(quantity, picked, &worst);
	int rc = estimate(picked, count, quantity->key.scale, quantity->key.method, value);

	if (rc)
		return rc;
	decide_mean(quantity, picked, count, value);
	rc = say_why(quantity, picked, count, worst, value);
	if (!value->unstable[0] && !quantity->key.is_fact && count < BLOCKS_WANTED)
		append(value, "measured in %zu of %d blocks", count, BLOCKS_WANTED);
	return rc;
}

static bool is_known(struct samples *samples, size_t index)
{
	const struct quantity *quantity = samples->all[index];
	struct system_value value;
	uint64_t spread;

	if (quantity->count == ESTIMATE_BLOCKS || quantity->key.is_fact)
		return true;
	if (quantity->count < BLOCKS_WANTED)
		return false;
	spread = quantity->blocks[quantity->count - 1].begin_ns - quantity->blocks[0].begin_ns;
	return spread >= SPREAD_NS && !samples_value(samples, index, &value) &&
	       estimate_is_good(&value, quantity->key.scale);
}

bool samples_is_done(struct samples *samples, unsigned probe, bool is_tired)
{
	bool has_any = false;

	for (size_t i = 0; i < samples->count; i++) {
		if (samples->all[i]->probe != probe)
			continue;
		has_any = true;
		if (!is_known(samples, i))
			return false;
	}
	return has_any || is_tired;
}

size_t samples_count(const struct samples *samples)
{
	return samples->count;
}

const struct samples_key *samples_key(const struct samples *samples, size_t index)
{
	return &samples->all[index]->key;
}
