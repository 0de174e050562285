/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One thread of a stream: keeps its depth outstanding, or in an open loop what is due, and counts and records each
 * write. HOT: includes and calls only what is hot, and its backend. worker_run is a real thread's loop; a simulated
 * device calls worker_fill and worker_take by itself, for all workers in its own time.
 */
#ifndef SSD_WORKLOADS_ENGINE_WORKER_H
#define SSD_WORKLOADS_ENGINE_WORKER_H

#include <stdbool.h>

#include "ssd-workloads/backend/backend.h"
#include "ssd-workloads/data/stamp.h"
#include "ssd-workloads/data/ack_log.h"
#include "ssd-workloads/engine/counts.h"
#include "ssd-workloads/record/ring.h"
#include "ssd-workloads/stream.h"

#define WORKER_REAP 64u

struct worker_slot {
	struct record record;
	uint64_t due_ns;          /* open loop: when it should have begun; else prep_ns */
	uint64_t pass;
};

struct worker_shared { /* of a stream: what the others see of it */
	uint64_t inflight __attribute__((aligned(64))); /* of all its workers; atomic */
};

struct worker_pace { /* an open loop: writes are due num / den ns apart */
	uint64_t den;             /* 0 = closed loop */
	uint64_t step_ns, step_rest; /* num div den, num mod den */
	uint64_t due_ns, due_rest;   /* of the next write; rest below den */
	unsigned commits;         /* that a write carries (group commit), from 1 */
	uint64_t commit_gap_ns;   /* between their arrivals; the last one arrives when the write is due */
};

struct worker {
	/* Given; constant while it runs. */
	const struct backend_ops *backend;
	void *state;
	struct stamp_source stamp;
	unsigned depth;
	uint8_t stream_id, worker_id;
	char *buffers;            /* NULL: a simulated device has no data */
	uint32_t slot_bytes;
	uint64_t pause_ns;
	uint64_t every_ns, spread_ns; /* of a checkpoint: from one's first write to the next one's, 0 = at once; its writes take
	                           * turns at equal distances over spread_ns of that */
	bool has_pass_syncs;      /* a pass is made durable before the next one begins, and its pause */
	bool has_commits;         /* the log's: commits are counted */
	uint64_t measure_ns, until_ns; /* writes that begin in between count; none begins later */
	int *stop;                /* atomic; also set by a worker that fails */
	struct worker_shared *own, *other;
	struct ring *ring;
	struct counts *counts;
	/* What is acknowledged. No write begins that is ACK_LOG_WINDOW, or all blocks, ahead of its floor. */
	struct ack_log_worker *ack_log;
	/* Its own; the caller gives the room (depth of each) and the first position. */
	struct stream stream;
	struct worker_pace pace;
	struct worker_slot *slots;
	uint32_t *free, *queued;  /* slots */
	unsigned free_count, queued_count, inflight;
	uint32_t batch;
	uint64_t window;          /* the least of blocks and ACK_LOG_WINDOW */
	bool is_measuring, is_paused, is_broken; /* broken: its backend fails; what is outstanding is lost sight of */
	bool is_unsynced, is_syncing; /* there are writes since the last sync; one is under way */
	uint64_t sync_begin_ns;
	uint64_t resume_ns;       /* end of a pause */
	uint64_t turn_sequence;   /* its first write */
	uint64_t turn_ns;         /* when this pass began, of those that are every_ns apart; 0 = none has */
	uint64_t first_sequence;  /* of this run, which does not begin with a pause */
	uint64_t begun_ns, ended_ns; /* first preparing that counts; last completion */
	uint64_t cpu_begin_ns, cpu_ns; /* of this thread and its backend's, while measuring */
	uint64_t cpu_whole_ns;    /* of all its life */
	int error;                /* 0 or -errno: why it ended early */
	struct backend_completion done[WORKER_REAP];
};

/* Queues what may begin now. The time when more may begin, UINT64_MAX = not before a completion. */
uint64_t worker_fill(struct worker *worker, uint64_t now_ns);
/* A completion, seen at now_ns. */
void worker_take(struct worker *worker, const struct backend_completion *done, uint64_t now_ns);
/* Free slots, window; nothing outstanding; the stream is where this run begins. */
void worker_reset(struct worker *worker);
/* For a driver without threads, which calls worker_fill and worker_take by itself: submits what is queued, and does not wait. */
void worker_submit(struct worker *worker, uint64_t now_ns);
/* Until until_ns, *stop or an error, and until nothing is outstanding. */
void worker_run(struct worker *worker);

#endif
