/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/session.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "common/diag.h"
#include "iowrite-bench/measure.h"

#define CLOCK_SAMPLES 1001
#define GIVEN_AHEAD (32ull << 20) /* room for what the feed gives beside (feed.c) */

static int measure_clock(struct rig *rig)
{
	double *gaps = calloc(CLOCK_SAMPLES, sizeof(*gaps));

	if (!gaps)
		return -ENOMEM;
	for (int i = 0; i < CLOCK_SAMPLES; i++) {
		uint64_t begin = rig_now(rig);

		gaps[i] = (double)(rig_now(rig) - begin);
	}
	rig->clock_ns = rig_median(gaps, CLOCK_SAMPLES);
	free(gaps);
	return 0;
}

int rig_open(const struct calibrate_hooks *hooks, const struct calibrate_plan *plan, struct rig *rig)
{
	int rc;

	*rig = (struct rig){.hooks = hooks, .plan = plan, .bytes_left = plan->max_bytes - plan->burst_bytes};
	rc = collector_new(&rig->collector);
	if (!rc)
		rc = measure_clock(rig);
	if (rc)
		rig_close(rig);
	return rc;
}

void rig_close(struct rig *rig)
{
	for (size_t i = 0; i < rig->run_count; i++) {
		free(rig->runs[i].ops);
		free(rig->runs[i].ns);
	}
	collector_free(rig->collector);
	rig->collector = NULL;
	rig->run_count = 0;
}

int rig_told(const struct rig *rig, int rc, const char *what)
{
	(void)rig;
	if (rc && rc != -EINTR && rc != -EDQUOT)
		diag_error(rc, "cannot %s", what);
	return rc;
}

/* --- writes and reads --- */

static int refuse_write(const struct rig *rig, int rc, enum op_mode mode, uint64_t offset, uint64_t size)
{
	(void)rig;
	if (rc != -EINTR)
		diag_error(rc, "cannot write %llu bytes at %llu (%s)%s", (unsigned long long)size,
			(unsigned long long)offset, op_mode_name(mode),
			rc == -ENOSPC || rc == -EDQUOT ? ", free some room or take a smaller --size" : "");
	/* The disk's quota is a failure, the cap is not. */
	return rc == -EDQUOT ? -ENOSPC : rc;
}

static int write_whole(struct rig *rig, enum op_mode mode, uint64_t offset, uint64_t size)
{
	for (uint64_t done = 0; done < size;) {
		int64_t written = rig->hooks->write(rig->hooks->state, mode, offset + done, size - done);

		if (written <= 0)
			return refuse_write(rig, written ? (int)written : -EIO, mode, offset + done, size - done);
		done += (uint64_t)written;
	}
	return 0;
}

static int may_write(struct rig *rig, uint64_t bytes)
{
	if (rig->hooks->is_stopped(rig->hooks->state))
		return -EINTR;
	if (bytes > rig->bytes_left)
		return -EDQUOT;
	rig->bytes_left -= bytes;
	return 0;
}

static double since(const struct rig *rig, uint64_t begin, uint64_t end)
{
	return fmax(1, (double)(end - begin) - rig->clock_ns);
}

void rig_ready(struct rig *rig, uint64_t bytes)
{
	if (rig->hooks->fill)
		rig->hooks->fill(rig->hooks->state, bytes);
	rig->ready_bytes = bytes;
}

int rig_write_batch(struct rig *rig, enum op_mode mode, uint64_t offset, uint64_t size, unsigned count, double *ns)
{
	int rc = may_write(rig, size * count);
	uint64_t begin, end;

	if (rig->ready_bytes != size * count)
		rig_ready(rig, size * count);
	rig->ready_bytes = 0;
	begin = rig_now(rig);
	for (unsigned i = 0; i < count && !rc; i++)
		rc = write_whole(rig, mode, offset + i * size, size);
	end = rig_now(rig);
	if (!rc)
		*ns = since(rig, begin, end) / count;
	return rc;
}

int rig_write(struct rig *rig, enum op_mode mode, uint64_t offset, uint64_t size, double *ns)
{
	return rig_write_batch(rig, mode, offset, size, 1, ns);
}

int rig_read(struct rig *rig, uint64_t offset, uint64_t size, double *ns)
{
	uint64_t begin, end;
	int64_t got;

	if (rig->hooks->is_stopped(rig->hooks->state))
		return -EINTR;
	begin = rig_now(rig);
	got = rig->hooks->read(rig->hooks->state, offset, size);
	end = rig_now(rig);
	if (got != (int64_t)size)
		return rig_told(rig, got < 0 ? (int)got : -EIO, "read back what was written");
	*ns = since(rig, begin, end);
	return 0;
}

int rig_fill(struct rig *rig, enum op_mode mode, uint64_t begin, uint64_t end, uint64_t write_bytes)
{
	uint64_t step = before_chunk(write_bytes);
	double ns;
	int rc = 0;

	for (uint64_t at = begin; at < end && !rc; at += step) {
		uint64_t size = end - at < step ? end - at : step;

		if (mode == OP_BUFFERED)
			rig_give(rig, size);
		rc = rig_write(rig, mode, at, size, &ns);
	}
	return rc;
}

int rig_fresh(struct rig *rig)
{
	const struct calibrate_hooks *hooks = rig->hooks;
	int rc = rig_told(rig, hooks->cut(hooks->state, rig->plan->written_bytes), "cut the file");

	return rc ? rc : rig_told(rig, hooks->settle(hooks->state), "wait for the kernel's write-back");
}

int rig_room(struct rig *rig, uint64_t bytes)
{
	const struct calibrate_hooks *hooks = rig->hooks;

	return rig_told(rig, hooks->room(hooks->state, rig->plan->written_bytes, bytes), "warm the room behind the file");
}

int rig_uncached(struct rig *rig)
{
	const struct calibrate_hooks *hooks = rig->hooks;
	int rc = rig_fresh(rig);

	if (!rc)
		rc = rig_told(rig, hooks->sync(hooks->state), "sync the file");
	return rc ? rc : rig_told(rig, hooks->forget(hooks->state, rig->plan->written_bytes), "empty the cache");
}

static void rewarm(struct rig *rig)
{
	if (rig->plan->is_fed)
		rig->hooks->rewarm(rig->hooks->state);
}

int rig_leave(struct rig *rig, int rc)
{
	int cut = rig->hooks->cut(rig->hooks->state, rig->plan->written_bytes);

	rewarm(rig);
	return rc ? rc : rig_told(rig, cut, "cut the file");
}

/* --- memory --- */

int rig_warm(struct rig *rig, uint64_t bytes)
{
	if (!rig->plan->is_fed)
		return 0;
	return rig_told(rig, rig->hooks->warm(rig->hooks->state, bytes + GIVEN_AHEAD), "get memory to warm");
}

void rig_give(struct rig *rig, uint64_t size)
{
	if (rig->plan->is_fed)
		rig->hooks->give(rig->hooks->state, size);
}

/* --- samples --- */

bool rig_is_late(const struct rig *rig)
{
	return rig_now(rig) >= rig->block_end_ns;
}

void rig_point(struct rig *rig, enum op_mode mode, enum op_regime regime, uint64_t size, double ns)
{
	const struct collector_key key = {COLLECTOR_POINT, mode, regime, size, "median of block medians", 0, false};

	collector_add(rig->collector, &key, ns);
}

void rig_parameter(struct rig *rig, enum system_parameter parameter, double value, const char *method)
{
	const struct collector_key key = {.parameter = parameter, .method = method};

	collector_add(rig->collector, &key, value);
}

void rig_fact(struct rig *rig, enum system_parameter parameter, double value, const char *method)
{
	const struct collector_key key = {.parameter = parameter, .method = method, .is_fact = true};

	collector_add(rig->collector, &key, value);
}

double rig_median(double *values, size_t count)
{
	if (!count)
		return NAN;
	gsl_sort(values, 1, count);
	return gsl_stats_median_from_sorted_data(values, 1, count);
}

/* --- schedule --- */

#define TURNS_LEAST 3
#define STAGED_PART 3   /* of the time, for the second phase */
#define STAGED_BYTES_PART 2
#define SHARE_OF_BYTES 8 /* no probe takes more than this part of the cap when it has had its turns */
#define BLOCK_LEAST_NS 20000000u
#define BLOCK_MOST_NS 3000000000u
#define REST_STEP_NS 500000000u /* between two looks for a signal */

static bool is_of(const struct schedule *schedule, size_t i)
{
	if (probes[i].is_last)
		return false;
	return !schedule->is_split || probes[i].is_staged == schedule->is_staged;
}

static unsigned weights(const struct schedule *schedule)
{
	unsigned sum = 0;

	for (size_t i = 0; i < probe_count; i++)
		sum += schedule->rows[i].state != SCHEDULE_LACKING && is_of(schedule, i) ? probes[i].weight : 0;
	return sum ? sum : 1;
}

static uint64_t phase_ns(const struct rig *rig, const struct schedule *schedule)
{
	uint64_t whole = rig->plan->runtime_ns;

	if (!schedule->is_split)
		return whole;
	return schedule->is_staged ? whole / STAGED_PART : whole - whole / STAGED_PART;
}

static bool has_rests(const struct rig *rig, const struct schedule *schedule)
{
	return rig->plan->spread_ns && !schedule->is_staged;
}

/* More of them behind the last rest would be of one and the same minute. */
static unsigned rounds_at_most(const struct rig *rig, const struct schedule *schedule)
{
	return has_rests(rig, schedule) ? PLAN_SPREAD_ROUNDS : UINT_MAX;
}

static uint64_t block_ns(const struct rig *rig, const struct schedule *schedule, size_t i)
{
	unsigned rounds = has_rests(rig, schedule) ? PLAN_SPREAD_ROUNDS : PLAN_ROUNDS;
	uint64_t ns = phase_ns(rig, schedule) / rounds / weights(schedule) * probes[i].weight;

	if (ns < BLOCK_LEAST_NS)
		return BLOCK_LEAST_NS;
	return ns < BLOCK_MOST_NS ? ns : BLOCK_MOST_NS;
}

/* 0 when what others had seems to have fallen: it may be made up from two clocks. */
static double share(uint64_t before, uint64_t after, uint64_t whole)
{
	return whole && after > before ? (double)(after - before) / (double)whole : 0;
}

/* What others had since some moment. */
struct disturbance {
	uint64_t begin_ns, others_ns, foreign_ns;
};

static struct disturbance sample_others(const struct rig *rig)
{
	const struct calibrate_hooks *hooks = rig->hooks;

	return (struct disturbance){rig_now(rig), hooks->others_ns(hooks->state), hooks->foreign_ns(hooks->state)};
}

/* The larger share: of the CPUs, or of the disk. Both are added to the schedule's. */
static double add_disturbance(const struct rig *rig, const struct disturbance *before, struct schedule *schedule)
{
	const struct disturbance now = sample_others(rig);
	uint64_t whole = now.begin_ns - before->begin_ns;
	double others = share(before->others_ns, now.others_ns, whole);
	double foreign = share(before->foreign_ns, now.foreign_ns, whole);

	schedule->measured_ns += whole;
	schedule->others_ns += (uint64_t)(others * (double)whole);
	schedule->foreign_ns += (uint64_t)(foreign * (double)whole);
	return fmax(others, foreign);
}

/* One block. What a signal or the cap cuts short is kept as far as it came. */
static int turn(struct rig *rig, struct schedule *schedule, size_t i)
{
	const struct disturbance before = sample_others(rig);
	uint64_t begin = rig_now(rig), bytes = rig->bytes_left;
	unsigned enough = probes[i].turns ? probes[i].turns : TURNS_LEAST;
	struct schedule_row *row = &schedule->rows[i];
	int rc;

	collector_begin(rig->collector, (unsigned)i, begin);
	rig->block_end_ns = begin + block_ns(rig, schedule, i);
	rc = probes[i].run(rig, &probes[i]);
	collector_end(rig->collector, add_disturbance(rig, &before, schedule));
	row->turns++;
	row->longest_ns = rig_now(rig) - begin > row->longest_ns ? rig_now(rig) - begin : row->longest_ns;
	row->bytes += bytes - rig->bytes_left;
	if (rc == -EDQUOT) {
		row->state = SCHEDULE_CAPPED;
		return 0;
	}
	if (has_rests(rig, schedule))
		return rc;
	if (collector_is_done(rig->collector, (unsigned)i, row->turns >= enough) ||
		(row->turns >= enough && row->bytes > rig->plan->max_bytes / SHARE_OF_BYTES))
		row->state = SCHEDULE_KNOWN;
	return rc;
}

static bool is_time_up(const struct rig *rig, struct schedule *schedule)
{
	schedule->is_interrupted = rig->hooks->is_stopped(rig->hooks->state);
	schedule->is_late = rig_now(rig) - schedule->phase_ns - schedule->rested_ns >= phase_ns(rig, schedule);
	return schedule->is_late || schedule->is_interrupted;
}

/* Whether a probe that gives no parameter would take the time that others need for the blocks that their values are
 * known by. */
static bool is_too_early(const struct rig *rig, const struct schedule *schedule, size_t index)
{
	uint64_t wanted = schedule->rows[index].longest_ns, used = rig_now(rig) - schedule->phase_ns - schedule->rested_ns;

	if (probes[index].give_count || probes[index].is_curve || !wanted)
		return false;
	for (size_t i = 0; i < probe_count; i++) {
		const struct schedule_row *row = &schedule->rows[i];

		if (row->state == SCHEDULE_OPEN && is_of(schedule, i) && i != index && row->turns < TURNS_LEAST)
			wanted += (TURNS_LEAST - row->turns) * row->longest_ns;
	}
	return wanted > schedule->rows[index].longest_ns && used + wanted > phase_ns(rig, schedule);
}

/* Whether anything was left to do. */
static bool round_of_turns(struct rig *rig, struct progress *progress, struct schedule *schedule, unsigned round)
{
	bool has_any = false;

	for (size_t k = 0; k < probe_count; k++) {
		size_t i = round % 2 ? probe_count - 1 - k : k;
		int rc;

		if (schedule->rows[i].state != SCHEDULE_OPEN || !is_of(schedule, i))
			continue;
		if (is_time_up(rig, schedule))
			return false;
		has_any = true;
		if (is_too_early(rig, schedule, i))
			continue;
		progress_line(progress, "round %u: %s", round + 1, probes[i].name);
		rc = turn(rig, schedule, i);
		schedule->is_interrupted |= rc == -EINTR;
		schedule->is_failed |= rc && rc != -EINTR;
		if (rc)
			return false;
	}
	return has_any;
}

/* Until this round may begin, or a signal. */
static void rest(struct rig *rig, struct progress *progress, struct schedule *schedule, unsigned round)
{
	const struct calibrate_plan *plan = rig->plan;
	uint64_t slot = (plan->spread_ns - (plan->runtime_ns - phase_ns(rig, schedule))) / PLAN_SPREAD_ROUNDS;
	uint64_t now = rig_now(rig), until = schedule->phase_ns + slot * round;

	while (now < until && !is_time_up(rig, schedule)) {
		uint64_t left = until - now, begin = now;

		progress_line(progress, "rests %.0f s before round %u", (double)left / 1e9, round + 1);
		rig->hooks->sleep_ns(rig->hooks->state, left < REST_STEP_NS ? left : REST_STEP_NS);
		now = rig_now(rig);
		schedule->rested_ns += now - begin;
	}
}

static void run_phase(struct rig *rig, struct progress *progress, struct schedule *schedule)
{
	schedule->phase_ns = rig_now(rig);
	schedule->rested_ns = 0;
	for (unsigned round = 0; !schedule->is_failed && round < rounds_at_most(rig, schedule); round++) {
		if (has_rests(rig, schedule))
			rest(rig, progress, schedule, round);
		if (!round_of_turns(rig, progress, schedule, round))
			break;
	}
}

/* Small thresholds for the rest; put back by hooks when all is over. */
static void run_staged(struct rig *rig, struct progress *progress, struct schedule *schedule)
{
	const struct calibrate_hooks *hooks = rig->hooks;

	schedule->is_staged = true;
	if (hooks->thresholds(hooks->state, PLAN_STAGE_BACKGROUND, PLAN_STAGE_THROTTLED)) {
		schedule->is_failed = true;
		return;
	}
	rig->staged_ns = rig_now(rig);
	run_phase(rig, progress, schedule);
	schedule->is_failed |= hooks->thresholds(hooks->state, 0, 0) != 0;
}

/* With the bytes that were kept for it. */
static void run_last(struct rig *rig, struct progress *progress, struct schedule *schedule)
{
	rig->bytes_left += rig->plan->burst_bytes;
	for (size_t i = 0; i < probe_count && !schedule->is_failed && !schedule->is_interrupted; i++) {
		int rc;

		if (!probes[i].is_last || schedule->rows[i].state != SCHEDULE_OPEN)
			continue;
		progress_line(progress, "at the end: %s", probes[i].name);
		rc = turn(rig, schedule, i);
		schedule->is_interrupted |= rc == -EINTR;
		schedule->is_failed |= rc && rc != -EINTR;
	}
}

int schedule_run(struct rig *rig, struct progress *progress, struct schedule *schedule)
{
	uint64_t kept_back = rig->plan->is_staged ? rig->plan->max_bytes / STAGED_BYTES_PART : 0;

	*schedule = (struct schedule){.rows = calloc(probe_count, sizeof(*schedule->rows)),
		.is_split = rig->plan->is_staged};
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
		rig_fill(rig, rig->plan->has_direct ? OP_DIRECT : OP_BUFFERED, 0, rig->plan->written_bytes,
			rig->plan->largest_bytes) ||
		rig_told(rig, rig->hooks->sync(rig->hooks->state), "write the file"))
		schedule->is_failed = !rig->hooks->is_stopped(rig->hooks->state);
	rig->bytes_left -= kept_back < rig->bytes_left ? kept_back : rig->bytes_left;
	run_phase(rig, progress, schedule);
	rig->bytes_left += kept_back;
	if (schedule->is_split && !schedule->is_failed && !schedule->is_interrupted)
		run_staged(rig, progress, schedule);
	run_last(rig, progress, schedule);
	progress_clear(progress);
	schedule->end_ns = rig_now(rig);
	return collector_error(rig->collector);
}

void schedule_free(struct schedule *schedule)
{
	free(schedule->rows);
	schedule->rows = NULL;
}
