/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/plan.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>

#include "common/base/diag.h"
#include "common/base/units.h"

#define BASELINE_RUNS 5u /* without --runs */
#define NS_PER_MS 1000000u

/* Returns why an option does not suit the streams of this mix; NULL = all do. */
static const char *obstacle(const struct ssd_run_options *options, const struct workload *workload)
{
	const struct workload_stream *log = &workload->streams[MIX_LOG], *checkpoint = &workload->streams[MIX_CHECKPOINT];
	bool has_log = log->depth, has_checkpoint = checkpoint->depth, has_both = has_log && has_checkpoint;
	bool is_durable = options->durability != BACKEND_NONE, is_ordered = options->is_random || options->has_pattern;
	const struct { bool is_wrong; const char *why; } rules[] = {
		{!has_log && is_durable, "--durability: this mix has no log"},
		{!has_log && options->rate, "--rate: this mix has no log"},
		{!has_log && options->group_commit > 1, "--group-commit: this mix has no log"},
		/* A log without durability has no commits; with a rate commits define when a write is due. */
		{options->group_commit > 1 && !is_durable && !options->rate, "--group-commit: needs --durability or --rate"},
		{!has_log && options->log_target, "--log-target: this mix has no log"},
		{!has_checkpoint && checkpoint->pause_ns, "--ckpt-pause: this mix has no checkpoint"},
		{!has_checkpoint && checkpoint->every_ns, "--ckpt-every: this mix has no checkpoint"},
		{checkpoint->every_ns && checkpoint->pause_ns,
			"--ckpt-every and --ckpt-pause: both set when the next checkpoint begins; keep one"},
		{!checkpoint->every_ns && options->override.streams[MIX_CHECKPOINT].has_completion,
			"--ckpt-completion: needs --ckpt-every"},
		{!has_checkpoint && is_ordered, "--ckpt-order: this mix has no checkpoint"},
		{is_ordered && checkpoint->area_bytes / checkpoint->block_bytes > LAYOUT_ORDER_MAX,
			"--ckpt-order: a checkpoint has at most 2^30 writes; increase --ckpt-bs or reduce --ckpt-size"},
		{!has_checkpoint && options->is_buffered, "--ckpt-io: this mix has no checkpoint"},
		{!has_checkpoint && options->checkpoint_sync == RUN_SYNC_PASS, "--ckpt-sync: this mix has no checkpoint"},
		{options->checkpoint_target && !has_both,
			"--ckpt-target: this mix has one stream; name its target by --target"},
		{options->without == RUN_WITHOUT_OTHER && !has_both,
			"--without other: this mix has one stream; use one of two streams"},
		{options->has_baselines && !has_both, "--baselines: this mix has one stream; use one of two streams"},
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (rules[i].is_wrong)
			return rules[i].why;
	}
	return NULL;
}

/* An objective for a latency that is not measured would never be decided. */
static int check_slos(const struct ssd_run_options *options, const struct ssd_run_plan *plan)
{
	bool has_log = plan->workload.streams[MIX_LOG].depth, has_checkpoint = plan->workload.streams[MIX_CHECKPOINT].depth;
	const struct { bool is_missing; const char *why; } rules[] = {
		[RUN_SLO_LOG] = {!has_log, "this mix has no log; use checkpoint:"},
		[RUN_SLO_CHECKPOINT] = {!has_checkpoint, "this mix has no checkpoint; use log:"},
		[RUN_SLO_COMMIT] = {options->durability == BACKEND_NONE, "no commit is made durable; use --durability, or log:"},
		[RUN_SLO_SYNC] = {!plan->has_pass_syncs, "no checkpoint is synced; use --ckpt-sync=pass"},
	};

	for (size_t i = 0; i < options->slo_count; i++) {
		if (rules[options->slos[i].of].is_missing)
			return diag_usage("--slo %s: %s", options->slos[i].text, rules[options->slos[i].of].why);
	}
	return DIAG_EXIT_OK;
}

/* Rows beyond the size of a series would be lost silently. */
static int check_interval(const struct ssd_run_options *options)
{
	uint64_t least_ns = (options->runtime_ns + ENGINE_ROWS_MAX - 1) / ENGINE_ROWS_MAX;

	if (!options->interval_ns || options->interval_ns >= least_ns)
		return DIAG_EXIT_OK;
	diag_error(0, "--interval: gives more than %u rows in this --runtime; use %llums or more, or 0 for no series",
		ENGINE_ROWS_MAX, (unsigned long long)(least_ns + NS_PER_MS - 1) / NS_PER_MS);
	return DIAG_EXIT_USAGE;
}

/* Each worker draws from its own part of the area. */
static int check_pattern(const struct ssd_run_options *options, struct ssd_run_plan *plan)
{
	const struct workload_stream *checkpoint = &plan->workload.streams[MIX_CHECKPOINT];
	const char *why;

	plan->pattern = options->pattern;
	if (!options->has_pattern ||
		!pattern_check(&plan->pattern, checkpoint->area_bytes / checkpoint->block_bytes / checkpoint->workers, &why))
		return DIAG_EXIT_OK;
	diag_error(0, "--ckpt-order: %s", why);
	return DIAG_EXIT_USAGE;
}

/* Adds the number of the log's targets; on a simulated device an area without a size is a quarter of it. */
static struct workload_override override_of(const struct ssd_run_options *options)
{
	struct workload_override override = options->override;
	const struct sim_params *params = &options->device.params;

	override.log_stripes = options->log_target ? STRIPE_TARGETS : 1;
	for (int i = 0; i < MIX_STREAMS && options->device.preset; i++) {
		if (!override.streams[i].area_bytes)
			override.streams[i].area_bytes = sim_pages(params) / 4 * params->page_bytes;
	}
	return override;
}

static int check_device(const struct ssd_run_options *options, const struct ssd_run_plan *plan)
{
	const struct sim_params *params = &options->device.params;
	uint64_t exported = sim_exported_pages(params) * params->page_bytes;
	uint64_t buffer = (uint64_t)params->buffer_entries * sim_dies(params) * params->page_bytes;
	char used[UNITS_TEXT], device_text[UNITS_TEXT];

	if (!options->device.preset)
		return DIAG_EXIT_OK;
	for (size_t i = 0; i < plan->target_count; i++) {
		if (plan->places[i].layout.bytes <= exported)
			continue;
		diag_error(0, "--log-size, --ckpt-size: the areas end at %s, and the device exports %s; reduce them, or use a "
			      "larger device", units_format_size(plan->places[i].layout.bytes, used, sizeof(used)),
			units_format_size(exported, device_text, sizeof(device_text)));
		return DIAG_EXIT_USAGE;
	}
	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct workload_stream *stream = &plan->workload.streams[i];

		/* An unaligned write occupies one more page. */
		if (!stream->depth || stream->block_bytes + params->page_bytes - 1 <= buffer)
			continue;
		diag_error(0, "--sim buffer: the buffer of %s cannot hold a write of the %s, %s; increase it",
			units_format_size(buffer, device_text, sizeof(device_text)), mix_stream_name((enum mix_stream)i),
			units_format_size(stream->block_bytes, used, sizeof(used)));
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

static void plan_places(const struct ssd_run_options *options, struct ssd_run_plan *plan)
{
	struct layout layouts[LAYOUT_TARGETS];

	plan->target_count = layout_divide(&plan->layout, options->checkpoint_target, layouts);
	plan->place_count = options->device.preset ? 0 : plan->target_count;
	for (size_t i = 0; i < plan->target_count; i++) {
		struct run_place *place = &plan->places[i];

		if (!i)
			*place = (struct run_place){options->target, options->destroy_data, "target", NULL, layouts[i]};
		else if (i < layout_stripes(&plan->layout))
			*place = (struct run_place){options->log_target, options->log_destroy, "log target",
				mix_stream_name(MIX_LOG), layouts[i]};
		else
			*place = (struct run_place){options->checkpoint_target, options->checkpoint_destroy, "checkpoint target",
				mix_stream_name(MIX_CHECKPOINT), layouts[i]};
	}
}

int ssd_run_plan_make(const struct ssd_run_options *options, struct ssd_run_plan *plan)
{
	const struct workload_override override = override_of(options);
	const char *why = NULL;
	unsigned runs = options->runs ? options->runs : options->has_baselines ? BASELINE_RUNS : 1;

	*plan = (struct ssd_run_plan){.options = options};
	if (!workload_make(options->mix, &override, &plan->workload, &why))
		why = obstacle(options, &plan->workload);
	if (why) {
		diag_error(0, "%s", why);
		return DIAG_EXIT_USAGE;
	}
	if (check_interval(options) || check_pattern(options, plan))
		return DIAG_EXIT_USAGE;
	/* The default follows a database, which may truncate its log only when the checkpoint is durable. */
	plan->has_pass_syncs = plan->workload.streams[MIX_CHECKPOINT].depth &&
		(options->checkpoint_sync == RUN_SYNC_PASS || (options->checkpoint_sync == RUN_SYNC_AUTO &&
			(options->durability != BACKEND_NONE || options->is_buffered)));
	if (check_slos(options, plan))
		return DIAG_EXIT_USAGE;
	layout_make(&plan->workload, &plan->layout);
	plan_places(options, plan);
	if (check_device(options, plan))
		return DIAG_EXIT_USAGE;
	baseline_plan_make(&plan->workload, options->has_baselines || options->without == RUN_WITHOUT_OTHER, runs,
		&plan->baselines);
	plan->without = options->device.params;
	if (options->without == RUN_WITHOUT_GC)
		plan->without.gc_time = 0;
	else if (options->without == RUN_WITHOUT_ERASE)
		plan->without.erase_ns = 0;
	if (options->without > RUN_WITHOUT_OTHER)
		baseline_plan_add(&plan->baselines, options->without == RUN_WITHOUT_GC ? "without-gc" : "without-erase");
	/* A simulated run depends on options and seed only. */
	if (options->device.preset)
		plan->run = options->seed * 2 + 1;
	while (!plan->run) {
		if (getrandom(&plan->run, sizeof(plan->run), 0) != sizeof(plan->run)) {
			diag_error(errno, "cannot draw a random number");
			return DIAG_EXIT_HOST;
		}
	}
	return DIAG_EXIT_OK;
}

const char *run_durability_name(enum backend_durability durability)
{
	static const char *const names[] = {
		[BACKEND_NONE] = "none", [BACKEND_DSYNC] = "dsync", [BACKEND_FDATASYNC] = "fdatasync"};

	return names[durability];
}

static void print_stream(const struct ssd_run_plan *plan, enum mix_stream which)
{
	const struct workload_stream *stream = &plan->workload.streams[which];
	const struct layout_area *area = &plan->layout.areas[which];
	char block[UNITS_TEXT], size[UNITS_TEXT], begin[UNITS_TEXT];

	if (!stream->depth)
		return;
	printf("%s: %u write%s of %s outstanding, by %u thread%s, round %s from %s on\n", mix_stream_name(which),
		stream->depth, stream->depth == 1 ? "" : "s",
		units_format_size(stream->block_bytes, block, sizeof(block)), stream->workers,
		stream->workers == 1 ? "" : "s", units_format_size(area->bytes, size, sizeof(size)),
		units_format_size(area->begin, begin, sizeof(begin)));
	if (stream->every_ns)
		printf("%s: a pass every %s, with its writes spread over %.0f %% of that\n", mix_stream_name(which),
			units_format_duration((double)stream->every_ns, size, sizeof(size)), stream->completion * 100);
}

static void print_device(const struct ssd_run_plan *plan)
{
	const struct ssd_run_options *options = plan->options;
	char text[64];
	const char *key = NULL, *value;

	for (size_t i = 1; i < plan->target_count; i++)
		printf("%s: %s, with equal parameters\n", plan->places[i].title, plan->places[i].path);
	printf("target: %s:", options->target);
	for (size_t i = 0; (value = sim_params_value(&options->device.params, i, &key, text)); i++)
		printf(" %s=%s", key, value);
	printf("\n");
	for (int i = 0; i < SIM_POLICY_KINDS; i++) {
		const struct sim_policy *policy = &options->device.policies.list[i];
		char words[SIM_POLICY_TEXT];

		if (policy->row)
			printf("policy: %s\n", sim_policy_text(policy, words, sizeof(words)));
	}
}

void ssd_run_plan_print(const struct ssd_run_plan *plan, const struct place *places, const struct backend_choice *choice)
{
	const struct ssd_run_options *options = plan->options;
	char name[64], time[UNITS_TEXT], size[UNITS_TEXT];
	bool is_prewritten = true;

	workload_name(&plan->workload, name, sizeof(name));
	printf("mix: %s (%s)\n", name, plan->workload.mix->method);
	for (int i = 0; i < MIX_STREAMS; i++)
		print_stream(plan, (enum mix_stream)i);
	for (size_t i = 0; i < plan->place_count; i++) {
		printf("%s: %s, %s of it\n", plan->places[i].title, places[i].target.path,
			units_format_size(plan->places[i].layout.bytes, size, sizeof(size)));
		is_prewritten = is_prewritten && places[i].is_prewritten;
	}
	if (options->device.preset)
		print_device(plan);
	else
		printf("prepared: %s\n", is_prewritten	  ? "already"
				 : options->is_unprepared ? "no"
							  : "both areas are written once before");
	printf("engine: %s (%s)\n", choice->ops->name, choice->features);
	printf("durability: %s%s\n", run_durability_name(options->durability),
		plan->has_pass_syncs ? ", and of each checkpoint at its end" : "");
	printf("runs: %u of %zu, %s each\n", plan->baselines.runs, plan->baselines.cell_count,
		units_format_duration((double)options->runtime_ns, time, sizeof(time)));
}
