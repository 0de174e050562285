/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One thread of a stream: keeps its depth outstanding, or in an open loop the writes that are due, and counts and records each
 * write. HOT: includes and calls only hot code, and its backend. worker_run is a real thread's loop; a simulated device calls
 * worker_fill and worker_take itself, for all workers in virtual time.
 */
#ifndef SSD_WORKLOADS_ENGINE_WORKER_H
#define SSD_WORKLOADS_ENGINE_WORKER_H

#include <stdbool.h>

#include "common/hot/flush_probe.h"
#include "ssd-workloads/backend/backend.h"
#include "ssd-workloads/engine/counts.h"
#include "ssd-workloads/record/ring.h"
#include "ssd-workloads/workload/ack_log.h"
#include "ssd-workloads/workload/stamp.h"
#include "ssd-workloads/workload/stream.h"

#define WORKER_REAP 64u
#define WORKER_NO_SLOT UINT32_MAX

struct worker_slot {
	struct record record;
	uint64_t due_ns;          /* open loop: scheduled begin; else prep_ns */
	uint64_t pass;
};

struct worker_shared { /* of a stream: read by the other workers */
	uint64_t inflight __attribute__((aligned(64))); /* writes in flight of all its workers; atomic */
};

struct worker_pace { /* an open loop: writes are due num / den ns apart */
	uint64_t den;             /* 0 = closed loop */
	uint64_t step_ns, step_rest; /* num div den, num mod den */
	uint64_t due_ns, due_rest;   /* of the next write; rest below den */
	unsigned commits;         /* per write (group commit), from 1 */
	uint64_t commit_gap_ns;   /* between arrivals of commits; the last one arrives when the write is due */
};

struct worker {
	/* Set by the caller; constant while it runs. */
	const struct backend_ops *backend;
	void *state;
	struct stamp_source stamp;
	unsigned depth;
	uint8_t stream_id, worker_id;
	char *buffers;            /* NULL: a simulated device has no data */
	uint32_t slot_bytes;
	uint64_t pause_ns;
	uint64_t every_ns, spread_ns; /* of a checkpoint: interval between first writes of checkpoints, 0 = at once; its writes
				       * are spaced equally over spread_ns of it */
	bool has_pass_syncs;      /* a pass is made durable before the next one, and its pause, begins */
	bool has_commits;         /* of the log: commits are counted */
	uint64_t measure_ns, until_ns; /* writes that begin between them count; none begins later */
	int *stop;                /* atomic; a worker that fails sets it as well */
	struct worker_shared *own, *other;
	struct ring *ring;
	struct counts *counts;
	/* acknowledged writes; no write begins that is ACK_LOG_WINDOW, or all blocks, ahead of the floor */
	struct ack_log_worker *ack_log;
	unsigned stripes;         /* targets to which the blocks go in turn; 0, 1 = one */
	bool has_whole_syncs;     /* a commit syncs all targets, not only that of its block */
	/* by target: they examine syncs of commits, or else of passes; none if count is NULL */
	struct flush_probe probes[STRIPE_TARGETS];
	uint32_t probed;          /* slot of the commit that is examined; WORKER_NO_SLOT = the next one */
	/* Private state; the caller provides the arrays (depth elements each) and the first position. */
	struct stream stream;
	struct worker_pace pace;
	struct worker_slot *slots;
	uint32_t *free, *queued;  /* slots */
	unsigned free_count, queued_count, inflight;
	uint32_t batch;
	uint64_t window;          /* minimum of blocks and ACK_LOG_WINDOW */
	bool is_measuring, is_paused, is_broken; /* broken: the backend has failed; outstanding writes are abandoned */
	bool is_unsynced, is_syncing; /* writes since the last sync exist; a sync is in progress */
	struct record sync;       /* of the sync in progress */
	uint64_t resume_ns;       /* end of a pause */
	uint64_t turn_sequence;   /* first write of this checkpoint */
	uint64_t turn_ns;         /* begin of this pass with every_ns; 0 = none has begun */
	uint64_t first_sequence;  /* first write of this run, before which there is no pause */
	uint64_t begun_ns, ended_ns; /* begin of the first counted write; last completion */
	uint64_t cpu_begin_ns, cpu_ns; /* of this thread and its backend's, while measuring */
	uint64_t cpu_whole_ns;    /* over its whole life */
	int error;                /* 0 or -errno: why the worker ended early */
	struct backend_completion done[WORKER_REAP];
};

/* Queues the writes that may begin now. Returns the time when more may begin; UINT64_MAX = not before a completion. */
uint64_t worker_fill(struct worker *worker, uint64_t now_ns);
/* Processes a completion, detected at now_ns. */
void worker_take(struct worker *worker, const struct backend_completion *done, uint64_t now_ns);
/* Resets the free slots and the window, with nothing outstanding; the stream must be at the start of this run. */
void worker_reset(struct worker *worker);
/* Submits the queued writes without waiting, for a driver without threads, which calls worker_fill and worker_take itself. */
void worker_submit(struct worker *worker, uint64_t now_ns);
/* Runs until until_ns, *stop or an error, and then until nothing is outstanding. */
void worker_run(struct worker *worker);

#endif
