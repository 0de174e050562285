/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/throttle_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/diag.h"
#include "iowrite-bench/dirty.h"

#define PREFIX "memstor-gauge-"
#define BUFFER_KIB 256      /* per CPU some two thousand events: 20 s of throttling */
#define TEXT_BYTES (1u << 20)
#define LOOKS 16            /* by which portions are known: one look may be another's */
#define KIB 1024.0

struct throttle_state {
	struct trace_instance instance;
	struct event_format formats[EVENT_FORMATS];
	char bdi[EVENT_TEXT];
	uint64_t cgroup;
	char *text;
	double page_bytes;
	bool is_counting;       /* looks are read until portions are known */
	struct granule granule; /* of pages */
	struct model_control last;
};

static int watch(struct throttle_state *throttle)
{
	const char *missing;
	int rc = watch_try_format(&throttle->instance, EVENT_RATELIMIT, &throttle->formats[EVENT_RATELIMIT], &missing);

	if (!rc)
		rc = watch_try_format(&throttle->instance, EVENT_STATE, &throttle->formats[EVENT_STATE], &missing);
	if (!rc)
		rc = watch_enable(&throttle->instance, EVENT_RATELIMIT, throttle->bdi);
	/* Without them all else can be told. */
	throttle->is_counting = !rc &&
		!watch_try_format(&throttle->instance, EVENT_PAUSE, &throttle->formats[EVENT_PAUSE], &missing) &&
		!watch_enable(&throttle->instance, EVENT_PAUSE, throttle->bdi);
	return rc ? rc : trace_instance_write(&throttle->instance, "tracing_on", "1");
}

/* NULL = there is a chance. */
static const char *why_not(void)
{
	int rc = trace_instance_try();

	if (!rc)
		return NULL;
	if (rc != -EACCES && rc != -EPERM)
		return "this kernel has no tracing (tracefs)";
	return geteuid() ? "the kernel's tracing is root's" : "the kernel's tracing is not to be had in here, for root neither";
}

int throttle_state_open_in(const struct trace_instance *instance, const char *bdi, uint64_t cgroup, struct throttle_state **opened)
{
	struct throttle_state *throttle = calloc(1, sizeof(*throttle));
	int rc;

	if (!throttle)
		return -ENOMEM;
	snprintf(throttle->bdi, sizeof(throttle->bdi), "%s", bdi);
	throttle->cgroup = cgroup;
	throttle->page_bytes = (double)sysconf(_SC_PAGESIZE);
	throttle->text = malloc(TEXT_BYTES);
	throttle->instance = *instance;
	rc = throttle->text ? watch(throttle) : -ENOMEM;
	if (!rc) {
		*opened = throttle;
		return 0;
	}
	free(throttle->text);
	free(throttle);
	return rc;
}

int throttle_state_open(struct undo *undo, const struct target *target, struct throttle_state **opened, const char **why)
{
	struct trace_instance instance;
	char bdi[EVENT_TEXT];
	int rc;

	*opened = NULL;
	*why = why_not();
	if (!*why && bdi_of("", target->device, bdi, sizeof(bdi)))
		*why = "the device has no name that events could be told apart by";
	if (*why)
		return 0;
	rc = trace_instance_open_quietly(undo, PREFIX, BUFFER_KIB, &instance);
	if (!rc) {
		rc = throttle_state_open_in(&instance, bdi, bdi_cgroup("", target->file_system), opened);
		if (rc)
			trace_instance_close(&instance);
	}
	if (rc && rc != -ENOMEM)
		*why = "this kernel does not tell it by its tracing";
	return rc == -ENOMEM ? rc : 0;
}

double throttle_state_tick_s(void)
{
	struct timespec tick;

	/* It is advanced once in a tick. */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick))
		return 0;
	return (double)tick.tv_sec + (double)tick.tv_nsec / 1e9;
}

static void take_ratelimit(struct throttle_state *throttle, const struct event *event)
{
	throttle->last.ratelimit = (double)event->values[EVENT_RATELIMIT_DIRTY] * KIB;
	throttle->last.write_rate = (double)event->values[EVENT_RATELIMIT_WRITE] * KIB;
}

static void take(struct throttle_state *throttle, const char *line, size_t length)
{
	struct event event;

	if (event_parse(throttle->formats, line, length, &event))
		return;
	if (event.kind == EVENT_STATE)
		throttle->last.limit = (double)event.values[EVENT_STATE_LIMIT] * throttle->page_bytes;
	if (event.kind == EVENT_STATE || strcmp(event.text, throttle->bdi) || !event_is_of_cgroup(&event, throttle->cgroup))
		return;
	if (event.kind == EVENT_RATELIMIT)
		take_ratelimit(throttle, &event);
	if (event.kind == EVENT_PAUSE && event.values[EVENT_PAUSE_DIRTIED] > 0)
		granule_add(&throttle->granule, (uint64_t)event.values[EVENT_PAUSE_DIRTIED]);
}

/* A file system does not change what it takes. */
static void count(struct throttle_state *throttle)
{
	throttle->last.step_bytes = (double)granule_bytes(&throttle->granule) * throttle->page_bytes;
	if (granule_looks(&throttle->granule) >= LOOKS)
		throttle->is_counting = watch_disable(&throttle->instance, EVENT_PAUSE) != 0;
}

/* All lines, in the order of time, of which the last count; what has been read is thrown away. */
static void take_all(struct throttle_state *throttle)
{
	if (trace_instance_read_end(&throttle->instance, "trace", throttle->text, TEXT_BYTES))
		return;
	for (const char *line = throttle->text; *line;) {
		size_t length = strcspn(line, "\n");

		if (*line != '#')
			take(throttle, line, length);
		line += length + (line[length] == '\n');
	}
	if (throttle->is_counting)
		count(throttle);
	(void)trace_instance_clear(&throttle->instance);
}

void throttle_state_read(struct throttle_state *throttle, const struct dirty *dirty, struct model_control *control)
{
	struct dirty_state state;

	*control = (struct model_control){0};
	if (!throttle)
		return;
	/* The kernel tells its state whenever it computes the thresholds, as for whoever reads /proc/vmstat. */
	if (!watch_enable(&throttle->instance, EVENT_STATE, throttle->bdi)) {
		(void)dirty_read(dirty, &state);
		(void)watch_disable(&throttle->instance, EVENT_STATE);
	}
	take_all(throttle);
	*control = throttle->last;
	control->tick_s = throttle_state_tick_s();
}

void throttle_state_close(struct throttle_state *throttle)
{
	if (!throttle)
		return;
	trace_instance_close(&throttle->instance);
	free(throttle->text);
	free(throttle);
}

/* --- watch --- */

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

/* --- granule --- */

void granule_add(struct granule *granule, uint64_t bytes)
{
	granule->looks[__builtin_ctzll(bytes)]++;
}

uint64_t granule_looks(const struct granule *granule)
{
	uint64_t all = 0;

	for (int power = 0; power < 64; power++)
		all += granule->looks[power];
	return all;
}

uint64_t granule_bytes(const struct granule *granule)
{
	uint64_t all = granule_looks(granule), divided = 0;

	for (int power = 63; power >= 0 && all; power--) {
		divided += granule->looks[power];
		if (2 * divided >= all)
			return 1ull << power;
	}
	return 0;
}
