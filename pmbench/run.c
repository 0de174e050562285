/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/diag.h"
#include "common/interrupt.h"
#include "pmbench/classify.h"
#include "pmbench/collect.h"
#include "pmbench/environment.h"
#include "pmbench/judge.h"
#include "pmbench/narrate.h"
#include "pmbench/watch.h"
#include "pmbench/worker.h"

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

	if (err) {
		diag_error(err, "cannot calibrate the clock");
		return DIAG_EXIT_HOST;
	}
	if (result->timebase.distrust[0] && !options->is_forced) {
		diag_error(0, "-t %s: %s: use -t perfc, or --force to measure with it all the same",
			timebase_method_name(options->method), result->timebase.distrust);
		return DIAG_EXIT_HOST;
	}
	*slow_ticks = 0;
	if (options->classify == CLASSIFY_NONE)
		return 0;
	err = calibrate_faults(plan, &result->timebase, slow_ticks);
	if (err) {
		diag_error(err, "cannot find the shortest page fault: use --classify none");
		return DIAG_EXIT_HOST;
	}
	result->slow_threshold_ns = (double)timebase_to_ns(&result->timebase, *slow_ticks);
	return 0;
}

/* A run that could not even start: which thread, and what it could not do. */
static int report_failure(const struct watch *watch, const struct pressure_outcome *outcome)
{
	char why[256];

	for (size_t i = 0; i < watch->control->count; i++) {
		const struct control_status *status = &watch->control->slots[i].status;

		if (control_get_state(&watch->control->slots[i]) == THREAD_FAILED) {
			diag_error(status->error, "%s", status->failed_at);
			return DIAG_EXIT_HOST;
		}
	}
	if (interrupt_signal()) {
		diag_error(0, "interrupted before the first access was measured: there is no report");
	} else {
		judge_failure(outcome, why, sizeof(why));
		diag_error(0, "%s", why);
	}
	return interrupt_signal() ? DIAG_EXIT_UNTRUSTED : DIAG_EXIT_HOST;
}

/* From the first order to the last; true when something was measured. */
static bool conduct(struct watch *watch, struct pmbench_result *result)
{
	const struct narrator narrator = {watch->plan, watch->control, &result->timebase};
	bool is_warming = watch->plan->options->warmup != WARMUP_NONE;

	narrate_initializing(&narrator);
	if (!watch_for_state(watch, THREAD_READY))
		return false;
	narrate_ready(&narrator);
	if (is_warming)
		watch_snapshot(watch, SNAPSHOT_PRE_WARMUP);
	narrate_warming(&narrator);
	control_order(watch->control, CONTROL_WARM);
	if (!watch_for_state(watch, THREAD_WARM))
		return false;
	narrate_warm(&narrator);
	narrate_start(&narrator);
	environment_describe(watch->plan->options->pressure.ram_bytes, pressure_cgroup_dir(watch->pressure), result);
	watch_snapshot(watch, SNAPSHOT_PRE_RUN);
	watch_window(watch);
	watch_snapshot(watch, SNAPSHOT_POST_RUN);
	narrate_done(&narrator, result->is_interrupted);
	control_order(watch->control, CONTROL_UNMAP);
	if (watch_for_state(watch, THREAD_UNMAPPED))
		watch_snapshot(watch, SNAPSHOT_POST_UNMAP);
	return true;
}

/* Whoever sends SIGKILL, the wait status is the same: only the kernel's count tells that it was the kernel. */
static bool has_oom_killed(const struct pmbench_result *result)
{
	uint64_t before, after;

	return vmcounters_get(&result->snapshots[SNAPSHOT_PRE_RUN], "vmstat.oom_kill", &before) &&
		vmcounters_get(&result->snapshots[SNAPSHOT_POST_RUN], "vmstat.oom_kill", &after) && after > before;
}

/* A process that was killed makes the job fail; a job that ended well lost nobody. */
static void take_outcome(const struct pressure_outcome *outcome, struct pmbench_result *result)
{
	result->was_oom = outcome->was_oom_killed || (outcome->wait_status && has_oom_killed(result));
	result->is_restored = outcome->is_restored;
	result->eaters_lost = outcome->eaters_lost;
	result->setup_ns = outcome->setup_ns;
	result->teardown_ns = outcome->teardown_ns;
}

static int finish(struct watch *watch, struct pmbench_result *result)
{
	timebase_recalibrate(&result->timebase);
	judge_steady(watch->series.intervals, watch->series.count, watch->plan->phase_count, &result->steady);
	series_hand_over(&watch->series, result);
	if (collect_results(watch->control, watch->window_seconds, result)) {
		diag_error(ENOMEM, "cannot collect the results");
		return DIAG_EXIT_USAGE;
	}
	environment_check_run(watch->control, result);
	judge_result(result);
	return 0;
}

/* A run goes on without its marks, as the original's does. */
static struct trace_marker *open_marker(const struct pmbench_plan *plan, struct trace_marker *marker)
{
	char reason[160];

	if (!plan->options->threshold_ns)
		return NULL;
	if (trace_marker_open(marker, reason, sizeof(reason))) {
		diag_warn("-h: no marks are written: %s", reason);
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
		diag_error(0, "not everything could be put back: pmbench --recover tries again");
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
	environment_check_start(machine, result);
	result->snapshots = calloc(SNAPSHOTS, sizeof(*result->snapshots));
	if (!result->snapshots || interrupt_install()) {
		diag_error(ENOMEM, "cannot prepare the run");
		return DIAG_EXIT_USAGE;
	}
	if (plan->warns_zero_page && plan->options->ratio == 100)
		diag_warn("pages that are never written are all the kernel's one zero page, which is never paged: use -i");
	code = prepare_clock(plan, result, &slow_ticks);
	if (code)
		return code;
	code = control_open(&control, plan->threads, plan->options->wants_hdr);
	if (code) {
		diag_error(code, "cannot allocate the counters of %u threads", plan->threads);
		return DIAG_EXIT_HOST;
	}
	report_signature_start(&result->signature);
	code = watch_job(plan, &control, slow_ticks, result);
	result->signature.monotonic_end_ns = report_monotonic_ns();
	control_close(&control);
	return code;
}
