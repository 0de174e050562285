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

static uint64_t block_ns(const struct bench *bench, const struct schedule *schedule, size_t i)
{
	uint64_t ns = bench->plan->runtime_ns / ROUNDS / weights(schedule) * probes[i].weight;

	if (ns < BLOCK_LEAST_NS)
		return BLOCK_LEAST_NS;
	return ns < BLOCK_MOST_NS ? ns : BLOCK_MOST_NS;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* One block. What a signal or the cap cuts short is kept as far as it came. */
static int turn(struct bench *bench, struct schedule *schedule, size_t i)
{
	const struct calibrate_hooks *hooks = bench->hooks;
	uint64_t begin = bench_now(bench), others = hooks->others_ns(hooks->state);
	int rc;

	collector_begin(bench->collector, (unsigned)i, begin);
	bench->block_end_ns = begin + block_ns(bench, schedule, i);
	rc = probes[i].run(bench, &probes[i]);
	collector_end(bench->collector, share(hooks->others_ns(hooks->state) - others, bench_now(bench) - begin));
	schedule->rows[i].turns++;
	if (rc == -EDQUOT) {
		schedule->rows[i].state = SCHEDULE_CAPPED;
		return 0;
	}
	if (collector_is_done(bench->collector, (unsigned)i, schedule->rows[i].turns))
		schedule->rows[i].state = SCHEDULE_KNOWN;
	return rc;
}

static bool is_time_up(const struct bench *bench, struct schedule *schedule)
{
	schedule->is_interrupted = bench->hooks->is_stopped(bench->hooks->state);
	schedule->is_late = bench_now(bench) - schedule->begin_ns >= bench->plan->runtime_ns;
	return schedule->is_late || schedule->is_interrupted;
}

/* Whether anything was left to do. */
static bool round_of_turns(struct bench *bench, struct progress *progress, struct schedule *schedule, unsigned round)
{
	bool has_any = false;

	for (size_t k = 0; k < probe_count; k++) {
		size_t i = round % 2 ? probe_count - 1 - k : k;
		int rc;

		if (schedule->rows[i].state != SCHEDULE_OPEN)
			continue;
		if (is_time_up(bench, schedule))
			return false;
		has_any = true;
		progress_line(progress, "round %u: %s", round + 1, probes[i].name);
		rc = turn(bench, schedule, i);
		schedule->is_interrupted |= rc == -EINTR;
		schedule->is_failed |= rc && rc != -EINTR;
		if (rc)
			return false;
	}
	return has_any;
}

int schedule_run(struct bench *bench, struct progress *progress, struct schedule *schedule)
{
	*schedule = (struct schedule){.rows = calloc(probe_count, sizeof(*schedule->rows))};
	if (!schedule->rows)
		return -ENOMEM;
	for (size_t i = 0; i < probe_count; i++) {
		struct schedule_row *row = &schedule->rows[i];

		row->why = probes[i].lacks ? probes[i].lacks(bench, &probes[i]) : NULL;
		row->state = row->why ? SCHEDULE_LACKING : SCHEDULE_OPEN;
	}
	schedule->begin_ns = bench_now(bench);
	/* The first part: what is read and written again later. Past the cache, so that memory is as it was. */
	if (bench_fresh(bench) ||
		bench_fill(bench, bench->plan->has_direct ? OP_DIRECT : OP_BUFFERED, 0, bench->plan->written_bytes) ||
		bench_told(bench, bench->hooks->sync(bench->hooks->state), "write the file"))
		schedule->is_failed = !bench->hooks->is_stopped(bench->hooks->state);
	for (unsigned round = 0; !schedule->is_failed && round_of_turns(bench, progress, schedule, round);)
		round++;
	progress_clear(progress);
	schedule->end_ns = bench_now(bench);
	return collector_error(bench->collector);
}

void schedule_free(struct schedule *schedule)
{
	free(schedule->rows);
	schedule->rows = NULL;
}
