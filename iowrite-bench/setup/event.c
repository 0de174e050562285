/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/setup/event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	const char *fields[EVENT_VALUES]; /* in the order of the values */
} known[EVENT_KINDS] = {
	[EVENT_STATE] = {"global_dirty_state", {"dirty_limit"}},
	[EVENT_PAUSE] = {"balance_dirty_pages", {"dirtied"}},
	/* The kernel's law takes the smoothed one of the two bandwidths. */
	[EVENT_RATELIMIT] = {"bdi_dirty_ratelimit", {"dirty_ratelimit", "avg_write_bw"}},
};

const char *event_name(enum event_kind kind)
{
	return known[kind].name;
}

bool event_is_of_cgroup(const struct event *event, uint64_t cgroup)
{
	return !cgroup || !event->cgroup || event->cgroup == cgroup;
}

int event_read_format(enum event_kind kind, const char *text, struct event_format *format)
{
	struct event_format found = {0};

	if (trace_format_id(text, &found.id) || !found.id ||
		(kind != EVENT_STATE && trace_format_array(text, "bdi", &found.bdi)))
		return -EINVAL;
	(void)trace_format_field(text, "cgroup_ino", &found.cgroup);
	for (int i = 0; i < EVENT_VALUES && known[kind].fields[i]; i++) {
		if (trace_format_field(text, known[kind].fields[i], &found.values[i]))
			return -ENODATA;
	}
	*format = found;
	return 0;
}

/* --- in an instance --- */

static const char *path_of(enum event_kind kind, char path[64])
{
	snprintf(path, 64, "writeback/%s", event_name(kind));
	return path;
}

int event_find(const struct trace_instance *instance, enum event_kind kind, struct event_watch *watch)
{
	char *text = malloc(TRACE_INSTANCE_TEXT), path[64];
	int rc = text ? trace_instance_format(instance, path_of(kind, path), text, TRACE_INSTANCE_TEXT) : -ENOMEM;

	if (!rc)
		rc = event_read_format(kind, text, &watch->formats[kind]);
	free(text);
	return rc;
}

int event_enable(const struct trace_instance *instance, enum event_kind kind, const struct event_watch *watch)
{
	char path[64], filter[64];

	snprintf(filter, sizeof(filter), "bdi == \"%s\"", watch->bdi);
	/* The filter only saves events: event_make compares again, because not all kernels filter. */
	if (kind != EVENT_STATE && !trace_instance_enable(instance, path_of(kind, path), filter))
		return 0;
	return trace_instance_enable(instance, path_of(kind, path), NULL);
}

int event_disable(const struct trace_instance *instance, enum event_kind kind)
{
	char path[64];

	return trace_instance_disable(instance, path_of(kind, path));
}

/* --- events --- */

static bool is_of_device(const struct event_watch *watch, const struct trace_field *field, const char *raw, size_t size)
{
	size_t length = strlen(watch->bdi) + 1;

	return !field->size || (length <= field->size && field->offset + length <= size &&
				       !memcmp(raw + field->offset, watch->bdi, length));
}

bool event_make(void *context, uint64_t time_ns, const void *raw, size_t size, void *item)
{
	const struct event_watch *watch = context;
	const struct event_format *format = watch->formats;
	struct event *event = item;
	uint16_t type;

	if (size < sizeof(type))
		return false;
	memcpy(&type, raw, sizeof(type));
	while (format < watch->formats + EVENT_KINDS && format->id != type)
		format++;
	if (format == watch->formats + EVENT_KINDS || !is_of_device(watch, &format->bdi, raw, size))
		return false;
	*event = (struct event){.time_ns = time_ns, .kind = (enum event_kind)(format - watch->formats),
		.cgroup = trace_field_get(&format->cgroup, raw, size)};
	for (int i = 0; i < EVENT_VALUES; i++)
		event->values[i] = trace_field_get(&format->values[i], raw, size);
	return true;
}
