/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as what a kernel tells of its events: the text up to the first NUL as a format file of one event, the rest (or
 * all, when there is no NUL) as one event as it lies in a buffer.
 */
#include "config.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "iowrite-bench/trace/trace.h"

#define FIELD(at) {(at), 8}

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_watch watch = {.bdi = "254:0", .formats = {
		[EVENT_STATE] = {987, {4, 4}, {0, 0}, {FIELD(8), FIELD(16), FIELD(24), FIELD(32), FIELD(40)}},
		[EVENT_PAUSE] = {985, {4, 4}, {8, 32}, {FIELD(112), {96, 4}, FIELD(88), FIELD(136), {0, 0}}},
		[EVENT_RATELIMIT] = {986, {4, 4}, {8, 32}, {FIELD(64), FIELD(80), FIELD(48), FIELD(88), {0, 0}}},
	}};
	const struct timeline_window window = {4711, 1000000000, 2000000000, 4096, 1};
	const uint8_t *zero = size ? memchr(data, '\0', size) : NULL;
	size_t head = zero ? (size_t)(zero - data) + 1 : 0;
	/* Without a byte behind it that happens to be there. */
	char *rest = malloc(size > head ? size - head : 1);
	struct timeline timeline;
	const char *missing = NULL;
	struct event event;

	if (!rest)
		return 0;
	memcpy(rest, data + head, size - head);
	for (int kind = 0; kind < EVENT_FORMATS && head; kind++) {
		int rc = event_read_format((enum event_kind)kind, (const char *)data, &watch.formats[kind], &missing);

		check(!rc || rc == -EINVAL || (rc == -ENODATA && missing));
	}
	if (event_make(&watch, 1500000000, rest, size - head, &event)) {
		check(event.kind <= EVENT_MARK && event.time_ns == 1500000000 && watch.taken == 1);
		check(!timeline_read(&event, 1, &window, &timeline));
		check(timeline.state_count == (event.kind == EVENT_STATE) && timeline.pause_count <= 1);
		timeline_free(&timeline);
	}
	free(rest);
	return 0;
}
