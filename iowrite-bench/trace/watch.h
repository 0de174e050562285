/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An event of writeback turned on in a trace instance, and the form of its lines. */
#ifndef IOWRITE_BENCH_TRACE_WATCH_H
#define IOWRITE_BENCH_TRACE_WATCH_H

#include "common/trace_instance.h"
#include "iowrite-bench/trace/event.h"

/* The form that this kernel gives the event's lines. 0 or -errno after one line. */
int watch_format(const struct trace_instance *instance, enum event_kind kind, struct event_format *format);
/* The same in silence. *missing: what the event lacks, static text, when that is -ENODATA. */
int watch_try_format(const struct trace_instance *instance, enum event_kind kind, struct event_format *format,
	const char **missing);
/* bdi: the device as events name it; others' are left out where an event has one. 0 or -errno. */
int watch_enable(const struct trace_instance *instance, enum event_kind kind, const char *bdi);
int watch_disable(const struct trace_instance *instance, enum event_kind kind);

#endif
