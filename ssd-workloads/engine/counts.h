/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of a worker, of every write. Each has one writer; they are added up after the run. HOT. */
#ifndef SSD_WORKLOADS_ENGINE_COUNTS_H
#define SSD_WORKLOADS_ENGINE_COUNTS_H

#include "common/hot/latency.h"

#define COUNTS_ERRORS 16

enum counts_latency {
	COUNTS_RESPONSE,           /* reap - prep; in an open loop reap - due */
	COUNTS_SERVICE,            /* reap - enter */
	COUNTS_COMMIT,             /* of each commit: from its arrival until it is durable */
	COUNTS_SYNC,               /* of each pass that is made durable: from the completion of its last write */
	COUNTS_LATE,               /* of each checkpoint with every_ns: its begin - (begin of the one before + every_ns) */
	COUNTS_LATENCIES
};

struct counts_row { /* an interval of the series: response times of the writes reaped in it */
	uint64_t operations, bytes;
	uint64_t sum_ns, max_ns, sum_inflight;
	uint64_t counts[BUCKET_LOG16_COUNT];
};

struct counts_error { int error; uint64_t count; }; /* by errno, contiguous; the last one counts all further errors */

struct counts {
	struct latency latencies[COUNTS_LATENCIES];
	uint64_t operations, bytes;      /* completed in full, within the measurement */
	uint64_t batches;                /* submitting calls that submit at least one write */
	uint64_t short_writes, failed;
	struct counts_error errors[COUNTS_ERRORS];
	uint64_t sum_inflight;           /* own in-flight at each write's enter, its batch included; / operations = depth */
	uint64_t passes;
	uint64_t begin_ns, interval_ns, row_end_ns; /* of the rows */
	uint64_t row, row_count;         /* row_count 0 = no series; the last row includes all later writes */
	struct counts_row *rows;
};

KEEP_INLINE void counts_row_add(struct counts *counts, uint64_t reap_ns, uint64_t ns, uint64_t bytes, unsigned inflight)
{
	struct counts_row *row;

	if (!counts->row_count)
		return;
	while (KEEP_UNLIKELY(reap_ns >= counts->row_end_ns) && counts->row + 1 < counts->row_count) {
		counts->row++;
		counts->row_end_ns += counts->interval_ns;
	}
	row = &counts->rows[counts->row];
	row->operations++;
	row->bytes += bytes;
	row->sum_ns += ns;
	row->sum_inflight += inflight;
	if (ns > row->max_ns)
		row->max_ns = ns;
	row->counts[bucket_log16(ns)]++;
}

KEEP_INLINE void counts_add_error(struct counts_error errors[COUNTS_ERRORS], int error, uint64_t count)
{
	unsigned place = 0;

	while (place < COUNTS_ERRORS - 1 && errors[place].count && errors[place].error != error)
		place++;
	if (!errors[place].count)
		errors[place].error = error;
	errors[place].count += count;
}

/* Returns "response", "service", "commit", "sync" or "late". Not hot. */
const char *counts_latency_name(enum counts_latency latency);
/* Allocates empty counters, about 130 KiB plus the rows. Returns NULL if there is no memory. */
struct counts *counts_new(uint64_t row_count);
void counts_free(struct counts *counts); /* NULL is allowed */
void counts_merge(struct counts *total, const struct counts *part);
void counts_row_merge(struct counts_row *total, const struct counts_row *part);
void counts_merge_errors(struct counts_error errors[COUNTS_ERRORS], const struct counts_error part[COUNTS_ERRORS]);

#endif
