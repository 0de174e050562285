/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One measurement in its steps: file, memory, writes, end. measure.c calls them in turn, or in several threads. */
#ifndef IOWRITE_BENCH_WRITE_BENCH_H
#define IOWRITE_BENCH_WRITE_BENCH_H

#include "iowrite-bench/write/content.h"
#include "iowrite-bench/write/measure_job.h"
#include "iowrite-bench/write/memory.h"
#include "iowrite-bench/write/writer.h"

struct bench_file {
	void *method_state;
	int fd;               /* that the method writes to; it closes it */
};

/* What a measurement holds while it lasts. */
struct bench {
	const struct measure_job *job;
	struct measurement found;
	void *data;
	uint64_t data_bytes;
	struct content content;
	struct memory memory;
	uint64_t largest, file_bytes, total_bytes; /* of one write; of the file at the end; written */
	uint64_t end_bytes;   /* of one file: behind the farthest write since it was made or renewed */
	bool is_shared;       /* another job writes to the same file */
	size_t file_count, opened;
	struct bench_file *files;
	struct writer writer;
	struct flush_probe probe;
	/* Of the list that is being written. */
	uint64_t prepared;    /* writes */
	uint64_t fill_ns, prepare_ns; /* of the last one prepared, until it is known to be made: filling, and all of it */
	struct op *ring_ops;  /* of a stream */
	size_t done, kept;    /* writes of it that were made; in ring_ops that it did not come to */
	bool is_warming;      /* nothing is counted */
	bool is_warm;         /* the warm-up is over */
	uint64_t left_bytes;  /* of a list that a warm-up has begun in the midst of */
};

/* open(2) flags of a mode, without the access mode. */
int measure_open_flags(enum op_mode mode);

/* All return 0 or -errno. */
int bench_begin(struct bench *bench); /* sizes, buffers, records; bench is 0 but for job and an error */
/* The file as the regime wants it, file_bytes long. */
int bench_prepare_file(struct bench *bench, uint64_t file_bytes);
void bench_settle(const struct bench *bench);
/* Of memory that has to be host-backed `jobs` at once hold up to `most` together. */
int bench_prepare_memory(struct bench *bench, uint64_t most, unsigned jobs);
/* When that has left something to be written back. */
void bench_settle_again(const struct bench *bench);
int bench_prepare_writing(struct bench *bench); /* the descriptor */
/* After it bench->found is complete. */
void bench_close(struct bench *bench);
/* Everything but found.records, which are the caller's. */
void bench_end(struct bench *bench);

/* -ESTALE: another process has made the file shorter or longer than these writes did, or its name leads to another one. */
int bench_check_unchanged(const struct bench *bench);

/* What was wrong, unless something was before. */
void bench_fail(struct bench *bench, enum measure_stage stage, int rc);

#endif
