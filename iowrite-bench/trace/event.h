/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of a trace_pipe as events. What the kernel prints of an event is said by the "print fmt" in the event's format
 * file: a line is matched against exactly that, so that a kernel which prints more, less or in another order is read as
 * it is, and a line that does not match is none.
 *
 * Numbers stay in the kernel's units. In every version that has these events (since 3.3) they are: sizes in pages, rates
 * in KiB/s, pauses in ms, cut down from jiffies.
 */
#ifndef IOWRITE_BENCH_TRACE_EVENT_H
#define IOWRITE_BENCH_TRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_kind {
	EVENT_STATE,     /* writeback:global_dirty_state */
	EVENT_PAUSE,     /* writeback:balance_dirty_pages */
	EVENT_RATELIMIT, /* writeback:bdi_dirty_ratelimit */
	EVENT_FORMATS,   /* how many have a format file */
	EVENT_MARK = EVENT_FORMATS, /* what somebody wrote to trace_marker */
	EVENT_LOST       /* the kernel says that events are missing here */
};

/* Places in struct event's values. */
enum { EVENT_STATE_DIRTY, EVENT_STATE_WRITEBACK, EVENT_STATE_BACKGROUND, EVENT_STATE_THRESHOLD, EVENT_STATE_LIMIT };
enum { EVENT_PAUSE_PAUSE, EVENT_PAUSE_DIRTIED, EVENT_PAUSE_TASK, EVENT_PAUSE_CGROUP };
/* CGROUP, in both the same place: the cgroup whose write-back it is (iowrite-bench/dirty.h); 0 = a kernel that does not say,
 * before 4.2. */
enum { EVENT_RATELIMIT_DIRTY, EVENT_RATELIMIT_BALANCED, EVENT_RATELIMIT_WRITE, EVENT_RATELIMIT_CGROUP };
#define EVENT_VALUES 5
#define EVENT_TEXT 48

struct event {
	enum event_kind kind;
	int pid;          /* of the first PID namespace; in whose context it happened */
	unsigned cpu;
	uint64_t time_ns; /* of the instance's trace_clock, in steps of 1000 */
	char text[EVENT_TEXT]; /* the device ("254:0") as the kernel calls it; of EVENT_MARK its beginning; or "" */
	int64_t values[EVENT_VALUES];
};

#define EVENT_PARTS 24
struct event_format {
	size_t count;
	struct event_part {
		char literal[40]; /* before the value */
		char conversion;  /* 's' 'u' 'd', 0 = none: the line's end */
		int place;        /* in values, -1 = not wanted */
	} parts[EVENT_PARTS];
};

/* "balance_dirty_pages" of EVENT_PAUSE, below events/writeback. */
const char *event_name(enum event_kind kind);

/* The text of an event's format file. 0; -EINVAL when it is none that can be read; -ENODATA when the kernel does not
 * print what is needed: its name is then in *missing. */
int event_read_format(enum event_kind kind, const char *text, struct event_format *format, const char **missing);

/* Whether an EVENT_RATELIMIT or EVENT_PAUSE is of this cgroup; also where the kernel does not say. 0 = any. */
bool event_is_of_cgroup(const struct event *event, uint64_t cgroup);

/* One line, without its newline, of an instance without irq-info and record-tgid. 0; -ENOENT: another event, which is
 * none of ours, or a remark; -EINVAL: not a line of a trace_pipe, or cut, or an event that does not match its format. */
int event_parse(const struct event_format formats[EVENT_FORMATS], const char *text, size_t length,
	struct event *event);

#endif
