/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/session.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/diag.h"
#include "iowrite-bench/write/measure.h"

#define CLOCK_SAMPLES 1001
#define GIVEN_AHEAD (32ull << 20) /* for what the pool hands out in advance (memory.c) */

int session_open(struct store *store, const struct calibrate_plan *plan, struct calibrate_session *session)
{
	double *gaps = calloc(CLOCK_SAMPLES, sizeof(*gaps));

	*session = (struct calibrate_session){.store = store, .plan = plan, .bytes_left = plan->max_bytes - plan->burst_bytes};
	session->writer = (struct writer){.ops = &session->op, .count = 1, .records = &session->record,
		.until_ns = UINT64_MAX};
	store_clock(store, &session->writer);
	for (int i = 0; gaps && i < CLOCK_SAMPLES; i++) {
		uint64_t begin = session_now(session);

		gaps[i] = (double)(session_now(session) - begin);
	}
	session->clock_ns = gaps ? session_median(gaps, CLOCK_SAMPLES) : NAN;
	free(gaps);
	return gaps ? 0 : -ENOMEM;
}

static void drop_runs(struct calibrate_session *session, size_t first)
{
	for (size_t i = first; i < session->run_count; i++) {
		session->held_ns[session->runs[i].class] = 0;
		free(session->runs[i].ops);
		free(session->runs[i].ns);
	}
	session->run_count = first;
}

void session_close(struct calibrate_session *session)
{
	drop_runs(session, 0);
	samples_free(&session->samples);
}

int session_report(int rc, const char *what)
{
	if (rc && rc != -EINTR && rc != -EDQUOT)
		diag_error(rc, "cannot %s", what);
	return rc;
}

/* --- the measured loop --- */

static bool is_stopped(const struct calibrate_session *session)
{
	return writer_is_told(session->writer.stop);
}

/* Makes count operations between two stamps; *ns: their cost without that of the clock. */
static int run(struct calibrate_session *session, unsigned path, uint64_t offset, uint64_t size, unsigned count, double *ns)
{
	session->op = (struct op){.offset = offset, .size = size};
	session->writer.repeats = count;
	store_path(session->store, path, &session->writer);
	if (!writer_run(&session->writer))
		return -EINTR;
	*ns = fmax(1, (double)session->record.write_ns - session->clock_ns);
	return -session->record.error;
}

void session_ready(struct calibrate_session *session, uint64_t bytes)
{
	store_fill(session->store, bytes);
	session->ready_bytes = bytes;
}

int session_write_batch(struct calibrate_session *session, enum op_mode mode, uint64_t offset, uint64_t size, unsigned count,
	double *ns)
{
	uint64_t bytes = size * count;
	int rc;

	if (is_stopped(session))
		return -EINTR;
	if (bytes > session->bytes_left)
		return -EDQUOT;
	session->bytes_left -= bytes;
	if (session->ready_bytes != size)
		session_ready(session, size);
	session->ready_bytes = 0;
	rc = run(session, mode, offset, size, count, ns);
	if (!rc)
		*ns /= count;
	if (!rc || rc == -EINTR)
		return rc;
	diag_error(rc, "cannot write %llu bytes at %llu (%s)%s", (unsigned long long)bytes, (unsigned long long)offset,
		op_mode_name(mode), rc == -ENOSPC || rc == -EDQUOT ? ", free some space or use a smaller --size" : "");
	/* The disk's quota is a failure, the cap is not. */
	return rc == -EDQUOT ? -ENOSPC : rc;
}

int session_write(struct calibrate_session *session, enum op_mode mode, uint64_t offset, uint64_t size, double *ns)
{
	return session_write_batch(session, mode, offset, size, 1, ns);
}

int session_measure(struct calibrate_session *session, enum store_path path, uint64_t offset, uint64_t size, unsigned count,
	const char *what, double *ns)
{
	return session_report(run(session, path, offset, size, count, ns), what);
}

int session_sync(struct calibrate_session *session, double *ns)
{
	return session_measure(session, STORE_SYNC, 0, 1, 1, "sync the file", ns);
}

int session_fill(struct calibrate_session *session, enum op_mode mode, uint64_t begin, uint64_t end, uint64_t write_bytes)
{
	uint64_t step = before_chunk(write_bytes);
	double ns;
	int rc = 0;

	for (uint64_t at = begin; at < end && !rc; at += step) {
		uint64_t size = end - at < step ? end - at : step;

		if (mode == OP_BUFFERED)
			session_refill(session, size);
		rc = session_write(session, mode, at, size, &ns);
	}
	return rc;
}

int session_fresh(struct calibrate_session *session)
{
	int rc = session_report(store_cut(session->store, session->plan->written_bytes), "cut the file");

	return rc ? rc : session_report(store_settle(session->store), "wait for the kernel's write-back");
}

int session_space(struct calibrate_session *session, uint64_t bytes)
{
	return session_report(store_space(session->store, session->plan->written_bytes, bytes),
		"prepare the free space behind the file");
}

int session_uncached(struct calibrate_session *session)
{
	int rc = session_fresh(session);
	double ns;

	if (!rc)
		rc = session_sync(session, &ns);
	return rc ? rc : session_report(store_forget(session->store, session->plan->written_bytes), "empty the cache");
}

int session_leave(struct calibrate_session *session, int rc)
{
	int cut = store_cut(session->store, session->plan->written_bytes);

	if (session->plan->is_pooled)
		store_reclaim(session->store);
	return rc ? rc : session_report(cut, "cut the file");
}

/* --- memory --- */

int session_hold(struct calibrate_session *session, uint64_t bytes)
{
	if (!session->plan->is_pooled)
		return 0;
	return session_report(store_hold(session->store, bytes + GIVEN_AHEAD), "get memory to warm");
}

void session_refill(struct calibrate_session *session, uint64_t size)
{
	if (session->plan->is_pooled)
		store_refill(session->store, size);
}

/* --- samples --- */

bool session_is_late(const struct calibrate_session *session)
{
	return session_now(session) >= session->block_end_ns;
}

void session_point(struct calibrate_session *session, enum op_mode mode, enum op_regime regime, uint64_t size, double ns)
{
	const struct samples_key key = {SAMPLES_POINT, mode, regime, size, "median of block medians", 0, false};

	samples_add(&session->samples, &key, ns);
}

void session_parameter(struct calibrate_session *session, enum system_parameter parameter, double value, const char *method)
{
	const struct samples_key key = {.parameter = parameter, .method = method};

	samples_add(&session->samples, &key, value);
}

void session_fact(struct calibrate_session *session, enum system_parameter parameter, double value, const char *method)
{
	const struct samples_key key = {.parameter = parameter, .method = method, .is_fact = true};

	samples_add(&session->samples, &key, value);
}

double session_median(double *values, size_t count)
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
#define REST_STEP_NS 500000000u /* between two checks for a signal */

static bool is_of(const struct schedule *schedule, size_t i)
{
	return !probes[i].is_last && (!schedule->is_split || probes[i].is_staged == schedule->is_staged);
}

/* Runs one block; one that a signal or the cap cuts short keeps its samples. Returns whether the next one may follow. */
static bool turn(struct calibrate_session *session, struct schedule *schedule, size_t i)
{
	uint64_t begin = session_now(session), bytes = session->bytes_left, whole, block_ns;
	unsigned rounds = schedule->has_rests ? PLAN_SPREAD_ROUNDS : PLAN_ROUNDS, weights = 0;
	struct schedule_row *row = &schedule->rows[i];
	struct store_load before, after;
	struct contention_stops stops;
	size_t run_count = session->run_count;
	double others = 0, foreign = 0;
	bool is_tired, is_disrupted;
	int rc;

	for (size_t k = 0; k < probe_count; k++)
		weights += schedule->rows[k].state != SCHEDULE_LACKING && is_of(schedule, k) ? probes[k].weight : 0;
	block_ns = schedule->phase_runtime_ns / rounds / (weights ? weights : 1) * probes[i].weight;
	block_ns = block_ns > BLOCK_LEAST_NS ? block_ns : BLOCK_LEAST_NS;
	block_ns = block_ns < BLOCK_MOST_NS ? block_ns : BLOCK_MOST_NS;
	store_load(session->store, &before);
	samples_begin(&session->samples, (unsigned)i, begin);
	session->block_end_ns = begin + block_ns;
	session->probe = &probes[i];
	store_watch_begin(session->store);
	rc = probes[i].run(session);
	store_watch_end(session->store, &stops);
	whole = session_now(session) - begin;
	store_load(session->store, &after);
	/* The counters may be made up from two clocks and seem to fall: the share is then 0. */
	if (whole && after.others_ns > before.others_ns)
		others = (double)(after.others_ns - before.others_ns) / (double)whole;
	if (whole && after.foreign_ns > before.foreign_ns)
		foreign = (double)(after.foreign_ns - before.foreign_ns) / (double)whole;
	is_disrupted = stops.stopped_ns || stops.was_continued;
	contention_add_stops(&schedule->stops, &stops);
	if (is_disrupted)
		drop_runs(session, run_count);
	samples_end(&session->samples, is_disrupted ? INFINITY : fmax(others, foreign));
	schedule->measured_ns += whole;
	schedule->others_ns += (uint64_t)(others * (double)whole);
	schedule->foreign_ns += (uint64_t)(foreign * (double)whole);
	if (is_disrupted) {
		row->stopped++;
	} else {
		row->turns++;
		whole = session_now(session) - begin;
		row->longest_ns = whole > row->longest_ns ? whole : row->longest_ns;
	}
	row->bytes += bytes - session->bytes_left;
	is_tired = row->turns >= (probes[i].turns ? probes[i].turns : TURNS_LEAST);
	if (rc == -EDQUOT)
		row->state = SCHEDULE_CAPPED;
	else if (!schedule->has_rests && (samples_is_done(&session->samples, (unsigned)i, is_tired) ||
				(is_tired && row->bytes > session->plan->max_bytes / SHARE_OF_BYTES)))
		row->state = SCHEDULE_KNOWN;
	schedule->is_interrupted |= rc == -EINTR;
	schedule->is_failed |= rc && rc != -EINTR && rc != -EDQUOT;
	return !rc || rc == -EDQUOT;
}

/* Returns the time of this phase without rests. */
static uint64_t measuring_ns(const struct calibrate_session *session, const struct schedule *schedule)
{
	return session_now(session) - schedule->phase_begin_ns - schedule->rested_ns;
}

static bool is_time_up(const struct calibrate_session *session, struct schedule *schedule)
{
	schedule->is_interrupted = is_stopped(session);
	return schedule->is_interrupted || measuring_ns(session, schedule) >= schedule->phase_runtime_ns;
}

/* Returns whether a probe that gives no parameter would take the time that others need for TURNS_LEAST blocks. */
static bool is_too_early(const struct calibrate_session *session, const struct schedule *schedule, size_t index)
{
	uint64_t wanted = schedule->rows[index].longest_ns, used = measuring_ns(session, schedule);

	if (probes[index].give_count || probes[index].is_curve || !wanted)
		return false;
	for (size_t i = 0; i < probe_count; i++) {
		const struct schedule_row *row = &schedule->rows[i];

		if (row->state == SCHEDULE_OPEN && is_of(schedule, i) && i != index && row->turns < TURNS_LEAST)
			wanted += (TURNS_LEAST - row->turns) * row->longest_ns;
	}
	return wanted > schedule->rows[index].longest_ns && used + wanted > schedule->phase_runtime_ns;
}

static void rest(struct calibrate_session *session, struct progress *progress, struct schedule *schedule, unsigned round,
	uint64_t until)
{
	uint64_t now = session_now(session);

	while (now < until && !is_time_up(session, schedule)) {
		uint64_t left = until - now, begin = now;

		progress_line(progress, "resting %.0f s before round %u", (double)left / 1e9, round + 1);
		store_sleep(session->store, left < REST_STEP_NS ? left : REST_STEP_NS);
		now = session_now(session);
		schedule->rested_ns += now - begin;
	}
}

static void run_phase(struct calibrate_session *session, struct progress *progress, struct schedule *schedule)
{
	const struct calibrate_plan *plan = session->plan;
	uint64_t staged_ns = plan->runtime_ns / STAGED_PART, slot_ns;
	bool has_any = true;

	schedule->phase_begin_ns = session_now(session);
	schedule->phase_runtime_ns = plan->runtime_ns;
	if (schedule->is_split)
		schedule->phase_runtime_ns = schedule->is_staged ? staged_ns : plan->runtime_ns - staged_ns;
	schedule->rested_ns = 0;
	schedule->has_rests = plan->spread_ns && !schedule->is_staged;
	slot_ns = (plan->spread_ns - (plan->runtime_ns - schedule->phase_runtime_ns)) / PLAN_SPREAD_ROUNDS;
	for (unsigned round = 0; !schedule->is_failed && has_any; round++) {
		/* More rounds after the last rest would all measure the same minute. */
		if (schedule->has_rests && round == PLAN_SPREAD_ROUNDS)
			return;
		if (schedule->has_rests)
			rest(session, progress, schedule, round, schedule->phase_begin_ns + slot_ns * round);
		has_any = false;
		for (size_t k = 0; k < probe_count; k++) {
			size_t i = round % 2 ? probe_count - 1 - k : k;

			if (schedule->rows[i].state != SCHEDULE_OPEN || !is_of(schedule, i))
				continue;
			if (is_time_up(session, schedule))
				return;
			has_any = true;
			if (is_too_early(session, schedule, i))
				continue;
			progress_line(progress, "round %u: %s", round + 1, probes[i].name);
			if (!turn(session, schedule, i))
				return;
		}
	}
}

int schedule_run(struct calibrate_session *session, struct progress *progress, struct schedule *schedule)
{
	const struct calibrate_plan *plan = session->plan;
	uint64_t kept_back = plan->is_staged ? plan->max_bytes / STAGED_BYTES_PART : 0;
	double ns;

	*schedule = (struct schedule){.rows = calloc(probe_count, sizeof(*schedule->rows)), .is_split = plan->is_staged};
	if (!schedule->rows)
		return -ENOMEM;
	for (size_t i = 0; i < probe_count; i++) {
		struct schedule_row *row = &schedule->rows[i];

		session->probe = &probes[i];
		row->why = probes[i].lacks ? probes[i].lacks(session) : NULL;
		row->state = row->why ? SCHEDULE_LACKING : SCHEDULE_OPEN;
	}
	/* Fills the first part, which is read and overwritten later; O_DIRECT leaves memory as it was. */
	if (session_fresh(session) ||
		session_fill(session, plan->has_direct ? OP_DIRECT : OP_BUFFERED, 0, plan->written_bytes, plan->largest_bytes) ||
		session_sync(session, &ns))
		schedule->is_failed = !is_stopped(session);
	session->bytes_left -= kept_back < session->bytes_left ? kept_back : session->bytes_left;
	run_phase(session, progress, schedule);
	session->bytes_left += kept_back;
	/* The second phase has small thresholds; the test setup restores them, too, at the end. */
	if (schedule->is_split && !schedule->is_failed && !schedule->is_interrupted) {
		schedule->is_staged = true;
		schedule->is_failed = store_thresholds(session->store, PLAN_STAGE_BACKGROUND, PLAN_STAGE_THROTTLED) != 0;
		session->staged_ns = session_now(session);
		if (!schedule->is_failed) {
			run_phase(session, progress, schedule);
			schedule->is_failed |= store_thresholds(session->store, 0, 0) != 0;
		}
	}
	/* The burst probe gets the bytes that were reserved for it. */
	session->bytes_left += plan->burst_bytes;
	for (size_t i = 0; i < probe_count && !schedule->is_failed && !schedule->is_interrupted; i++) {
		if (!probes[i].is_last || schedule->rows[i].state != SCHEDULE_OPEN)
			continue;
		progress_line(progress, "at the end: %s", probes[i].name);
		turn(session, schedule, i);
	}
	progress_clear(progress);
	return session->samples.error;
}

void schedule_free(struct schedule *schedule)
{
	free(schedule->rows);
	schedule->rows = NULL;
}
