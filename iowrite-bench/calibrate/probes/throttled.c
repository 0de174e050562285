/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes while balance_dirty_pages holds the writer back, of four sizes, and of two by a writer that thinks in between for half
 * of the time that it was held back for without. They are kept: what the model would have said of them is asked when all it
 * needs is known (finish.c), and the quotients are the bands.
 */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#include <errno.h>
#include <stdlib.h>

#include "iowrite-bench/feed.h"

#define MIB (1ull << 20)
#define OPS 2048
#define ENOUGH 96 /* throttled writes of one run */
#define ENOUGH_BYTES (640 * MIB)
#define TURN_NS 40000000000u
#define PATIENCE_NS 4000000000u /* from the beginning of a run: the ones before it may have taken its time */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

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

/* Sizes around what a device does in a pause: some MiB of a slow one, tens of MiB of a fast one. */
static const struct class {
	uint64_t size;
	bool is_thinking;
	size_t like; /* it thinks as long as half a write of that class took */
} classes[SYSTEM_BANDS] = {{4 * MIB, false, 0}, {16 * MIB, false, 0}, {64 * MIB, false, 0}, {128 * MIB, false, 0},
	{16 * MIB, true, 1}, {64 * MIB, true, 2}};

/* In warm memory: behind that a write costs what the host takes to find some. */
static bool is_warm(const struct rig *rig, uint64_t size, uint64_t written)
{
	return !rig->plan->is_fed || feed_need_each(size, written) <= calibrate_plan_room(rig->plan);
}

static void think(struct rig *rig, uint64_t ended, uint64_t think_ns)
{
	uint64_t passed = rig_now(rig) - ended;

	if (passed < think_ns)
		rig->hooks->sleep_ns(rig->hooks->state, think_ns - passed);
}

/* A slow device is not waited for for ever. */
static bool is_enough(const struct rig *rig, const struct rig_run *run, uint64_t size, unsigned throttled)
{
	if (throttled >= ENOUGH || (throttled > ENOUGH / 16 && throttled * size > ENOUGH_BYTES))
		return true;
	return rig_is_late(rig) && (throttled > ENOUGH / 2 || rig_now(rig) > run->begin_ns + PATIENCE_NS);
}

/* *held_ns: the mean cost of those that were throttled, 0 = none was. */
static int write_all(struct rig *rig, struct rig_run *run, uint64_t size, uint64_t think_ns, double *held_ns)
{
	uint64_t first = rig->plan->written_bytes, ended = rig_now(rig), limit = freerun(rig->plan);
	uint64_t most = least(OPS, (rig->plan->size_bytes - first) / size);
	const struct calibrate_hooks *hooks = rig->hooks;
	unsigned throttled = 0;
	double sum_ns = 0;
	int rc = 0;

	while (run->count < most && is_warm(rig, size, (run->count + 1) * size) &&
		!is_enough(rig, run, size, throttled)) {
		struct op op = {.offset = run->count * size, .size = size};
		double *ns = &run->ns[run->count];
		struct dirty_state dirty;
		uint64_t written;

		rig_ready(rig, size);
		rig_give(rig, size);
		think(rig, ended, think_ns);
		rc = rig_told(rig, hooks->look(hooks->state, &dirty, &written), "look at dirty memory");
		op.delay_ns = rig_now(rig) - ended;
		if (!rc)
			rc = rig_write(rig, OP_BUFFERED, first + op.offset, size, ns);
		if (rc)
			break;
		if (dirty.dirty + dirty.writeback > limit) {
			throttled++;
			sum_ns += *ns;
		}
		run->ops[run->count++] = op;
		ended = rig_now(rig);
	}
	*held_ns = throttled ? sum_ns / throttled : 0;
	return rc;
}

static int measure_class(struct rig *rig, size_t class, uint64_t think_ns, double *held_ns)
{
	uint64_t size = least(classes[class].size, rig->plan->largest_bytes);
	struct rig_run *run = &rig->runs[rig->run_count];
	uint64_t written;
	int rc = rig_fresh(rig);

	if (rc || rig->run_count == RIG_RUNS)
		return rc;
	rc = rig_room(rig, calibrate_plan_room(rig->plan));
	if (rc)
		return rc;
	*run = (struct rig_run){.begin_ns = rig_now(rig), .class = class,
		.think = classes[class].is_thinking ? SYSTEM_THINKING : 0, .ops = calloc(OPS, sizeof(*run->ops)),
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
		rc = write_all(rig, run, size, think_ns, held_ns);
	return rig_leave(rig, rc);
}

int probe_throttled(struct rig *rig, const struct probe *probe)
{
	uint64_t block = rig->block_end_ns - rig_now(rig), begin = rig_now(rig);
	double held_ns[SYSTEM_BANDS] = {0};
	int rc = 0;

	(void)probe;
	/* A device that takes long to write a run's pages back has fewer of them. */
	for (size_t class = 0; class < SYSTEM_BANDS && !rc && rig_now(rig) < begin + TURN_NS; class++) {
		double think_ns = classes[class].is_thinking ? held_ns[classes[class].like] / 2 : 0;

		rig->block_end_ns = begin + block / SYSTEM_BANDS * (class + 1);
		if (!classes[class].is_thinking || think_ns > 0)
			rc = measure_class(rig, class, (uint64_t)think_ns, &held_ns[class]);
	}
	return rc;
}
