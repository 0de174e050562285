/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/run/run.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/base/clock.h"
#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "common/base/progress.h"
#include "common/base/units.h"
#include "common/probe/probe.h"
#include "pmbench/access/classify.h"
#include "pmbench/run/check.h"
#include "pmbench/run/disks.h"
#include "pmbench/run/stages.h"
#include "pmbench/worker/process.h"

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

/* On a terminal the warm-up shows progress: it may be the longest part of a run. */
static void show_warmup(const struct watch *watch, struct progress *progress, uint64_t since_ns)
{
	uint64_t accesses = 0;

	for (size_t i = 0; i < watch->control->count; i++) {
		const struct access_page *all = &watch->control->slots[i].page[ACCESS_ALL];

		accesses += classify_count(all) + keep_read(&all->half[ACCESS_READ].touched) +
			keep_read(&all->half[ACCESS_WRITE].touched);
	}
	progress_line(progress, "warming up: %.1f s, %.0f accesses", (double)(ticks_perfc() - since_ns) / 1e9, (double)accesses);
}

bool watch_for_state(struct watch *watch, enum control_state state)
{
	struct pollfd fds[] = {{pressure_fd(watch->pressure), POLLIN, 0}, {interrupt_fd(), POLLIN, 0}};
	uint64_t since_ns = ticks_perfc(), shown_ns = since_ns;
	struct progress progress;
	bool has_failed = false;

	progress_init(&progress, state != THREAD_WARM || watch->result->plan->options->is_quiet);
	while (!has_reached(watch, state, &has_failed)) {
		if (progress.is_shown && ticks_perfc() - shown_ns > SHOW_NS) {
			shown_ns = ticks_perfc();
			show_warmup(watch, &progress, since_ns);
		}
		has_failed = has_failed || watch->has_job_ended || (interrupt_signal() && state < THREAD_DONE) ||
			(poll(fds, interrupt_signal() ? 1 : 2, STATE_POLL_MS) < 0 && errno != EINTR);
		if (has_failed)
			break;
		watch->has_job_ended = fds[0].revents != 0;
	}
	progress_clear(&progress);
	return !has_failed;
}

static void take_snapshot(struct watch *watch, enum result_snapshot which)
{
	struct vmcounters *snapshot = &watch->result->snapshots[which];

	watch->result->has_snapshot[which] =
		!vmcounters_read("", pressure_cgroup_dir(watch->pressure), VMCOUNTERS_ALL, snapshot);
}

/* Percentiles below 256 ns are unknown; an interval without accesses has none. */
static const char *percentile_us(const struct pm_interval_values *row, double ns, char text[24])
{
	if (isnan(ns))
		snprintf(text, 24, row->mean_ns > 0 ? "<0.256" : "-");
	else
		snprintf(text, 24, "%.3f", ns / 1e3);
	return text;
}

static void print_interval(struct progress *progress, const struct pm_interval_values *row, double total_seconds)
{
	char left[32] = "", p50[24], p99[24];

	if (total_seconds > row->time_s) {
		char time[24];

		units_format_duration((total_seconds - row->time_s) * 1e9, time, sizeof(time));
		snprintf(left, sizeof(left), ", %s left", time);
	}
	if (progress->is_shown)
		progress_line(progress, "%.1f s: %.0f accesses/s, mean %.3f us, %.0f major faults/s%s", row->time_s,
			row->accesses_per_second, row->mean_ns / 1e3, (double)row->major_faults / row->seconds, left);
	else
		diag_info("%.3f s: %.0f accesses/s, mean %.3f us, p50 %s us, p99 %s us, %.0f minor/s, %.0f major/s",
			row->time_s, row->accesses_per_second, row->mean_ns / 1e3,
			percentile_us(row, row->p50_ns, p50), percentile_us(row, row->p99_ns, p99),
			(double)row->minor_faults / row->seconds, (double)row->major_faults / row->seconds);
}

/* A stop of the whole run delays this process, too; this function detects a stop of one process. */
static void sample_stops(struct watch *watch)
{
	const struct pmbench_plan *plan = watch->result->plan;
	bool is_any = false;

	if ((int64_t)clock_ns(CLOCK_MONOTONIC) - watch->result->stops.sample_ns < SAMPLE_MS * 1000000ll)
		return;
	for (unsigned i = 0; i < plan->processes && !is_any; i++)
		is_any = contention_is_stopped("", watch->control->slots[plan->process[i].first].status.process_id);
	contention_sample(&watch->result->stops, is_any);
}

/* The descriptor only wakes; states are stored by the threads or their parent process. */
static bool have_all_ended(const struct watch *watch)
{
	bool has_failed = false;
	uint64_t count;

	if (read(watch->control->done_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return true;
	return has_reached(watch, THREAD_DONE, &has_failed);
}

void watch_window(struct watch *watch)
{
	struct pmbench_result *result = watch->result;
	const struct pmbench_plan *plan = result->plan;
	struct pollfd fds[] = {{watch->control->done_fd, POLLIN, 0}, {pressure_fd(watch->pressure), POLLIN, 0},
		{interrupt_fd(), POLLIN, 0}};
	/* in ns since the begin; UINT64_MAX = never */
	uint64_t next_row = plan->interval_ns, mid_run = plan->duration_ns ? plan->duration_ns / 2 : UINT64_MAX;
	struct progress progress;
	uint64_t begin_ns;

	progress_init(&progress, !plan->prints_interval);
	series_begin(&watch->series, watch->control, &result->timebase, pressure_cgroup_dir(watch->pressure));
	begin_ns = watch->series.begin_ns;
	pressure_mark_start(watch->pressure);
	contention_begin(&result->stops);
	start_mark(&result->signature.start);
	control_order(watch->control, CONTROL_RUN);
	while (!have_all_ended(watch)) {
		uint64_t now = ticks_perfc() - begin_ns, next = next_row < mid_run ? next_row : mid_run;
		uint64_t left_ms = next <= now ? 0 : (next - now) / 1000000 + 1;
		uint64_t sleep_ms = left_ms < SAMPLE_MS ? left_ms : SAMPLE_MS;

		int ready;

		contention_rest(&result->stops);
		ready = poll(fds, result->is_interrupted ? 2 : 3, (int)sleep_ms);
		if (ready < 0 && errno != EINTR)
			break;
		contention_wake(&result->stops, sleep_ms * 1000000);
		if (interrupt_signal() && !result->is_interrupted) {
			result->is_interrupted = true;
			for (size_t i = 0; i < watch->control->count; i++)
				control_stop(&watch->control->slots[i]);
		}
		if (fds[1].revents) {
			watch->has_job_ended = true;
			break;
		}
		sample_stops(watch);
		now = ticks_perfc() - begin_ns;
		if (now >= mid_run) {
			take_snapshot(watch, SNAPSHOT_MID_RUN);
			mid_run = UINT64_MAX;
		}
		if (now < next_row)
			continue;
		while (next_row <= now)
			next_row += plan->interval_ns;
		if (!series_take(&watch->series) && plan->prints_interval)
			print_interval(&progress, &series_latest(&watch->series)->values, (double)plan->duration_ns / 1e9);
	}
	sample_stops(watch);
	contention_end(&result->stops);
	series_end(&watch->series, plan->interval_ns);
	watch->window_seconds = (double)(ticks_perfc() - begin_ns) / 1e9;
	progress_clear(&progress);
}

/* --- the run --- */

#define CALIBRATION_NS 100000000ull

static int prepare_clock(const struct pmbench_plan *plan, struct pmbench_result *result, uint64_t *slow_ticks)
{
	const struct pmbench_options *options = plan->options;
	int err = timebase_init(&result->timebase, options->method, options->is_store_visible, CALIBRATION_NS, "");
	cpu_set_t allowed;
	bool is_moved;

	if (err)
		return diag_host(err, "cannot calibrate the clock");
	if (result->timebase.distrust[0] && !options->is_forced)
		return diag_host(0, "-t %s: %s: use -t perfc, or --force to measure with it anyway",
			timebase_method_name(options->method), result->timebase.distrust);
	*slow_ticks = 0;
	if (options->classify == CLASSIFY_NONE)
		return 0;
	/* The CPUs of a machine may differ in speed, so calibrate on one of the run's. */
	is_moved = plan->thread[0].is_pinned && !sched_getaffinity(0, sizeof(allowed), &allowed) &&
		!sched_setaffinity(0, sizeof(plan->thread[0].cpus), &plan->thread[0].cpus);
	err = classify_calibrate(&result->timebase, slow_ticks);
	if (is_moved)
		sched_setaffinity(0, sizeof(allowed), &allowed);
	if (err)
		return diag_host(err, "cannot find the shortest page fault: use --classify none");
	result->slow_threshold_ns = (double)timebase_to_ns(&result->timebase, *slow_ticks);
	return 0;
}

/* Returns whether anything was measured. */
static bool conduct(struct watch *watch)
{
	struct pmbench_result *result = watch->result;
	const struct pmbench_options *options = result->plan->options;

	stages_print(STAGE_INITIALIZING, watch->control, result);
	pm_disks_find(watch->control, pressure_cgroup_dir(watch->pressure), result);
	if (!watch_for_state(watch, THREAD_READY))
		return false;
	stages_print(STAGE_READY, watch->control, result);
	if (options->warmup != WARMUP_NONE)
		take_snapshot(watch, SNAPSHOT_PRE_WARMUP);
	stages_print(STAGE_WARMING, watch->control, result);
	control_order(watch->control, CONTROL_WARM);
	if (!watch_for_state(watch, THREAD_WARM))
		return false;
	stages_print(STAGE_WARM, watch->control, result);
	pm_check_machine(options->pressure.ram_bytes, pressure_cgroup_dir(watch->pressure), result);
	/* The counters below must not include events of this wait. */
	if (start_wait(&result->signature.start, interrupt_fd(), pressure_fd(watch->pressure)))
		return false;
	take_snapshot(watch, SNAPSHOT_PRE_RUN);
	pm_disks_begin(watch->control, result);
	watch_window(watch);
	pm_disks_end(watch->control, result);
	take_snapshot(watch, SNAPSHOT_POST_RUN);
	stages_print(STAGE_DONE, watch->control, result);
	control_order(watch->control, CONTROL_UNMAP);
	if (watch_for_state(watch, THREAD_UNMAPPED))
		take_snapshot(watch, SNAPSHOT_POST_UNMAP);
	return true;
}

/* Reports which thread failed and where, for a run without a result. */
static int report_failure(const struct control *control, const struct pressure_outcome *outcome)
{
	char why[256];

	for (size_t i = 0; i < control->count; i++) {
		const struct control_status *status = &control->slots[i].status;

		if (control_get_state(&control->slots[i]) == THREAD_FAILED)
			return diag_host(status->error, "%s", status->failed_at);
	}
	if (interrupt_signal()) {
		diag_error(0, "interrupted before the first access was measured: there is no report");
		return DIAG_EXIT_UNTRUSTED;
	}
	pm_check_failure(outcome, why, sizeof(why));
	return diag_host(0, "%s", why);
}

/* Without marks the run continues, as the original does. */
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

static int run_job(struct watch *watch, uint64_t slow_ticks)
{
	struct pmbench_result *result = watch->result;
	const struct pmbench_plan *plan = result->plan;
	struct trace_marker marker;
	struct worker_job job = {plan, &result->timebase, watch->control, open_marker(plan, &marker), slow_ticks};
	struct pressure_outcome outcome = {0};
	uint64_t oom_kills = 0;
	bool has_measured;
	int err = pressure_start(&plan->options->pressure, worker_run_job, &job, &watch->pressure);

	if (job.marker)
		trace_marker_close(job.marker);
	if (err)
		return DIAG_EXIT_HOST;
	has_measured = conduct(watch);
	control_order(watch->control, CONTROL_EXIT);
	if (!has_measured)
		pressure_kill(watch->pressure, SIGKILL);
	pressure_finish(watch->pressure, &outcome);
	/* The wait status does not identify the sender of SIGKILL; the kernel's count does. A job that succeeded lost no
	 * process. */
	result->pressure.was_oom = outcome.was_oom_killed || (outcome.wait_status &&
		result_counted(result, "vmstat.oom_kill", &oom_kills) && (int64_t)oom_kills > 0);
	result->pressure.is_restored = outcome.is_restored;
	result->pressure.setup_ns = outcome.setup_ns;
	result->pressure.teardown_ns = outcome.teardown_ns;
	memcpy(result->reasons, outcome.reasons, sizeof(outcome.reasons));
	result->reason_count = outcome.reason_count;
	if (!outcome.is_restored)
		diag_error(0, "not everything could be restored: pmbench --recover tries again");
	if (!has_measured)
		return report_failure(watch->control, &outcome);
	timebase_recalibrate(&result->timebase);
	result->has_steady = pm_check_steady(watch->series.intervals, watch->series.count, plan->phase_count, &result->steady);
	series_hand_over(&watch->series, result);
	if (collect_results(watch->control, watch->window_seconds, result)) {
		diag_error(ENOMEM, "cannot collect the results");
		return DIAG_EXIT_USAGE;
	}
	pm_check_run(watch->control, result);
	pm_check_trust(result);
	return 0;
}

int run_plan(const struct pmbench_plan *plan, const struct machine *machine, struct pmbench_result *result)
{
	/* The struct is too large for a stack. */
	struct watch *watch = calloc(1, sizeof(*watch));
	struct control control;
	uint64_t slow_ticks;
	int code;

	memset(result, 0, sizeof(*result));
	result->plan = plan;
	pm_check_start(machine, result);
	result->snapshots = calloc(SNAPSHOTS, sizeof(*result->snapshots));
	if (!watch || !result->snapshots || interrupt_install()) {
		diag_error(ENOMEM, "cannot prepare the run");
		code = DIAG_EXIT_USAGE;
		goto out;
	}
	if (plan->warns_zero_page && plan->options->ratio == 100)
		diag_warn("pages that are never written share the kernel's zero page, which is never paged: use -i");
	code = prepare_clock(plan, result, &slow_ticks);
	if (code)
		goto out;
	code = control_open(&control, plan->threads, plan->options->wants_hdr);
	if (code) {
		code = diag_host(code, "cannot allocate the counters of %u threads", plan->threads);
		goto out;
	}
	report_signature_start(&result->signature);
	result->signature.start = plan->options->start;
	watch->control = &control;
	watch->result = result;
	code = run_job(watch, slow_ticks);
	result->signature.monotonic_end_ns = report_monotonic_ns();
	control_close(&control);
out:
	free(watch);
	return code;
}
