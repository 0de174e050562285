/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The workload of a database: a stream of log writes and a stream of checkpoint writes, each with its block size and number of
 * outstanding writes. The table is Table 2 of the paper (papers: CIDR 2020, section 5.1), with the queue depths of its text. This
 * module is independent of devices: real and simulated ones use the same mixes.
 */
#ifndef SSD_WORKLOADS_WORKLOAD_MIX_H
#define SSD_WORKLOADS_WORKLOAD_MIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MIX_DEPTH_MAX 1024u       /* outstanding writes of a stream */
#define MIX_BLOCK_MAX (4u << 20)  /* bytes */
#define MIX_WORKERS_MAX 64u       /* threads of a stream */

enum mix_stream { MIX_LOG, MIX_CHECKPOINT, MIX_STREAMS };
/* Returns "log" or "checkpoint", as in options, reports and records. */
const char *mix_stream_name(enum mix_stream stream);

struct mix_shape {
	unsigned depth;           /* outstanding writes; 0 = the stream does not run */
	uint32_t block_bytes;     /* also set if depth is 0 */
};

struct mix {
	const char *name;         /* "1-N" */
	const char *method;       /* "CALC" */
	const char *meaning;      /* one line */
	struct mix_shape streams[MIX_STREAMS];
};

/* The rows are in the order of `list`, "custom" last (no stream runs by default); the last row has no name. */
extern const struct mix mixes[];
const struct mix *mix_find(const char *name); /* NULL = none */

/* a mix with the sizes of its areas and changes by options */
struct workload {
	const struct mix *mix;    /* row of mixes[] */
	struct workload_stream {
		unsigned depth;       /* 0 = does not run */
		unsigned workers;     /* threads, 1..depth, each with its own part of the area and of the depth; 0 if depth is 0 */
		uint32_t block_bytes;
		unsigned stripes;     /* targets to which the blocks go in turn (stripe.h), from 1; above 1 only the log's */
		uint64_t area_bytes;  /* a multiple of stripes * workers * block_bytes */
		uint64_t every_ns;    /* interval between first writes of checkpoints; 0 = each begins when the last is done */
		double completion;    /* share of every_ns over which its writes are spread */
		uint64_t pause_ns;    /* pause of a checkpoint: from a pass's last completion to the next one's first write */
	} streams[MIX_STREAMS];
};

/* values set by options; 0 = that of the mix */
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
	unsigned workers;         /* of each stream with at least this depth; others have as many as their depth */
	unsigned log_stripes;     /* of the log; those of the checkpoint are 1 */
};

/* Makes a workload; default areas: log 512 MiB, checkpoint 1 GiB (design: "real"). An area is rounded down to whole blocks of
 * its workers. Returns 0, or -EINVAL and in why (static text of "option: what is allowed") the reason: no stream runs, or an
 * area has fewer than two blocks for each outstanding write. */
int workload_make(const struct mix *mix, const struct workload_override *override, struct workload *workload,
	const char **why);
/* Makes the same workload with one stream alone and unchanged areas: (1-0), (M-0), (0-1), (0-N). */
void workload_alone(const struct workload *workload, enum mix_stream stream, struct workload *alone);
/* Returns a worker's part of the depth: the first workers have one more if it does not divide. */
unsigned workload_depth(const struct workload_stream *stream, unsigned worker);
/* Formats the name: "1-N", "1-0" after workload_alone, or "64x16k-8x128k", "32x4k-0" if no row has this shape. */
void workload_name(const struct workload *workload, char *name, size_t length);

#endif
