/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/sweep/sweep.h"

#include <math.h>
#include <stdio.h>

#include "common/base/units.h"
#include "common/cli/grid.h"
#include "schema/ssd.h"

/* --- the text --- */

/* Formats "rate=1000", or "" for NULL. */
static const char *name_point(const struct sweep *sweep, const struct search_point *point, char text[OPT_WHOLE + 16])
{
	char value[OPT_WHOLE];

	text[0] = '\0';
	if (!point)
		return text;
	sweep_format(&sweep->options, point->value, value);
	snprintf(text, OPT_WHOLE + 16, "%s=%s", sweep->options.parameter->name, value);
	return text;
}

const char *sweep_answer(const struct sweep *sweep, char text[SWEEP_TEXT])
{
	const struct search *search = &sweep->search;
	char best[OPT_WHOLE + 16], beyond[OPT_WHOLE + 16], odd[OPT_WHOLE + 16], low[OPT_WHOLE], high[OPT_WHOLE], tail[400] = "";
	int used = 0;

	sweep_format(&sweep->options, search->low, low);
	sweep_format(&sweep->options, search->high, high);
	name_point(sweep, search->best, best);
	name_point(sweep, search->beyond, beyond);
	name_point(sweep, search->odd, odd);
	if (search->odd && search->outcome != SEARCH_NOT_MONOTONE)
		used = snprintf(tail, sizeof(tail), "; %s is undecided (%s)", odd, search->odd->why);
	if (search->beyond)
		snprintf(tail + used, sizeof(tail) - (size_t)used, "; %s misses them", beyond);
	if (search->outcome == SEARCH_NOT_MONOTONE)
		snprintf(text, SWEEP_TEXT, "not monotone: %s meets the objectives, and %s, a lower load, misses them; measure "
			"longer (--runtime), or a smaller range", odd, beyond);
	else if (search->outcome == SEARCH_NONE)
		snprintf(text, SWEEP_TEXT, "no %s from %s to %s meets the objectives", sweep->options.parameter->name, low, high);
	else if (search->outcome == SEARCH_NOT_DECIDED)
		snprintf(text, SWEEP_TEXT, "not decided: %s%s%s", search->best ? best : "no load",
			search->best ? " meets the objectives" : " is known to meet the objectives", tail);
	else if (!tail[0])
		snprintf(text, SWEEP_TEXT, "%s, the end of the range, meets the objectives", best);
	else
		snprintf(text, SWEEP_TEXT, "%s is the %s that meets the objectives%s", best,
			search->is_reversed ? "smallest" : "largest", tail);
	return text;
}

static void print_value(struct grid *grid, const struct search_value *value)
{
	char ns[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT];

	if (isnan(value->ns))
		grid_text(grid, "-");
	else if (isnan(value->interval.low))
		grid_text(grid, "%s", units_format_duration(value->ns, ns, sizeof(ns)));
	else
		grid_text(grid, "%s (%s to %s)", units_format_duration(value->ns, ns, sizeof(ns)),
			units_format_duration(value->interval.low, low, sizeof(low)),
			isfinite(value->interval.high) ? units_format_duration(value->interval.high, high, sizeof(high)) : "?");
}

static bool is_overloaded(const struct search_point *point)
{
	return point->runs[point->run_count - 1].end == SEARCH_OVERLOADED;
}

static void print_points(FILE *out, const struct sweep *sweep)
{
	const struct search *search = &sweep->search;
	struct grid_column columns[SLOS_MAX + 6] = {{sweep->options.parameter->name, ""}, {"runs", "#"}};
	struct grid grid = {.columns = columns};
	size_t count = 2;
	char mean[32], rate[32];

	snprintf(mean, sizeof(mean), "%s mean", mix_stream_name(sweep->stream));
	snprintf(rate, sizeof(rate), "%s writes/s", mix_stream_name(sweep->stream));
	for (size_t i = 0; i < search->slo_count; i++)
		columns[count++] = (struct grid_column){search->slos[i].text, NULL};
	columns[count++] = (struct grid_column){"objectives", NULL};
	columns[count++] = (struct grid_column){mean, "ns"};
	columns[count] = (struct grid_column){rate, ""};
	for (size_t i = 0; i < search->count; i++) {
		const struct search_point *point = &search->points[i];
		char value[OPT_WHOLE];

		sweep_format(&sweep->options, point->value, value);
		grid_text(&grid, "%s", value);
		GRID_VALUES(&grid, point->run_count);
		for (size_t k = 0; k < search->slo_count; k++) {
			const struct search_value reached = search_value(point, k);

			print_value(&grid, &reached);
		}
		grid_text(&grid, "%s%s", point->verdict == SEARCH_MET ? "met" : point->verdict == SEARCH_MISSED ? "MISSED" :
			"UNDECIDED", is_overloaded(point) ? ", late" : "");
		GRID_VALUES(&grid, search_mean_ns(point), search_per_second(point));
	}
	grid_print(&grid, out);
}

void sweep_text(FILE *out, const struct sweep *sweep)
{
	const struct search *search = &sweep->search;
	char text[SWEEP_TEXT], knee[OPT_WHOLE + 16];

	print_points(out, sweep);
	if (sweep->frame.signature.is_interrupted)
		fprintf(out, "Note: User interruption ended the sweep after %zu loads.\n", search->count);
	else
		fprintf(out, "%s\n", sweep_answer(sweep, text));
	if (search->knee)
		fprintf(out, "knee: %s, where the mean response is %.0f %% below the straight line between the ends (both axes "
			"logarithmic)\n", name_point(sweep, search->knee, knee), 100 * (1 - search->knee_ratio));
	else
		fprintf(out, "knee: none, %s\n", search->count < SEARCH_KNEE_POINTS
			? "with fewer than 4 loads"
			: "as no mean response is 10 % below the straight line between the ends (both axes logarithmic)");
	for (size_t i = 0; i < search->count; i++) {
		const struct search_point *point = &search->points[i];

		if (point->verdict == SEARCH_UNDECIDED && point != search->odd)
			fprintf(out, "%s is undecided: %s\n", name_point(sweep, point, knee), point->why);
	}
}

/* --- the report --- */

static double known(double value)
{
	return isfinite(value) ? value : NAN;
}

static void write_points(struct report *report, const struct field *field, const void *from)
{
	const struct sweep *sweep = from;
	const struct search *search = &sweep->search;

	for (size_t i = 0; i < search->count; i++) {
		const struct search_point *point = &search->points[i];
		const char *why = point->why[0] ? point->why : point->runs[point->run_count - 1].why;
		struct ssd_sweep_goal_values goals[SLOS_MAX];
		char load[OPT_WHOLE];

		for (size_t k = 0; k < search->slo_count; k++) {
			const struct search_value value = search_value(point, k);

			goals[k] = (struct ssd_sweep_goal_values){.text = search->slos[k].text,
				.limit_ns = search->slos[k].limit_ns, .reached_ns = value.ns, .low_ns = known(value.interval.low),
				.high_ns = known(value.interval.high), .status = search_verdict_name(point->verdicts[k])};
		}
		sweep_format(&sweep->options, point->value, load);
		FIELD_ROW(report, field, ssd_sweep_point,
			.load = load,
			.load_value = (double)point->value,
			.runs = point->run_count,
			.status = search_verdict_name(point->verdict),
			.finding = FIELD_UNLESS_EMPTY(why),
			.mean_ns = search_mean_ns(point),
			.operations_per_second = search_per_second(point),
			.goal = FIELD_MANY(goals, search->slo_count));
	}
}

static const char *load_of(const struct sweep *sweep, const struct search_point *point, char text[OPT_WHOLE])
{
	if (!point)
		return NULL;
	sweep_format(&sweep->options, point->value, text);
	return text;
}

static void write_sweep(struct report *report, const struct field *field, const void *from)
{
	const struct sweep *sweep = from;
	const struct search *search = &sweep->search;
	char low[OPT_WHOLE], high[OPT_WHOLE], answer[OPT_WHOLE], beyond[OPT_WHOLE], odd[OPT_WHOLE], knee[OPT_WHOLE];

	sweep_format(&sweep->options, search->low, low);
	sweep_format(&sweep->options, search->high, high);
	FIELD_ROW(report, field, ssd_sweep,
		.over = sweep->options.parameter->name,
		.stream = mix_stream_name(sweep->stream),
		.range_low = low,
		.range_high = high,
		.outcome = search_outcome_name(search->outcome),
		.answer = load_of(sweep, search->best, answer),
		.beyond = load_of(sweep, search->beyond, beyond),
		.undecided = search->outcome == SEARCH_NOT_MONOTONE ? NULL : load_of(sweep, search->odd, odd),
		.knee = load_of(sweep, search->knee, knee),
		.knee_ratio = search->knee ? search->knee_ratio : NAN,
		.point = FIELD_BY(write_points, sweep));
}

static void write_result(struct report *report, const struct field *field, const void *from)
{
	const struct sweep *sweep = from;

	FIELD_ROW(report, field, ssd_result,
		.clock = FIELD_BY(frame_clock, &sweep->frame),
		.sweep = FIELD_BY(write_sweep, sweep));
}

int sweep_report(struct sweep *sweep)
{
	const struct ssd_run_options *options = &sweep->options.run;
	const struct ssd_report_values values = {
		FRAME_MEMBERS(&sweep->frame),
		.result = FIELD_BY(write_result, sweep),
	};

	return frame_publish(&sweep->frame, "ssdworkloads", &(struct ssd_document_values){FIELD_ONE(&values)},
		options->xml_path, options->json_path);
}
