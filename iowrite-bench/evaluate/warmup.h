/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel throttles by what it takes the device to be: an average over seconds of what was written back
 * (wb_update_write_bandwidth) and a rate limit that follows it in small steps (wb_update_dirty_ratelimit). They begin with
 * 100 MB/s for a new device, and small synchronous writes pull them down to a fraction of what the device can; until they
 * have caught up, writers are held where throttling begins and not at the setpoint. So buffered scenarios come after some
 * seconds of throttled writing that nobody measures: until what is dirty or being written back stands near the setpoint.
 */
#ifndef IOWRITE_BENCH_EVALUATE_WARMUP_H
#define IOWRITE_BENCH_EVALUATE_WARMUP_H

#include "common/target.h"
#include "iowrite-bench/dirty.h"

struct warmup {
	const struct target *target; /* its file is written, and empty afterwards */
	const struct dirty *dirty;
	uint64_t file_bytes;         /* that there is room for */
	uint64_t most_bytes;         /* that may be written, again and again */
	uint64_t longest_ns;
	const volatile int *stop;
};

/* Until it has settled, or most_bytes are written, or the time is over, or *stop. Nothing where file_bytes are too few
 * to be throttled. 0 or -errno. */
int warmup_run(const struct warmup *warmup);

#endif
