/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iowrite-bench/calibrate/session.h"

#define BLOCKS_WANTED 3
#define MEAN_STABLE 0.1 /* as estimate.h has it for medians */
#define SPREAD_NS 10000000000u
#define ALIKE 1.25 /* blocks whose disturbances differ by less count as equal */

void samples_free(struct samples *samples)
{
	for (size_t i = 0; i < samples->count; i++) {
		for (size_t k = 0; k < samples->all[i]->count; k++)
			free(samples->all[i]->blocks[k].samples.values);
		free(samples->all[i]);
	}
	free(samples->all);
	*samples = (struct samples){0};
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

/* Returns the quantity, which is created if it is new; NULL if out of memory. */
static struct samples_quantity *find(struct samples *samples, const struct samples_key *key)
{
	struct samples_quantity **all, *fresh;

	for (size_t i = 0; i < samples->count; i++) {
		if (is_same(&samples->all[i]->key, key))
			return samples->all[i];
	}
	all = reallocarray(samples->all, samples->count + 1, sizeof(*all));
	if (!all)
		return NULL;
	samples->all = all;
	fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return NULL;
	fresh->key = *key;
	fresh->probe = samples->probe;
	all[samples->count++] = fresh;
	return fresh;
}

void samples_add(struct samples *samples, const struct samples_key *key, double value)
{
	struct samples_quantity *quantity = find(samples, key);
	struct samples_block *block;

	if (!quantity) {
		samples->error = -ENOMEM;
		return;
	}
	if (quantity->turn != samples->turn) {
		/* No more blocks are kept. */
		if (quantity->count == ESTIMATE_BLOCKS)
			return;
		quantity->turn = samples->turn;
		quantity->blocks[quantity->count++].begin_ns = samples->begin_ns;
	}
	quantity->key.scale = key->scale;
	block = &quantity->blocks[quantity->count - 1];
	if (block->samples.count == block->capacity) {
		size_t capacity = block->capacity ? 2 * block->capacity : 16;
		double *values = reallocarray(block->samples.values, capacity, sizeof(*values));

		if (!values) {
			samples->error = -ENOMEM;
			return;
		}
		block->samples.values = values;
		block->capacity = capacity;
	}
	block->samples.values[block->samples.count++] = value;
}

void samples_end(struct samples *samples, double disturbance)
{
	for (size_t i = 0; i < samples->count; i++) {
		struct samples_quantity *quantity = samples->all[i];

		if (quantity->turn == samples->turn && quantity->count)
			quantity->blocks[quantity->count - 1].disturbance = disturbance;
	}
}

static int compare_disturbance(const void *a, const void *b)
{
	const struct samples_block *x = a, *y = b;

	return (x->disturbance > y->disturbance) - (x->disturbance < y->disturbance);
}

static int compare_begins(const void *a, const void *b)
{
	const struct samples_block *x = a, *y = b;

	return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Counts the blocks in which the process was not stopped. */
static size_t count_whole(const struct samples_quantity *quantity)
{
	size_t count = 0;

	for (size_t i = 0; i < quantity->count; i++)
		count += isfinite(quantity->blocks[i].disturbance) != 0;
	return count;
}

/* Picks the undisturbed blocks; if too few, the least disturbed half; all if the process was stopped in all of them. They are
 * in order of time and share the samples. */
static size_t pick(const struct samples_quantity *quantity, struct estimate_block *picked, double *worst)
{
	size_t count = 0, whole = count_whole(quantity), all = whole ? whole : quantity->count;
	size_t least = all / 2 > BLOCKS_WANTED ? all / 2 : BLOCKS_WANTED;
	struct samples_block sorted[ESTIMATE_BLOCKS];
	double limit = SAMPLES_DISTURBED;

	memcpy(sorted, quantity->blocks, quantity->count * sizeof(*sorted));
	qsort(sorted, quantity->count, sizeof(*sorted), compare_disturbance);
	if (least > all)
		least = all;
	limit = fmax(limit, ALIKE * sorted[least - 1].disturbance);
	for (; count < all && sorted[count].disturbance <= limit; count++)
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

int samples_value(const struct samples_quantity *quantity, struct system_value *value)
{
	const struct samples_key *key = &quantity->key;
	struct estimate_block picked[ESTIMATE_BLOCKS];
	double worst = 0, off;
	size_t count = pick(quantity, picked, &worst);
	char why[SYSTEM_WHY];
	int rc = estimate(picked, count, key->scale, key->method, value);

	if (rc)
		return rc;
	for (size_t i = 0; i < quantity->count; i++)
		value->left_out += (unsigned)quantity->blocks[i].samples.count;
	value->left_out -= value->n;
	if (isinf(worst)) {
		snprintf(value->unstable, sizeof(value->unstable), "the process was stopped in each of its blocks");
		return 0;
	}
	/* The models add up means. */
	off = fmax(value->mean_high - value->mean, value->mean - value->mean_low) / value->mean;
	if (!value->unstable[0] && key->parameter == SAMPLES_POINT && off > MEAN_STABLE)
		append(value, "its mean is off by up to %.0f %% within %zu blocks", 100 * off, count);
	if (value->unstable[0]) {
		rc = why_unstable(picked, count, key->scale > 0, why, sizeof(why));
		if (!rc)
			append(value, ": %s", why);
		if (worst > SAMPLES_DISTURBED)
			append(value, "; other processes competed for CPU or disk %.0f %% of the time", 100 * worst);
	}
	if (!value->unstable[0] && !key->is_fact && count < BLOCKS_WANTED)
		append(value, "measured in %zu of %d blocks", count, BLOCKS_WANTED);
	return rc;
}

bool samples_is_done(const struct samples *samples, unsigned probe, bool is_tired)
{
	bool has_any = false;

	for (size_t i = 0; i < samples->count; i++) {
		const struct samples_quantity *quantity = samples->all[i];
		const struct samples_block *blocks = quantity->blocks;
		struct system_value value;

		if (quantity->probe != probe)
			continue;
		has_any = true;
		if (quantity->count == ESTIMATE_BLOCKS || quantity->key.is_fact)
			continue;
		if (count_whole(quantity) < BLOCKS_WANTED ||
			blocks[quantity->count - 1].begin_ns - blocks[0].begin_ns < SPREAD_NS ||
			samples_value(quantity, &value) || !estimate_is_good(&value, quantity->key.scale))
			return false;
	}
	return has_any || is_tired;
}
