/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What takes writes and gives completions: io_uring, threads, a simulated device. A worker has one of its own;
 * nothing here is called by two threads. Slots are 0..slots-1; the data of a slot lies at buffers + slot * slot_bytes
 * and must not change between queue and its last completion. HOT: what a worker calls.
 */
#ifndef SSD_WORKLOADS_BACKEND_BACKEND_H
#define SSD_WORKLOADS_BACKEND_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#define BACKEND_NO_LIMIT UINT64_MAX

enum backend_durability { BACKEND_NONE, BACKEND_DSYNC, BACKEND_FDATASYNC };

struct simulated_link;

struct backend_setup {
	struct simulated_link *simulated; /* the device that all workers share (engine/simulate.h); NULL = fd */
	int fd;                        /* O_DIRECT, or of a buffered checkpoint not; stays the caller's */
	unsigned slots;
	char *buffers;                 /* aligned for O_DIRECT; the caller's until close */
	uint32_t slot_bytes;
	enum backend_durability durability;
	uint64_t hint_bytes;           /* buffered: after this number, sync_file_range(2) begins to write them back; 0 = never */
	bool is_sqpoll, is_iopoll;
	bool has_syncs;                /* sync is going to be called */
};

#define BACKEND_NO_SLOT UINT32_MAX

enum {
	BACKEND_WRITTEN = 1,           /* the write is completed */
	BACKEND_DURABLE = 2,           /* and durable, as far as was asked for: the slot is free */
	BACKEND_NOTHING = 0,           /* a hint is done: no write waits for that */
	BACKEND_SYNCED = 4,            /* what sync asked for; of BACKEND_NO_SLOT */
};

/* Behind which write a hint is due, and of what. */
struct backend_hint {
	uint64_t begin, end;           /* bytes written since the last hint, one behind the other */
};

/* Whether the write at offset completes a range that is to be hinted at: then *range is that. */
static inline bool backend_hint_is_due(struct backend_hint *hint, uint64_t least, uint64_t offset, uint32_t length,
	struct backend_hint *range)
{
	if (!least)
		return false;
	/* What cannot grow any more, as in a random order. */
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
	uint32_t what;                 /* both at once; with BACKEND_FDATASYNC first the one, then the other */
	int32_t result;                /* bytes or -errno; of BACKEND_DURABLE alone 0 or -errno of the sync, which is
	                                * -ECANCELED when the write has failed; of BACKEND_SYNCED 0 or -errno */
};

struct backend_ops {
	const char *name;              /* "uring", "threads" */
	const char *meaning;
	const char *probe;             /* of common/probe: what it needs of the host; NULL = nothing */
	/* 0 or -errno: it is not available here, and *why (static text) says what was lacking. Nothing is left then. */
	int (*open)(const struct backend_setup *setup, void **state, const char **why);
	/* The thread that is going to use it, once before the first queue (an io_uring of a single issuer belongs to it).
	 * 0 or -errno. */
	int (*attach)(void *state);
	/* The same thread, behind its last write, of which nothing may be outstanding: fd is held by its own descriptors only
	 * from then on, and nothing is queued any more. */
	void (*detach)(void *state);
	/* A write of length bytes at offset, from the slot's data, is to be submitted by the next enter. The slot is free. */
	void (*queue)(void *state, uint32_t slot, uint64_t offset, uint32_t length);
	/* All that was completed before is to be made durable (fdatasync), by the next enter. Nothing is outstanding or queued
	 * then, nor will be before it is done. Only with has_syncs. */
	void (*sync)(void *state);
	/* Submits what is queued, then waits until wait_for completions are there, or the clock has passed until_ns
	 * (BACKEND_NO_LIMIT), or a signal came. 0 or -errno: the backend can no longer be used. */
	int (*enter)(void *state, unsigned wait_for, uint64_t until_ns);
	/* At most `most` completions; never waits. */
	unsigned (*reap)(void *state, struct backend_completion *done, unsigned most);
	/* CLOCK_MONOTONIC, or the simulated time. */
	uint64_t (*now_ns)(void *state);
	/* Processor time of threads of its own since open, those of the kernel that work for it among them: as far as they
	 * still live and can be told from others'. By the thread that uses it. Some 50 us: not while something is timed. */
	uint64_t (*cpu_ns)(void *state);
	/* Nothing may be outstanding. */
	void (*close)(void *state);
	/* What it really uses, for the report: "single-issuer defer-taskrun fixed-file fixed-buffers ..."; static or its
	 * state's, until close. */
	const char *(*features)(const void *state);
};

extern const struct backend_ops backend_uring, backend_threads, backend_simulated;

#endif
