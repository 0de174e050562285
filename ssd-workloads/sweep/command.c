/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ssd-workloads sweep: finds the highest load that meets objectives. */
#include "config.h"
#include "ssd-workloads/commands.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "ssd-workloads/run/run.h"
#include "ssd-workloads/sweep/sweep.h"

#define LEVEL 0.95

struct taking {
	struct sweep *sweep;
	struct search_run *run;
};

/* Host and target are the same for all runs; a check that several runs report is kept once. */
static void keep_frame(struct sweep *sweep, const struct frame *frame)
{
	if (!sweep->has_frame) {
		sweep->frame = *frame;
		sweep->frame.reason_count = 0;
		/* Traffic is that of one run, not of the sweep. */
		sweep->frame.traffic = (struct traffic){.disk_count = 0};
		sweep->has_frame = true;
	}
	for (size_t i = 0; i < frame->check_count; i++) {
		const struct machine_check *check = &frame->checks[i];

		machine_check_add(sweep->frame.checks, &sweep->frame.check_count, FRAME_CHECKS, check->code, check->value,
			check->advice, check->finding);
	}
}

/* The ranks of samples bound a percentile; other statistics have no interval. */
static struct stats_interval interval_of(const struct slo *slo, const struct latency *latency)
{
	double count = (double)latency->count;
	struct stats_interval ranks;

	if (slo->statistic != SLO_PERCENTILE || !latency->count ||
		stats_quantile_ranks(count, slo->percent / 100, LEVEL, &ranks))
		return (struct stats_interval){NAN, NAN};
	return (struct stats_interval){
		.low = ranks.low < 1 ? (double)latency->min_ns : latency_percentile(latency, 100 * ranks.low / count),
		.high = ranks.high > count ? INFINITY : latency_percentile(latency, 100 * ranks.high / count),
	};
}

static void take_values(const struct ssd_run_result *result, struct search_run *run)
{
	const struct ssd_run_options *options = result->plan->options;

	for (size_t i = 0; i < options->slo_count; i++) {
		const struct latency *latency;
		struct counts *counts = ssd_run_result_slo_counts(result, &options->slos[i], &latency);

		run->values[i] = (struct search_value){result->objectives[i].reached_ns,
			latency ? interval_of(&options->slos[i], latency) : (struct stats_interval){NAN, NAN}};
		counts_free(counts);
	}
}

static void take_means(const struct ssd_run_result *result, enum mix_stream stream, struct search_run *run)
{
	const struct run_repetition *mix = &result->repetitions[0];
	const struct engine_stream *from = &mix->engine.streams[stream];
	const struct latency *response;

	run->mean_ns = run->per_second = NAN;
	if (!result->repetition_count || !from->counts || !from->counts->operations)
		return;
	response = &from->counts->latencies[COUNTS_RESPONSE];
	run->mean_ns = response->sum_ns / (double)response->count;
	run->per_second = (double)from->counts->operations / from->seconds;
}

/* A run that falls behind the load decides the search; any other reason makes the run untrusted. */
static void take_reasons(const struct frame *frame, const char *overload, struct search_run *run)
{
	for (size_t i = 0; i < frame->reason_count && run->end != SEARCH_UNTRUSTED; i++) {
		const struct report_reason *reason = &frame->reasons[i];

		run->end = overload && !strcmp(reason->code, overload) ? SEARCH_OVERLOADED : SEARCH_UNTRUSTED;
		snprintf(run->why, sizeof(run->why), "%s: %s", reason->code, reason->text);
	}
}

static int take(const struct ssd_run_result *result, void *data)
{
	const struct taking *taking = data;
	struct sweep *sweep = taking->sweep;

	keep_frame(sweep, result->frame);
	if (result->is_interrupted)
		return DIAG_EXIT_UNTRUSTED;
	if (result->code)
		return result->code;
	sweep->stream = result->plan->workload.streams[MIX_LOG].depth ? MIX_LOG : MIX_CHECKPOINT;
	take_values(result, taking->run);
	take_means(result, sweep->stream, taking->run);
	take_reasons(result->frame, sweep->options.parameter->overload, taking->run);
	return DIAG_EXIT_OK;
}

static void set_point(struct sweep *sweep, uint64_t value, unsigned run)
{
	sweep->point = sweep->options.run;
	sweep->point.seed += run;
	sweep_set(&sweep->options, value, &sweep->point);
}

static int measure(void *data, uint64_t value, unsigned run, struct search_run *result)
{
	struct sweep *sweep = data;
	struct taking taking = {sweep, result};
	char text[OPT_WHOLE];

	if (interrupt_signal())
		return DIAG_EXIT_UNTRUSTED;
	sweep_format(&sweep->options, value, text);
	progress_line(&sweep->progress, "%s=%s, run %u", sweep->options.parameter->name, text, run + 1);
	set_point(sweep, value, run);
	return run_measure(&sweep->point, take, &taking);
}

/* Checks both ends of the range before anything is written; if they are valid, so are the values between. */
static int check_ends(struct sweep *sweep)
{
	struct ssd_run_plan *plan = malloc(sizeof(*plan));
	int code = plan ? DIAG_EXIT_OK : diag_host(ENOMEM, "cannot begin");

	for (int i = 0; i < 2 && !code; i++) {
		set_point(sweep, i ? sweep->options.high : sweep->options.low, 0);
		code = ssd_run_plan_make(&sweep->point, plan);
	}
	free(plan);
	return code;
}

static int search(struct sweep *sweep)
{
	const struct sweep_options *options = &sweep->options;
	struct frame *frame = &sweep->frame;
	char text[SWEEP_TEXT];
	int code, published;

	sweep->search = (struct search){.low = options->low, .high = options->high,
		.is_reversed = options->parameter->is_reversed, .slo_count = options->run.slo_count, .slos = options->run.slos,
		.measure = measure, .data = sweep};
	code = search_find(&sweep->search);
	progress_clear(&sweep->progress);
	frame->signature.is_interrupted = interrupt_signal();
	if (!sweep->has_frame || (code && !frame->signature.is_interrupted))
		return code;
	if (!code && sweep->search.outcome < SEARCH_NONE)
		frame_reason(frame, search_outcome_name(sweep->search.outcome), "%s", sweep_answer(sweep, text));
	if (ssd_run_options_print_text(&options->run))
		sweep_text(stdout, sweep);
	published = sweep_report(sweep);
	if (published)
		return published;
	if (strcmp(frame_status(frame), "ok"))
		return DIAG_EXIT_UNTRUSTED;
	return sweep->search.outcome == SEARCH_NONE ? DIAG_EXIT_NEGATIVE : DIAG_EXIT_OK;
}

/* The plan is that of the larger value, which check_ends has set last. */
static int print_plan(const struct sweep *sweep)
{
	const struct sweep_options *options = &sweep->options;
	char low[OPT_WHOLE], high[OPT_WHOLE];

	sweep_format(options, options->low, low);
	sweep_format(options, options->high, high);
	printf("sweep: %s from %s to %s; the plan of %s:\n", options->parameter->name, low, high, high);
	return run_measure(&sweep->point, take, NULL);
}

static int run_sweep(const struct command *command, int argc, char **argv)
{
	struct sweep *sweep = calloc(1, sizeof(*sweep));
	int code, rc = sweep ? interrupt_install() : -ENOMEM;
	void (*on_pipe)(int);

	if (rc) {
		free(sweep);
		return diag_host(rc, "cannot begin");
	}
	/* The report is written even if the reader of the table ends early. */
	on_pipe = signal(SIGPIPE, SIG_IGN);
	code = ssd_run_options_parse(command, argc, argv, &sweep->options.run);
	if (!code) {
		progress_init(&sweep->progress, false);
		code = check_ends(sweep);
		if (!code)
			code = sweep->point.is_dry_run ? print_plan(sweep) : search(sweep);
		ssd_run_options_free(&sweep->options.run);
	}
	signal(SIGPIPE, on_pipe);
	free(sweep);
	return code;
}

const struct command command_sweep = {
	.program = &ssd_program,
	.name = "sweep",
	.summary = "find the highest load that meets objectives, with few runs",
	.doc = "Find the largest rate or depth, or the smallest interval between checkpoints, that meets objectives, with few "
	       "runs, and the knee of the response. The exit status is 1 when nothing in the range meets them, and 4 when that "
	       "could not be decided.",
	.examples = "  ssd-workloads sweep --over=rate=500..9000 --slo='p99<9ms' --mix=1-N --target=a\n"
		    "  ssd-workloads sweep --over=ckpt-every=1..9 --slo='p99<9s' --mix=1-N --target=a\n"
		    "  ssd-workloads sweep --over=log-depth=1..9 --slo='p99<2ms' --mix=M-0 --target=a\n",
	.notes = "Each run is one of 'ssd-workloads run' with the same options. See ssd-workloads(1).",
	.options = sweep_option_rows,
	.relations = sweep_option_relations,
	.add = ssd_run_options_add,
	.check = sweep_options_check,
	.run = run_sweep,
};
