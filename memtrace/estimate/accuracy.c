/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/estimate/accuracy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/hot/rng.h"
#include "memtrace/file/search.h"

struct item {
	double value;
	size_t page;
};

static int compare_falling(const void *a, const void *b)
{
	const struct item *one = a, *other = b;

	if (one->value != other->value)
		return one->value < other->value ? 1 : -1;
	return (one->page > other->page) - (one->page < other->page);
}

/* The most popular page is first; the caller frees. NULL: no memory. */
static struct item *sort(const double *values, size_t count)
{
	struct item *items = malloc((count + 1) * sizeof(*items));

	for (size_t i = 0; items && i < count; i++)
		items[i] = (struct item){values[i], i};
	if (items && count)
		qsort(items, count, sizeof(*items), compare_falling);
	return items;
}

/* Probability that a page is one of the top, by page; the caller frees. NULL: no memory. */
static double *top_weights(const double *values, size_t count, size_t top)
{
	struct item *items = sort(values, count);
	double *weights = items ? calloc(count, sizeof(*weights)) : NULL;
	size_t above = 0, end = top;

	if (weights) {
		while (items[above].value > items[top - 1].value)
			above++;
		while (end < count && !(items[end].value < items[top - 1].value))
			end++;
		for (size_t i = 0; i < end; i++)
			weights[items[i].page] = i < above ? 1 : (double)(top - above) / (double)(end - above);
	}
	free(items);
	return weights;
}

int accuracy_recall(const double *known, const double *estimated, size_t count, size_t top, double *recall)
{
	double *wanted = top_weights(known, count, top), *found = top_weights(estimated, count, top), sum = 0;
	int err = wanted && found ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++)
		sum += wanted[i] * found[i];
	if (!err)
		*recall = sum / (double)top;
	free(wanted);
	free(found);
	return err;
}

static double sum_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum;
}

int accuracy_share(const double *known, const double *estimated, size_t count, size_t top, double *known_share,
	double *estimated_share)
{
	struct item *items = sort(known, count);
	double all_known = sum_of(known, count), all_estimated = sum_of(estimated, count), accesses = 0, estimate = 0;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < top; i++) {
		accesses += items[i].value;
		estimate += estimated[items[i].page];
	}
	*known_share = all_known > 0 ? accesses / all_known : NAN;
	*estimated_share = all_estimated > 0 ? estimate / all_estimated : NAN;
	free(items);
	return 0;
}

int accuracy_draw(const double *known, size_t count, uint64_t samples, uint64_t seed, double *drawn)
{
	double *cumulated = malloc((count + 1) * sizeof(*cumulated)), sum = 0;
	struct rng rng;

	if (!cumulated)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		sum += known[i];
		cumulated[i] = sum;
		drawn[i] = 0;
	}
	rng_seed(&rng, seed, 0);
	for (uint64_t i = 0; i < samples && count && sum > 0; i++) {
		double at = rng_double(&rng) * sum;

		/* The first page whose cumulated accesses exceed the random number. */
		drawn[SEARCH(count - 1, page, cumulated[page] <= at)]++;
	}
	free(cumulated);
	return 0;
}

/* --- exact miss ratios --- */

int lru_stack_open(struct lru_stack *stack, size_t pages)
{
	size_t slots = pages * 4 + 64;

	*stack = (struct lru_stack){.pages = pages, .slots = slots, .last = calloc(pages + 1, sizeof(*stack->last)),
		.page_of = calloc(slots + 1, sizeof(*stack->page_of)), .tree = calloc(slots + 1, sizeof(*stack->tree)),
		.distances = calloc(pages + 1, sizeof(*stack->distances))};
	if (stack->last && stack->page_of && stack->tree && stack->distances)
		return 0;
	lru_stack_close(stack);
	return -ENOMEM;
}

void lru_stack_close(struct lru_stack *stack)
{
	free(stack->last);
	free(stack->page_of);
	free(stack->tree);
	free(stack->distances);
	*stack = (struct lru_stack){0};
}

static void tree_add(struct lru_stack *stack, size_t slot, uint32_t number)
{
	for (; slot <= stack->slots; slot += slot & -slot)
		stack->tree[slot] += number;
}

/* Counts the pages whose last access is in the first slots. */
static uint64_t tree_sum(const struct lru_stack *stack, size_t slot)
{
	uint64_t sum = 0;

	for (; slot; slot &= slot - 1)
		sum += stack->tree[slot];
	return sum;
}

/* Moves the last accesses to the first slots, in their order, when all slots are used. */
static void compact(struct lru_stack *stack)
{
	size_t used = 0;

	memset(stack->tree, 0, (stack->slots + 1) * sizeof(*stack->tree));
	for (size_t slot = 1; slot <= stack->used; slot++) {
		uint32_t page = stack->page_of[slot];

		if (stack->last[page] != slot)
			continue;
		stack->page_of[++used] = page;
		stack->last[page] = (uint32_t)used;
		tree_add(stack, used, 1);
	}
	stack->used = used;
}

void lru_stack_access(struct lru_stack *stack, size_t page)
{
	uint32_t last;

	if (stack->used == stack->slots)
		compact(stack);
	last = stack->last[page];
	stack->accesses++;
	if (last) {
		stack->distances[tree_sum(stack, stack->used) - tree_sum(stack, last - 1)]++;
		tree_add(stack, last, UINT32_MAX); /* less 1, modulo 2^32 */
	}
	stack->last[page] = (uint32_t)++stack->used;
	stack->page_of[stack->used] = (uint32_t)page;
	tree_add(stack, stack->used, 1);
}

double lru_stack_ratio(const struct lru_stack *stack, size_t buffer)
{
	uint64_t hits = 0;

	for (size_t distance = 1; distance <= buffer && distance <= stack->pages; distance++)
		hits += stack->distances[distance];
	return stack->accesses ? (double)(stack->accesses - hits) / (double)stack->accesses : 0;
}
