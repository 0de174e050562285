/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is written: blocks of random bytes, no two alike, so that a device that compresses or finds equal blocks gains nothing
 * by them. A pool of random bytes is made once; each block of a write is the pool XOR a key of its own. Filled before the
 * stamp of a write, by the writer's thread, so that the bytes are in its caches as a program's own would be.
 */
#ifndef IOWRITE_BENCH_MEASURE_PRIVATE_H
#define IOWRITE_BENCH_MEASURE_PRIVATE_H

#include "common/hot/rng.h"
#include "iowrite-bench/write/measure.h"
#include "iowrite-bench/write/memory.h"

#define CONTENT_BLOCK 4096 /* bytes of one key */
#define CONTENT_CHUNK 512  /* of which compress_percent are zeros, as fio's buffer_compress_chunk */

struct content {
	unsigned compress_percent; /* zeros at the end of each CONTENT_CHUNK bytes */
	unsigned dedupe_percent;   /* of the fills: the bytes of the one before again */
	struct rng keys, before;   /* before: that made the last fill */
	struct rng draws;
	bool is_begun;
	uint64_t pool[CONTENT_BLOCK / sizeof(uint64_t)];
};

/* No two contents of one program, nor of two, have the same bytes. */
void content_init(unsigned compress_percent, unsigned dedupe_percent, struct content *content);
/* bytes of data, which has room for the next whole CONTENT_BLOCK. */
void content_fill(struct content *content, void *data, uint64_t bytes);

/* One job of measure.h in its steps: file, memory, writes, end. measure.c calls them in turn, or in several threads. */

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
