/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a database writes: a stream of log writes and a stream of checkpoint writes, each with its own block size and
 * number of writes outstanding. The table is Table 2 of the paper (papers: CIDR 2020, section 5.1), with the queue
 * depths of its text. Free of any device: real and simulated ones take the same.
 */
#ifndef SSD_WORKLOADS_MIX_H
#define SSD_WORKLOADS_MIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MIX_DEPTH_MAX 1024u       /* outstanding writes of a stream */
#define MIX_BLOCK_MAX (4u << 20)  /* bytes */
#define MIX_WORKERS_MAX 64u       /* threads of a stream */

enum mix_stream { MIX_LOG, MIX_CHECKPOINT, MIX_STREAMS };
/* "log", "checkpoint": in options, reports and records. */
const char *mix_stream_name(enum mix_stream stream);

struct mix_shape {
	unsigned depth;           /* outstanding writes, 0 = this stream does not run */
	uint32_t block_bytes;     /* also where depth is 0 */
};

struct mix {
	const char *name;         /* "1-N" */
	const char *method;       /* "CALC" */
	const char *meaning;      /* one line */
	struct mix_shape streams[MIX_STREAMS];
};

/* In the order of `list`, "custom" last (nothing runs unless said); ended by a row without a name. */
extern const struct mix mixes[];
const struct mix *mix_find(const char *name); /* NULL = none */

/* A mix with the sizes of its areas and what was said otherwise. */
struct workload {
	const struct mix *mix;    /* the row it came from */
	struct workload_stream {
		unsigned depth;       /* 0 = does not run */
		unsigned workers;     /* threads, 1..depth, each with its own part of the area and of the depth; 0 when depth is */
		uint32_t block_bytes;
		uint64_t area_bytes;  /* a multiple of workers * block_bytes */
		uint64_t every_ns;    /* of checkpoints: from one's first write to the next one's; 0 = as soon as one is done */
		double completion;    /* share of every_ns that its writes are spread over */
		uint64_t pause_ns;    /* of a checkpoint: from the last completion of a pass to the next one's first write */
	} streams[MIX_STREAMS];
};

/* What options may say; 0 = as the mix has it. */
struct workload_override {
	struct {
		bool has_depth;
		unsigned depth;
		uint32_t block_bytes;
		uint64_t area_bytes;
		uint64_t pause_ns, every_ns;
		bool has_completion;
		double completion;
	} streams[MIX_STREAMS];
	unsigned workers;         /* of each stream that has at least this depth; others have as many as their depth */
};

/* Where nothing is said: log 512 MiB, checkpoint 1 GiB (design: "real"). An area is cut down to whole blocks of its
 * workers. 0; -EINVAL and in why (static text of "option: what is allowed") when it cannot be: no stream runs, an area
 * with fewer than two blocks for each outstanding write. */
int workload_make(const struct mix *mix, const struct workload_override *override, struct workload *workload,
	const char **why);
/* The same with one stream alone, its areas where they were: what (1-0), (M-0), (0-1), (0-N) are to it. */
void workload_alone(const struct workload *workload, enum mix_stream stream, struct workload *alone);
/* A worker's part of the depth: the first ones have one more where it does not divide. */
unsigned workload_depth(const struct workload_stream *stream, unsigned worker);
/* "1-N", "1-0" after workload_alone, or "64x16k-8x128k", "32x4k-0" when no row has this shape. */
void workload_name(const struct workload *workload, char *name, size_t length);

#endif
