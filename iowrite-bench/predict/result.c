/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/predict/result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/stats.h"

static int summarise(const double *costs, size_t count, struct predict_summary *summary)
{
	int rc = stats_quantile(costs, count, 0.5, &summary->p50_ns);

	if (!rc)
		rc = stats_quantile(costs, count, 0.99, &summary->p99_ns);
	for (size_t i = 0; i < count; i++)
		summary->total_ns += costs[i];
	summary->mean_ns = summary->total_ns / (double)count;
	return rc;
}

static void summarise_throttling(const struct prediction *prediction, struct predict_summary *summary)
{
	double held = 0, low = 0, high = 0;
	size_t with_band = 0;

	for (size_t i = 0; i < prediction->count; i++) {
		const struct model_cost *cost = &prediction->costs[i];

		held += cost->throttle_ns;
		if (cost->state != MODEL_THROTTLED)
			continue;
		summary->throttled++;
		if (cost->low_ns < cost->high_ns) {
			low += cost->low_ns;
			high += cost->high_ns;
			with_band++;
		}
	}
	summary->throttled_percent = summary->total_ns > 0 ? fmax(0, 100 * held / summary->total_ns) : 0;
	summary->low_ns = with_band ? low / (double)with_band : NAN;
	summary->high_ns = with_band ? high / (double)with_band : NAN;
}

/* Writes that took no measurable time have no relative error. As evaluate/errors.h: of one write against what is typical,
 * of the total against the mean. */
static void compare(const struct prediction *prediction, const double *measured, struct predict_summary *summary)
{
	double errors = 0, total = 0;
	size_t judged = 0, with_band = 0, covered = 0;

	for (size_t i = 0; i < prediction->count; i++) {
		const struct model_cost *cost = &prediction->costs[i];

		total += measured[i];
		if (measured[i] > 0) {
			errors += fabs(cost->typical_ns - measured[i]) / measured[i];
			judged++;
		}
		if (cost->low_ns < cost->high_ns) {
			with_band++;
			covered += cost->low_ns <= measured[i] && measured[i] <= cost->high_ns;
		}
	}
	if (judged)
		summary->per_write_error_percent = 100 * errors / (double)judged;
	if (total > 0)
		summary->total_error_percent = 100 * (summary->total_ns - total) / total;
	if (with_band)
		summary->coverage_percent = 100 * (double)covered / (double)with_band;
}

static int fill_row(const struct predict_plan *plan, struct predict_row *row)
{
	struct prediction *prediction = &row->prediction;
	double *costs = malloc((prediction->count + !prediction->count) * sizeof(*costs));
	int rc;

	if (!costs)
		return -ENOMEM;
	row->summary = (struct predict_summary){.per_write_error_percent = NAN, .total_error_percent = NAN,
		.coverage_percent = NAN};
	for (size_t i = 0; i < prediction->count; i++)
		costs[i] = prediction->costs[i].ns;
	rc = summarise(costs, prediction->count, &row->summary);
	free(costs);
	row->summary.close_ns = prediction->close_ns;
	row->summary.drain_ns = prediction->drain_ns;
	summarise_throttling(prediction, &row->summary);
	if (plan->writes.measured_ns)
		compare(prediction, plan->writes.measured_ns, &row->summary);
	return rc;
}

/* missing: a parameter, or the mode whose curve is not there. */
static const char *why_missing(const struct predict_plan *plan, const char *missing)
{
	for (int i = 0; i < SYSTEM_PARAMETERS; i++) {
		if (!strcmp(system_row((enum system_parameter)i)->name, missing))
			return plan->system.parameters[i].unstable;
	}
	return plan->system.curves[plan->setup.mode][plan->setup.regime].unknown;
}

static int add_row(const struct predict_options *options, const struct predict_plan *plan, const struct model_kind *kind,
	const char *bound, enum model_memory memory, struct predict_result *result)
{
	struct predict_row *row = &result->rows[result->count];
	struct predict_setup setup = {.kind = kind, .model = plan->setup, .policy = plan->policy,
		.buffer_bytes = plan->buffer_bytes};
	int rc;

	*row = (struct predict_row){.kind = kind, .bound = bound};
	snprintf(row->name, sizeof(row->name), "%s%s%s", kind->name, bound ? " " : "", bound ? bound : "");
	setup.model.memory = memory;
	/* Neither of the paper's algorithms has a cost of the library's call: without a buffer fwrite(3) is Algorithm 1. */
	if (plan->setup.is_paper_literal && kind == model_kind("cawl") && setup.policy)
		setup.policy = setup.policy->is_buffered ? stdio_policy("paper") : NULL;
	rc = predict(&plan->system, &setup, plan->writes.ops, plan->writes.count, &row->prediction, &row->missing);
	if (rc == -ENOMEM)
		return rc;
	result->count++;
	if (rc) {
		row->why_missing = why_missing(plan, row->missing);
		return 0;
	}
	rc = fill_row(plan, row);
	/* 88 bytes a write and model are not kept for nothing. */
	if (!options->per_write_path)
		predict_free(&row->prediction);
	return rc;
}

static int add_model(const struct predict_options *options, const struct predict_plan *plan,
	const struct model_kind *kind, struct predict_result *result)
{
	int rc;

	if (!plan->has_bounds || !kind->has_cache || op_mode_is_synchronous(plan->setup.mode))
		return add_row(options, plan, kind, NULL, plan->setup.memory, result);
	rc = add_row(options, plan, kind, "warm", MODEL_WARM, result);
	return rc ? rc : add_row(options, plan, kind, "cold", MODEL_COLD, result);
}

static int refuse(const struct predict_options *options, const struct predict_row *row)
{
	diag_error(0, "%s: lacks %s, which the model %s needs%s%s: calibrate again", options->system_path, row->missing,
		row->kind->name, row->why_missing[0] ? ": " : "", row->why_missing);
	return DIAG_EXIT_USAGE;
}

int predict_result_make(const struct predict_options *options, const struct predict_plan *plan,
	struct predict_result *result)
{
	bool is_any = false;
	int rc = 0;

	*result = (struct predict_result){.measured = {.total_ns = NAN, .mean_ns = NAN, .p50_ns = NAN, .p99_ns = NAN}};
	for (size_t i = 0; model_kinds[i].name && !rc; i++) {
		if (options->has_model[i])
			rc = add_model(options, plan, &model_kinds[i], result);
	}
	if (!rc && plan->writes.measured_ns) {
		result->measured = (struct predict_summary){0};
		rc = summarise(plan->writes.measured_ns, plan->writes.count, &result->measured);
	}
	if (rc) {
		diag_error(rc, "cannot predict");
		predict_result_free(result);
		return DIAG_EXIT_HOST;
	}
	for (size_t i = 0; i < result->count; i++)
		is_any = is_any || !result->rows[i].missing;
	return is_any ? DIAG_EXIT_OK : refuse(options, &result->rows[0]);
}

void predict_result_free(struct predict_result *result)
{
	for (size_t i = 0; i < result->count; i++)
		predict_free(&result->rows[i].prediction);
	result->count = 0;
}
