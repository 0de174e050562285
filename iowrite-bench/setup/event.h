/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events of the kernel's write-back in the buffers of a trace instance (common/undo/tracefs.h). The format files give the offsets
 * of the values, so that kernels with more or fewer fields or another order can be read.
 *
 * Numbers stay in the kernel's units. In every version that has these events (since 3.3) they are: sizes in pages, rates
 * in KiB/s.
 */
#ifndef IOWRITE_BENCH_SETUP_EVENT_H
#define IOWRITE_BENCH_SETUP_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/undo/tracefs.h"

enum event_kind {
	EVENT_STATE,     /* writeback:global_dirty_state */
	EVENT_PAUSE,     /* writeback:balance_dirty_pages */
	EVENT_RATELIMIT, /* writeback:bdi_dirty_ratelimit */
	EVENT_KINDS
};

/* Indexes of struct event's values. */
enum { EVENT_STATE_LIMIT };
enum { EVENT_PAUSE_DIRTIED };
enum { EVENT_RATELIMIT_DIRTY, EVENT_RATELIMIT_WRITE };
#define EVENT_VALUES 2
#define EVENT_BDI 32 /* bytes of a device's name ("254:0") as the kernel calls it */

struct event {
	uint64_t time_ns; /* of the instance's trace_clock */
	enum event_kind kind;
	uint64_t cgroup;  /* of the write-back (iowrite-bench/write/dirty.h); 0 = the kernel does not report it (before 4.2) */
	uint64_t values[EVENT_VALUES];
};

struct event_format {
	unsigned id;
	struct trace_field bdi, cgroup, values[EVENT_VALUES]; /* size 0 = this kernel has none */
};

struct event_watch {
	struct event_format formats[EVENT_KINDS]; /* id 0: not watched */
	char bdi[EVENT_BDI];                      /* events of other devices are left out */
};

/* Returns the name below events/writeback: "balance_dirty_pages" for EVENT_PAUSE. */
const char *event_name(enum event_kind kind);

/* Parses the text of an event's format file. Returns 0; -EINVAL when it cannot be parsed; -ENODATA when the kernel lacks a
 * needed field. */
int event_read_format(enum event_kind kind, const char *text, struct event_format *format);
/* Reads the format of an instance's event into watch. Returns 0 or -errno. */
int event_find(const struct trace_instance *instance, enum event_kind kind, struct event_watch *watch);
/* Enables an event, without other devices where the event names one. Returns 0 or -errno. */
int event_enable(const struct trace_instance *instance, enum event_kind kind, const struct event_watch *watch);
int event_disable(const struct trace_instance *instance, enum event_kind kind);

/* Tells whether an EVENT_RATELIMIT or EVENT_PAUSE is of this cgroup, or the kernel does not report it. 0 = any. */
bool event_is_of_cgroup(const struct event *event, uint64_t cgroup);

/* Implements trace_drain_make: watch is a struct event_watch, item a struct event. */
bool event_make(void *watch, uint64_t time_ns, const void *raw, size_t size, void *item);

#endif
