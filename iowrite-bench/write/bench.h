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
	/* The present list: */
	uint64_t prepared;    /* writes */
	uint64_t fill_ns, prepare_ns; /* of the last write prepared, until it is made: filling, and all of it */
	struct op *ring_ops;  /* of a stream */
	size_t done, kept;    /* writes of it that were made; in ring_ops those left over */
	bool is_warming;      /* nothing is counted */
	bool is_warm;         /* the warm-up is over */
	uint64_t left_bytes;  /* of a list that a warm-up has begun */
};

/* Returns the open(2) flags of a mode, without the access mode. */
int measure_open_flags(enum op_mode mode);

/* All return 0 or -errno. */
int bench_begin(struct bench *bench); /* sizes, buffers, records; bench is 0 but for job and an error */
/* Puts the file into the state of the regime, file_bytes long. */
int bench_prepare_file(struct bench *bench, uint64_t file_bytes);
void bench_settle(const struct bench *bench);
/* Prepares host-backed memory; `jobs` at once hold up to `most` bytes together. */
int bench_prepare_memory(struct bench *bench, uint64_t most, unsigned jobs);
/* Settles again if preparing the memory has left bytes to be written back. */
void bench_settle_again(const struct bench *bench);
int bench_prepare_writing(struct bench *bench); /* the descriptor */
/* Closes the files, and completes bench->found. */
void bench_close(struct bench *bench);
/* Frees everything but found.records, which are the caller's. */
void bench_end(struct bench *bench);

/* Returns -ESTALE if another process has changed the file's length, or its name leads to another file. */
int bench_check_unchanged(const struct bench *bench);

/* Records an error, unless there was one before. */
void bench_fail(struct bench *bench, enum measure_stage stage, int rc);

#endif
