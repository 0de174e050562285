/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private instances of the kernel's tracing, the layout of its events, and a thread that reads them. */
#ifndef COMMON_UNDO_TRACEFS_H
#define COMMON_UNDO_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/undo/undo.h"

/*
 * A private instance of the kernel's tracing: its buffers, events and clock are its own, and no others are
 * changed. trace_instance_close removes it, or common/undo/undo.h when the program dies.
 */

#define TRACE_INSTANCE_TEXT 16384 /* of a format file, and more */

struct trace_instance {
	int tracefs, fd;  /* tracefs' folder, and the instance's; -1 = not open */
	char name[64];    /* the prefix, the process and a random number */
	char folder[96];  /* below tracefs */
	bool is_made;
};

/* Checks, without changing anything, whether an instance can be made. Returns 0 or -errno. */
int trace_instance_try(void);
/* Makes an instance that is off and uses CLOCK_MONOTONIC, with buffer_kib for each CPU, in which new events overwrite old ones.
 * prefix as "memstor-throttle-". Returns 0 or -errno; then nothing is left behind. Prints a line only when the journal fails. */
int trace_instance_open(struct undo *undo, const char *prefix, unsigned buffer_kib, struct trace_instance *instance);
/* Writes to one of its files, as "tracing_on". Returns 0 or -errno. */
int trace_instance_write(const struct trace_instance *instance, const char *path, const char *text);
/* Reads the format file of an event, as "block/block_rq_issue". Returns 0 or -errno. */
int trace_instance_format(const struct trace_instance *instance, const char *event, char *text, size_t capacity);
/* Turn an event on, with a filter (NULL = none), or off. Return 0 or -errno; -EINVAL also when the kernel lacks a field of the
 * filter. */
int trace_instance_enable(const struct trace_instance *instance, const char *event, const char *filter);
int trace_instance_disable(const struct trace_instance *instance, const char *event);
/* Returns the number of events that the kernel dropped or that were not read, since the instance was opened. */
uint64_t trace_instance_lost(const struct trace_instance *instance);
/* Closes an instance, also one that was never opened: all zero except the descriptors. */
void trace_instance_close(struct trace_instance *instance);

/*
 * Offsets of the values of trace events, from the format file of an event (events/SYSTEM/NAME/format), so that kernels with
 * another order or more fields can be read. Events have the layout of the kernel's buffer, in this machine's byte order.
 */

struct trace_field {
	unsigned offset, size; /* bytes in the event; a number has 1, 2, 4 or 8, and 0 where the kernel has none */
};

/* Reads the event's number, the value of its common_type. Returns 0 or -EINVAL. */
int trace_format_id(const char *text, unsigned *id);
/* Finds a number of this name. Returns 0; -ENOENT: there is no such field; -EINVAL: the field is no number, or beyond 64 KiB. */
int trace_format_field(const char *text, const char *name, struct trace_field *field);
/* Finds an array of bytes ("char bdi[32]"). Returns 0, -ENOENT, or -EINVAL. */
int trace_format_array(const char *text, const char *name, struct trace_field *field);
/* Returns the value of a number, unsigned; size: of the event. 0 when the event is too short or lacks the field. */
uint64_t trace_field_get(const struct trace_field *field, const void *event, size_t size);

/*
 * Pages of the kernel's trace buffer, as read from per_cpu/cpuN/trace_pipe_raw: events with their times in ns, at a tenth of the
 * cost of trace_pipe, whose text has only us. The layout is that of Documentation/trace/ring-buffer-design and of
 * events/header_page; all values in a page are checked.
 */

#define TRACE_PAGE_MAX 65536u

struct trace_page_layout {
	struct trace_field timestamp, commit;
	unsigned data_offset, page_bytes; /* sizes for one read */
};

/* Parses the text of events/header_page. Returns 0 or -EINVAL. */
int trace_page_layout_read(const char *text, struct trace_page_layout *layout);

/* Called for each event in turn. time_ns: by the instance's trace_clock; event: size bytes, from its common_type on, aligned to
 * 4. */
typedef void trace_page_take(void *context, uint64_t time_ns, const void *event, size_t size);

/* Parses a page of size bytes as read, aligned to 8. Returns 0, or -EBADMSG when the page is inconsistent; `take` has received
 * the events before that point. */
int trace_page_parse(const struct trace_page_layout *layout, const void *page, size_t size, trace_page_take *take,
	void *context);

/*
 * A thread that empties a trace instance during a run, every 20 ms, so that the measured work wakes no reader. The caller
 * converts the events of all CPUs to items (some 100 ns each), of which the latest are kept.
 */

/* Converts an event to an item, which begins with its time, a uint64_t; called in the drain's thread. Returns false to drop
 * the event. */
typedef bool trace_drain_make(void *context, uint64_t time_ns, const void *event, size_t size, void *item);

struct trace_drain;

/* Opens the drain of an instance, which belongs to the caller and must outlive it; only the used part of `items` takes memory.
 * Returns 0 or -errno. */
int trace_drain_open(const struct trace_instance *instance, size_t items, size_t item_bytes, trace_drain_make *make,
	void *context, struct trace_drain **opened);
/* Discards earlier items and reads all present events in the caller's thread. Returns 0 or -errno. */
int trace_drain_now(struct trace_drain *drain);
/* Discards earlier items and starts the thread. Returns 0 or -errno. */
int trace_drain_start(struct trace_drain *drain);
/* Reads the remaining events and ends the thread. Returns 0, or -errno of reading. */
int trace_drain_stop(struct trace_drain *drain);
/* Returns the items by time, after trace_drain_now or trace_drain_stop; valid until the next of these calls or
 * trace_drain_close. */
void trace_drain_kept(struct trace_drain *drain, const void **kept, size_t *count);
void trace_drain_close(struct trace_drain *drain); /* NULL is allowed; also while it runs */

#endif
