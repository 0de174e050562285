/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of writeback for tests, as they lie in the buffers of Linux 6.18 by its format files. */
#ifndef TESTS_UNIT_TRACE_EVENTS_H
#define TESTS_UNIT_TRACE_EVENTS_H

#include <string.h>

#include "iowrite-bench/setup/event.h"
#include "tests/unit/unit.h"

#define WRITER 4711
#define FLUSHER 27489

struct raw_event {
	union {
		struct {
			uint16_t type;
			uint16_t flags;
			int32_t pid;
			union {
				uint64_t state[7];
				struct {
					char bdi[32];
					uint64_t limits[7];
					uint32_t dirtied, dirtied_pause;
					uint64_t paused;
					int64_t pause;
					uint64_t period;
					int64_t think;
					uint64_t cgroup;
				} pause;
				struct {
					char bdi[32];
					uint64_t write, average_write, dirty_rate, dirty, task, balanced, cgroup;
				} ratelimit;
			};
		};
		uint32_t words[64];
	};
	size_t size;
};

static inline struct raw_event raw_state(int pid, uint64_t dirty, uint64_t writeback)
{
	return (struct raw_event){.type = 987, .pid = pid, .state = {dirty, writeback, 1000, 2000, 2500, 99, UINT64_MAX},
		.size = 64};
}

static inline struct raw_event raw_pause(int pid, const char *bdi, int64_t pause, uint32_t dirtied, uint64_t cgroup)
{
	struct raw_event event = {.type = 985, .pid = pid, .size = 144};

	snprintf(event.pause.bdi, sizeof(event.pause.bdi), "%s", bdi);
	event.pause.limits[6] = 51200;
	event.pause.dirtied = dirtied;
	event.pause.dirtied_pause = 64;
	event.pause.pause = pause;
	event.pause.think = -4;
	event.pause.cgroup = cgroup;
	return event;
}

static inline struct raw_event raw_ratelimit(int pid, const char *bdi, uint64_t rate, uint64_t cgroup)
{
	struct raw_event event = {.type = 986, .pid = pid, .size = 96};

	snprintf(event.ratelimit.bdi, sizeof(event.ratelimit.bdi), "%s", bdi);
	event.ratelimit.write = 70000;
	event.ratelimit.average_write = 80000;
	event.ratelimit.dirty_rate = 90000;
	event.ratelimit.dirty = rate;
	event.ratelimit.task = 100;
	event.ratelimit.balanced = 200;
	event.ratelimit.cgroup = cgroup;
	return event;
}

static inline size_t format_text(const char *name, char *text, size_t capacity)
{
	char path[512];
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "%s/tests/fixtures/iowrite/trace-formats/%s", unit_srcdir(), name);
	file = fopen(path, "r");
	assert_non_null(file);
	size = fread(text, 1, capacity - 1, file);
	text[size] = '\0';
	fclose(file);
	return size;
}

static inline void watch_all(const char *bdi, struct event_watch *watch)
{
	char text[16384];

	*watch = (struct event_watch){0};
	snprintf(watch->bdi, sizeof(watch->bdi), "%s", bdi);
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		format_text(event_name((enum event_kind)kind), text, sizeof(text));
		assert_int_equal(event_read_format((enum event_kind)kind, text, &watch->formats[kind]), 0);
	}
}

#endif
