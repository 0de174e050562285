/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/diag.h"

static const char *name_event(enum event_kind kind, char name[64])
{
	snprintf(name, 64, "writeback/%s", event_name(kind));
	return name;
}

int watch_try_format(const struct trace_instance *instance, enum event_kind kind, struct event_format *format,
	const char **missing)
{
	char *text = malloc(TRACE_INSTANCE_TEXT), path[64];
	int rc = text ? trace_instance_format(instance, name_event(kind, path), text, TRACE_INSTANCE_TEXT) : -ENOMEM;

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

int watch_enable(const struct trace_instance *instance, enum event_kind kind, const char *bdi)
{
	char name[64], filter[128];

	snprintf(filter, sizeof(filter), "bdi == \"%s\"", bdi);
	/* Only spares events: they are looked at again. */
	if (kind != EVENT_STATE && !trace_instance_enable(instance, name_event(kind, name), filter))
		return 0;
	return trace_instance_enable(instance, name_event(kind, name), NULL);
}

int watch_disable(const struct trace_instance *instance, enum event_kind kind)
{
	char name[64];

	return trace_instance_disable(instance, name_event(kind, name));
}
