/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One job of measure.h in its steps: file, memory, writes, end. measure.c calls them in turn, or in several threads. */
#ifndef IOWRITE_BENCH_BENCH_H
#define IOWRITE_BENCH_BENCH_H

#include "iowrite-bench/feed.h"
#include "iowrite-bench/measure.h"
#include "iowrite-bench/stretch.h"

/* What a measurement holds while it lasts. */
struct bench {
	const struct measure_job *job;
	struct measurement found;
	void *data;
	uint64_t data_bytes;
	uint64_t largest, file_bytes, total_bytes; /* of one write; of the file at the end; written */
	struct op *ring_ops;  /* of a stream */
	struct feed feed;
	bool is_fed;          /* memory is to be warm */
	uint64_t asked;       /* how often in this list for warm memory */
	uint64_t gift_ns;     /* what the last gift took, until its write is known to be made */
	uint64_t feed_faults; /* page faults of giving */
	struct stretch cached; /* of the file: in the page cache */
	bool is_shared;       /* another job writes to the same file */
	unsigned at_once;     /* jobs that share the memory, 1 or more */
	void *method_state;
	int fd;               /* that the method writes to; it closes it */
	bool is_open;
};

/* All return 0 or -errno. */
int bench_begin(struct bench *bench, const struct measure_job *job); /* sizes, buffers, records */
/* The file as the regime wants it, file_bytes long. */
int bench_prepare_file(struct bench *bench, uint64_t file_bytes);
void bench_settle(const struct bench *bench);
/* Warm or cold memory; of the warm one the jobs at once hold up to `most` together. */
int bench_prepare_memory(struct bench *bench, uint64_t most);
/* When that has left something to be written back. */
void bench_settle_again(const struct bench *bench);
int bench_prepare_writing(struct bench *bench); /* the descriptor */
/* After these two bench->found is complete. */
void bench_write(struct bench *bench);
void bench_close(struct bench *bench);
/* Everything but found.records, which are the caller's. */
void bench_end(struct bench *bench);

/* What was wrong, unless something was before. */
void bench_fail(struct bench *bench, enum measure_stage stage, int rc);

#endif
