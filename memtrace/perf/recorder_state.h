/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data shared by recorder.c, which opens events, records.c, which processes their records, and aux.c. */
#ifndef MEMTRACE_PERF_RECORDER_STATE_H
#define MEMTRACE_PERF_RECORDER_STATE_H

#include <poll.h>

#include "common/kernel/perf.h"
#include "memtrace/code/decode.h"
#include "memtrace/file/execs.h"
#include "memtrace/names/regions.h"
#include "memtrace/perf/recorder_request.h"

#define RECORD_MAX 65536u /* header.size is 16 bits */

struct opened {
	int fd;
	bool is_sampler; /* false: the dummy */
};

struct cpu_ring {
	int cpu;               /* as the kernel numbers it */
	struct opened *opened; /* the dummy and the engine's events of each thread; the first has the ring */
	size_t count, capacity;
	struct perf_ring ring;
	struct perf_aux aux;  /* AUX area of an engine that uses one; its size is that of the ring */
	uint64_t tail;        /* records are processed up to here */
	uint64_t noted;       /* mappings up to here are in the regions; not before tail */
	uint64_t head;        /* end of this drain */
	uint32_t tid;         /* the thread that runs there, if samples have none; 0 = unknown */
	struct trace_sample begun; /* the last page fault that began there; tid 0 = none */
};

/* Number of page faults, number of those with a known time, and the sum of these times. */
struct fault_times {
	uint64_t count, timed, ns;
};

struct recorder {
	struct recorder_request request;
	struct perf_memory_event events[PERF_MEMORY_EVENTS];
	unsigned event_count;
	const struct perf_event_attr *attr;  /* of samples, NULL = none; for page faults of minor ones, and `major` of major ones */
	const struct perf_event_attr *major;
	const struct perf_event_attr *begin; /* attributes of the beginnings of page faults; NULL = none */
	unsigned ring_count;
	uint64_t losses[TRACE_LOSSES];
	struct fault_times minors, majors;
	pid_t own_pid; /* this process, whose samples are left out; 0 = it is no target */
	struct pollfd *polls;
	bool is_sampling;                    /* sampling is enabled now */
	uint8_t *piece;                      /* a copy buffer of the size of an AUX area, NULL = none yet */
	struct sampler *sampler;             /* for an engine that pages out or steps; else NULL */
	struct execs execs;
	/* For a decoding engine; else NULL. */
	struct decoder *decoder;
	struct regions *regions;
	bool is_sorted;
	pid_t *refreshed;                    /* processes whose mappings this drain has read */
	size_t refreshed_count, refreshed_capacity;
	uint64_t record[RECORD_MAX / 8];     /* one record, contiguous */
	struct cpu_ring rings[];
};

#endif
