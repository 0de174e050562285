/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a worker counts of every write, however many there are. One writer; added up when the run is over. HOT. */
#ifndef SSD_WORKLOADS_ENGINE_TALLY_H
#define SSD_WORKLOADS_ENGINE_TALLY_H

#include "common/hot/bucket.h"

#define TALLY_ERRORS 16

enum tally_latency_kind {
	TALLY_RESPONSE,           /* reap - prep; in an open loop reap - due */
	TALLY_SERVICE,            /* reap - enter */
	TALLY_COMMIT,             /* of each commit: durable - its arrival */
	TALLY_SYNC,               /* of each pass that was made durable: from its last write's completion */
	TALLY_LATENCIES
};

struct tally_latency {        /* some 40 KiB */
	uint64_t count;
	double sum_ns, sum_squares_ns2;
	uint64_t min_ns, max_ns;
	uint64_t counts[BUCKET_HDR_COUNT];
};

struct tally_row { /* an interval of the series: response times of the writes that were reaped in it */
	uint64_t operations, bytes;
	uint64_t sum_ns, max_ns, sum_inflight;
	uint64_t counts[BUCKET_LOG16_COUNT];
};

struct tally_error { int error; uint64_t count; }; /* by errno, without a gap; the last of them takes what has no place */

struct tally {
	struct tally_latency latencies[TALLY_LATENCIES];
	uint64_t operations, bytes;      /* completed in full, within the measurement */
	uint64_t batches;                /* submitting calls with something to submit */
	uint64_t short_writes, failed;
	struct tally_error errors[TALLY_ERRORS];
	uint64_t sum_inflight;           /* of own in-flight, seen at each write's entering, with its batch; / operations = depth */
	uint64_t passes;
	uint64_t begin_ns, interval_ns, row_end_ns; /* of the rows */
	uint64_t row, row_count;         /* row_count 0 = no series; the last row takes what comes behind */
	struct tally_row *rows;
};

KEEP_INLINE void tally_latency_add(struct tally_latency *latency, uint64_t ns, uint64_t times)
{
	latency->count += times;
	latency->sum_ns += (double)ns * (double)times;
	latency->sum_squares_ns2 += (double)ns * (double)ns * (double)times;
	if (ns < latency->min_ns)
		latency->min_ns = ns;
	if (ns > latency->max_ns)
		latency->max_ns = ns;
	latency->counts[bucket_hdr(ns)] += times;
}

KEEP_INLINE void tally_row_add(struct tally *tally, uint64_t reap_ns, uint64_t ns, uint64_t bytes, unsigned inflight)
{
	struct tally_row *row;

	if (!tally->row_count)
		return;
	while (KEEP_UNLIKELY(reap_ns >= tally->row_end_ns) && tally->row + 1 < tally->row_count) {
		tally->row++;
		tally->row_end_ns += tally->interval_ns;
	}
	row = &tally->rows[tally->row];
	row->operations++;
	row->bytes += bytes;
	row->sum_ns += ns;
	row->sum_inflight += inflight;
	if (ns > row->max_ns)
		row->max_ns = ns;
	row->counts[bucket_log16(ns)]++;
}

#endif
