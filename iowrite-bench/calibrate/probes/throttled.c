/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes while balance_dirty_pages holds the writer back, of four sizes. They are kept:
 * what the model would have said of them is asked when all it needs is known (finish.c), and the quotients are the bands.
 */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#include <errno.h>
#include <stdlib.h>

#define MIB (1ull << 20)
#define OPS 2048
#define ENOUGH 96 /* throttled writes of one run */
#define ENOUGH_BYTES (640 * MIB)
#define PATIENCE_NS 2000000000u

static uint64_t freerun(const struct calibrate_plan *plan)
{
	if (plan->is_staged)
		return (PLAN_STAGE_BACKGROUND + PLAN_STAGE_THROTTLED) / 2;
	return (plan->background_bytes + plan->threshold_bytes) / 2;
}

const char *probe_throttled_lacks(const struct rig *rig, const struct probe *probe)
{
	(void)probe;
	/* The device empties it meanwhile: twice as much must fit. */
	if (2 * freerun(rig->plan) > calibrate_plan_room(rig->plan))
		return "throttling begins beyond --size: give --stage as root, or a larger --size";
	return NULL;
}

/* Around what a device does in a pause: some MiB of a slow one, tens of MiB of a fast one. */
static uint64_t size_of(const struct rig *rig, size_t class)
{
	static const uint64_t sizes[SYSTEM_BANDS] = {4 * MIB, 16 * MIB, 64 * MIB, 128 * MIB};

	return sizes[class] < rig->plan->largest_bytes ? sizes[class] : rig->plan->largest_bytes;
}

static int write_all(struct rig *rig, struct rig_run *run, uint64_t size)
{
	uint64_t at = rig->plan->written_bytes, ended = rig_now(rig), limit = freerun(rig->plan);
	const struct calibrate_hooks *hooks = rig->hooks;
	unsigned throttled = 0;
	int rc = 0;

	for (; at + size <= rig->plan->size_bytes && run->count < OPS && throttled < ENOUGH && !rc; at += size) {
		struct dirty_state dirty;
		uint64_t written, begin;

		rig_give(rig, size);
		rc = rig_told(rig, hooks->look(hooks->state, &dirty, &written), "look at dirty memory");
		begin = rig_now(rig);
		if (!rc)
			rc = rig_write(rig, OP_BUFFERED, at, size, &run->ns[run->count]);
		if (rc)
			break;
		throttled += dirty.dirty + dirty.writeback > limit;
		if (throttled * size > ENOUGH_BYTES && throttled > ENOUGH / 16)
			throttled = ENOUGH;
		/* A few at least, but a slow device is not waited for for ever. */
		if (rig_is_late(rig) && (throttled > ENOUGH / 8 || rig_now(rig) > rig->block_end_ns + PATIENCE_NS))
			throttled = ENOUGH;
		run->ops[run->count++] = (struct op){begin - ended, at - rig->plan->written_bytes, size};
		ended = rig_now(rig);
	}
	return rc;
}

static int measure_class(struct rig *rig, size_t class)
{
	struct rig_run *run = &rig->runs[rig->run_count];
	uint64_t written;
	int rc = rig_fresh(rig);

	if (rc || rig->run_count == RIG_RUNS)
		return rc;
	rc = rig_room(rig, calibrate_plan_room(rig->plan));
	if (rc)
		return rc;
	*run = (struct rig_run){.begin_ns = rig_now(rig), .class = class, .ops = calloc(OPS, sizeof(*run->ops)),
		.ns = calloc(OPS, sizeof(*run->ns))};
	rig->run_count++;
	if (!run->ops || !run->ns)
		return rig_told(rig, -ENOMEM, "keep samples");
	rc = rig_told(rig, rig->hooks->look(rig->hooks->state, &run->before, &written), "look at dirty memory");
	if (rig->hooks->control)
		rig->hooks->control(rig->hooks->state, &run->control);
	if (!rc)
		rc = rig_warm(rig, calibrate_plan_room(rig->plan));
	if (!rc)
		rc = write_all(rig, run, size_of(rig, class));
	return rig_leave(rig, rc);
}

int probe_throttled(struct rig *rig, const struct probe *probe)
{
	uint64_t block = rig->block_end_ns - rig_now(rig), begin = rig_now(rig);
	int rc = 0;

	(void)probe;
	for (size_t class = 0; class < SYSTEM_BANDS && !rc; class++) {
		rig->block_end_ns = begin + block / SYSTEM_BANDS * (class + 1);
		rc = measure_class(rig, class);
	}
	return rc;
}
