/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/analyze/writes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

uint64_t writes_due_ns(const struct dump_part *part, const struct record *record)
{
	unsigned __int128 after;

	if (!part->period_den || record->sequence < part->first_due_sequence)
		return record->prep_ns;
	after = (unsigned __int128)(record->sequence - part->first_due_sequence) * part->period_num / part->period_den;
	if (part->first_due_ns > record->prep_ns || after > record->prep_ns - part->first_due_ns)
		return record->prep_ns;
	return part->first_due_ns + (uint64_t)after;
}

static int compare_begin(const void *a, const void *b)
{
	const struct write *x = a, *y = b;

	if (x->record->prep_ns != y->record->prep_ns)
		return x->record->prep_ns < y->record->prep_ns ? -1 : 1;
	return (x->record > y->record) - (x->record < y->record);
}

static void add_segment(const struct dump_segment *segment, struct writes *writes)
{
	for (uint64_t i = 0; i < segment->part.count; i++) {
		const struct record *record = &segment->records[i];
		const struct split *split = segment->splits ? &segment->splits[i] : NULL;
		uint64_t due = writes_due_ns(&segment->part, record);

		if (record->result < 0 || (uint32_t)record->result != record->length)
			continue;
		writes->list[writes->count++] = (struct write){.record = record,
			.split = split && split->state != SPLIT_NONE ? split : NULL, .late_ns = record->prep_ns - due,
			.response_ns = record->reap_ns - due};
	}
}

int writes_of(const struct dump *dump, enum mix_stream stream, struct writes *writes)
{
	size_t room = 1;

	for (size_t i = 0; i < dump->head.segment_count; i++)
		room += dump->segments[i].part.stream == stream ? dump->segments[i].part.count : 0;
	*writes = (struct writes){.list = reallocarray(NULL, room, sizeof(*writes->list))};
	if (!writes->list)
		return -ENOMEM;
	for (size_t i = 0; i < dump->head.segment_count; i++) {
		if (dump->segments[i].part.stream == stream)
			add_segment(&dump->segments[i], writes);
	}
	qsort(writes->list, writes->count, sizeof(*writes->list), compare_begin);
	return 0;
}

void writes_free(struct writes *writes)
{
	free(writes->list);
	*writes = (struct writes){0};
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double *writes_sorted(const struct writes *writes)
{
	double *sorted = reallocarray(NULL, writes->count + 1, sizeof(*sorted));

	if (!sorted)
		return NULL;
	for (size_t i = 0; i < writes->count; i++)
		sorted[i] = (double)writes->list[i].response_ns;
	qsort(sorted, writes->count, sizeof(*sorted), compare_doubles);
	return sorted;
}

double writes_time_s(const struct dump *dump, const struct write *write)
{
	return ((double)write->record->prep_ns - (double)dump->head.begin_ns) / 1e9;
}

double writes_percentile(const double *sorted, size_t count, double percent)
{
	/* 99.9 % of 1000 are 999, whatever the product is rounded to. */
	double rank = ceil(percent / 100 * (double)count - 1e-9 * (double)count);

	return sorted[rank < 1 ? 0 : (size_t)rank - 1];
}

int writes_each_stream(const struct figure_input *input, struct figure_table *table, writes_rows *rows, const char **why)
{
	int rc = 0;

	for (int stream = 0; stream < MIX_STREAMS && !rc; stream++) {
		struct writes writes;

		rc = writes_of(input->dump, (enum mix_stream)stream, &writes);
		if (!rc && writes.count)
			rc = rows(input, (enum mix_stream)stream, &writes, table);
		writes_free(&writes);
	}
	*why = "holds no write that was completed";
	return rc || table->row_count ? rc : -ENODATA;
}
