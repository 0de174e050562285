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
	struct collector_key key;
	unsigned probe;
	unsigned turn; /* of the last block */
	size_t count;
	struct block blocks[ESTIMATE_BLOCKS];
};

struct collector {
	struct quantity **all;
	size_t count, room;
	unsigned probe, turn;
	uint64_t begin_ns;
	int error;
};

int collector_new(struct collector **collector)
{
	*collector = calloc(1, sizeof(**collector));
	return *collector ? 0 : -ENOMEM;
}

void collector_free(struct collector *collector)
{
	for (size_t i = 0; collector && i < collector->count; i++) {
		for (size_t k = 0; k < collector->all[i]->count; k++)
			free(collector->all[i]->blocks[k].samples.values);
		free(collector->all[i]);
	}
	if (collector)
		free(collector->all);
	free(collector);
}

void collector_begin(struct collector *collector, unsigned probe, uint64_t now_ns)
{
	collector->probe = probe;
	collector->turn++;
	collector->begin_ns = now_ns;
}

static bool is_same(const struct collector_key *a, const struct collector_key *b)
{
	if (a->parameter != b->parameter || a->parameter != COLLECTOR_POINT)
		return a->parameter == b->parameter;
	return a->mode == b->mode && a->regime == b->regime && a->size == b->size;
}

static struct quantity *add_quantity(struct collector *collector, const struct collector_key *key)
{
	struct quantity *fresh;

	if (collector->count == collector->room) {
		size_t room = collector->room ? 2 * collector->room : 64;
		struct quantity **all = reallocarray(collector->all, room, sizeof(struct quantity *));

		if (!all)
			return NULL;
		collector->all = all;
		collector->room = room;
	}
	fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return NULL;
	fresh->key = *key;
	fresh->probe = collector->probe;
	collector->all[collector->count++] = fresh;
	return fresh;
}

static struct quantity *find(struct collector *collector, const struct collector_key *key)
{
	for (size_t i = 0; i < collector->count; i++) {
		if (is_same(&collector->all[i]->key, key))
			return collector->all[i];
	}
	return add_quantity(collector, key);
}

/* NULL: no more blocks are kept, or (error) no memory. */
static struct block *present_block(struct collector *collector, struct quantity *quantity)
{
	struct block *block;

	if (quantity->turn == collector->turn)
		return &quantity->blocks[quantity->count - 1];
	if (quantity->count == ESTIMATE_BLOCKS)
		return NULL;
	quantity->turn = collector->turn;
	block = &quantity->blocks[quantity->count++];
	block->begin_ns = collector->begin_ns;
	return block;
}

void collector_add(struct collector *collector, const struct collector_key *key, double value)
{
	struct quantity *quantity = find(collector, key);
	struct block *block = quantity ? present_block(collector, quantity) : NULL;

	if (!quantity)
		collector->error = -ENOMEM;
	if (!block)
		return;
	quantity->key.scale = key->scale;
	if (block->samples.count == block->room) {
		size_t room = block->room ? 2 * block->room : 16;
		double *values = reallocarray(block->samples.values, room, sizeof(*values));

		if (!values) {
			collector->error = -ENOMEM;
			return;
		}
		block->samples.values = values;
		block->room = room;
	}
	block->samples.values[block->samples.count++] = value;
}

void collector_end(struct collector *collector, double disturbance)
{
	for (size_t i = 0; i < collector->count; i++) {
		struct quantity *quantity = collector->all[i];

		if (quantity->turn == collector->turn && quantity->count)
			quantity->blocks[quantity->count - 1].disturbance = disturbance;
	}
}

int collector_error(const struct collector *collector)
{
	return collector->error;
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
	double limit = COLLECTOR_DISTURBED;

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
static void judge_mean(const struct quantity *quantity, const struct estimate_block *blocks, size_t count,
	struct system_value *value)
{
	double off = quantity->key.parameter == COLLECTOR_POINT ? why_mean_off(blocks, count) : 0;

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
	if (worst > COLLECTOR_DISTURBED)
		append(value, "; other processes competed for CPU or disk %.0f %% of the time", 100 * worst);
	return rc;
}

int collector_value(struct collector *collector, size_t index, struct system_value *value)
{
	const struct quantity *quantity = collector->all[index];
	struct estimate_block picked[ESTIMATE_BLOCKS];
	double worst = 0;
	size_t count = pick(quantity, picked, &worst);
	int rc = estimate(picked, count, quantity->key.scale, quantity->key.method, value);

	if (rc)
		return rc;
	judge_mean(quantity, picked, count, value);
	rc = say_why(quantity, picked, count, worst, value);
	if (!value->unstable[0] && !quantity->key.is_fact && count < BLOCKS_WANTED)
		append(value, "measured in %zu of %d blocks", count, BLOCKS_WANTED);
	return rc;
}

static bool is_known(struct collector *collector, size_t index)
{
	const struct quantity *quantity = collector->all[index];
	struct system_value value;
	uint64_t spread;

	if (quantity->count == ESTIMATE_BLOCKS || quantity->key.is_fact)
		return true;
	if (quantity->count < BLOCKS_WANTED)
		return false;
	spread = quantity->blocks[quantity->count - 1].begin_ns - quantity->blocks[0].begin_ns;
	return spread >= SPREAD_NS && !collector_value(collector, index, &value) &&
	       estimate_is_good(&value, quantity->key.scale);
}

bool collector_is_done(struct collector *collector, unsigned probe, bool is_tired)
{
	bool has_any = false;

	for (size_t i = 0; i < collector->count; i++) {
		if (collector->all[i]->probe != probe)
			continue;
		has_any = true;
		if (!is_known(collector, i))
			return false;
	}
	return has_any || is_tired;
}

size_t collector_count(const struct collector *collector)
{
	return collector->count;
}

const struct collector_key *collector_key(const struct collector *collector, size_t index)
{
	return &collector->all[index]->key;
}
