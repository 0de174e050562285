/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a trace says of the writes that were measured while it ran: events in the order of time, from the first write's
 * start to the last one's end, in bytes, and what that was in all.
 */
#ifndef IOWRITE_BENCH_TRACE_TIMELINE_H
#define IOWRITE_BENCH_TRACE_TIMELINE_H

#include "iowrite-bench/dirty.h"
#include "iowrite-bench/trace/event.h"

struct timeline_state { /* of all files of the machine; bytes */
	uint64_t time_ns;   /* since the first write began, as all of them */
	uint64_t dirty, writeback, background, threshold, limit;
};

struct timeline_pause {
	uint64_t time_ns;
	int64_t pause_ns;       /* that the writer was put to sleep; not above 0: it was not, and has time in hand */
	uint64_t dirtied_bytes; /* since the last pause */
	uint64_t task_rate;     /* bytes per second that it is allowed */
};

struct timeline_ratelimit { /* bytes per second */
	uint64_t time_ns;
	uint64_t dirty, balanced, write;
};

struct timeline {
	size_t state_count, pause_count, ratelimit_count;
	struct timeline_state *states;
	struct timeline_pause *pauses;
	struct timeline_ratelimit *ratelimits;
	size_t foreign_pauses; /* balance_dirty_pages of others at the same device: the writer was not alone */
	size_t unread_lines;   /* that match no format */
};

struct timeline_window {
	int pid;              /* of the writer */
	const char *bdi;      /* the device as events name it */
	uint64_t begin_ns, end_ns, page_bytes;
	uint64_t cgroup;      /* as events name it; 0 = any */
};

/* All of a trace_pipe's text. 0 or -ENOMEM. */
int timeline_read(const struct event_format formats[EVENT_FORMATS], const char *text, size_t bytes,
	const struct timeline_window *window, struct timeline *timeline);
void timeline_free(struct timeline *timeline);

struct timeline_summary {
	/* Dirty and being written back together: up to the background threshold, up to half the way to the threshold,
	 * above. A state is that until the next event says another. */
	double free_ns, background_ns, throttled_ns;
	size_t pause_count; /* real ones */
	double pause_p50_ns, pause_p99_ns, pause_total_ns; /* NAN without one, and 0 */
	uint64_t first_ratelimit, last_ratelimit; /* 0 = no event */
};

/* before: the state at the beginning; length: until the last write's end. 0 or -ENOMEM. */
int timeline_summarize(const struct timeline *timeline, const struct dirty_state *before, uint64_t length_ns,
	struct timeline_summary *summary);

/* In what portions the writer made pages dirty between two looks (granule.h), bytes; 0 without a pause. */
double timeline_step(const struct timeline *timeline);

/* Below it write(2) is never delayed. */
static inline uint64_t timeline_freerun(uint64_t background, uint64_t threshold)
{
	return background / 2 + threshold / 2 + (background & threshold & 1);
}

#endif
