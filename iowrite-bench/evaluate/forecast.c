/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/forecast.h"

#include <errno.h>
#include <stdlib.h>

int forecast(const struct forecast_conditions *conditions, enum result_model model, const struct op *ops, size_t count,
	struct prediction *prediction, const char **missing)
{
	const struct scenario *scenario = conditions->scenario;
	struct system *system = system_with_limits(conditions->system, conditions->before.background_threshold,
		conditions->before.threshold, "/proc/vmstat");
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
	int rc = system ? predict(system, &setup, ops, count, prediction, missing) : -ENOMEM;

	free(system);
	return rc;
}
