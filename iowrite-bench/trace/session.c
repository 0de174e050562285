/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/trace_drain.h"
#include "iowrite-bench/throttle_state.h"

#define MARK "memstor iowrite-bench begins"

struct trace_session {
	struct trace_instance instance;
	struct event_format formats[EVENT_FORMATS];
	struct trace_drain *drain;
};

int trace_session_check(void)
{
	return trace_instance_check("trace");
}

static int watch_all(struct trace_session *session, const char *bdi)
{
	int rc = 0;

	for (int kind = 0; kind < EVENT_FORMATS && !rc; kind++)
		rc = watch_format(&session->instance, (enum event_kind)kind, &session->formats[kind]);
	for (int kind = 0; kind < EVENT_FORMATS && !rc; kind++) {
		rc = watch_enable(&session->instance, (enum event_kind)kind, bdi);
		if (rc)
			diag_error(rc, "cannot set up the trace instance %s", session->instance.name);
	}
	return rc;
}

static int open_pipe(struct trace_session *session)
{
	int rc = trace_drain_open(&session->instance, 0, 0, NULL, NULL, &session->drain);

	if (rc)
		diag_error(rc, "cannot read the trace instance %s", session->instance.name);
	return rc;
}

int trace_session_open(struct undo *undo, const char *bdi, struct trace_session **opened)
{
	struct trace_session *session = calloc(1, sizeof(*session));
	int rc;

	if (!session) {
		diag_error(ENOMEM, "cannot trace");
		return DIAG_EXIT_HOST;
	}
	rc = trace_instance_open(undo, TRACE_SESSION_PREFIX, TRACE_SESSION_BUFFER_KIB, &session->instance);
	if (!rc)
		rc = watch_all(session, bdi);
	if (!rc)
		rc = open_pipe(session);
	if (rc)
		trace_session_close(session);
	else
		*opened = session;
	return rc ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

int trace_session_start(struct trace_session *session)
{
	int rc = trace_instance_write(&session->instance, "tracing_on", "1");

	/* Tells how events name this thread, whatever PID namespace it is in. */
	if (!rc)
		rc = trace_instance_write(&session->instance, "trace_marker", MARK "\n");
	if (!rc)
		rc = trace_drain_start(session->drain, true);
	if (rc)
		diag_error(rc, "cannot start the trace instance %s", session->instance.name);
	return rc ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

static int find_pid(const struct trace_session_trace *trace)
{
	const char *mark = memmem(trace->text, trace->bytes, MARK "\n", strlen(MARK "\n")), *line = mark;
	struct event event;

	if (!mark)
		return 0;
	while (line > trace->text && line[-1] != '\n')
		line--;
	if (event_parse(trace->formats, line, (size_t)(mark - line) + strlen(MARK), &event))
		return 0;
	return event.pid;
}

int trace_session_stop(struct trace_session *session, struct trace_session_trace *trace)
{
	int rc = trace_instance_write(&session->instance, "tracing_on", "0"), drained = trace_drain_stop(session->drain);
	const void *text;

	rc = rc ? rc : drained;
	if (rc) {
		diag_error(rc, "cannot read the trace instance %s", session->instance.name);
		return DIAG_EXIT_HOST;
	}
	*trace = (struct trace_session_trace){.formats = session->formats, .lost = trace_instance_lost(&session->instance)};
	trace_drain_kept(session->drain, &text, &trace->bytes);
	trace->text = text;
	trace->pid = find_pid(trace);
	return DIAG_EXIT_OK;
}

void trace_session_close(struct trace_session *session)
{
	if (!session)
		return;
	trace_drain_close(session->drain);
	trace_instance_close(&session->instance);
	free(session);
}
