/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/forecast.h"

static void set(struct system *system, enum system_parameter parameter, uint64_t bytes)
{
	struct system_value *value = &system->parameters[parameter];

	if (bytes)
		*value = (struct system_value){.value = (double)bytes, .low = (double)bytes, .high = (double)bytes,
			.method = "/proc/vmstat"};
}

int forecast(const struct forecast_conditions *conditions, enum result_model model, const struct op *ops, size_t count,
	struct prediction *prediction, const char **missing)
{
	const struct scenario *scenario = conditions->scenario;
	struct system system = *conditions->system; /* its curves stay the calibration's */
	struct predict_setup setup = {
		.kind = model_kind(result_model_name(model)),
		.model = {
			.mode = scenario->mode,
			.regime = scenario->regime,
			.memory = conditions->memory,
			.is_cached = scenario_is_cached(scenario),
			.is_stdio = scenario->is_stdio,
			.dirty_bytes = conditions->before.dirty,
			.writeback_bytes = conditions->before.writeback,
			.control = conditions->control,
		},
		.policy = scenario->is_stdio ? stdio_policy_here() : NULL,
	};

	set(&system, SYSTEM_LIMIT_BG, conditions->before.background_threshold);
	set(&system, SYSTEM_LIMIT_HARD, conditions->before.threshold);
	return predict(&system, &setup, ops, count, prediction, missing);
}
