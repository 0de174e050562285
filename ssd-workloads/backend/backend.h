/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Backends, which take writes and return completions: io_uring, threads, a simulated device. Each worker has its own; a backend is
 * not shared by threads. Slots are 0..slots-1; the data of a slot is at buffers + slot * slot_bytes and must not change between
 * queue and its last completion. HOT: called by workers.
 */
#ifndef SSD_WORKLOADS_BACKEND_BACKEND_H
#define SSD_WORKLOADS_BACKEND_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "ssd-workloads/workload/stripe.h"

#define BACKEND_NO_LIMIT UINT64_MAX

enum backend_durability { BACKEND_NONE, BACKEND_DSYNC, BACKEND_FDATASYNC };

struct simulated_link;

struct backend_setup {
	struct simulated_link *simulated; /* the devices that all workers share (engine/simulate.h); NULL = fd is used */
	unsigned target;               /* target that the worker writes to, or the first of two */
	int fd;                        /* O_DIRECT, unless the checkpoint is buffered; stays the caller's */
	struct stripe stripe;          /* with two targets: maps offsets of the whole area to a target and an offset */
	int second_fd;
	unsigned slots;
	char *buffers;                 /* aligned for O_DIRECT; the caller's, used until close */
	uint32_t slot_bytes;
	enum backend_durability durability;
	uint64_t hint_bytes;           /* buffered: bytes after which sync_file_range(2) starts writeback; 0 = never */
	bool is_sqpoll, is_iopoll;
	bool has_syncs;                /* sync will be called */
};

/* Returns whether writes are made durable by syncs of two targets: earlier writes may be in the volatile cache of either. */
static inline bool backend_syncs_both(const struct backend_setup *setup)
{
	return setup->durability == BACKEND_FDATASYNC && setup->stripe.targets > 1;
}

/* State of the two syncs of a write if backend_syncs_both holds. They begin when the write is completed, and run concurrently. */
struct backend_syncs {
	uint32_t length;               /* of the write */
	unsigned left;
	int32_t error;                 /* of the first sync that failed; 0 = none failed */
};

#define BACKEND_NO_SLOT UINT32_MAX

enum {
	BACKEND_WRITTEN = 1,           /* the write is completed */
	BACKEND_DURABLE = 2,           /* the write is durable, as requested: the slot is free */
	BACKEND_NOTHING = 0,           /* a hint is done: no write waits for it */
	BACKEND_SYNCED = 4,            /* a sync is done; of BACKEND_NO_SLOT */
};

/* State of writeback hints: the range written since the last hint. */
struct backend_hint {
	uint64_t begin, end;           /* contiguous bytes written since the last hint */
};

/* Returns whether a hint is due after the write at offset, and then sets *range to the range to hint. */
static inline bool backend_hint_is_due(struct backend_hint *hint, uint64_t least, uint64_t offset, uint32_t length,
	struct backend_hint *range)
{
	if (!least)
		return false;
	/* The range ends here, as always in a random order. */
	if (offset != hint->end && hint->begin != hint->end) {
		*range = *hint;
		*hint = (struct backend_hint){offset, offset + length};
		return true;
	}
	if (offset != hint->end)
		hint->begin = offset;
	hint->end = offset + length;
	if (hint->end - hint->begin < least)
		return false;
	*range = *hint;
	hint->begin = hint->end;
	return true;
}

struct backend_completion {
	uint32_t slot;
	uint32_t what;                 /* both bits at once; with BACKEND_FDATASYNC one after the other */
	int32_t result;                /* bytes or -errno; of BACKEND_DURABLE alone 0 or -errno of the sync, -ECANCELED if the
				        * write has failed; of BACKEND_SYNCED 0 or -errno. With syncs of two targets a write that
				        * has failed has both bits */
};

struct backend_ops {
	const char *name;              /* "uring", "threads" */
	const char *meaning;
	const char *probe;             /* name in common/probe of the host feature it needs; NULL = none */
	/* Opens the backend. Returns 0, or -errno if it is not available here; then *why (static text) says what is missing, and
	 * nothing is left. */
	int (*open)(const struct backend_setup *setup, void **state, const char **why);
	/* Called by the thread that will use the backend, once before the first queue (an io_uring of a single issuer belongs to
	 * it). Returns 0 or -errno. */
	int (*attach)(void *state);
	/* Called by the same thread after its last write, with nothing outstanding: releases the backend's reference to fd.
	 * Nothing may be queued afterwards. */
	void (*detach)(void *state);
	/* Queues a write of length bytes at offset, from the slot's data, for the next enter. The slot must be free. */
	void (*queue)(void *state, uint32_t slot, uint64_t offset, uint32_t length);
	/* Queues an fdatasync, which makes all completed writes durable, for the next enter. Nothing may be outstanding or
	 * queued until it is done. Only with has_syncs. */
	void (*sync)(void *state);
	/* Submits the queued requests, then waits until wait_for completions are available, the clock has passed until_ns
	 * (BACKEND_NO_LIMIT: no limit), or a signal has come. Returns 0, or -errno if the backend can no longer be used. */
	int (*enter)(void *state, unsigned wait_for, uint64_t until_ns);
	/* Fetches at most `most` completions without waiting. Returns their number. */
	unsigned (*reap)(void *state, struct backend_completion *done, unsigned most);
	/* Returns CLOCK_MONOTONIC, or the simulated time. */
	uint64_t (*now_ns)(void *state);
	/* Returns the CPU time since open of the backend's own threads, including its kernel threads, as far as
	 * they still exist and can be distinguished from others. Called by the thread that uses the backend. Takes about 50 us:
	 * not for timed sections. */
	uint64_t (*cpu_ns)(void *state);
	/* Closes the backend. Nothing may be outstanding. */
	void (*close)(void *state);
	/* Returns the features in use, for the report: "single-issuer defer-taskrun fixed-file fixed-buffers ..."; static, or
	 * valid until close. */
	const char *(*features)(const void *state);
};

extern const struct backend_ops backend_uring, backend_threads, backend_simulated;

#endif
