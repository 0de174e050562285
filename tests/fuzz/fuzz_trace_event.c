/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as what a kernel prints of its events: the text up to the first NUL as a format file of one event, the rest
 * (or all, when there is no NUL) as lines of a trace_pipe.
 */
#include "config.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "iowrite-bench/trace/trace.h"

static const char *const usual[EVENT_FORMATS] = {
	[EVENT_STATE] = "print fmt: \"dirty=%lu writeback=%lu bg_thresh=%lu thresh=%lu limit=%lu dirtied=%lu "
			"written=%lu\", REC->nr_dirty",
	[EVENT_PAUSE] = "print fmt: \"bdi %s: limit=%lu setpoint=%lu dirty=%lu wb_setpoint=%lu wb_dirty=%lu "
			"dirty_ratelimit=%lu task_ratelimit=%lu dirtied=%u dirtied_pause=%u paused=%lu pause=%ld "
			"period=%lu think=%ld cgroup_ino=%lu\", REC->bdi",
	[EVENT_RATELIMIT] = "print fmt: \"bdi %s: write_bw=%lu awrite_bw=%lu dirty_rate=%lu dirty_ratelimit=%lu "
			    "task_ratelimit=%lu balanced_dirty_ratelimit=%lu cgroup_ino=%lu\", REC->bdi",
};

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

/* As whole lines and each line alone: what a text holds is what its lines hold. */
static void read_lines(const struct event_format formats[EVENT_FORMATS], const char *text, size_t size)
{
	const struct timeline_window window = {4711, "254:0", 1000000000, 2000000000, 4096};
	struct timeline timeline;
	size_t states = 0;

	for (const char *line = text, *end = text + size; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		struct event event;

		if (!newline)
			break;
		if (!event_parse(formats, line, (size_t)(newline - line), &event)) {
			check(event.kind <= EVENT_LOST && memchr(event.text, '\0', EVENT_TEXT) && event.pid >= 0);
			states += event.kind == EVENT_STATE && event.time_ns >= window.begin_ns &&
				  event.time_ns <= window.end_ns;
		}
		line = newline + 1;
	}
	check(!timeline_read(formats, text, size, &window, &timeline) && timeline.state_count == states);
	for (size_t i = 1; i < states; i++)
		check(timeline.states[i - 1].time_ns <= timeline.states[i].time_ns);
	timeline_free(&timeline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_format formats[EVENT_FORMATS];
	const uint8_t *zero = size ? memchr(data, '\0', size) : NULL;
	size_t head = zero ? (size_t)(zero - data) + 1 : 0;
	/* Without a byte behind it that happens to be there. */
	char *rest = malloc(size - head + 1), *exact;
	const char *missing;

	if (!rest)
		return 0;
	memcpy(rest, data + head, size - head);
	for (int kind = 0; kind < EVENT_FORMATS; kind++) {
		check(!event_read_format((enum event_kind)kind, usual[kind], &formats[kind], &missing));
		if (head) {
			int rc = event_read_format((enum event_kind)kind, (const char *)data, &formats[kind], &missing);

			check(!rc || rc == -EINVAL || (rc == -ENODATA && missing));
		}
	}
	exact = realloc(rest, size - head + !(size - head));
	read_lines(formats, exact ? exact : rest, size - head);
	free(exact ? exact : rest);
	return 0;
}
