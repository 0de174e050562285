/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -h: writes a line into the kernel's trace for each access over a threshold, so that it appears among the kernel's own
 * events. Needs tracefs and permission to write trace_marker; the user sets up the tracing itself.
 * All threads of a process and of its children use one marker.
 */
#ifndef PMBENCH_ACCESS_TRACE_MARKER_H
#define PMBENCH_ACCESS_TRACE_MARKER_H

#include <stdbool.h>
#include <stdint.h>
#include "pmbench/access/access.h"

struct trace_marker {
	int fd;
	bool is_tracing; /* tracing_on was 1 at the opening, or could not be read: lines are kept */
};

/* Returns 0 or -errno. */
int trace_marker_open(struct trace_marker *marker);
/* Writes "pmbench: access over threshold: 1234 ns address 0x7f00 read thread 3" by one write(2), without allocation. A
 * line that the kernel does not accept is lost. */
void trace_marker_write(const struct trace_marker *marker, uint64_t ns, uint64_t address,
	enum access_direction direction, unsigned thread);
void trace_marker_close(struct trace_marker *marker);

#endif
