/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/predict/result.h"

#include <math.h>
#include <stdio.h>

#include "common/units.h"
#include "iowrite-bench/curve.h"
#include "iowrite-bench/memory.h"

#define USED_LINES 6

static const char *size_text(double bytes, char *buffer)
{
	return bytes >= 0 && bytes < 0x1p63 ? units_format_size((uint64_t)bytes, buffer, UNITS_TEXT) : "n/a";
}

static const char *time_text(double ns, char *buffer)
{
	units_format_duration(ns, buffer, UNITS_TEXT);
	return buffer;
}

static void print_sync(const struct predict_plan *plan)
{
	char curve[SYSTEM_CURVE_NAME], call[UNITS_TEXT] = "an unknown time";
	double call_ns = system_get(&plan->system, SYSTEM_SC_W);

	printf("%s after each write: predicted as synchronous writes, by the curve %s and %s for the second call (sc_w)\n",
		plan->sync->name, predict_plan_curve(plan, curve), isfinite(call_ns) ? time_text(call_ns, call) : call);
	if (plan->lacks_sync_times)
		printf("not compared with what was measured: the table has no time of a sync (sync_ns)\n");
}

static void print_subject(const struct predict_options *options, const struct predict_plan *plan)
{
	char bytes[UNITS_TEXT], least[UNITS_TEXT], most[UNITS_TEXT];
	bool is_one = plan->least_size == plan->most_size;

	if (options->scenario)
		printf("scenario %s: %s\n", options->scenario->id, options->scenario->meaning);
	else if (options->trace_path)
		printf("writes of %s\n", options->trace_path);
	printf("%zu write%s of %s%s%s, %s in all; %s, %s, %s memory", plan->writes.count,
		plan->writes.count == 1 ? "" : "s", size_text((double)plan->least_size, least), is_one ? "" : " to ",
		is_one ? "" : size_text((double)plan->most_size, most), size_text((double)plan->bytes, bytes),
		op_mode_name(plan->opened), op_regime_name(plan->setup.regime), memory_name(plan->setup.memory));
	if (plan->writes.files > 1)
		printf(", %u files in turn", plan->writes.files);
	if (plan->policy)
		printf(", by %s's fwrite", plan->policy->name);
	putchar('\n');
	if (plan->setup.has_sync_call)
		print_sync(plan);
}

static void print_system(const struct predict_options *options, const struct predict_plan *plan)
{
	double background = system_get(&plan->system, SYSTEM_LIMIT_BG);
	double hard = system_get(&plan->system, SYSTEM_LIMIT_HARD);
	char texts[3][UNITS_TEXT];

	printf("%s of %s: %s, %s, %s\n", options->system_path, plan->system.date, plan->system.device,
		plan->system.file_system, plan->system.kernel);
	if (isfinite(background) && isfinite(hard) && !op_mode_is_synchronous(plan->setup.mode))
		printf("write-back from %s dirty on, throttling from %s, limit %s (%s)\n", size_text(background, texts[0]),
			size_text((background + hard) / 2, texts[1]), size_text(hard, texts[2]), plan->limits_from);
	putchar('\n');
}

static void print_time(double ns)
{
	char text[UNITS_TEXT];

	if (ns < 0) { /* cawl as printed */
		units_format_duration_even(-ns, text + 1, sizeof(text) - 1);
		text[0] = '-';
	} else {
		units_format_duration_even(ns, text, sizeof(text));
	}
	printf("  %9s", isfinite(ns) ? text : "-");
}

static void print_percent(double percent, bool has_sign)
{
	char text[32];

	snprintf(text, sizeof(text), has_sign ? "%+.1f %%" : "%.1f %%", percent);
	printf("  %9s", isfinite(percent) ? text : "-");
}

static void print_row(const struct predict_row *row, bool is_compared)
{
	const struct predict_summary *summary = &row->summary;

	printf("%-12s", row->name);
	if (row->missing) {
		printf("  no prediction: the calibration lacks %s%s%s\n", row->missing, row->why_missing[0] ? ": " : "",
			row->why_missing);
		return;
	}
	print_time(summary->total_ns);
	print_time(summary->mean_ns);
	print_time(summary->p50_ns);
	print_time(summary->p99_ns);
	print_percent(summary->throttled_percent, false);
	print_time(summary->low_ns);
	print_time(summary->high_ns);
	if (is_compared) {
		print_percent(summary->per_write_error_percent, false);
		print_percent(summary->total_error_percent, true);
		print_percent(summary->coverage_percent, false);
	}
	putchar('\n');
}

static void print_measured(const struct predict_summary *measured)
{
	printf("%-12s", "measured");
	print_time(measured->total_ns);
	print_time(measured->mean_ns);
	print_time(measured->p50_ns);
	print_time(measured->p99_ns);
	putchar('\n');
}

static bool is_doubtful(const struct predict_used *used)
{
	return used->pooled->from_size < used->pooled->to_size || used->point->ns.unstable[0] ||
	       (used->point->ns.n && used->point->ns.n < CURVE_SAMPLES);
}

static void print_size(const struct predict_used *used)
{
	const struct system_pooled *pooled = used->pooled;
	const char *unstable = used->point->ns.unstable;
	char name[SYSTEM_CURVE_NAME], texts[6][UNITS_TEXT];

	printf("used by kernel: %s %s: %s (%s to %s", system_curve_name(used->mode, used->regime, name),
		size_text((double)used->point->size, texts[0]), time_text(pooled->ns, texts[1]), time_text(pooled->low, texts[2]),
		time_text(pooled->high, texts[3]));
	if (used->point->ns.n)
		printf(", %u sample%s", used->point->ns.n, used->point->ns.n == 1 ? "" : "s");
	putchar(')');
	if (pooled->from_size < pooled->to_size)
		printf("; pooled from %s to %s, %.0f samples", size_text((double)pooled->from_size, texts[4]),
			size_text((double)pooled->to_size, texts[5]), pooled->n);
	printf("%s%s\n", unstable[0] ? "; UNSTABLE: " : "", unstable);
}

/* Each size when it is one of few; of many only those that are not well known. */
static void print_used(const struct predict_plan *plan)
{
	size_t doubtful = 0, printed = 0;

	for (size_t i = 0; i < plan->used_count; i++)
		doubtful += is_doubtful(&plan->used[i]);
	if (plan->used_count)
		putchar('\n');
	for (size_t i = 0; i < plan->used_count && printed < USED_LINES; i++) {
		if (plan->used_count > USED_LINES && !is_doubtful(&plan->used[i]))
			continue;
		print_size(&plan->used[i]);
		printed++;
	}
	if (printed < plan->used_count)
		printf("used by kernel: %zu more size%s%s\n", plan->used_count - printed,
			plan->used_count - printed == 1 ? "" : "s",
			printed < doubtful ? ", not all of them well known: --json lists them" : "");
}

static void print_notes(const struct predict_plan *plan, const struct predict_result *result)
{
	if (plan->has_bounds)
		printf("\nwarm and cold are bounds, not predictions: how much of the free memory the host backs is not "
		       "known\n");
	for (size_t i = 0; i < plan->outside.count; i++)
		printf("outside the models (%s): %s\n", plan->outside.reasons[i].code, plan->outside.reasons[i].text);
	for (size_t i = 0; i < result->count; i++) {
		if (result->rows[i].summary.close_ns > 0) {
			char text[UNITS_TEXT];

			units_format_duration(result->rows[i].summary.close_ns, text, sizeof(text));
			printf("%s: closing writes what the libc's buffer holds in %s more\n", result->rows[i].name, text);
		}
	}
}

void predict_text(const struct predict_options *options, const struct predict_plan *plan,
	const struct predict_result *result)
{
	bool is_compared = plan->writes.measured_ns != NULL;

	print_subject(options, plan);
	print_system(options, plan);
	printf("%-12s  %9s  %9s  %9s  %9s  %9s  %9s  %9s%s\n", "", "total", "mean", "p50", "p99", "throttled", "band 10 %",
		"band 90 %", is_compared ? "  per write      total    in band" : "");
	if (is_compared)
		print_measured(&result->measured);
	for (size_t i = 0; i < result->count; i++)
		print_row(&result->rows[i], is_compared);
	if (options->has_model[model_kind("kernel") - model_kinds])
		print_used(plan);
	print_notes(plan, result);
}
