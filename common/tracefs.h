/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's tracing files, wherever they are. Where tracefs is not mounted a privileged caller gets a mount of
 * its own that hangs in no folder: it is seen by no other process and goes with its last descriptor.
 */
#ifndef COMMON_TRACEFS_H
#define COMMON_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/undo.h"

/* A folder descriptor for openat(2), close-on-exec; the caller closes it. 0 or -errno: -ENODEV a kernel without
 * tracefs, -EACCES or -EPERM not without root. */
int tracefs_open_dir(int *dirfd);

/*
 * An instance of the kernel's tracing of our own: its buffers, events and clock are private, and no others are
 * touched. It is gone after trace_instance_close, and by common/undo.h when the program dies.
 */

#define TRACE_INSTANCE_TEXT 16384 /* of a format file, and more */

struct trace_instance {
	int tracefs, fd;  /* tracefs' folder, and the instance's; -1 = not open */
	char name[64];    /* the prefix, the process and a random number */
	char folder[96];  /* below tracefs */
	bool is_made;
};

/* Whether there is a chance: nothing is changed. 0 or -errno. */
int trace_instance_try(void);
/* Off, by CLOCK_MONOTONIC; buffer_kib for each CPU, of which the newest stays.
 * prefix as "memstor-iowrite-". 0 or a diag_exit code after one line; then nothing is left. */
int trace_instance_open(struct undo *undo, const char *prefix, unsigned buffer_kib, struct trace_instance *instance);
/* The same for a caller that continues without: 0 or -errno, and a line only when the journal fails. */
int trace_instance_open_quietly(struct undo *undo, const char *prefix, unsigned buffer_kib,
	struct trace_instance *instance);
/* Its files, as "tracing_on". 0 or -errno; what is longer than the room is cut. */
int trace_instance_write(const struct trace_instance *instance, const char *path, const char *text);
int trace_instance_read(const struct trace_instance *instance, const char *path, char *text, size_t room);
/* Of an event, as "block/block_rq_issue": its format file. 0 or -errno. */
int trace_instance_format(const struct trace_instance *instance, const char *event, char *text, size_t room);
/* Turns it on or off; filter NULL = none. 0 or -errno; -EINVAL is also what the filter is for a kernel that lacks a field of
 * it. */
int trace_instance_enable(const struct trace_instance *instance, const char *event, const char *filter);
int trace_instance_disable(const struct trace_instance *instance, const char *event);
/* Events that the kernel had no room for, and what was not read, since it was opened. */
uint64_t trace_instance_lost(const struct trace_instance *instance);
/* Also of one that was never opened, all zero but for the descriptors. */
void trace_instance_close(struct trace_instance *instance);

/*
 * Where the kernel's trace events keep their values: the format file of an event (events/SYSTEM/NAME/format) says it,
 * so that a kernel with another order or more fields is read as it is. For events as they lie in the kernel's buffer
 *, in this machine's byte order.
 */

struct trace_field {
	unsigned offset, size; /* bytes in the event; of a number 1, 2, 4 or 8, and 0 where the kernel has none */
};

/* The event's number, which its common_type has. 0 or -EINVAL. */
int trace_format_id(const char *text, unsigned *id);
/* A number of this name. 0; -ENOENT: there is no such field; -EINVAL: it is no number, or lies beyond 64 KiB. */
int trace_format_field(const char *text, const char *name, struct trace_field *field);
/* An array of bytes ("char bdi[32]"): 0, -ENOENT, or -EINVAL. */
int trace_format_array(const char *text, const char *name, struct trace_field *field);
/* The value of a number, unsigned; size: of the event. 0 when the event is too short to have it, or has none. */
uint64_t trace_field_get(const struct trace_field *field, const void *event, size_t size);

/*
 * Pages of the kernel's trace buffer, as reading per_cpu/cpuN/trace_pipe_raw gives them: events with their times in ns,
 * which the text of a trace_pipe cuts to us, at a tenth of its cost. The layout is that of Documentation/trace/
 * ring-buffer-design and of events/header_page; nothing in a page is trusted.
 */

#define TRACE_PAGE_MAX 65536u

struct trace_page_layout {
	struct trace_field timestamp, commit;
	unsigned data_offset, page_bytes; /* of what one read gives */
};

/* The text of events/header_page. 0 or -EINVAL. */
int trace_page_layout_read(const char *text, struct trace_page_layout *layout);

/* For each event in turn; time_ns by the instance's trace_clock; event: size bytes, from its common_type on, aligned to
 * 4. */
typedef void trace_page_take(void *context, uint64_t time_ns, const void *event, size_t size);

/* page: as it was read, size bytes, aligned to 8. 0; -EBADMSG when it contradicts itself: what came before that was
 * taken. */
int trace_page_parse(const struct trace_page_layout *layout, const void *page, size_t size, trace_page_take *take,
	void *context);

/*
 * A thread that empties a trace instance during a run, every 20 ms, so that no reader is woken by what is measured: the
 * events of all CPUs, as items that the caller makes of them (some 100 ns each), of which the latest are kept.
 */

/* An event to an item, which begins with a uint64_t, its time; in the drain's thread. False: it is not
 * wanted. */
typedef bool trace_drain_make(void *context, uint64_t time_ns, const void *event, size_t size, void *item);

struct trace_drain;

/* The instance is the caller's and outlives it; only what is used of `items` takes memory. 0 or -errno. */
int trace_drain_open(const struct trace_instance *instance, size_t items, size_t item_bytes, trace_drain_make *make,
	void *context, struct trace_drain **opened);
/* In the caller's thread, from nothing: all that is there. 0 or -errno. */
int trace_drain_now(struct trace_drain *drain);
/* From nothing. is_elsewhere: on another CPU than this one, where there is one. 0 or -errno. */
int trace_drain_start(struct trace_drain *drain, bool is_elsewhere);
/* Takes what is left, ends the thread. 0 or -errno, of reading. */
int trace_drain_stop(struct trace_drain *drain);
/* After trace_drain_now or trace_drain_stop: items by time; the drain's until the next take or trace_drain_close. */
void trace_drain_kept(struct trace_drain *drain, const void **kept, size_t *count);
void trace_drain_close(struct trace_drain *drain); /* NULL is allowed; also while it runs */

#endif
