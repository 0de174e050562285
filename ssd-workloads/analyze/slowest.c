/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fig4: the slowest writes and syncs by part, with a typical one. */
#include "config.h"
#include "ssd-workloads/analyze/device_figures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PARTS (SPLIT_PARTS + 1) /* and the lateness of the begin */
#define LATE SPLIT_PARTS

static int compare_slowest(const void *a, const void *b)
{
	const struct write *x = *(const struct write *const *)a, *y = *(const struct write *const *)b;

	if (x->response_ns != y->response_ns)
		return x->response_ns > y->response_ns ? -1 : 1;
	return (x->record > y->record) - (x->record < y->record);
}

static uint64_t part_of(const struct write *write, int part)
{
	return part == LATE ? write->late_ns : write->split->ns[part];
}

struct usual { /* medians of the parts */
	uint64_t ns[PARTS];
	bool has_flushes;          /* false: flushes are part of reap */
};

/* Returns the name of the part with the largest excess over its median. */
static const char *largest_excess(const struct write *write, const struct usual *usual)
{
	int64_t most = INT64_MIN;
	int largest = 0;

	if (usual->has_flushes != (write->split->flushes != SPLIT_UNKNOWN))
		return "-";
	for (int part = 0; part < PARTS; part++) {
		int64_t excess = (int64_t)(part_of(write, part) - usual->ns[part]);

		if (excess > most) {
			most = excess;
			largest = part;
		}
	}
	return largest == LATE ? "late" : split_part_name((enum split_part)largest);
}

/* usual: medians to compare with; NULL = none */
static int add_write(const struct dump *dump, const struct write *write, const char *kind, const struct usual *usual,
	struct figure_table *table)
{
	const struct record *record = write->record;
	const struct split *split = write->split;
	char head[160], flush[24] = "-";

	snprintf(head, sizeof(head), "%s\t%s\t%u\t%llu\t%.9f\t%llu\t%llu", mix_stream_name((enum mix_stream)record->stream),
		kind, record->worker, (unsigned long long)record->sequence, dump_time_s(dump, record->prep_ns),
		(unsigned long long)write->response_ns, (unsigned long long)write->late_ns);
	/* Without block events only two parts are known: the time before the submitting call, and the rest. */
	if (!split)
		return figure_table_add(table, "%s\t-\t-\t%llu\t%llu\t-\t-\tno\t-", head,
			(unsigned long long)(record->enter_ns - record->prep_ns),
			(unsigned long long)(record->reap_ns - record->enter_ns));
	if (split->flushes != SPLIT_UNKNOWN)
		snprintf(flush, sizeof(flush), "%llu", (unsigned long long)split->ns[SPLIT_FLUSH]);
	return figure_table_add(table, "%s\t%llu\t%llu\t%llu\t%llu\t%s\t%llu\t%s\t%s", head,
		(unsigned long long)split->ns[SPLIT_BATCHING], (unsigned long long)split->ns[SPLIT_SUBMIT],
		(unsigned long long)split->ns[SPLIT_QUEUE], (unsigned long long)split->ns[SPLIT_DEVICE], flush,
		(unsigned long long)split->ns[SPLIT_REAP], split->state == SPLIT_MERGED ? "merged" : "own",
		usual ? largest_excess(write, usual) : "-");
}

/* --- choice of the writes --- */

/* The slowest is first; the caller frees. */
static const struct write **order_writes(const struct writes *writes)
{
	const struct write **order = reallocarray(NULL, writes->count + 1, sizeof(*order));

	for (size_t i = 0; i < writes->count && order; i++)
		order[i] = &writes->list[i];
	if (order)
		qsort(order, writes->count, sizeof(*order), compare_slowest);
	return order;
}

/* Adds the median write or sync; usual receives the median of each part over the joined ones. */
static int add_usual(const struct dump *dump, enum mix_stream stream, bool is_sync, const char *kind,
	struct figure_table *table, struct usual *usual)
{
	const struct write **order = NULL;
	uint64_t *values = NULL;
	struct writes writes;
	int rc = is_sync ? syncs_of(dump, stream, &writes) : writes_of(dump, stream, &writes);

	*usual = (struct usual){.has_flushes = true};
	if (!rc) {
		order = order_writes(&writes);
		values = reallocarray(NULL, writes.count + 1, sizeof(*values));
		rc = order && values ? 0 : -ENOMEM;
	}
	for (int part = 0; part < PARTS && !rc; part++) {
		size_t count = 0;

		for (size_t i = 0; i < writes.count; i++) {
			if (!writes.list[i].split)
				continue;
			values[count++] = part_of(&writes.list[i], part);
			usual->has_flushes = writes.list[i].split->flushes != SPLIT_UNKNOWN;
		}
		usual->ns[part] = device_median(values, count);
	}
	if (!rc && writes.count)
		rc = add_write(dump, order[writes.count / 2], kind, NULL, table);
	free(order);
	free(values);
	writes_free(&writes);
	return rc;
}

static uint64_t begin_of(const struct write *write)
{
	return write->record->reap_ns - write->response_ns;
}

static int add_slowest(const struct figure_input *input, enum mix_stream stream, bool is_sync, const struct writes *writes,
	struct figure_table *table)
{
	const struct write **order = order_writes(writes), *list = writes->list;
	bool *is_near = calloc(writes->count + 1, sizeof(*is_near));
	uint64_t shown = 0;
	struct usual usual;
	int rc = order && is_near
		? add_usual(input->dump, stream, is_sync, is_sync ? "sync-median" : "median", table, &usual) : -ENOMEM;

	/* If records of the stream alone are given, writes are compared with those. */
	if (!rc && input->alone[stream].dump)
		rc = add_usual(input->alone[stream].dump, stream, is_sync, is_sync ? "sync-alone" : "alone", table, &usual);
	/* Only the slowest of the writes that a stall delayed together is shown, unless all rows are. The others were not slower,
	 * so they began at most its response time before it; the list is sorted by begin. */
	for (size_t i = 0; i < writes->count && (!input->rows || shown < input->rows) && !rc; i++) {
		size_t at = (size_t)(order[i] - list);
		uint64_t begin_ns = begin_of(order[i]);

		if (is_near[at])
			continue;
		for (size_t k = at; input->rows && k < writes->count && begin_of(&list[k]) <= order[i]->record->reap_ns; k++)
			is_near[k] = true;
		for (size_t k = at; input->rows && k-- > 0 && begin_of(&list[k]) + order[i]->response_ns >= begin_ns;)
			is_near[k] = is_near[k] || list[k].record->reap_ns >= begin_ns;
		rc = add_write(input->dump, order[i], is_sync ? "sync" : "slow", &usual, table);
		shown++;
	}
	free(order);
	free(is_near);
	return rc;
}

static int slowest_rows(const struct figure_input *input, enum mix_stream stream, const struct writes *writes,
	struct figure_table *table)
{
	struct writes syncs;
	int rc = add_slowest(input, stream, false, writes, table);

	if (rc)
		return rc;
	rc = syncs_of(input->dump, stream, &syncs);
	if (!rc && syncs.count)
		rc = add_slowest(input, stream, true, &syncs, table);
	writes_free(&syncs);
	return rc;
}

int figure_slowest(const struct figure_input *input, struct figure_table *table, const char **why)
{
	return writes_each_stream(input, table, slowest_rows, why);
}
