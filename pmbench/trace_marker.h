/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -h: a line in the kernel's trace for each access over a threshold, so that it can be seen among the kernel's own
 * events. Needs a kernel with tracefs and the right to write trace_marker; tracing itself is the user's to set up.
 * One marker serves all threads of a process and of its children.
 */
#ifndef PMBENCH_TRACE_MARKER_H
#define PMBENCH_TRACE_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pmbench/access.h"

#define TRACE_MARKER_LINE_BYTES 128

struct trace_marker {
	int fd;
	bool is_tracing; /* tracing_on was 1 at open: lines are kept */
};

/* 0 or -errno. */
int trace_marker_open(struct trace_marker *marker);
/* "pmbench: access over threshold: 1234 ns address 0x7f00 read thread 3". One write, nothing allocated; a line that
 * the kernel does not take is dropped. */
void trace_marker_write(const struct trace_marker *marker, uint64_t ns, uint64_t address,
	enum access_direction direction, unsigned thread);
void trace_marker_close(struct trace_marker *marker);

/* The line alone, with its newline; its length. */
size_t trace_marker_format(char line[TRACE_MARKER_LINE_BYTES], uint64_t ns, uint64_t address,
	enum access_direction direction, unsigned thread);

#endif
