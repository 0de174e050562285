/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the kernel's control of dirty pages stands at, as nobody but its tracing tells (mm/page-writeback.c): the limit
 * that acts, which after the threshold was lowered sinks to it by a 32nd each 200 ms and only while somebody is held
 * back; dirty_ratelimit, the rate that it allows a writer; and what it takes the device's rate to be. They outlive a
 * run by hours, and where writers are held back at the first limit on a fast device they never come to rest. And how it
 * counts pauses: its tick, and in what portions a writer makes pages dirty between two looks.
 *
 * One event each 200 ms of throttling costs a writer nothing that can be measured. Looks at a writer are some hundred a
 * second, or thousands where it is far above the limit: they are on until a gauge_read has some of them. Root only.
 */
#ifndef IOWRITE_BENCH_THROTTLE_STATE_H
#define IOWRITE_BENCH_THROTTLE_STATE_H

#include <stdint.h>

#include "common/target.h"
#include "common/tracefs.h"
#include "common/undo.h"
#include "iowrite-bench/dirty.h"
#include "iowrite-bench/model/model.h"

struct throttle_state;

/* target: what is written to, by this process where its cgroup is now. 0 and *opened, or why there is none: NULL there and
 * a reason, a string literal. -ENOMEM. Nothing is printed: who measures goes on without. */
int throttle_state_open(struct undo *undo, const struct target *target, struct throttle_state **opened, const char **why);
/* The same in a trace instance that is there, which becomes the throttle state's on success; bdi, cgroup: the device and
 * the writer's cgroup as events name them (dirty.h; 0 = any). 0 or -errno. */
int throttle_state_open_in(const struct trace_instance *instance, const char *bdi, uint64_t cgroup, struct throttle_state **opened);
/* What is known by now; 0 = not known: no writer was throttled on this device since gauge_open; the tick always is. Takes some
 * ms and one look at /proc/vmstat. NULL throttle state: all unknown. */
void throttle_state_read(struct throttle_state *throttle, const struct dirty *dirty, struct model_control *control);
/* The kernel's tick, 1 / CONFIG_HZ, seconds; 0 = not known. */
double throttle_state_tick_s(void);
/* NULL is allowed. */
void throttle_state_close(struct throttle_state *throttle);

/*
 * In what a file system takes large writes, by how much was dirtied between two looks of balance_dirty_pages: folios of one
 * size, so that most of these amounts are multiples of it. Not all: what a task left behind that ended, and what smaller
 * writers do, is among them.
 */

struct granule {
	uint64_t looks[64]; /* by the largest power of two that divides the amount */
};

/* bytes > 0. */
void granule_add(struct granule *granule, uint64_t bytes);
/* How many there were. */
uint64_t granule_looks(const struct granule *granule);
/* The largest power of two that divides at least half of the amounts; 0 = there were none. */
uint64_t granule_bytes(const struct granule *granule);

#endif
