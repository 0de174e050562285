/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/warmup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/report_common.h"

#define CHUNK (4u << 20)
#define ALIGN 4096
#define LOOK_EVERY_NS 100000000
#define LOOKS 20
/* Parts of the way between the thresholds: 0.5 is freerun, 0.75 the setpoint, 1 the limit. */
#define ENOUGH 0.625
#define TOO_MUCH 0.9 /* the limit before still acts: it sinks by 1/32 each 200 ms (update_dirty_limit) */

struct settling {
	double enough;         /* bytes dirty or in write-back: nearer to the setpoint than to where throttling begins */
	double too_much;       /* and these: nearer to the limit */
	double sum;
	unsigned looks;
	uint64_t next_ns;
};

/* A file of which a part is always clean, whatever the kernel lets be dirty: its pages are in the cache after the first
 * round, and then the writer is faster than any device. 0: it would never be throttled. */
static uint64_t round_bytes(const struct warmup *warmup, const struct dirty_state *state)
{
	uint64_t wanted = state->threshold + state->threshold / 4;

	wanted = wanted < warmup->file_bytes ? wanted : warmup->file_bytes;
	wanted -= wanted % CHUNK;
	return wanted > state->threshold ? wanted : 0;
}

/* Means over two seconds: the device takes what it takes in portions. */
static bool is_settled(const struct warmup *warmup, struct settling *settling, uint64_t now)
{
	struct dirty_state state;
	double mean;

	if (now < settling->next_ns || dirty_read(warmup->dirty, &state))
		return false;
	settling->next_ns = now + LOOK_EVERY_NS;
	settling->sum += (double)state.dirty + (double)state.writeback;
	if (++settling->looks < LOOKS)
		return false;
	mean = settling->sum / LOOKS;
	settling->sum = 0;
	settling->looks = 0;
	return mean >= settling->enough && mean <= settling->too_much;
}

static int write_rounds(const struct warmup *warmup, const char *data, uint64_t bytes, struct settling *settling)
{
	uint64_t end = report_monotonic_ns() + warmup->longest_ns, now;

	for (uint64_t done = 0; done < warmup->most_bytes && !*warmup->stop; done += CHUNK) {
		now = report_monotonic_ns();
		if (now >= end || is_settled(warmup, settling, now))
			return 0;
		if (pwrite(warmup->target->fd, data, CHUNK, (off_t)(done % bytes)) < 0)
			return -errno;
	}
	return 0;
}

int warmup_run(const struct warmup *warmup)
{
	struct settling settling = {0};
	struct dirty_state state;
	uint64_t bytes, background;
	char *data;
	int rc = dirty_read(warmup->dirty, &state);

	if (rc)
		return rc;
	bytes = round_bytes(warmup, &state);
	if (!bytes)
		return 0;
	background = state.background_threshold < state.threshold ? state.background_threshold : state.threshold / 2;
	/* The setpoint is half of the way from freerun, the middle of the thresholds, to the upper one. */
	settling.enough = (double)background + ENOUGH * (double)(state.threshold - background);
	settling.too_much = (double)background + TOO_MUCH * (double)(state.threshold - background);
	data = aligned_alloc(ALIGN, CHUNK);
	if (!data)
		return -ENOMEM;
	memset(data, 0x5a, CHUNK);
	rc = write_rounds(warmup, data, bytes, &settling);
	free(data);
	if (ftruncate(warmup->target->fd, 0) && !rc)
		rc = -errno;
	return rc;
}
