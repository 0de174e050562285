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
#include "iowrite-bench/setup/event.h"

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
		[EVENT_STATE] = {987, {0, 0}, {0, 0}, {FIELD(40), {0, 0}}},
		[EVENT_PAUSE] = {985, {8, 32}, FIELD(136), {{96, 4}, {0, 0}}},
		[EVENT_RATELIMIT] = {986, {8, 32}, FIELD(88), {FIELD(64), FIELD(48)}},
	}};
	const uint8_t *zero = size ? memchr(data, '\0', size) : NULL;
	size_t head = zero ? (size_t)(zero - data) + 1 : 0;
	/* Without a byte behind it that happens to be there. */
	char *rest = malloc(size > head ? size - head : 1);
	struct event event;

	if (!rest)
		return 0;
	memcpy(rest, data + head, size - head);
	for (int kind = 0; kind < EVENT_KINDS && head; kind++) {
		int rc = event_read_format((enum event_kind)kind, (const char *)data, &watch.formats[kind]);

		check(!rc || rc == -EINVAL || rc == -ENODATA);
	}
	if (event_make(&watch, 1500000000, rest, size - head, &event))
		check(event.kind < EVENT_KINDS && event.time_ns == 1500000000);
	free(rest);
	return 0;
}
