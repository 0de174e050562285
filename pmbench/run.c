/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/run.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/diag.h"
#include "common/interrupt.h"
#include "common/probe.h"
#include "common/progress.h"
#include "common/units.h"
#include "pmbench/check.h"
#include "pmbench/classify.h"
#include "pmbench/text.h"
#include "pmbench/worker.h"

/* --- waiting for the job --- */

#define STATE_POLL_MS 2
#define SHOW_NS 500000000
#define SAMPLE_MS 100

static bool has_reached(const struct watch *watch, enum control_state state, bool *has_failed)
{
	bool has_all = true;

	for (size_t i = 0; i < watch->control->count; i++) {
		enum control_state now = control_get_state(&watch->control->slots[i]);

		*has_failed = *has_failed || now == THREAD_FAILED;
		has_all = has_all && now >= state;
	}
	return has_all;
}

/* On a terminal: how far the warm-up is, which may be the longest part of a run. */
static void show_warmup(const struct watch *watch, struct progress *progress, uint64_t since_ns)
{
	uint64_t accesses = 0;

	for (size_t i = 0; i < watch->control->count; i++) {
		for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++) {
			const struct access_half *half = &watch->control->slots[i].page[ACCESS_ALL].half[direction];

			accesses += keep_read(&half->touched);
			for (unsigned bucket = 0; bucket < BUCKET_LOG16_COUNT; bucket++)
				accesses += keep_read(&half->count[bucket]);
		}
	}
	progress_line(progress, "warming up: %.1f s, %.0f accesses", (double)(ticks_perfc() - since_ns) / 1e9, (double)accesses);
}

bool watch_for_state(struct watch *watch, enum control_state state)
{
	struct pollfd fds[] = {{pressure_fd(watch->pressure), POLLIN, 0}, {interrupt_fd(), POLLIN, 0}};
	uint64_t since_ns = ticks_perfc(), shown_ns = since_ns;
	struct progress progress;
	bool has_failed = false;

	progress_init(&progress, state != THREAD_WARM || watch->plan->options->is_quiet);
	while (!has_reached(watch, state, &has_failed)) {
		if (progress.is_shown && ticks_perfc() - shown_ns > SHOW_NS) {
			shown_ns = ticks_perfc();
			show_warmup(watch, &progress, since_ns);
		}
		if (has_failed || watch->has_job_ended)
			goto failed;
		if (interrupt_signal() && state < THREAD_DONE)
			goto failed;
		if (poll(fds, interrupt_signal() ? 1 : 2, STATE_POLL_MS) < 0 && errno != EINTR)
			goto failed;
		watch->has_job_ended = fds[0].revents != 0;
	}
	progress_clear(&progress);
	return !has_failed;
failed:
	progress_clear(&progress);
	return false;
}

void watch_snapshot(struct watch *watch, enum result_snapshot which)
{
	struct vmcounters *snapshot = &watch->result->snapshots[which];

	watch->result->has_snapshot[which] =
		!vmcounters_read("", pressure_cgroup_dir(watch->pressure), VMCOUNTERS_ALL, snapshot);
}

/* All below 256 ns is one bucket: where in it a percentile lies is not known. An interval without an access has none. */
static const char *percentile_us(double ns, char text[24])
{
	if (isnan(ns))
		snprintf(text, 24, "-");
	else if (ns <= 256)
		snprintf(text, 24, "<0.256");
	else
		snprintf(text, 24, "%.3f", ns / 1e3);
	return text;
}

static void print_interval(struct progress *progress, const struct result_interval *row, double total_seconds)
{
	char left[32] = "", p50[24], p99[24];

	if (total_seconds > row->time_s) {
		char time[24];

		units_format_duration((total_seconds - row->time_s) * 1e9, time, sizeof(time));
		snprintf(left, sizeof(left), ", %s left", time);
	}
	if (progress->is_shown)
		progress_line(progress, "%.1f s: %.0f accesses/s, mean %.3f us, %.0f major faults/s%s", row->time_s,
			(double)row->accesses / row->seconds, row->mean_ns / 1e3, (double)row->major / row->seconds, left);
	else
		diag_info("%.3f s: %.0f accesses/s, mean %.3f us, p50 %s us, p99 %s us, %.0f minor/s, %.0f major/s",
			row->time_s, (double)row->accesses / row->seconds, row->mean_ns / 1e3,
			percentile_us(row->p50_ns, p50), percentile_us(row->p99_ns, p99),
			(double)row->minor / row->seconds, (double)row->major / row->seconds);
}

/* Who stops the whole run stops the samples, and what stops a process of it alone is seen by them. */
static void look_for_stops(struct watch *watch)
{
	bool is_any = false;

	if ((int64_t)clock_ns(CLOCK_MONOTONIC) - watch->result->stops.sample_ns < SAMPLE_MS * 1000000ll)
		return;
	for (unsigned i = 0; i < watch->plan->processes && !is_any; i++)
		is_any = contention_is_stopped("", watch->control->slots[watch->plan->process[i].first].status.process_id);
	contention_sample(&watch->result->stops, is_any);
}

/* Timers of the window, in ns since its begin. */
struct agenda {
	uint64_t begin_ns;   /* CLOCK_MONOTONIC_RAW */
	uint64_t next_row, mid_run; /* UINT64_MAX = never */
	struct progress progress;
};

static void keep_agenda(struct watch *watch, struct agenda *agenda)
{
	uint64_t now = ticks_perfc() - agenda->begin_ns;

	if (now >= agenda->mid_run) {
		watch_snapshot(watch, SNAPSHOT_MID_RUN);
		agenda->mid_run = UINT64_MAX;
	}
	if (now < agenda->next_row)
		return;
	while (agenda->next_row <= now)
		agenda->next_row += watch->plan->interval_ns;
	if (!series_take(&watch->series) && watch->plan->prints_interval)
		print_interval(&agenda->progress, series_latest(&watch->series),
			(double)watch->plan->duration_ns / 1e9);
}

static int milliseconds_to_next(const struct agenda *agenda)
{
	uint64_t now = ticks_perfc() - agenda->begin_ns;
	uint64_t next = agenda->next_row < agenda->mid_run ? agenda->next_row : agenda->mid_run;
	uint64_t left_ms = next <= now ? 0 : (next - now) / 1000000 + 1;

	return left_ms < SAMPLE_MS ? (int)left_ms : SAMPLE_MS;
}

static void stop_all(struct watch *watch)
{
	watch->result->is_interrupted = true;
	for (size_t i = 0; i < watch->control->count; i++)
		control_stop(&watch->control->slots[i]);
}

/* The descriptor only wakes: what counts is what each thread, or who buried it, says. */
static bool have_all_ended(const struct watch *watch)
{
	bool has_failed = false;
	uint64_t count;

	if (read(watch->control->done_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return true;
	return has_reached(watch, THREAD_DONE, &has_failed);
}

static void wait_for_threads(struct watch *watch, struct agenda *agenda)
{
	struct pollfd fds[] = {{watch->control->done_fd, POLLIN, 0}, {pressure_fd(watch->pressure), POLLIN, 0},
		{interrupt_fd(), POLLIN, 0}};

	while (!have_all_ended(watch)) {
		if (poll(fds, watch->result->is_interrupted ? 2 : 3, milliseconds_to_next(agenda)) < 0 && errno != EINTR)
			break;
		if (interrupt_signal() && !watch->result->is_interrupted)
			stop_all(watch);
		if (fds[1].revents) {
			watch->has_job_ended = true;
			break;
		}
		look_for_stops(watch);
		keep_agenda(watch, agenda);
	}
	look_for_stops(watch);
}

void watch_window(struct watch *watch)
{
	struct agenda agenda = {.next_row = watch->plan->interval_ns,
		.mid_run = watch->plan->duration_ns ? watch->plan->duration_ns / 2 : UINT64_MAX};

	progress_init(&agenda.progress, !watch->plan->prints_interval);
	series_begin(&watch->series, watch->control, &watch->result->timebase, pressure_cgroup_dir(watch->pressure));
	agenda.begin_ns = watch->series.begin_ns;
	pressure_mark_start(watch->pressure);
	contention_begin(&watch->result->stops);
	control_order(watch->control, CONTROL_RUN);
	wait_for_threads(watch, &agenda);
	contention_end(&watch->result->stops);
	series_end(&watch->series, watch->plan->interval_ns);
	watch->window_seconds = (double)(ticks_perfc() - agenda.begin_ns) / 1e9;
	progress_clear(&agenda.progress);
}

/* --- the run --- */

#define CALIBRATION_NS 100000000ull

/* On a CPU of the run: not all CPUs of a machine need be equally fast. */
static int calibrate_faults(const struct pmbench_plan *plan, const struct timebase *timebase, uint64_t *slow_ticks)
{
	cpu_set_t allowed;
	bool is_moved = plan->thread[0].is_pinned && !sched_getaffinity(0, sizeof(allowed), &allowed) &&
		!sched_setaffinity(0, sizeof(plan->thread[0].cpus), &plan->thread[0].cpus);
	int err = classify_calibrate(timebase, slow_ticks);

	if (is_moved)
		sched_setaffinity(0, sizeof(allowed), &allowed);
	return err;
}

static int prepare_clock(const struct pmbench_plan *plan, struct pmbench_result *result, uint64_t *slow_ticks)
{
	const struct pmbench_options *options = plan->options;
	int err = timebase_init(&result->timebase, options->method, options->is_store_visible, CALIBRATION_NS, "");

	if (err)
		return diag_host(err, "cannot calibrate the clock");
	if (result->timebase.distrust[0] && !options->is_forced)
		return diag_host(0, "-t %s: %s: use -t perfc, or --force to measure with it anyway",
			timebase_method_name(options->method), result->timebase.distrust);
	*slow_ticks = 0;
	if (options->classify == CLASSIFY_NONE)
		return 0;
	err = calibrate_faults(plan, &result->timebase, slow_ticks);
	if (err)
		return diag_host(err, "cannot find the shortest page fault: use --classify none");
	result->slow_threshold_ns = (double)timebase_to_ns(&result->timebase, *slow_ticks);
	return 0;
}

/* A run that could not even start: which thread, and what it could not do. */
static int report_failure(const struct watch *watch, const struct pressure_outcome *outcome)
{
	char why[256];

	for (size_t i = 0; i < watch->control->count; i++) {
		const struct control_status *status = &watch->control->slots[i].status;

		if (control_get_state(&watch->control->slots[i]) == THREAD_FAILED)
			return diag_host(status->error, "%s", status->failed_at);
	}
	if (interrupt_signal()) {
		diag_error(0, "interrupted before the first access was measured: there is no report");
	} else {
		pm_check_failure(outcome, why, sizeof(why));
		diag_error(0, "%s", why);
	}
	return interrupt_signal() ? DIAG_EXIT_UNTRUSTED : DIAG_EXIT_HOST;
}

/* From the first order to the last; true when something was measured. */
static bool conduct(struct watch *watch, struct pmbench_result *result)
{
	const struct text_progress progress = {watch->plan, watch->control, &result->timebase};
	bool is_warming = watch->plan->options->warmup != WARMUP_NONE;

	text_initializing(&progress);
	if (!watch_for_state(watch, THREAD_READY))
		return false;
	text_ready(&progress);
	if (is_warming)
		watch_snapshot(watch, SNAPSHOT_PRE_WARMUP);
	text_warming(&progress);
	control_order(watch->control, CONTROL_WARM);
	if (!watch_for_state(watch, THREAD_WARM))
		return false;
	text_warm(&progress);
	text_start(&progress);
	pm_check_machine(watch->plan->options->pressure.ram_bytes, pressure_cgroup_dir(watch->pressure), result);
	watch_snapshot(watch, SNAPSHOT_PRE_RUN);
	watch_window(watch);
	watch_snapshot(watch, SNAPSHOT_POST_RUN);
	text_done(&progress, result->is_interrupted);
	control_order(watch->control, CONTROL_UNMAP);
	if (watch_for_state(watch, THREAD_UNMAPPED))
		watch_snapshot(watch, SNAPSHOT_POST_UNMAP);
	return true;
}

/* A process that was killed makes the job fail; a job that ended well lost none. */
static void take_outcome(const struct pressure_outcome *outcome, struct pmbench_result *result)
{
	uint64_t oom_kills = 0;

	/* The wait status does not say who sent SIGKILL: only the kernel's count tells that it was the kernel. */
	result->pressure.was_oom = outcome->was_oom_killed || (outcome->wait_status &&
		result_counted(result, "vmstat.oom_kill", &oom_kills) && (int64_t)oom_kills > 0);
	result->pressure.is_restored = outcome->is_restored;
	result->eaters_lost = outcome->eaters_lost;
	result->pressure.setup_ns = outcome->setup_ns;
	result->pressure.teardown_ns = outcome->teardown_ns;
}

static int finish(struct watch *watch, struct pmbench_result *result)
{
	timebase_recalibrate(&result->timebase);
	result->has_steady = pm_check_steady(watch->series.intervals, watch->series.count, watch->plan->phase_count,
		&result->steady);
	series_hand_over(&watch->series, result);
	if (collect_results(watch->control, watch->window_seconds, result)) {
		diag_error(ENOMEM, "cannot collect the results");
		return DIAG_EXIT_USAGE;
	}
	pm_check_run(watch->control, result);
	pm_check_trust(result);
	return 0;
}

/* A run continues without its marks, as the original's does. */
static struct trace_marker *open_marker(const struct pmbench_plan *plan, struct trace_marker *marker)
{
	char why[256] = "trace_marker cannot be written";

	if (!plan->options->threshold_ns)
		return NULL;
	if (trace_marker_open(marker)) {
		probe_require("", "tracefs", why, sizeof(why));
		diag_warn("-h: no marks are written: tracing: %s", why);
		return NULL;
	}
	if (!marker->is_tracing)
		diag_warn("-h: tracing_on is 0: the kernel drops the marks");
	return marker;
}

static int run_job(struct watch *watch, uint64_t slow_ticks, struct pmbench_result *result)
{
	const struct pmbench_plan *plan = watch->plan;
	struct trace_marker marker;
	struct worker_job job = {plan, &result->timebase, watch->control, open_marker(plan, &marker), slow_ticks};
	struct pressure_outcome outcome = {0};
	bool has_measured;
	int err;

	err = pressure_start(&plan->options->pressure, worker_run_job, &job, &watch->pressure);
	if (job.marker)
		trace_marker_close(job.marker);
	if (err)
		return DIAG_EXIT_HOST;
	has_measured = conduct(watch, result);
	control_order(watch->control, CONTROL_EXIT);
	if (!has_measured)
		pressure_kill(watch->pressure, SIGKILL);
	pressure_finish(watch->pressure, &outcome);
	take_outcome(&outcome, result);
	if (!outcome.is_restored)
		diag_error(0, "not everything could be restored: pmbench --recover tries again");
	if (!has_measured)
		return report_failure(watch, &outcome);
	return finish(watch, result);
}

static int watch_job(const struct pmbench_plan *plan, struct control *control, uint64_t slow_ticks,
	struct pmbench_result *result)
{
	/* Too large for a stack. */
	struct watch *watch = calloc(1, sizeof(*watch));
	int code;

	if (!watch) {
		diag_error(ENOMEM, "cannot prepare the run");
		return DIAG_EXIT_USAGE;
	}
	watch->plan = plan;
	watch->control = control;
	watch->result = result;
	code = run_job(watch, slow_ticks, result);
	free(watch);
	return code;
}

int run_plan(const struct pmbench_plan *plan, const struct machine *machine, struct pmbench_result *result)
{
	struct control control;
	uint64_t slow_ticks;
	int code;

	memset(result, 0, sizeof(*result));
	result->plan = plan;
	pm_check_start(machine, result);
	result->snapshots = calloc(SNAPSHOTS, sizeof(*result->snapshots));
	if (!result->snapshots || interrupt_install()) {
		diag_error(ENOMEM, "cannot prepare the run");
		return DIAG_EXIT_USAGE;
	}
	if (plan->warns_zero_page && plan->options->ratio == 100)
		diag_warn("pages that are never written share the kernel's zero page, which is never paged: use -i");
	code = prepare_clock(plan, result, &slow_ticks);
	if (code)
		return code;
	code = control_open(&control, plan->threads, plan->options->wants_hdr);
	if (code)
		return diag_host(code, "cannot allocate the counters of %u threads", plan->threads);
	report_signature_start(&result->signature);
	code = watch_job(plan, &control, slow_ticks, result);
	result->signature.monotonic_end_ns = report_monotonic_ns();
	control_close(&control);
	return code;
}
