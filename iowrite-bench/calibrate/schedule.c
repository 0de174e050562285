/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/schedule.h"

#include <errno.h>
#include <stdlib.h>

#define ROUNDS 4 /* for which the time should do */
#define BLOCK_LEAST_NS 20000000u
#define BLOCK_MOST_NS 3000000000u

static unsigned weights(const struct schedule *schedule)
{
	unsigned sum = 0;

	for (size_t i = 0; i < probe_count; i++)
		sum += schedule->rows[i].state == SCHEDULE_LACKING ? 0 : probes[i].weight;
	return sum ? sum : 1;
}

static uint64_t block_ns(const struct rig *rig, const struct schedule *schedule, size_t i)
{
	uint64_t ns = rig->plan->runtime_ns / ROUNDS / weights(schedule) * probes[i].weight;

	if (ns < BLOCK_LEAST_NS)
		return BLOCK_LEAST_NS;
	return ns < BLOCK_MOST_NS ? ns : BLOCK_MOST_NS;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* One block. What a signal or the cap cuts short is kept as far as it came. */
static int turn(struct rig *rig, struct schedule *schedule, size_t i)
{
	const struct calibrate_hooks *hooks = rig->hooks;
	uint64_t begin = rig_now(rig), others = hooks->others_ns(hooks->state);
	int rc;

	collector_begin(rig->collector, (unsigned)i, begin);
	rig->block_end_ns = begin + block_ns(rig, schedule, i);
	rc = probes[i].run(rig, &probes[i]);
	collector_end(rig->collector, share(hooks->others_ns(hooks->state) - others, rig_now(rig) - begin));
	schedule->rows[i].turns++;
	if (rc == -EDQUOT) {
		schedule->rows[i].state = SCHEDULE_CAPPED;
		return 0;
	}
	if (collector_is_done(rig->collector, (unsigned)i, schedule->rows[i].turns))
		schedule->rows[i].state = SCHEDULE_KNOWN;
	return rc;
}

static bool is_time_up(const struct rig *rig, struct schedule *schedule)
{
	schedule->is_interrupted = rig->hooks->is_stopped(rig->hooks->state);
	schedule->is_late = rig_now(rig) - schedule->begin_ns >= rig->plan->runtime_ns;
	return schedule->is_late || schedule->is_interrupted;
}

/* Whether anything was left to do. */
static bool round_of_turns(struct rig *rig, struct progress *progress, struct schedule *schedule, unsigned round)
{
	bool has_any = false;

	for (size_t k = 0; k < probe_count; k++) {
		size_t i = round % 2 ? probe_count - 1 - k : k;
		int rc;

		if (schedule->rows[i].state != SCHEDULE_OPEN)
			continue;
		if (is_time_up(rig, schedule))
			return false;
		has_any = true;
		progress_line(progress, "round %u: %s", round + 1, probes[i].name);
		rc = turn(rig, schedule, i);
		schedule->is_interrupted |= rc == -EINTR;
		schedule->is_failed |= rc && rc != -EINTR;
		if (rc)
			return false;
	}
	return has_any;
}

int schedule_run(struct rig *rig, struct progress *progress, struct schedule *schedule)
{
	*schedule = (struct schedule){.rows = calloc(probe_count, sizeof(*schedule->rows))};
	if (!schedule->rows)
		return -ENOMEM;
	for (size_t i = 0; i < probe_count; i++) {
		struct schedule_row *row = &schedule->rows[i];

		row->why = probes[i].lacks ? probes[i].lacks(rig, &probes[i]) : NULL;
		row->state = row->why ? SCHEDULE_LACKING : SCHEDULE_OPEN;
	}
	schedule->begin_ns = rig_now(rig);
	/* The first part: what is read and written again later. Past the cache, so that memory is as it was. */
	if (rig_fresh(rig) ||
		rig_fill(rig, rig->plan->has_direct ? OP_DIRECT : OP_BUFFERED, 0, rig->plan->written_bytes) ||
		rig_told(rig, rig->hooks->sync(rig->hooks->state), "write the file"))
		schedule->is_failed = !rig->hooks->is_stopped(rig->hooks->state);
	for (unsigned round = 0; !schedule->is_failed && round_of_turns(rig, progress, schedule, round);)
		round++;
	progress_clear(progress);
	schedule->end_ns = rig_now(rig);
	return collector_error(rig->collector);
}

void schedule_free(struct schedule *schedule)
{
	free(schedule->rows);
	schedule->rows = NULL;
}
