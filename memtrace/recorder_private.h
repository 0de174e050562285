/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For recorder.c, which opens events, and records.c, which takes what they deliver. */
#ifndef MEMTRACE_RECORDER_PRIVATE_H
#define MEMTRACE_RECORDER_PRIVATE_H

#include <poll.h>

#include "common/perf.h"
#include "memtrace/decode.h"
#include "memtrace/recorder.h"
#include "memtrace/regions.h"

#define RECORD_MAX 65536u /* header.size is 16 bits */

struct opened {
	int fd;
	bool is_sampler; /* false: the dummy */
};

struct ring {
	int cpu;               /* as the kernel numbers it */
	struct opened *opened; /* of each thread the dummy and the engine's events; the first has the ring */
	size_t count, room;
	struct perf_ring ring;
	struct perf_aux aux;  /* of an engine that writes there; its size is that of the ring */
	uint64_t tail;        /* taken up to here */
	uint64_t noted;       /* mappings are in the regions up to here: at or behind tail */
	uint64_t head;        /* what this drain takes */
	uint32_t tid;         /* the thread that runs there, when samples do not tell; 0 = unknown */
};

struct recorder {
	struct recorder_request request;
	struct perf_memory_event events[PERF_MEMORY_EVENTS];
	unsigned event_count;
	const struct perf_event_attr *attr;  /* of samples, NULL = none; of page faults: of the minor ones, and of the major ones */
	const struct perf_event_attr *major;
	unsigned ring_count;
	uint64_t losses[TRACE_LOSSES];
	struct pollfd *polls;
	bool is_sampling;                    /* samples are wanted now */
	uint8_t *piece;                      /* of an AUX area, NULL = none yet: as large as that is */
	struct sampler *sampler;             /* of an engine that pages out or steps; else NULL */
	/* Of an engine that is decoded; else NULL. */
	struct decoder *decoder;
	struct regions *regions;
	bool is_sorted;
	pid_t *refreshed;                    /* processes whose mappings this drain has read */
	size_t refreshed_count, refreshed_room;
	uint64_t record[RECORD_MAX / 8];     /* one, in one piece */
	struct ring rings[];
};

/* Takes what a PERF_RECORD_AUX of this ring announces, its words without the header. 0 or -errno: -EBADMSG not such a record. */
int aux_take(struct recorder *recorder, struct ring *ring, const uint64_t *words, size_t count, struct trace_writer *writer);

#endif
