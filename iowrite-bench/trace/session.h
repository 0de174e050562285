/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An instance of the kernel's tracing of our own: its buffers, events and clock are nobody else's, and nobody else's are
 * touched. Three events of writeback, by CLOCK_MONOTONIC. While it runs a thread on another CPU than the caller's takes
 * the text out every 20 ms, so that no reader is woken by a write; nothing is parsed before the end.
 *
 * The instance is gone after session_close, and by common/undo.h when the program dies.
 */
#ifndef IOWRITE_BENCH_TRACE_SESSION_H
#define IOWRITE_BENCH_TRACE_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "common/undo.h"
#include "iowrite-bench/trace/event.h"

#define SESSION_PREFIX "memstor-iowrite-" /* of the instance's name; then the process and a random number */
#define SESSION_BUFFER_KIB 512            /* of each CPU */

struct session;

/* Whether there is a chance: nothing is changed. 0 or a diag_exit code after one line. */
int session_check(void);
/* bdi: the device as events name it; others' are left out. 0 or a diag_exit code after one line; then nothing is left. */
int session_open(struct undo *undo, const char *bdi, struct session **opened);
/* From now on events are kept; the caller is the thread that is going to write. 0 or a diag_exit code after one line. */
int session_start(struct session *session);

struct session_trace {
	const char *text; /* whole lines as of a trace_pipe; the session's until session_close */
	size_t bytes;
	const struct event_format *formats;
	int pid;          /* the caller's of session_start, as events have it; 0 = not found */
	uint64_t lost;    /* events that the kernel had no room for */
};
/* No more events. 0 or a diag_exit code after one line. */
int session_stop(struct session *session, struct session_trace *trace);
/* NULL is allowed. */
void session_close(struct session *session);

#endif
