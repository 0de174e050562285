/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data of writes: blocks of random bytes, no two alike, so that a device that compresses or finds equal blocks gains
 * nothing by them. A pool of random bytes is made once; each block of a write is the pool XOR a key of its own. The writer's
 * thread fills in the data before the stamp, so that it is in its caches as a program's own would be.
 */
#ifndef IOWRITE_BENCH_WRITE_CONTENT_H
#define IOWRITE_BENCH_WRITE_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/hot/rng.h"

#define CONTENT_BLOCK 4096 /* bytes of one key */
#define CONTENT_CHUNK 512  /* of which compress_percent are zeros, as fio's buffer_compress_chunk */

struct content {
	unsigned compress_percent; /* zeros at the end of each CONTENT_CHUNK bytes */
	unsigned dedupe_percent;   /* of the fills, which repeat the bytes of the one before */
	struct rng keys, before;   /* before: that made the last fill */
	struct rng draws;
	bool is_begun;
	uint64_t pool[CONTENT_BLOCK / sizeof(uint64_t)];
};

/* No two contents of one program, nor of two, have the same bytes. */
void content_init(unsigned compress_percent, unsigned dedupe_percent, struct content *content);
/* Fills bytes of data, which has space for the next whole CONTENT_BLOCK. */
void content_fill(struct content *content, void *data, uint64_t bytes);

#endif
