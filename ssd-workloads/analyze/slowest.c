/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fig4: the slowest writes by part, with a typical one. */
#include "config.h"
#include "ssd-workloads/analyze/figure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PARTS (SPLIT_PARTS + 1) /* and how late it began */
#define LATE SPLIT_PARTS

static int compare_slowest(const void *a, const void *b)
{
	const struct write *x = *(const struct write *const *)a, *y = *(const struct write *const *)b;

	if (x->response_ns != y->response_ns)
		return x->response_ns > y->response_ns ? -1 : 1;
	return (x->record > y->record) - (x->record < y->record);
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t part_of(const struct write *write, int part)
{
	return part == LATE ? write->late_ns : write->split->ns[part];
}

/* What a part usually is: its median over those that were joined. */
static int find_usual(const struct writes *writes, uint64_t usual[PARTS])
{
	uint64_t *values = reallocarray(NULL, writes->count + 1, sizeof(*values));

	if (!values)
		return -ENOMEM;
	for (int part = 0; part < PARTS; part++) {
		size_t count = 0;

		for (size_t i = 0; i < writes->count; i++) {
			if (writes->list[i].split)
				values[count++] = part_of(&writes->list[i], part);
		}
		qsort(values, count, sizeof(*values), compare_numbers);
		usual[part] = count ? values[count / 2] : 0;
	}
	free(values);
	return 0;
}

static const char *largest_excess(const struct write *write, const uint64_t usual[PARTS])
{
	int64_t most = INT64_MIN;
	int found = 0;

	for (int part = 0; part < PARTS; part++) {
		int64_t excess = (int64_t)(part_of(write, part) - usual[part]);

		if (excess > most) {
			most = excess;
			found = part;
		}
	}
	return found == LATE ? "late" : split_part_name((enum split_part)found);
}

/* usual: NULL of what is itself shown as usual. */
static int add_write(const struct dump *dump, const struct write *write, const char *kind, const uint64_t usual[PARTS],
	struct figure_table *table)
{
	const struct record *record = write->record;
	const struct split *split = write->split;
	char head[160];

	snprintf(head, sizeof(head), "%s\t%s\t%u\t%llu\t%.9f\t%llu\t%llu", mix_stream_name((enum mix_stream)record->stream),
		kind, record->worker, (unsigned long long)record->sequence, dump_time_s(dump, record->prep_ns),
		(unsigned long long)write->response_ns, (unsigned long long)write->late_ns);
	/* Without events there are two parts: before the submitting call, and the device or what is above it. */
	if (!split)
		return figure_table_add(table, "%s\t-\t-\t%llu\t%llu\t-\tno\t-", head,
			(unsigned long long)(record->enter_ns - record->prep_ns),
			(unsigned long long)(record->reap_ns - record->enter_ns));
	return figure_table_add(table, "%s\t%llu\t%llu\t%llu\t%llu\t%llu\t%s\t%s", head,
		(unsigned long long)split->ns[SPLIT_BATCHING], (unsigned long long)split->ns[SPLIT_SUBMIT],
		(unsigned long long)split->ns[SPLIT_QUEUE], (unsigned long long)split->ns[SPLIT_DEVICE],
		(unsigned long long)split->ns[SPLIT_REAP], split->state == SPLIT_MERGED ? "merged" : "own",
		usual ? largest_excess(write, usual) : "-");
}

/* --- which ones --- */

/* By response, the slowest first; the caller frees. */
static const struct write **order_writes(const struct writes *writes)
{
	const struct write **order = reallocarray(NULL, writes->count + 1, sizeof(*order));

	for (size_t i = 0; i < writes->count && order; i++)
		order[i] = &writes->list[i];
	if (order)
		qsort(order, writes->count, sizeof(*order), compare_slowest);
	return order;
}

static int add_usual(const struct dump *dump, enum mix_stream stream, const char *kind, struct figure_table *table,
	uint64_t usual[PARTS])
{
	struct writes writes;
	const struct write **order;
	int rc = writes_of(dump, stream, &writes);

	if (rc)
		return rc;
	order = order_writes(&writes);
	rc = order ? find_usual(&writes, usual) : -ENOMEM;
	if (!rc && writes.count)
		rc = add_write(dump, order[writes.count / 2], kind, NULL, table);
	free(order);
	writes_free(&writes);
	return rc;
}

/* When the wait for it began. */
static uint64_t begin_of(const struct write *write)
{
	return write->record->reap_ns - write->response_ns;
}

/* Those that were waited for together with this one; none of them was slower, so that they began no longer before it than
 * it took. The list is by their beginnings. */
static void mark_near(const struct writes *writes, const struct write *chosen, bool *is_near)
{
	size_t at = (size_t)(chosen - writes->list);

	for (size_t i = at; i < writes->count && begin_of(&writes->list[i]) <= chosen->record->reap_ns; i++)
		is_near[i] = true;
	for (size_t i = at; i-- > 0 && begin_of(&writes->list[i]) + chosen->response_ns >= begin_of(chosen);)
		is_near[i] = is_near[i] || writes->list[i].record->reap_ns >= begin_of(chosen);
}

/* A stall meets all that is under way: of those the slowest stands for it. All: every write. */
static int add_slow(const struct figure_input *input, const struct writes *writes, const uint64_t usual[PARTS],
	struct figure_table *table)
{
	const struct write **order = order_writes(writes);
	bool *is_near = calloc(writes->count + 1, sizeof(*is_near));
	uint64_t shown = 0;
	int rc = order && is_near ? 0 : -ENOMEM;

	for (size_t i = 0; i < writes->count && (!input->rows || shown < input->rows) && !rc; i++) {
		if (is_near[order[i] - writes->list])
			continue;
		if (input->rows)
			mark_near(writes, order[i], is_near);
		rc = add_write(input->dump, order[i], "slow", usual, table);
		shown++;
	}
	free(order);
	free(is_near);
	return rc;
}

static int slowest_rows(const struct figure_input *input, enum mix_stream stream, const struct writes *writes,
	struct figure_table *table)
{
	uint64_t usual[PARTS];
	int rc = add_usual(input->dump, stream, "median", table, usual);

	/* The one that is undisturbed is what the others are held against. */
	if (!rc && input->alone[stream].dump)
		rc = add_usual(input->alone[stream].dump, stream, "alone", table, usual);
	return rc ? rc : add_slow(input, writes, usual, table);
}

int figure_slowest(const struct figure_input *input, struct figure_table *table, const char **why)
{
	return writes_each_stream(input, table, slowest_rows, why);
}
