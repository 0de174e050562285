/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/evaluate.h"

#include <math.h>

#include "iowrite-bench/memory.h"

static void write_models(struct report *report, const struct field *field, const void *from)
{
	const struct result_trial *trial = from;

	for (int model = 0; model < RESULT_MODELS; model++) {
		const struct result_decision *decision = &trial->models[model];
		const struct errors *errors = &decision->errors;

		if (!decision->is_there)
			continue;
		FIELD_ROW(report, field, iow_model_errors,
			.name = result_model_name((enum result_model)model),
			.predicted_s = decision->predicted_s,
			.per_write_error_percent = errors->per_write,
			.unresolved_percent = errors->unresolved,
			.mean_write_error_percent = errors->mean_write,
			.total_error_percent = errors->total,
			.curve_gap_percent = errors->curve_gap,
			.coverage_percent = errors->coverage,
			.pinball_percent = errors->pinball,
			.improvement_percent = result_improvement_percent(trial, (enum result_model)model));
	}
}

static void write_writes(struct report *report, const struct field *field, const void *from)
{
	const struct result_trial *trial = from;

	for (size_t i = 0; i < trial->write_count; i++) {
		const struct result_write *write = &trial->writes[i];
		bool is_sampled = write->dirty_bytes != WRITER_NOT_SAMPLED;

		FIELD_ROW(report, field, iow_write,
			.index = write->index,
			.time_s = write->time_s,
			.offset = write->offset,
			.size = write->size,
			.measured_ns = write->measured_ns,
			.dirty_bytes = is_sampled ? write->dirty_bytes : FIELD_NO_COUNT,
			.writeback_bytes = is_sampled ? write->writeback_bytes : FIELD_NO_COUNT,
			.naive_ns = write->predicted_ns[RESULT_NAIVE],
			.cawl_ns = write->predicted_ns[RESULT_CAWL],
			.kernel_ns = write->predicted_ns[RESULT_KERNEL],
			.typical_ns = write->typical_ns,
			.low_ns = write->low_ns,
			.high_ns = write->high_ns,
			.predicted_dirty_bytes = write->predicted_dirty,
			.predicted_writeback_bytes = write->predicted_writeback,
			.cawl_dirty_bytes = write->cawl_dirty);
	}
}

/* What is not known has no element (struct model_control says what the model takes it for). */
static double known(const struct result_trial *trial, double value)
{
	return trial->has_control && value > 0 ? value : NAN;
}

static void write_scenarios(struct report *report, const struct field *field, const void *from)
{
	const struct evaluate_result *result = from;

	for (size_t i = 0; i < result->trial_count; i++) {
		const struct result_trial *trial = &result->trials[i];
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
			.write = FIELD_BY(write_writes, trial));
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
