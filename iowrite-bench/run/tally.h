/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was measured, counted: every operation, however many. One writer; merged when it is done. */
#ifndef IOWRITE_BENCH_RUN_TALLY_H
#define IOWRITE_BENCH_RUN_TALLY_H

#include "common/histogram.h"
#include "common/hot/bucket.h"
#include "iowrite-bench/writer.h"

#define TALLY_ROWS_MAX 100000 /* the last row then covers the rest */

enum tally_of { TALLY_BOTH /* write and sync */, TALLY_WRITE, TALLY_SYNC, TALLIES };

struct tally_latency { /* some 40 KiB */
	struct histogram_moments moments;
	uint64_t counts[BUCKET_HDR_COUNT]; /* histogram_hdr */
};

/* One interval of the series. */
struct tally_row {
	struct histogram_moments moments; /* of TALLY_BOTH */
	uint64_t bytes;
	uint64_t counts[BUCKET_LOG16_COUNT]; /* histogram_log16 */
};

struct tally {
	struct tally_latency *of[TALLIES]; /* without a sync only TALLY_WRITE, and BOTH is the same */
	uint64_t operations, bytes, short_writes;
	uint64_t begin_ns, interval_ns;    /* of the rows; interval 0 = none */
	size_t row_count, row_room;
	struct tally_row *rows;
	bool lacks_memory;                 /* for more rows: the last one covers the rest */
};

/* 0 or -ENOMEM. */
int tally_init(struct tally *tally, bool has_sync);
void tally_free(struct tally *tally);
/* Nothing counted, and rows from begin_ns on. */
void tally_reset(struct tally *tally, uint64_t begin_ns, uint64_t interval_ns);
/* A failed record counts for nothing. */
void tally_add(struct tally *tally, const struct record *records, size_t count);
/* Without the rows. */
void tally_merge(struct tally *total, const struct tally *part);
/* Row by row; 0 or -ENOMEM. */
int tally_merge_rows(struct tally *total, const struct tally *part);
const struct tally_latency *tally_latency(const struct tally *tally, enum tally_of of); /* NULL = not measured */

#endif
