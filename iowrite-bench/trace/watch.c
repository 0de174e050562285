/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/diag.h"

int watch_try_format(const struct trace_instance *instance, enum event_kind kind, struct event_format *format,
	const char **missing)
{
	char *text = malloc(TRACE_INSTANCE_TEXT), path[128];
	int rc = text ? 0 : -ENOMEM;

	snprintf(path, sizeof(path), "events/writeback/%s/format", event_name(kind));
	if (!rc)
		rc = trace_instance_read(instance, path, text, TRACE_INSTANCE_TEXT);
	if (!rc)
		rc = event_read_format(kind, text, format, missing);
	free(text);
	return rc;
}

int watch_format(const struct trace_instance *instance, enum event_kind kind, struct event_format *format)
{
	const char *missing = "", *name = event_name(kind);
	int rc = watch_try_format(instance, kind, format, &missing);

	if (rc == -ENODATA)
		diag_error(0, "this kernel's writeback:%s has no %s: it cannot be traced", name, missing);
	else if (rc)
		diag_error(rc, "cannot read the format of this kernel's writeback:%s", name);
	return rc;
}

static int turn(const struct trace_instance *instance, enum event_kind kind, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "events/writeback/%s/enable", event_name(kind));
	return trace_instance_write(instance, path, value);
}

int watch_enable(const struct trace_instance *instance, enum event_kind kind, const char *bdi)
{
	char path[128], filter[128];

	if (kind != EVENT_STATE) {
		/* Only spares events: they are looked at again. */
		snprintf(path, sizeof(path), "events/writeback/%s/filter", event_name(kind));
		snprintf(filter, sizeof(filter), "bdi == \"%s\"", bdi);
		(void)trace_instance_write(instance, path, filter);
	}
	return turn(instance, kind, "1");
}

int watch_disable(const struct trace_instance *instance, enum event_kind kind)
{
	return turn(instance, kind, "0");
}
