/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/floor.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A write's error rises from m - step downwards and from m + step upwards: half of the distances to both ends, less the
 * step, times 1 / m. So each write is two ends of the weight 1 / (2 m). Their weights and moments (weight * end) are summed
 * up by rank in binary indexed trees, one a group: the error of the constant c is c * (weights below - weights above) -
 * (moments below - moments above), less the steps. */
#define ENDS 2
struct node {
	double weight, moment;
};

struct group {
	size_t begin, count; /* of its ranks in nodes and sorted */
	struct node inside;  /* all of the stretch */
	double unresolved;   /* clock's step / m, of what is in it */
	double error;
	bool is_stale;
};

struct search {
	const struct measured *measured;
	double *sorted;   /* ends of a group, rising, one group behind the other */
	uint32_t *rank;   /* of each write's ends in its group, from 1 */
	struct node *nodes;
	struct group *groups;
	double *best[FLOOR_STRETCHES]; /* least sum up to each end, with so many stretches */
	size_t ends, step;             /* end e is after e * step writes */
};

struct ranked {
	double ns;
	unsigned group;
	size_t index;
};

static int by_group_and_cost(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static double end_of(const struct measured *measured, size_t index)
{
	return measured->ns[index / ENDS] + (index % ENDS ? measured->step_ns : -measured->step_ns);
}

static int rank_all(struct search *search)
{
	const struct measured *measured = search->measured;
	size_t count = ENDS * measured->count;
	struct ranked *list = calloc(count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		list[i] = (struct ranked){end_of(measured, i), measured->group[i / ENDS], i};
	qsort(list, count, sizeof(*list), by_group_and_cost);
	for (size_t i = 0; i < count; i++) {
		struct group *group = &search->groups[list[i].group];

		if (!group->count++)
			group->begin = i;
		search->sorted[i] = list[i].ns;
		search->rank[list[i].index] = (uint32_t)group->count;
	}
	free(list);
	return 0;
}

static void empty(struct search *search)
{
	memset(search->nodes, 0, ENDS * search->measured->count * sizeof(*search->nodes));
	for (unsigned i = 0; i < search->measured->group_count; i++) {
		struct group *group = &search->groups[i];

		group->inside = (struct node){0};
		group->unresolved = group->error = 0;
		group->is_stale = false;
	}
}

static void add_end(struct search *search, struct group *group, size_t index, double weight)
{
	struct node *nodes = search->nodes + group->begin;
	double moment = weight * end_of(search->measured, index);

	for (size_t at = search->rank[index]; at <= group->count; at += at & -at) {
		nodes[at - 1].weight += weight;
		nodes[at - 1].moment += moment;
	}
	group->inside.weight += weight;
	group->inside.moment += moment;
}

static void add(struct search *search, size_t index)
{
	struct group *group = &search->groups[search->measured->group[index]];
	double scale = measured_scale(search->measured, index);

	for (size_t end = 0; end < ENDS; end++)
		add_end(search, group, ENDS * index + end, 1 / (ENDS * scale));
	group->unresolved += search->measured->step_ns / scale;
	group->is_stale = true;
}

/* Sum of the errors of the best c of what is in the stretch. */
static double error_of(const struct search *search, const struct group *group)
{
	const struct node *nodes = search->nodes + group->begin;
	struct node below = {0};
	size_t at = 0, jump = 1;
	double c;

	while (jump * 2 <= group->count)
		jump *= 2;
	/* The last rank below which there is less than half of the weight. */
	for (; jump; jump /= 2) {
		if (at + jump <= group->count &&
			below.weight + nodes[at + jump - 1].weight < group->inside.weight / 2) {
			at += jump;
			below.weight += nodes[at - 1].weight;
			below.moment += nodes[at - 1].moment;
		}
	}
	if (at >= group->count) /* rounding: all of it was less than half of itself */
		at = group->count - 1;
	c = search->sorted[group->begin + at];
	return fmax(0, c * (2 * below.weight - group->inside.weight) - (2 * below.moment - group->inside.moment) -
			       group->unresolved);
}

static double error_of_all(struct search *search)
{
	double sum = 0;

	for (unsigned i = 0; i < search->measured->group_count; i++) {
		struct group *group = &search->groups[i];

		if (group->is_stale)
			group->error = error_of(search, group);
		group->is_stale = false;
		sum += group->error;
	}
	return sum;
}

/* All stretches that begin at this end. What ends there is final: begins come in rising order. */
static void extend_from(struct search *search, size_t begin)
{
	size_t count = search->measured->count;

	empty(search);
	for (size_t end = begin + 1; end <= search->ends; end++) {
		size_t from = (end - 1) * search->step, to = end * search->step;
		double error;

		for (size_t i = from; i < to && i < count; i++)
			add(search, i);
		error = error_of_all(search);
		if (begin == 0)
			search->best[0][end] = error;
		for (int k = 1; k < FLOOR_STRETCHES && begin; k++)
			search->best[k][end] = fmin(search->best[k][end], search->best[k - 1][begin] + error);
	}
}

static double least(struct search *search)
{
	double error = INFINITY;

	for (int k = 0; k < FLOOR_STRETCHES; k++) {
		for (size_t end = 0; end <= search->ends; end++)
			search->best[k][end] = INFINITY;
	}
	for (size_t begin = 0; begin < search->ends; begin++)
		extend_from(search, begin);
	for (int k = 0; k < FLOOR_STRETCHES; k++)
		error = fmin(error, search->best[k][search->ends]);
	return error;
}

static bool make(struct search *search)
{
	size_t count = search->measured->count, steps = count <= FLOOR_EXACT ? count : FLOOR_GRID;
	bool is_made;

	search->step = (count + steps - 1) / steps;
	search->ends = (count + search->step - 1) / search->step;
	search->sorted = calloc(ENDS * count, sizeof(*search->sorted));
	search->rank = calloc(ENDS * count, sizeof(*search->rank));
	search->nodes = calloc(ENDS * count, sizeof(*search->nodes));
	search->groups = calloc(search->measured->group_count, sizeof(*search->groups));
	is_made = search->sorted && search->rank && search->nodes && search->groups;
	for (int k = 0; k < FLOOR_STRETCHES; k++) {
		search->best[k] = calloc(search->ends + 1, sizeof(*search->best[k]));
		is_made = is_made && search->best[k];
	}
	return is_made;
}

int floor_percent(const struct measured *measured, double *percent)
{
	struct search search = {.measured = measured};
	int rc = make(&search) ? rank_all(&search) : -ENOMEM;

	if (!rc)
		*percent = 100 * least(&search) / (double)measured->count;
	free(search.sorted);
	free(search.rank);
	free(search.nodes);
	free(search.groups);
	for (int k = 0; k < FLOOR_STRETCHES; k++)
		free(search.best[k]);
	return rc;
}
