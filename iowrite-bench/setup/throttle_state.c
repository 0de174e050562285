/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/setup/throttle_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "iowrite-bench/setup/event.h"

#define PREFIX "memstor-throttle-"
#define BUFFER_KIB 256      /* per CPU some two thousand events: 20 s of throttling */
#define EVENTS 16384        /* kept of those since the last read: the latest */
#define SAMPLES_ENOUGH 16   /* by which portions are known: one check may be of another writer */
#define KIB 1024.0

struct throttle_state {
	struct trace_instance instance;
	struct event_watch watch;
	struct trace_drain *drain;
	uint64_t cgroup;
	double page_bytes;
	bool is_counting;       /* checks are read until portions are known */
	struct granule granule; /* of pages */
	struct model_control last;
};

static int watch(struct throttle_state *throttle)
{
	const struct trace_instance *instance = &throttle->instance;
	int rc = event_find(instance, EVENT_RATELIMIT, &throttle->watch);

	if (!rc)
		rc = event_find(instance, EVENT_STATE, &throttle->watch);
	if (!rc)
		rc = event_enable(instance, EVENT_RATELIMIT, &throttle->watch);
	/* The rest is read without this event, too. */
	throttle->is_counting = !rc && !event_find(instance, EVENT_PAUSE, &throttle->watch) &&
				!event_enable(instance, EVENT_PAUSE, &throttle->watch);
	if (!rc)
		rc = trace_drain_open(instance, EVENTS, sizeof(struct event), event_make, &throttle->watch, &throttle->drain);
	return rc ? rc : trace_instance_write(instance, "tracing_on", "1");
}

int throttle_state_open_in(const struct trace_instance *instance, const char *bdi, uint64_t cgroup, struct throttle_state **opened)
{
	struct throttle_state *throttle = calloc(1, sizeof(*throttle));
	int rc;

	if (!throttle)
		return -ENOMEM;
	snprintf(throttle->watch.bdi, sizeof(throttle->watch.bdi), "%s", bdi);
	throttle->cgroup = cgroup;
	throttle->page_bytes = (double)sysconf(_SC_PAGESIZE);
	throttle->instance = *instance;
	rc = watch(throttle);
	if (!rc) {
		*opened = throttle;
		return 0;
	}
	trace_drain_close(throttle->drain);
	free(throttle);
	return rc;
}

int throttle_state_open(struct undo *undo, const struct target *target, struct throttle_state **opened, const char **why)
{
	struct trace_instance instance;
	char bdi[EVENT_BDI];
	int rc;

	*opened = NULL;
	*why = trace_instance_try() ? "tracefs is not available; memstor doctor says why" : NULL;
	if (!*why && bdi_of("", target->device, bdi, sizeof(bdi)))
		*why = "the device has no name by which events could be distinguished";
	if (*why)
		return 0;
	rc = trace_instance_open(undo, PREFIX, BUFFER_KIB, &instance);
	if (!rc) {
		rc = throttle_state_open_in(&instance, bdi, bdi_cgroup("", target->file_system), opened);
		if (rc)
			trace_instance_close(&instance);
	}
	if (rc && rc != -ENOMEM)
		*why = "this kernel's trace events do not have it";
	return rc == -ENOMEM ? rc : 0;
}

/* Returns the kernel's tick, 1 / CONFIG_HZ; 0 = unknown. */
static double tick_s(void)
{
	struct timespec tick;

	/* The coarse clock advances once per tick. */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick))
		return 0;
	return (double)tick.tv_sec + (double)tick.tv_nsec / 1e9;
}

/* Reads all events since the last call, and keeps the last of each value. */
static void take_events(struct throttle_state *throttle)
{
	struct model_control *last = &throttle->last;
	const struct event *event;
	const void *kept;
	size_t count;

	if (trace_drain_now(throttle->drain))
		return;
	trace_drain_kept(throttle->drain, &kept, &count);
	for (event = kept; count; count--, event++) {
		const uint64_t *values = event->values;

		if (event->kind == EVENT_STATE) {
			last->limit = (double)values[EVENT_STATE_LIMIT] * throttle->page_bytes;
		} else if (!event_is_of_cgroup(event, throttle->cgroup)) {
			continue;
		} else if (event->kind == EVENT_RATELIMIT) {
			last->ratelimit = (double)values[EVENT_RATELIMIT_DIRTY] * KIB;
			last->write_rate = (double)values[EVENT_RATELIMIT_WRITE] * KIB;
		} else if (event->kind == EVENT_PAUSE && values[EVENT_PAUSE_DIRTIED]) {
			granule_add(&throttle->granule, values[EVENT_PAUSE_DIRTIED]);
		}
	}
	if (!throttle->is_counting)
		return;
	/* The step of a file system does not change. */
	last->step_bytes = (double)granule_bytes(&throttle->granule) * throttle->page_bytes;
	if (granule_samples(&throttle->granule) >= SAMPLES_ENOUGH)
		throttle->is_counting = event_disable(&throttle->instance, EVENT_PAUSE) != 0;
}

void throttle_state_read(struct throttle_state *throttle, const struct dirty *dirty, struct model_control *control)
{
	struct dirty_state state;

	*control = (struct model_control){0};
	if (!throttle)
		return;
	/* The kernel reports its state whenever it computes the thresholds, which a read of /proc/vmstat causes. */
	if (!event_enable(&throttle->instance, EVENT_STATE, &throttle->watch)) {
		(void)dirty_read(dirty, &state);
		(void)event_disable(&throttle->instance, EVENT_STATE);
	}
	take_events(throttle);
	*control = throttle->last;
	control->tick_s = tick_s();
}

void throttle_state_close(struct throttle_state *throttle)
{
	if (!throttle)
		return;
	trace_drain_close(throttle->drain);
	trace_instance_close(&throttle->instance);
	free(throttle);
}

/* --- granule --- */

void granule_add(struct granule *granule, uint64_t bytes)
{
	granule->samples[__builtin_ctzll(bytes)]++;
}

uint64_t granule_samples(const struct granule *granule)
{
	uint64_t all = 0;

	for (int power = 0; power < 64; power++)
		all += granule->samples[power];
	return all;
}

uint64_t granule_bytes(const struct granule *granule)
{
	uint64_t all = granule_samples(granule), divided = 0;

	for (int power = 63; power >= 0 && all; power--) {
		divided += granule->samples[power];
		if (2 * divided >= all)
			return 1ull << power;
	}
	return 0;
}
