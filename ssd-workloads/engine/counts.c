/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/engine/counts.h"

#include <stdlib.h>
#include <string.h>

#include "common/stats/latency.h"

const char *counts_latency_name(enum counts_latency latency)
{
	static const char *const names[] = {
		[COUNTS_RESPONSE] = "response", [COUNTS_SERVICE] = "service", [COUNTS_COMMIT] = "commit", [COUNTS_SYNC] = "sync",
		[COUNTS_LATE] = "late"};

	return names[latency];
}

struct counts *counts_new(uint64_t row_count)
{
	struct counts *counts = malloc(sizeof(*counts));
	struct counts_row *rows = row_count ? malloc(row_count * sizeof(*rows)) : NULL;

	if (!counts || (row_count && !rows)) {
		free(counts);
		free(rows);
		return NULL;
	}
	/* calloc would leave the page faults to the run. */
	memset(counts, 0, sizeof(*counts));
	if (rows)
		memset(rows, 0, row_count * sizeof(*rows));
	counts->rows = rows;
	counts->row_count = row_count;
	for (int i = 0; i < COUNTS_LATENCIES; i++)
		latency_clear(&counts->latencies[i]);
	return counts;
}

void counts_free(struct counts *counts)
{
	if (counts)
		free(counts->rows);
	free(counts);
}

void counts_merge_errors(struct counts_error errors[COUNTS_ERRORS], const struct counts_error part[COUNTS_ERRORS])
{
	for (int i = 0; i < COUNTS_ERRORS && part[i].count; i++)
		counts_add_error(errors, part[i].error, part[i].count);
}

void counts_row_merge(struct counts_row *total, const struct counts_row *part)
{
	total->operations += part->operations;
	total->bytes += part->bytes;
	total->sum_ns += part->sum_ns;
	total->max_ns = part->max_ns > total->max_ns ? part->max_ns : total->max_ns;
	total->sum_inflight += part->sum_inflight;
	for (unsigned i = 0; i < BUCKET_LOG16_COUNT; i++)
		total->counts[i] += part->counts[i];
}

void counts_merge(struct counts *total, const struct counts *part)
{
	for (int i = 0; i < COUNTS_LATENCIES; i++)
		latency_merge(&total->latencies[i], &part->latencies[i]);
	total->operations += part->operations;
	total->bytes += part->bytes;
	total->batches += part->batches;
	total->short_writes += part->short_writes;
	total->failed += part->failed;
	total->sum_inflight += part->sum_inflight;
	total->passes += part->passes;
	counts_merge_errors(total->errors, part->errors);
	total->begin_ns = part->begin_ns;
	total->interval_ns = part->interval_ns;
	for (uint64_t i = 0; i < part->row_count && i < total->row_count; i++)
		counts_row_merge(&total->rows[i], &part->rows[i]);
}
