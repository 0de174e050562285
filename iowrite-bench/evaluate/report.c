/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/evaluate.h"
#include "iowrite-bench/model/kinds.h"

static void write_models(struct report *report, const struct field *field, const void *from)
{
	const struct evaluate_result_trial *trial = from;

	for (int model = 0; model < MODEL_KINDS; model++) {
		if (trial->models[model].name)
			field_row(report, field, iow_model_errors_record(), &trial->models[model]);
	}
}

/* An unknown value has no element (struct model_control says what the model assumes). */
static double known(const struct evaluate_result_trial *trial, double value)
{
	return trial->has_control && value > 0 ? value : NAN;
}

static void write_scenarios(struct report *report, const struct field *field, const void *from)
{
	const struct evaluate_result *result = from;

	for (size_t i = 0; i < result->trial_count; i++) {
		const struct evaluate_result_trial *trial = &result->trials[i];
		const struct scenario *scenario = trial->scenario;
		const struct model_control *control = &trial->control;
		bool has_limits = trial->limit_bytes;

		FIELD_ROW(report, field, iow_scenario,
			.id = scenario->id,
			.repetition = trial->repetition,
			.figure = scenario->figure,
			.meaning = scenario->meaning,
			.method = scenario_method(scenario)->name,
			.mode = op_mode_name(scenario->mode),
			.regime = op_regime_name(scenario->regime),
			.memory = memory_name(trial->memory),
			.delay_ns = scenario->delay_ns,
			.back_percent = 100 * scenario->back,
			.background_bytes = has_limits ? trial->background_bytes : FIELD_NO_COUNT,
			.freerun_bytes = has_limits ? trial->freerun_bytes : FIELD_NO_COUNT,
			.limit_bytes = has_limits ? trial->limit_bytes : FIELD_NO_COUNT,
			.control_limit_bytes = known(trial, control->limit),
			.control_ratelimit_bytes_per_second = known(trial, control->ratelimit),
			.control_write_bytes_per_second = known(trial, control->write_rate),
			.control_tick_ns = known(trial, 1e9 * control->tick_s),
			.control_step_bytes = known(trial, control->step_bytes),
			.operations = trial->operations,
			.bytes = trial->bytes,
			.measured_s = trial->measured_s,
			.floor_percent = NAN,
			.cost_split = FIELD_MANY(&trial->split, trial->has_split ? 1 : 0),
			.outside_model = FIELD_BY(validity_write, &trial->validity),
			.model = FIELD_BY(write_models, trial),
			.write = FIELD_MANY(trial->writes, trial->write_count));
	}
}

static void write_skipped(struct report *report, const struct field *field, const void *from)
{
	const struct evaluate_result *result = from;

	for (size_t i = 0; i < result->skipped_count; i++)
		FIELD_ROW(report, field, named_text, result->skipped[i].name, result->skipped[i].reason);
}

void evaluate_report(struct report *report, const struct field *field, const void *from)
{
	const struct evaluate_result *result = from;

	FIELD_ROW(report, field, iow_evaluation,
		.system_file = result->system_file,
		.system_date = result->system_date,
		.writer = FIELD_UNLESS_EMPTY(result->writer),
		.control_unknown_reason = result->control_unknown,
		.scenario = FIELD_BY(write_scenarios, result),
		.skipped = FIELD_BY(write_skipped, result));
}
