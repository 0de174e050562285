/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of the kernel's dirty throttling, which only its trace events show (mm/page-writeback.c): the limit in force,
 * which falls to a lowered threshold by a 32nd of the difference every 200 ms and only while a writer is throttled;
 * dirty_ratelimit, the rate allowed to a writer; and the kernel's estimate of the device's rate. They outlive a
 * run by hours, and they never become steady where writers are throttled at the first limit on a fast device. The state also
 * has the unit of pauses, the tick, and the portions in which a writer dirties pages between two checks.
 *
 * One event per 200 ms of throttling has no measurable cost. Events of checks occur some hundred times a second, or thousands
 * of times far above the limit: they are enabled until throttle_state_read has some of them. Needs root.
 */
#ifndef IOWRITE_BENCH_SETUP_THROTTLE_STATE_H
#define IOWRITE_BENCH_SETUP_THROTTLE_STATE_H

#include "common/storage/target.h"
#include "common/undo/tracefs.h"
#include "common/undo/undo.h"
#include "iowrite-bench/model/model.h"
#include "iowrite-bench/write/dirty.h"

struct throttle_state;

/* target: of the writes, which this process makes in its present cgroup. Returns 0 and *opened, or NULL there and the reason in
 * *why, a string literal; -ENOMEM. Prints nothing, because measuring continues without it. */
int throttle_state_open(struct undo *undo, const struct target *target, struct throttle_state **opened, const char **why);
/* Does the same with an open trace instance, which the throttle state owns on success; bdi, cgroup: the device and
 * the writer's cgroup as events name them (dirty.h; 0 = any). Returns 0 or -errno. */
int throttle_state_open_in(const struct trace_instance *instance, const char *bdi, uint64_t cgroup, struct throttle_state **opened);
/* Reads the known values; 0 = unknown, because no writer was throttled on this device since throttle_state_open; the tick is
 * always known. Takes some ms and one read of /proc/vmstat. NULL throttle state: all unknown. */
void throttle_state_read(struct throttle_state *throttle, const struct dirty *dirty, struct model_control *control);
/* NULL is allowed. */
void throttle_state_close(struct throttle_state *throttle);

/*
 * The unit in which a file system takes large writes, from the bytes dirtied between two checks of balance_dirty_pages: folios
 * of one size, so that most of these amounts are multiples of it. The exceptions come from tasks that ended and from smaller
 * writers.
 */

struct granule {
	uint64_t samples[64]; /* by the largest power of two that divides the amount */
};

/* bytes > 0. */
void granule_add(struct granule *granule, uint64_t bytes);
/* Returns the number of amounts. */
uint64_t granule_samples(const struct granule *granule);
/* Returns the largest power of two that divides at least half of the amounts; 0 = there are none. */
uint64_t granule_bytes(const struct granule *granule);

#endif
