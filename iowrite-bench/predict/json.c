/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary as JSON, by the writer of reports and its rules; members as in docs/report-iowrite.md, "prediction". */
#include "config.h"
#include "iowrite-bench/predict/result.h"

#include <math.h>

#include "common/diag.h"
#include "common/report.h"
#include "iowrite-bench/memory.h"

static void write_subject(struct report *report, const struct predict_options *options,
	const struct predict_plan *plan)
{
	char curve[SYSTEM_CURVE_NAME];

	report_text(report, "system_file", options->system_path);
	report_text(report, "system_date", plan->system.date);
	if (options->scenario)
		report_text(report, "scenario_name", options->scenario->id);
	if (options->trace_path)
		report_text(report, "trace_file", options->trace_path);
	report_text(report, "mode", op_mode_name(plan->opened));
	report_text(report, "sync", plan->sync->name);
	if (plan->setup.has_sync_call) {
		report_text(report, "sync_curve", predict_plan_curve(plan, curve));
		report_double(report, "sync_call_ns", system_get(&plan->system, SYSTEM_SC_W));
	}
	report_text(report, "regime", op_regime_name(plan->setup.regime));
	report_text(report, "memory", memory_name(plan->setup.memory));
	if (plan->policy)
		report_text(report, "stdio", plan->policy->name);
	if (plan->writes.files > 1)
		report_u64(report, "files", plan->writes.files);
	report_u64(report, "operations", plan->writes.count);
	report_u64(report, "bytes", plan->bytes);
	report_double(report, "background_bytes", system_get(&plan->system, SYSTEM_LIMIT_BG));
	report_double(report, "limit_bytes", system_get(&plan->system, SYSTEM_LIMIT_HARD));
	report_bool(report, "is_bounded_only", plan->has_bounds);
}

static void write_times(struct report *report, const struct predict_summary *summary)
{
	report_double(report, "total_s", summary->total_ns / 1e9);
	report_double(report, "mean_ns", summary->mean_ns);
	report_double(report, "p50_ns", summary->p50_ns);
	report_double(report, "p99_ns", summary->p99_ns);
}

static void write_row(struct report *report, const struct predict_row *row)
{
	const struct predict_summary *summary = &row->summary;

	report_begin(report, "model");
	report_attribute(report, "name", row->kind->name);
	if (row->bound)
		report_attribute(report, "bound", row->bound);
	if (row->missing) {
		report_text(report, "missing", row->missing);
		if (row->why_missing[0])
			report_text(report, "why_missing", row->why_missing);
	} else {
		write_times(report, summary);
		report_double(report, "throttled_percent", summary->throttled_percent);
		report_u64(report, "throttled_operations", summary->throttled);
		report_double(report, "band_low_ns", summary->low_ns);
		report_double(report, "band_high_ns", summary->high_ns);
		report_double(report, "close_ns", summary->close_ns);
		report_double(report, "drain_ns", summary->drain_ns);
		report_double(report, "per_write_error_percent", summary->per_write_error_percent);
		report_double(report, "total_error_percent", summary->total_error_percent);
		report_double(report, "coverage_percent", summary->coverage_percent);
	}
	report_end(report);
}

static void write_used(struct report *report, const struct predict_used *used)
{
	char name[SYSTEM_CURVE_NAME];

	report_begin(report, "size_cost");
	report_attribute(report, "curve", system_curve_name(used->mode, used->regime, name));
	report_attribute_u64(report, "size_bytes", used->point->size);
	report_attribute_double(report, "ns", used->pooled->ns);
	report_attribute_double(report, "mean_ns", used->pooled->mean_ns);
	report_attribute_double(report, "low_ns", used->pooled->low);
	report_attribute_double(report, "high_ns", used->pooled->high);
	report_attribute_u64(report, "n", used->point->ns.n);
	if (used->pooled->from_size < used->pooled->to_size) {
		report_attribute_u64(report, "pooled_n", (uint64_t)used->pooled->n);
		report_attribute_u64(report, "pooled_from_bytes", used->pooled->from_size);
		report_attribute_u64(report, "pooled_to_bytes", used->pooled->to_size);
	}
	if (used->point->ns.unstable[0])
		report_attribute(report, "unstable", used->point->ns.unstable);
	report_end(report);
}

int predict_json(const struct predict_options *options, const struct predict_plan *plan,
	const struct predict_result *result)
{
	struct report *report;
	int rc = report_new("iowriteprediction", &report);

	if (!rc) {
		write_subject(report, options, plan);
		outside_write(report, &plan->outside);
		if (plan->writes.measured_ns) {
			report_begin(report, "measured_writes");
			write_times(report, &result->measured);
			report_end(report);
		}
		for (size_t i = 0; i < result->count; i++)
			write_row(report, &result->rows[i]);
		for (size_t i = 0; i < plan->used_count && options->has_model[model_kind("kernel") - model_kinds]; i++)
			write_used(report, &plan->used[i]);
		rc = report_write_json(report, options->json_path);
		report_free(report);
	}
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "--json %s: cannot be written", options->json_path);
	return DIAG_EXIT_HOST;
}
