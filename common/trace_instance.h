/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An instance of the kernel's tracing of our own: its buffers, events and clock are private, and no others are
 * touched. It is gone after trace_instance_close, and by common/undo.h when the program dies.
 */
#ifndef COMMON_TRACE_INSTANCE_H
#define COMMON_TRACE_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/undo.h"

#define TRACE_INSTANCE_TEXT 16384 /* of a format file, and more */

struct trace_instance {
	int tracefs, fd;  /* tracefs' folder, and the instance's; -1 = not open */
	char name[64];    /* the prefix, the process and a random number */
	char folder[96];  /* below tracefs */
	bool is_made;
};

/* Whether there is a chance: nothing is changed. what: who needs it, for the message. 0 or a diag_exit code after one
 * line. */
int trace_instance_check(const char *what);
/* The same in silence: 0 or -errno. */
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

#endif
