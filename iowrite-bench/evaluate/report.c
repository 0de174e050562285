/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/evaluate.h"

#include "iowrite-bench/memory.h"

/* What is not known has no element (struct model_control says what the model takes it for). */
static void write_control(struct report *report, const struct result_trial *trial)
{
	const struct model_control *control = &trial->control;

	if (!trial->has_control)
		return;
	if (control->limit > 0)
		report_double(report, "control_limit_bytes", control->limit);
	if (control->ratelimit > 0)
		report_double(report, "control_ratelimit_bytes_per_second", control->ratelimit);
	if (control->write_rate > 0)
		report_double(report, "control_write_bytes_per_second", control->write_rate);
	if (control->tick_s > 0)
		report_double(report, "control_tick_ns", 1e9 * control->tick_s);
	if (control->step_bytes > 0)
		report_double(report, "control_step_bytes", control->step_bytes);
}

static void write_facts(struct report *report, const struct result_trial *trial)
{
	const struct scenario *scenario = trial->scenario;

	report_text(report, "figure", scenario->figure);
	report_text(report, "meaning", scenario->meaning);
	report_text(report, "method", scenario_method(scenario)->name);
	report_text(report, "mode", op_mode_name(scenario->mode));
	report_text(report, "regime", op_regime_name(scenario->regime));
	report_text(report, "memory", memory_name(trial->memory));
	report_u64(report, "delay_ns", scenario->delay_ns);
	report_double(report, "back_percent", 100 * scenario->back);
	if (trial->limit_bytes) {
		report_u64(report, "background_bytes", trial->background_bytes);
		report_u64(report, "freerun_bytes", trial->freerun_bytes);
		report_u64(report, "limit_bytes", trial->limit_bytes);
	}
	write_control(report, trial);
	report_u64(report, "operations", trial->operations);
	report_u64(report, "bytes", trial->bytes);
	report_double(report, "measured_s", trial->measured_s);
}

static void write_model(struct report *report, enum result_model model, const struct result_trial *trial)
{
	const struct result_judgement *judgement = &trial->models[model];
	const struct errors *errors = &judgement->errors;

	if (!judgement->is_there)
		return;
	report_begin(report, "model");
	report_attribute(report, "name", result_model_name(model));
	report_double(report, "predicted_s", judgement->predicted_s);
	report_double(report, "per_write_error_percent", errors->per_write);
	report_double(report, "unresolved_percent", errors->unresolved);
	report_double(report, "mean_write_error_percent", errors->mean_write);
	report_double(report, "total_error_percent", errors->total);
	report_double(report, "curve_gap_percent", errors->curve_gap);
	report_double(report, "coverage_percent", errors->coverage);
	report_double(report, "pinball_percent", errors->pinball);
	report_double(report, "improvement_percent", result_improvement_percent(trial, model));
	report_end(report);
}

static void write_write(struct report *report, const struct result_write *write)
{
	static const char *const names[RESULT_MODELS] = {
		[RESULT_NAIVE] = "naive_ns", [RESULT_CAWL] = "cawl_ns", [RESULT_KERNEL] = "kernel_ns"};

	report_begin(report, "write");
	report_attribute_u64(report, "index", write->index);
	report_attribute_double(report, "time_s", write->time_s);
	report_attribute_u64(report, "offset", write->offset);
	report_attribute_u64(report, "size", write->size);
	report_attribute_u64(report, "measured_ns", write->measured_ns);
	if (write->dirty_bytes != WRITER_NOT_SAMPLED) {
		report_attribute_u64(report, "dirty_bytes", write->dirty_bytes);
		report_attribute_u64(report, "writeback_bytes", write->writeback_bytes);
	}
	for (int i = 0; i < RESULT_MODELS; i++)
		report_attribute_double(report, names[i], write->predicted_ns[i]);
	report_attribute_double(report, "typical_ns", write->typical_ns);
	report_attribute_double(report, "low_ns", write->low_ns);
	report_attribute_double(report, "high_ns", write->high_ns);
	report_attribute_double(report, "predicted_dirty_bytes", write->predicted_dirty);
	report_attribute_double(report, "predicted_writeback_bytes", write->predicted_writeback);
	report_attribute_double(report, "cawl_dirty_bytes", write->cawl_dirty);
	report_end(report);
}

static void write_trial(struct report *report, const struct result_trial *trial)
{
	report_begin(report, "scenario");
	report_attribute(report, "id", trial->scenario->id);
	report_attribute_u64(report, "repetition", trial->repetition);
	write_facts(report, trial);
	if (trial->has_split)
		split_write(report, &trial->split);
	validity_write(report, &trial->validity);
	for (int model = 0; model < RESULT_MODELS; model++)
		write_model(report, (enum result_model)model, trial);
	for (size_t i = 0; i < trial->write_count; i++)
		write_write(report, &trial->writes[i]);
	report_end(report);
}

void evaluate_report(struct report *report, const struct evaluate_result *result)
{
	report_begin(report, "evaluation");
	report_text(report, "system_file", result->system_file);
	report_text(report, "system_date", result->system_date);
	if (result->writer[0])
		report_text(report, "writer", result->writer);
	if (result->control_unknown)
		report_text(report, "control_unknown_reason", result->control_unknown);
	for (size_t i = 0; i < result->trial_count; i++)
		write_trial(report, &result->trials[i]);
	for (size_t i = 0; i < result->skipped_count; i++) {
		report_begin(report, "skipped");
		report_attribute(report, "name", result->skipped[i].name);
		report_content(report, result->skipped[i].reason);
		report_end(report);
	}
	report_end(report);
}
