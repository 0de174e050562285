/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/predict/plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/diag.h"
#include "common/hot/rng.h"
#include "iowrite-bench/calibrated.h"

static int no_memory(void)
{
	diag_error(ENOMEM, "cannot predict");
	return DIAG_EXIT_HOST;
}

/* --- writes --- */

static int make_pattern(const struct predict_pattern *pattern, struct trace_file *writes)
{
	uint64_t total = pattern->total ? pattern->total : 1ull << 30, places = total / pattern->size, offset = 0;
	uint64_t step = pattern->size - (pattern->is_back ? (uint64_t)((double)pattern->size * pattern->back) : 0);
	struct rng rng;

	places += !places;
	if (places > TRACE_WRITES_MAX) {
		diag_error(0, "predict: --size is %llu writes of --bs: up to %u", (unsigned long long)places,
			TRACE_WRITES_MAX);
		return DIAG_EXIT_USAGE;
	}
	writes->ops = calloc(places, sizeof(*writes->ops));
	if (!writes->ops)
		return no_memory();
	writes->count = places;
	rng_seed(&rng, pattern->seed, 0);
	for (uint64_t i = 0; i < places; i++) {
		if (pattern->is_random)
			offset = rng_below(&rng, places) * pattern->size;
		writes->ops[i] = (struct op){pattern->delay_ns, offset, pattern->size};
		offset += step;
	}
	return DIAG_EXIT_OK;
}

static int make_writes(const struct predict_options *options, struct trace_file *writes)
{
	if (options->trace_path)
		return trace_file_read(options->trace_path, writes);
	if (options->scenario)
		return scenario_ops(options->scenario, &writes->ops, &writes->count) ? no_memory() : DIAG_EXIT_OK;
	return make_pattern(&options->pattern, writes);
}

static void measure_writes(struct predict_plan *plan)
{
	plan->least_size = UINT64_MAX;
	for (size_t i = 0; i < plan->writes.count; i++) {
		uint64_t size = plan->writes.ops[i].size;

		plan->bytes += size;
		if (size < plan->least_size)
			plan->least_size = size;
		if (size > plan->most_size)
			plan->most_size = size;
	}
}

/* --- thresholds --- */

static void set_limits(struct system *system, double background, double hard, const char *method)
{
	struct system_value *values[] = {&system->parameters[SYSTEM_LIMIT_BG], &system->parameters[SYSTEM_LIMIT_HARD]};
	const double limits[] = {background, hard};

	for (int i = 0; i < 2; i++) {
		if (!(limits[i] > 0))
			continue;
		*values[i] = (struct system_value){.value = limits[i], .low = NAN, .high = NAN};
		snprintf(values[i]->method, sizeof(values[i]->method), "%s", method);
	}
}

static void use_scenario(const struct scenario *scenario, struct predict_plan *plan)
{
	uint64_t background, hard;

	calibrated_thresholds(scenario, calibrated_is_fast(&plan->system), &background, &hard);
	plan->setup.mode = scenario->mode;
	plan->setup.regime = scenario->regime;
	plan->setup.is_cached = scenario_is_cached(scenario);
	plan->policy = scenario->is_stdio ? stdio_policy_here() : NULL;
	if (!scenario->dirty_bytes)
		return;
	plan->limits_from = "of the scenario";
	set_limits(&plan->system, (double)background, (double)hard, plan->limits_from);
}

static int use_limits(const struct predict_options *options, struct predict_plan *plan)
{
	double background, hard;

	if (!options->limit_bg && !options->limit_hard)
		return DIAG_EXIT_OK;
	plan->limits_from = "as given";
	set_limits(&plan->system, (double)options->limit_bg, (double)options->limit_hard, plan->limits_from);
	background = system_get(&plan->system, SYSTEM_LIMIT_BG);
	hard = system_get(&plan->system, SYSTEM_LIMIT_HARD);
	if (!(background >= hard))
		return DIAG_EXIT_OK;
	diag_error(0, "predict: write-back at %.0f dirty bytes is not below the limit of %.0f: give both --limit-bg and "
		"--limit-hard", background, hard);
	return DIAG_EXIT_USAGE;
}

/* --- the machine --- */

static int look_outside(const char *root, struct predict_plan *plan)
{
	struct machine *machine = malloc(sizeof(*machine)); /* some 100 KiB */
	struct outside_question question = {.root = root, .machine = machine, .system = &plan->system, .writers = 1,
		.memory = plan->setup.memory, .bytes = plan->bytes};
	int rc;

	if (!machine)
		return no_memory();
	rc = machine_read(root, machine);
	if (rc) {
		diag_error(rc, "predict: cannot read what this machine is");
		free(machine);
		return DIAG_EXIT_HOST;
	}
	outside_model(&question, &plan->outside);
	free(machine);
	plan->has_bounds = outside_hides_memory(&plan->outside, &plan->system, plan->setup.memory);
	return DIAG_EXIT_OK;
}

static void use_options(const struct predict_options *options, struct predict_plan *plan)
{
	plan->setup = (struct model_setup){.mode = options->mode, .regime = options->regime,
		.memory = options->memory, .is_paper_literal = options->is_paper_literal,
		.is_detailed = options->is_detailed,
		.control = {.ratelimit = (double)options->ratelimit0}};
	plan->policy = options->policy;
	plan->buffer_bytes = options->buffer_bytes;
	plan->limits_from = "calibrated";
}

int predict_plan_make(const char *root, const struct predict_options *options, struct predict_plan *plan)
{
	int code;

	*plan = (struct predict_plan){0};
	system_init(&plan->system);
	code = system_read(options->system_path, &plan->system);
	if (code)
		return code;
	use_options(options, plan);
	if (options->scenario)
		use_scenario(options->scenario, plan);
	plan->setup.is_stdio = plan->policy != NULL;
	code = use_limits(options, plan);
	if (!code)
		code = make_writes(options, &plan->writes);
	if (!code) {
		measure_writes(plan);
		plan->setup.dirty_bytes = plan->writes.dirty_bytes;
		plan->setup.writeback_bytes = plan->writes.writeback_bytes;
		code = look_outside(root, plan);
	}
	if (code)
		predict_plan_free(plan);
	return code;
}

void predict_plan_free(struct predict_plan *plan)
{
	trace_file_free(&plan->writes);
	system_free(&plan->system);
}
