/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench predict: predicts the cost of a list of writes, by each model, from a calibration. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/units.h"
#include "common/cli/grid.h"
#include "common/report/report_file.h"
#include "common/report/report_json.h"
#include "common/stats/stats.h"
#include "iowrite-bench/commands.h"
#include "iowrite-bench/model/kinds.h"
#include "iowrite-bench/predict/plan.h"
#include "iowrite-bench/system/curve.h"
#include "iowrite-bench/write/memory.h"

/* --- result --- */

/* The values of a model without a prediction. */
static const struct iow_predicted_values nothing = {.total_s = NAN, .total_low_s = NAN, .total_high_s = NAN,
	.mean_ns = NAN, .p50_ns = NAN, .p99_ns = NAN,
	.throttled_percent = NAN, .throttled_operations = FIELD_NO_COUNT, .band_low_ns = NAN, .band_high_ns = NAN, .close_ns = NAN,
	.drain_ns = NAN, .per_write_error_percent = NAN, .within_tenth_percent = NAN, .total_error_percent = NAN,
	.coverage_percent = NAN};

static int summarise(const double *costs, size_t count, struct predict_summary *summary)
{
	int rc = stats_quantile(costs, count, 0.5, &summary->p50_ns);

	if (!rc)
		rc = stats_quantile(costs, count, 0.99, &summary->p99_ns);
	summary->total_ns = 0;
	for (size_t i = 0; i < count; i++)
		summary->total_ns += costs[i];
	summary->mean_ns = summary->total_ns / (double)count;
	return rc;
}

/* Summarises a model's prediction, and its errors if the writes were measured. As in evaluate/errors.c a write is compared with
 * typical_ns, the total with the mean; writes that took no measurable time have no relative error. */
static int fill_row(const struct predict_plan *plan, struct predict_row *row)
{
	const struct prediction *prediction = &row->prediction;
	struct iow_predicted_values *values = &row->values;
	const double *measured = plan->writes.measured_ns;
	double throttle_ns = 0, low = 0, high = 0, throttled_bands = 0;
	double errors = 0, near = 0, measured_total = 0, compared = 0, bands = 0, covered = 0;
	double *costs = malloc(prediction->count * sizeof(*costs));
	struct predict_summary summary;
	int rc;

	if (!costs)
		return -ENOMEM;
	values->throttled_operations = 0;
	for (size_t i = 0; i < prediction->count; i++) {
		const struct model_cost *cost = &prediction->costs[i];
		bool has_band = cost->low_ns < cost->high_ns, is_throttled = cost->state == MODEL_THROTTLED;

		costs[i] = cost->ns;
		throttle_ns += cost->throttle_ns;
		values->throttled_operations += is_throttled;
		if (is_throttled && has_band) {
			low += cost->low_ns;
			high += cost->high_ns;
			throttled_bands++;
		}
		if (!measured)
			continue;
		measured_total += measured[i];
		if (measured[i] > 0) {
			double error = fabs(cost->typical_ns - measured[i]) / measured[i];

			errors += error;
			near += error <= PREDICT_NEAR;
			compared++;
		}
		if (has_band) {
			bands++;
			covered += cost->low_ns <= measured[i] && measured[i] <= cost->high_ns;
		}
	}
	rc = summarise(costs, prediction->count, &summary);
	/* The median needs the typical costs of writes that are not throttled, which may be far from the means. */
	for (size_t i = 0; i < prediction->count; i++) {
		if (prediction->costs[i].state != MODEL_THROTTLED)
			costs[i] = prediction->costs[i].typical_ns;
	}
	if (!rc)
		rc = stats_quantile(costs, prediction->count, 0.5, &summary.p50_ns);
	free(costs);
	row->total_ns = summary.total_ns;
	values->total_s = summary.total_ns / 1e9;
	values->total_low_s = prediction->total_low_ns / 1e9;
	values->total_high_s = prediction->total_high_ns / 1e9;
	values->mean_ns = summary.mean_ns;
	values->p50_ns = summary.p50_ns;
	values->p99_ns = summary.p99_ns;
	values->throttled_percent = row->total_ns > 0 ? fmax(0, 100 * throttle_ns / row->total_ns) : 0;
	values->band_low_ns = throttled_bands > 0 ? low / throttled_bands : NAN;
	values->band_high_ns = throttled_bands > 0 ? high / throttled_bands : NAN;
	values->close_ns = prediction->close_ns;
	values->drain_ns = prediction->drain_ns;
	if (compared > 0) {
		values->per_write_error_percent = 100 * errors / compared;
		values->within_tenth_percent = 100 * near / compared;
	}
	if (measured_total > 0)
		values->total_error_percent = 100 * (row->total_ns - measured_total) / measured_total;
	if (bands > 0)
		values->coverage_percent = 100 * covered / bands;
	return rc;
}

/* Returns why it is unknown. missing: a parameter, or the mode whose curve is missing. */
static const char *why_missing(const struct predict_plan *plan, const char *missing)
{
	for (int i = 0; i < SYSTEM_PARAMETERS; i++) {
		if (!strcmp(system_row((enum system_parameter)i)->name, missing))
			return plan->system.parameters[i].unstable;
	}
	return plan->system.curves[plan->setup.model.mode][plan->setup.model.regime].unknown;
}

static int add_row(const struct predict_options *options, const struct predict_plan *plan, const struct model_kind *kind,
	const char *bound, enum model_memory memory, struct predict_result *result)
{
	struct predict_row *row = &result->rows[result->count];
	struct predict_setup setup = plan->setup;
	int rc;

	*row = (struct predict_row){.values = nothing};
	row->values.name = kind->name;
	row->values.bound = bound;
	snprintf(row->name, sizeof(row->name), "%s%s%s", kind->name, bound ? " " : "", bound ? bound : "");
	setup.kind = kind;
	setup.model.memory = memory;
	/* Neither of the paper's algorithms has a cost of the library's call: without a buffer fwrite(3) is Algorithm 1. */
	if (plan->setup.model.is_paper_literal && kind == model_kinds[MODEL_CAWL] && setup.policy)
		setup.policy = setup.policy->is_buffered ? stdio_policy("paper") : NULL;
	rc = predict(&plan->system, &setup, plan->writes.ops, plan->writes.count, &row->prediction, &row->values.missing);
	if (rc == -ENOMEM)
		return rc;
	result->count++;
	if (rc) {
		row->values.why_missing = FIELD_UNLESS_EMPTY(why_missing(plan, row->values.missing));
		return 0;
	}
	rc = predict_interval(&plan->system, &setup, plan->writes.ops, plan->writes.count, &row->prediction);
	if (!rc)
		rc = fill_row(plan, row);
	/* 88 bytes a write and model are kept only for the table. */
	if (!options->per_write_path)
		predict_free(&row->prediction);
	return rc;
}

int predict_result_make(const struct predict_options *options, const struct predict_plan *plan,
	struct predict_result *result)
{
	bool is_any = false;
	int rc = 0;

	*result = (struct predict_result){.measured = {NAN, NAN, NAN, NAN}};
	for (size_t i = 0; i < MODEL_KINDS && !rc; i++) {
		const struct model_kind *kind = model_kinds[i];

		if (!options->has_model[i])
			continue;
		if (!plan->has_bounds || !kind->has_cache || op_mode_is_synchronous(plan->setup.model.mode)) {
			rc = add_row(options, plan, kind, NULL, plan->setup.model.memory, result);
			continue;
		}
		rc = add_row(options, plan, kind, "warm", MODEL_WARM, result);
		if (!rc)
			rc = add_row(options, plan, kind, "cold", MODEL_COLD, result);
	}
	if (!rc && plan->writes.measured_ns)
		rc = summarise(plan->writes.measured_ns, plan->writes.count, &result->measured);
	if (rc) {
		predict_result_free(result);
		return diag_host(rc, "cannot predict");
	}
	for (size_t i = 0; i < result->count; i++)
		is_any = is_any || !result->rows[i].values.missing;
	if (!is_any && result->count) {
		const struct iow_predicted_values *first = &result->rows[0].values;

		return diag_usage("%s: lacks %s, which the model %s needs%s%s: calibrate again", options->system_path,
			first->missing, first->name, first->why_missing ? ": " : "", first->why_missing ? first->why_missing : "");
	}
	return DIAG_EXIT_OK;
}

void predict_result_free(struct predict_result *result)
{
	for (size_t i = 0; i < result->count; i++)
		predict_free(&result->rows[i].prediction);
	result->count = 0;
}

/* --- text --- */

#define USED_LINES 6

static const char *size_text(double bytes, char *buffer)
{
	return bytes >= 0 && bytes < 0x1p63 ? units_format_size((uint64_t)bytes, buffer, UNITS_TEXT) : "n/a";
}

static void print_subject(const struct predict_options *options, const struct predict_plan *plan)
{
	char bytes[UNITS_TEXT], least[UNITS_TEXT], most[UNITS_TEXT], call[UNITS_TEXT] = "an unknown time";
	double call_ns = system_get(&plan->system, SYSTEM_SC_W);
	bool is_one = plan->least_size == plan->most_size;

	if (options->scenario)
		printf("scenario %s: %s\n", options->scenario->id, options->scenario->meaning);
	else if (options->trace_path)
		printf("writes of %s\n", options->trace_path);
	printf("%zu write%s of %s%s%s, %s in all; %s, %s, %s memory", plan->writes.count,
		plan->writes.count == 1 ? "" : "s", size_text((double)plan->least_size, least), is_one ? "" : " to ",
		is_one ? "" : size_text((double)plan->most_size, most), size_text((double)plan->bytes, bytes),
		op_mode_name(plan->opened), op_regime_name(plan->setup.model.regime), memory_name(plan->setup.model.memory));
	if (plan->writes.files > 1)
		printf(", %u files in turn", plan->writes.files);
	if (plan->setup.policy)
		printf(", by %s's fwrite", plan->setup.policy->name);
	putchar('\n');
	if (!plan->setup.model.has_sync_call)
		return;
	if (isfinite(call_ns))
		units_format_duration(call_ns, call, sizeof(call));
	printf("%s after each write: predicted as synchronous writes, by the curve %s and %s for the second call (sc_w)\n",
		plan->sync->name, predict_plan_curve(plan), call);
	if (plan->lacks_sync_times)
		printf("not compared with measured times: the table has no times of syncs (sync_ns)\n");
}

static void print_system(const struct predict_options *options, const struct predict_plan *plan)
{
	double background = system_get(&plan->system, SYSTEM_LIMIT_BG);
	double hard = system_get(&plan->system, SYSTEM_LIMIT_HARD);
	char texts[3][UNITS_TEXT];

	printf("%s of %s: %s, %s, %s\n", options->system_path, plan->system.date, plan->system.device,
		plan->system.file_system, plan->system.kernel);
	if (isfinite(background) && isfinite(hard) && !op_mode_is_synchronous(plan->setup.model.mode))
		printf("write-back from %s dirty on, throttling from %s, limit %s (%s)\n", size_text(background, texts[0]),
			size_text((background + hard) / 2, texts[1]), size_text(hard, texts[2]), plan->limits_from);
	putchar('\n');
}

static void print_without_interval(const struct predict_result *result)
{
	unsigned count = 0;

	for (size_t i = 0; i < result->count; i++) {
		if (!result->rows[i].values.missing && !isfinite(result->rows[i].values.total_low_s))
			printf("%s%s", count++ ? ", " : "no interval for the total of ", result->rows[i].name);
	}
	if (count)
		puts(": the calibrated values have none (too few samples, or unstable), or the model has no prediction at one end");
}

static void print_rows(const struct predict_plan *plan, const struct predict_result *result)
{
	static const struct grid_column columns[] = {{"", NULL}, {"total", "ns"}, {"from", "ns"}, {"to", "ns"}, {"mean", "ns"},
		{"p50", "ns"}, {"p99", "ns"}, {"throttled", "%"}, {"band 10 %", "ns"}, {"band 90 %", "ns"},
		{"write error", "%"}, {"within 10 %", "%"}, {"total error", "+%"}, {"in band", "%"},
		{NULL, NULL}};
	const struct predict_summary *measured = &result->measured;
	struct grid grid = {.columns = columns};
	bool has_interval = false;

	if (plan->writes.measured_ns) {
		grid_text(&grid, "measured");
		GRID_VALUES(&grid, measured->total_ns, NAN, NAN, measured->mean_ns, measured->p50_ns, measured->p99_ns);
		grid_end_row(&grid);
	}
	for (size_t i = 0; i < result->count; i++) {
		const struct iow_predicted_values *values = &result->rows[i].values;

		if (values->missing)
			continue;
		grid_text(&grid, "%s", result->rows[i].name);
		GRID_VALUES(&grid, result->rows[i].total_ns, 1e9 * values->total_low_s, 1e9 * values->total_high_s,
			values->mean_ns, values->p50_ns, values->p99_ns, values->throttled_percent, values->band_low_ns,
			values->band_high_ns);
		if (plan->writes.measured_ns)
			GRID_VALUES(&grid, values->per_write_error_percent, values->within_tenth_percent,
				values->total_error_percent, values->coverage_percent);
		has_interval |= isfinite(values->total_low_s);
		grid_end_row(&grid);
	}
	grid_print(&grid, stdout);
	if (has_interval)
		puts("from, to: 95 % interval of the total by the calibration; the model's own error (evaluate) is not in it");
	for (size_t i = 0; i < result->count; i++) {
		const struct iow_predicted_values *values = &result->rows[i].values;

		if (values->missing)
			printf("%s: no prediction: the calibration lacks %s%s%s\n", result->rows[i].name, values->missing,
				values->why_missing ? ": " : "", values->why_missing ? values->why_missing : "");
	}
	print_without_interval(result);
}

static bool is_doubtful(const struct iow_size_cost_values *used)
{
	return used->pooled_n != FIELD_NO_COUNT || used->unstable || (used->n && used->n < CURVE_SAMPLES);
}

/* Prints each size if there are up to USED_LINES, else only doubtful ones. */
static void print_used(const struct predict_plan *plan)
{
	static const struct grid_column columns[] = {{"used by kernel", NULL}, {"size", "bytes"}, {"median", "ns"}, {"low", "ns"},
		{"high", "ns"}, {"mean", "ns"}, {"n", "#"}, {"outliers", "#"}, {"of mean", "%"}, {"pooled from", "bytes"},
		{"to", "bytes"}, {"of n", "#"}, {"UNSTABLE", NULL}, {NULL, NULL}};
	struct grid grid = {.columns = columns};
	size_t doubtful = 0, printed = 0;

	for (size_t i = 0; i < plan->used_count; i++)
		doubtful += is_doubtful(&plan->used[i]);
	for (size_t i = 0; i < plan->used_count && printed < USED_LINES; i++) {
		const struct iow_size_cost_values *used = &plan->used[i];
		bool is_pooled = used->pooled_n != FIELD_NO_COUNT;

		if (plan->used_count > USED_LINES && !is_doubtful(used))
			continue;
		grid_text(&grid, "%s", used->curve);
		GRID_VALUES(&grid, (double)used->size_bytes, used->ns, used->low_ns, used->high_ns, used->mean_ns,
			used->n ? (double)used->n : NAN, used->outliers != FIELD_NO_COUNT ? (double)used->outliers : NAN,
			used->outlier_percent,
			is_pooled ? (double)used->pooled_from_bytes : NAN, is_pooled ? (double)used->pooled_to_bytes : NAN,
			is_pooled ? (double)used->pooled_n : NAN);
		grid_text(&grid, "%s", used->unstable ? used->unstable : "");
		printed++;
	}
	fputs(plan->used_count ? "\n" : "", stdout);
	grid_print(&grid, stdout);
	if (printed < plan->used_count)
		printf("used by kernel: %zu more size%s%s\n", plan->used_count - printed,
			plan->used_count - printed == 1 ? "" : "s",
			printed < doubtful ? ", some with few samples: --json lists them" : "");
}

static void print_notes(const struct predict_plan *plan, const struct predict_result *result)
{
	if (plan->has_bounds)
		printf("\nwarm and cold are bounds, not predictions: how much of the free memory the host backs is not "
		       "known\n");
	for (size_t i = 0; i < plan->validity.count; i++)
		printf("model not valid (%s): %s\n", plan->validity.reasons[i].code, plan->validity.reasons[i].text);
	for (size_t i = 0; i < result->count; i++) {
		char text[UNITS_TEXT];

		if (result->rows[i].values.close_ns > 0)
			printf("%s: closing the file writes the rest of the libc's buffer in %s\n", result->rows[i].name,
				units_format_duration(result->rows[i].values.close_ns, text, sizeof(text)));
	}
}

/* Writes the summary as JSON by the rules of reports; members: docs/report-iowrite.md, "prediction". */
static void write_models(struct report *report, const struct field *field, const void *from)
{
	const struct predict_result *result = from;

	for (size_t i = 0; i < result->count; i++)
		field_row(report, field, iow_predicted_record(), &result->rows[i].values);
}

static int write_json(const struct predict_options *options, const struct predict_plan *plan, const struct predict_result *result)
{
	const struct predict_summary *measured = &result->measured;
	const struct iow_measured_writes_values writes = {measured->total_ns / 1e9, measured->mean_ns, measured->p50_ns,
		measured->p99_ns};
	bool has_sync_call = plan->setup.model.has_sync_call;
	const struct iow_prediction_values values = {
		.system_file = options->system_path,
		.system_date = plan->system.date,
		.scenario_name = options->scenario ? options->scenario->id : NULL,
		.trace_file = options->trace_path,
		.mode = op_mode_name(plan->opened),
		.sync = plan->sync->name,
		.sync_curve = has_sync_call ? predict_plan_curve(plan) : NULL,
		.sync_call_ns = has_sync_call ? system_get(&plan->system, SYSTEM_SC_W) : NAN,
		.regime = op_regime_name(plan->setup.model.regime),
		.memory = memory_name(plan->setup.model.memory),
		.stdio = plan->setup.policy ? plan->setup.policy->name : NULL,
		.files = plan->writes.files > 1 ? plan->writes.files : FIELD_NO_COUNT,
		.operations = plan->writes.count,
		.bytes = plan->bytes,
		.background_bytes = system_get(&plan->system, SYSTEM_LIMIT_BG),
		.limit_bytes = system_get(&plan->system, SYSTEM_LIMIT_HARD),
		.is_bounded_only = plan->has_bounds,
		.outside_model = FIELD_BY(validity_write, &plan->validity),
		.measured_writes = FIELD_MANY(&writes, plan->writes.measured_ns ? 1 : 0),
		.model = FIELD_BY(write_models, result),
		.size_cost = FIELD_MANY(plan->used, options->has_model[MODEL_KERNEL] ? plan->used_count : 0),
	};
	struct report *report;
	int rc = report_new("iowriteprediction", &report);

	if (!rc) {
		field_write_inside(report, iow_prediction_record(), &values);
		rc = report_write_json(report, options->json_path);
		report_free(report);
	}
	return rc ? diag_host(rc, "--json %s: cannot be written", options->json_path) : DIAG_EXIT_OK;
}

/* Writes a row per write: its arguments, its measured cost, and the prediction of each model. */
static int write_table(const struct predict_options *options, const struct predict_plan *plan,
	const struct predict_result *result)
{
	static const char *const states[] = {[MODEL_FREE] = "free", [MODEL_BACKGROUND] = "background",
		[MODEL_THROTTLED] = "throttled", [MODEL_DEVICE] = "device"};
	static const char *const names[] = {"ns", "typical_ns", "low_ns", "high_ns", "syscall_ns", "copy_ns", "throttle_ns",
		"device_ns", "state", "dirty_bytes", "writeback_bytes", "error_percent"};
	const double *measured = plan->writes.measured_ns;
	size_t name_count = sizeof(names) / sizeof(names[0]) - !measured;
	bool has_files = plan->writes.files > 1;
	struct report_output *output;
	FILE *out;
	int rc = report_output_open(options->per_write_path, &output);

	if (rc)
		return diag_host(rc, "--per-write %s: cannot be written", options->per_write_path);
	out = report_output_stream(output);
	fprintf(out, "index,%soffset,size,delay_ns%s", has_files ? "file," : "", measured ? ",write_ns" : "");
	for (size_t i = 0; i < result->count; i++) {
		const struct iow_predicted_values *values = &result->rows[i].values;

		/* "kernel warm" is kernel_warm_ns ... */
		for (size_t k = 0; k < name_count && !values->missing; k++)
			fprintf(out, ",%s%s%s_%s", values->name, values->bound ? "_" : "",
				values->bound ? values->bound : "", names[k]);
	}
	fputc('\n', out);
	for (size_t i = 0; i < plan->writes.count; i++) {
		const struct op *op = &plan->writes.ops[i];

		fprintf(out, "%zu,", i);
		if (has_files)
			fprintf(out, "%" PRIu64 ",", op->offset / OP_FILE_BYTES);
		fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64, has_files ? op->offset % OP_FILE_BYTES : op->offset, op->size,
			op->delay_ns);
		if (measured)
			fprintf(out, ",%.0f", measured[i]);
		for (size_t k = 0; k < result->count; k++) {
			const struct model_cost *cost;

			if (result->rows[k].values.missing)
				continue;
			cost = &result->rows[k].prediction.costs[i];
			fprintf(out, ",%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%s,%.0f,%.0f", cost->ns, cost->typical_ns,
				cost->low_ns, cost->high_ns, cost->syscall_ns, cost->copy_ns, cost->throttle_ns, cost->device_ns,
				states[cost->state], cost->dirty_bytes, cost->writeback_bytes);
			if (measured && measured[i] > 0)
				fprintf(out, ",%.2f", 100 * (cost->typical_ns - measured[i]) / measured[i]);
			else if (measured)
				fputc(',', out);
		}
		fputc('\n', out);
	}
	rc = report_output_close(output, true);
	return rc ? diag_host(rc, "--per-write %s: cannot be written", options->per_write_path) : DIAG_EXIT_OK;
}

/* --- the command --- */

struct predict_work { /* some 15 KiB: not for a stack */
	struct predict_options options;
	struct opt_line line;
	struct predict_plan plan;
	struct predict_result result;
};

static int run(const struct command *command, int argc, char **argv)
{
	struct predict_work *work = calloc(1, sizeof(*work));
	struct predict_options *options;
	struct predict_result *result;
	struct predict_plan *plan;
	int code, json;

	if (!work)
		return diag_host(ENOMEM, "cannot predict");
	options = &work->options;
	plan = &work->plan;
	result = &work->result;
	code = command_parse(command, argc, argv, options, &work->line, NULL);
	if (!code)
		code = predict_plan_make("", options, plan);
	if (code)
		goto out;
	code = predict_result_make(options, plan, result);
	if (!code && !opt_is_stdout(options->per_write_path) && !opt_is_stdout(options->json_path)) {
		print_subject(options, plan);
		print_system(options, plan);
		print_rows(plan, result);
		if (options->has_model[MODEL_KERNEL])
			print_used(plan);
		print_notes(plan, result);
	}
	if (!code) {
		code = options->per_write_path ? write_table(options, plan, result) : DIAG_EXIT_OK;
		json = options->json_path ? write_json(options, plan, result) : DIAG_EXIT_OK;
		code = code ? code : json;
	}
	predict_result_free(result);
	predict_plan_free(plan);
out:
	opt_free(&work->line);
	free(work);
	return code;
}

const struct command command_predict = {
	.program = &iowrite_program,
	.name = "predict",
	.arguments = "[SCENARIO]",
	.summary = "predict the cost of writes by three models",
	.doc = "Predict what each write of a scenario, of a table or of a pattern costs its caller, from a calibration. "
	       "Only the requested output files are written.",
	.examples = "  iowrite-bench predict --system s.xml c2\n"
		    "  iowrite-bench predict --system s.xml --trace ops.csv --per-write\n"
		    "  iowrite-bench predict --system s.xml --bs 4k --rw randwrite --regime overwrite\n"
		    "  iowrite-bench predict --system s.xml c2 --limit-bg 1g --limit-hard 2g\n",
	.options = predict_option_rows,
	.relations = predict_option_relations,
	.check = predict_options_check,
	.run = run,
};
