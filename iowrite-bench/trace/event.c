/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	const char *fields[EVENT_VALUES + 1]; /* in the order of the places */
	int needed;                           /* of them; kernels may lack the others */
} known[EVENT_FORMATS] = {
	[EVENT_STATE] = {"global_dirty_state",
		{"nr_dirty", "nr_writeback", "background_thresh", "dirty_thresh", "dirty_limit"}, 5},
	[EVENT_PAUSE] = {"balance_dirty_pages", {"pause", "dirtied", "task_ratelimit", "cgroup_ino"}, 3},
	/* Of the two bandwidths the smoothed one is what the kernel's law takes. */
	[EVENT_RATELIMIT] = {"bdi_dirty_ratelimit",
		{"dirty_ratelimit", "balanced_dirty_ratelimit", "avg_write_bw", "cgroup_ino"}, 3},
};

const char *event_name(enum event_kind kind)
{
	return known[kind].name;
}

_Static_assert((int)EVENT_PAUSE_CGROUP == (int)EVENT_RATELIMIT_CGROUP, "one place for both");

bool event_is_of_cgroup(const struct event *event, uint64_t cgroup)
{
	uint64_t its = (uint64_t)event->values[EVENT_RATELIMIT_CGROUP];

	return !cgroup || !its || its == cgroup;
}

int event_read_format(enum event_kind kind, const char *text, struct event_format *format, const char **missing)
{
	struct event_format found = {0};

	if (trace_format_id(text, &found.id) || !found.id || trace_format_field(text, "common_pid", &found.pid) ||
		(kind != EVENT_STATE && trace_format_array(text, "bdi", &found.bdi)))
		return -EINVAL;
	for (int i = 0; known[kind].fields[i]; i++) {
		if (!trace_format_field(text, known[kind].fields[i], &found.values[i]) || i >= known[kind].needed)
			continue;
		*missing = known[kind].fields[i];
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

int event_find(const struct trace_instance *instance, enum event_kind kind, struct event_watch *watch, const char **missing)
{
	char *text = malloc(TRACE_INSTANCE_TEXT), path[64];
	int rc = text ? trace_instance_format(instance, path_of(kind, path), text, TRACE_INSTANCE_TEXT) : -ENOMEM;

	if (!rc)
		rc = event_read_format(kind, text, &watch->formats[kind], missing);
	free(text);
	return rc;
}

int event_enable(const struct trace_instance *instance, enum event_kind kind, const struct event_watch *watch)
{
	char path[64], filter[64];

	snprintf(filter, sizeof(filter), "bdi == \"%s\"", watch->bdi);
	/* Only spares events: event_make compares again, since not the kernels of all years filter. */
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
	struct event_watch *watch = context;
	struct event *event = item;
	uint16_t type;

	if (size < sizeof(type))
		return false;
	memcpy(&type, raw, sizeof(type));
	*event = (struct event){.time_ns = time_ns, .kind = EVENT_MARK};
	for (int kind = 0; kind < EVENT_FORMATS; kind++) {
		if (watch->formats[kind].id == type)
			event->kind = (enum event_kind)kind;
	}
	/* Fields of common_ are the same in all events. */
	event->pid = (int)trace_field_get(&watch->formats[EVENT_STATE].pid, raw, size);
	if (event->kind == EVENT_MARK) {
		if (!memmem(raw, size, EVENT_MARK_TEXT, strlen(EVENT_MARK_TEXT)))
			return false;
	} else {
		const struct event_format *format = &watch->formats[event->kind];

		if (!is_of_device(watch, &format->bdi, raw, size))
			return false;
		for (int i = 0; i < EVENT_VALUES; i++) {
			uint64_t value = trace_field_get(&format->values[i], raw, size);

			/* A pause is a long. */
			event->values[i] = event->kind == EVENT_PAUSE && i == EVENT_PAUSE_PAUSE && format->values[i].size == 4
						   ? (int32_t)value
						   : (int64_t)value;
		}
	}
	watch->taken++;
	return true;
}
