/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cold side of tallies: made, and added up. */
#include "config.h"
#include "ssd-workloads/engine/threads.h"

#include <stdlib.h>
#include <string.h>

struct tally *total_new(uint64_t row_count)
{
	struct tally *tally = malloc(sizeof(*tally));
	struct tally_row *rows = row_count ? malloc(row_count * sizeof(*rows)) : NULL;

	if (!tally || (row_count && !rows)) {
		free(tally);
		free(rows);
		return NULL;
	}
	/* Not calloc: its pages would be made in the run. */
	memset(tally, 0, sizeof(*tally));
	if (rows)
		memset(rows, 0, row_count * sizeof(*rows));
	tally->rows = rows;
	tally->row_count = row_count;
	for (int i = 0; i < TALLY_LATENCIES; i++)
		tally->latencies[i].min_ns = UINT64_MAX;
	return tally;
}

void total_free(struct tally *tally)
{
	if (tally)
		free(tally->rows);
	free(tally);
}

static void add_latency(struct tally_latency *total, const struct tally_latency *part)
{
	total->count += part->count;
	total->sum_ns += part->sum_ns;
	total->sum_squares_ns2 += part->sum_squares_ns2;
	total->min_ns = part->min_ns < total->min_ns ? part->min_ns : total->min_ns;
	total->max_ns = part->max_ns > total->max_ns ? part->max_ns : total->max_ns;
	for (unsigned i = 0; i < BUCKET_HDR_COUNT; i++)
		total->counts[i] += part->counts[i];
}

void total_add_error(struct tally_error errors[TALLY_ERRORS], int error, uint64_t count)
{
	unsigned place = 0;

	while (place < TALLY_ERRORS - 1 && errors[place].count && errors[place].error != error)
		place++;
	if (!errors[place].count)
		errors[place].error = error;
	errors[place].count += count;
}

void total_add_errors(struct tally_error errors[TALLY_ERRORS], const struct tally_error part[TALLY_ERRORS])
{
	for (int i = 0; i < TALLY_ERRORS && part[i].count; i++)
		total_add_error(errors, part[i].error, part[i].count);
}

void total_row_add(struct tally_row *total, const struct tally_row *part)
{
	total->operations += part->operations;
	total->bytes += part->bytes;
	total->sum_ns += part->sum_ns;
	total->max_ns = part->max_ns > total->max_ns ? part->max_ns : total->max_ns;
	total->sum_inflight += part->sum_inflight;
	for (unsigned i = 0; i < BUCKET_LOG16_COUNT; i++)
		total->counts[i] += part->counts[i];
}

void total_add(struct tally *total, const struct tally *part)
{
	for (int i = 0; i < TALLY_LATENCIES; i++)
		add_latency(&total->latencies[i], &part->latencies[i]);
	total->operations += part->operations;
	total->bytes += part->bytes;
	total->batches += part->batches;
	total->short_writes += part->short_writes;
	total->failed += part->failed;
	total->sum_inflight += part->sum_inflight;
	total->passes += part->passes;
	total_add_errors(total->errors, part->errors);
	total->begin_ns = part->begin_ns;
	total->interval_ns = part->interval_ns;
	for (uint64_t i = 0; i < part->row_count && i < total->row_count; i++)
		total_row_add(&total->rows[i], &part->rows[i]);
}
