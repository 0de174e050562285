/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/mark.h"
#include "memstor/plot/style.h"
#include "memstor/plot/text.h"
#include "memstor/plot/window.h"

#define PANELS 2
#define LINES_MAX 24
#define PANEL_GAP 14.0

struct panel {
	enum plot_series_place place; /* of the left axis */
	bool has_counters;
	struct plot_rect rect;
	struct plot_axis y, y2;
};

static bool is_in(const struct panel *panel, const struct plot_series_line *line)
{
	return line->place == panel->place || (line->place == PLOT_SERIES_COUNTER && panel->has_counters);
}

/* Reports are colours and lines of one report are dashes; of a single report lines are colours. */
static const char *colour_of(const struct plot *plot, const struct plot_series_line *line)
{
	const struct plot_series *series = plot->state;

	return plot_style_colour((plot->report_count > 1 ? line->report : (size_t)(line - series->lines)) % PLOT_COLOURS);
}

static const char *dash_of(const struct plot *plot, const struct plot_series_line *line)
{
	bool is_counter = line->place == PLOT_SERIES_COUNTER;

	if (plot->report_count == 1)
		return plot_style_dash(is_counter ? 1 + line->index % (PLOT_DASHES - 1) : 0);
	return plot_style_dash((line->index + (is_counter ? 2 : 0)) % PLOT_DASHES);
}

static int name_lines(struct plot *plot, struct plot_series *series)
{
	char **names = plot_fact_names(plot->reports, plot->report_count, &plot->options->legend);
	bool is_done = names != NULL;

	for (size_t i = 0; i < series->line_count && is_done; i++) {
		struct plot_series_line *line = &series->lines[i];
		bool is_counter = line->place == PLOT_SERIES_COUNTER;
		char text[2 * PLOT_TEXT], clean[PLOT_TEXT];

		snprintf(text, sizeof(text), "%s%s%s%s%s%s", plot->report_count > 1 ? names[line->report] : "",
			plot->report_count > 1 ? ", " : "", line->cell, line->cell[0] ? ", " : "", line->what,
			is_counter ? " (right)" : "");
		plot_text_clean(text, plot_frame_key_columns(plot), clean, sizeof(clean));
		line->name = strdup(clean);
		is_done = line->name != NULL;
	}
	plot_fact_names_free(names);
	if (is_done)
		return DIAG_EXIT_OK;
	diag_error(ENOMEM, "cannot draw");
	return DIAG_EXIT_HOST;
}

/* A mean holds from the end of the interval before it to the end of its own. */
static void write_line(const struct plot *plot, const struct plot_series_line *line, size_t number)
{
	FILE *out = plot->script;
	double from = line->begin;

	fprintf(out, "# seconds, value\n$line%zu << END\n", number);
	if (line->is_level)
		fprintf(out, "%.10g %.10g\n", line->begin, line->begin_value);
	for (size_t i = 0; i < line->count; i++) {
		if (isnan(line->values[i]))
			fprintf(out, "\n");
		else if (line->is_level)
			fprintf(out, "%.10g %.10g\n", line->times[i], line->values[i]);
		else
			fprintf(out, "%.10g %.10g\n%.10g %.10g\n", from, line->values[i], line->times[i], line->values[i]);
		from = line->times[i];
	}
	fprintf(out, "END\n");
}

static double threshold_on(const struct plot *plot, const struct plot_threshold *threshold, const struct panel *panel,
	bool is_second)
{
	const struct plot_series *series = plot->state;
	enum plot_unit unit = is_second ? panel->y2.unit : panel->y.unit;

	switch (threshold->unit) {
	case PLOT_THRESHOLD_NS:
		return !is_second && unit == PLOT_UNIT_NS ? threshold->value : NAN;
	case PLOT_THRESHOLD_RATE:
		return !is_second && unit == PLOT_UNIT_COUNT ? threshold->value : NAN;
	case PLOT_THRESHOLD_BYTES:
		return is_second && unit == PLOT_UNIT_BYTES ? threshold->value : NAN;
	case PLOT_THRESHOLD_COUNT:
		return is_second == series->has_counter && unit != PLOT_UNIT_NS ? threshold->value : NAN;
	}
	return NAN;
}

static void fit_axes(const struct plot *plot, struct panel *panel)
{
	const struct plot_series *series = plot->state;
	const struct plot_options *options = plot->options;
	struct plot_extent extent = PLOT_EXTENT_NONE, second = PLOT_EXTENT_NONE;

	for (size_t i = 0; i < series->line_count; i++) {
		const struct plot_series_line *line = &series->lines[i];

		for (size_t j = 0; j < line->count && is_in(panel, line); j++)
			plot_extent_add(line->place == PLOT_SERIES_COUNTER ? &second : &extent, line->values[j]);
		if (line->is_level && is_in(panel, line))
			plot_extent_add(&second, line->begin_value);
	}
	for (size_t i = 0; i < options->threshold_count; i++) {
		plot_extent_add(&extent, threshold_on(plot, &options->thresholds[i], panel, false));
		plot_extent_add(&second, threshold_on(plot, &options->thresholds[i], panel, true));
	}
	plot_axis_fit(&panel->y, &extent);
	plot_axis_fit(&panel->y2, &second);
	if (panel->place == PLOT_SERIES_LATENCY && options->y_range.is_given) {
		panel->y.low = options->y_range.low_ns;
		panel->y.high = options->y_range.high_ns;
	}
}

static bool has_cells(const struct plot_series *series)
{
	return series->line_count && series->lines[0].cell[0];
}

static bool is_of_streams(const struct plot *plot)
{
	for (size_t i = 0; i < plot->report_count; i++) {
		if (strcmp(plot->reports[i].tool, "ssd-workloads"))
			return false;
	}
	return true;
}

static const char *time_title(const struct plot *plot)
{
	if (is_of_streams(plot))
		return "time since the first measurement began (s)";
	return has_cells(plot->state) ? "time since the first write of the cell (s)" : "time since the run began (s)";
}

static const char *latency_title(const struct plot *plot)
{
	if (is_of_streams(plot))
		return "response time of a write";
	return has_cells(plot->state) ? "latency of an operation" : "latency of an access";
}

static const char *rate_title(const struct plot_series *series)
{
	const char *what = NULL;

	for (size_t i = 0; i < series->line_count; i++) {
		if (series->lines[i].place != PLOT_SERIES_RATE)
			continue;
		if (what && strcmp(what, series->lines[i].what))
			return "per second";
		what = series->lines[i].what;
	}
	return what;
}

static size_t list_panels(const struct plot *plot, struct panel *panels)
{
	const struct plot_series *series = plot->state;
	bool has[PANELS] = {false, false};
	size_t count = 0;

	for (size_t i = 0; i < series->line_count; i++) {
		if (series->lines[i].place != PLOT_SERIES_COUNTER)
			has[series->lines[i].place] = true;
	}
	for (int place = 0; place < PANELS; place++) {
		struct panel *panel = &panels[count];

		if (!has[place])
			continue;
		panel->place = (enum plot_series_place)place;
		panel->has_counters = series->has_counter && count == 0;
		panel->y = (struct plot_axis){"y", place == PLOT_SERIES_RATE ? rate_title(series) : latency_title(plot),
			place == PLOT_SERIES_RATE ? PLOT_UNIT_COUNT : PLOT_UNIT_NS,
			place == PLOT_SERIES_LATENCY && plot->options->y != PLOT_SCALE_LINEAR, 0, 0};
		panel->y2 = (struct plot_axis){"y2", plot_counter_title(series->counter_kind),
			plot_counter_unit(series->counter_kind), false, 0, 0};
		fit_axes(plot, panel);
		count++;
	}
	return count;
}

static size_t list_keys(const struct plot *plot, const struct panel *panel, struct plot_key *keys)
{
	const struct plot_series *series = plot->state;
	size_t count = 0;

	for (size_t i = 0; i < series->line_count; i++) {
		const struct plot_series_line *line = &series->lines[i];

		if (is_in(panel, line))
			keys[count++] = (struct plot_key){line->name, colour_of(plot, line), dash_of(plot, line)};
	}
	return count;
}

/* From the top: legend and axes of each panel; the times below the last one. */
static void place_panels(const struct plot_frame *frame, struct panel *panels, size_t count, const double *above)
{
	double left = frame->area.top - frame->area.bottom - PLOT_FRAME_BELOW - (double)(count - 1) * PANEL_GAP;
	double top = frame->area.top;

	for (size_t i = 0; i < count; i++)
		left -= above[i];
	for (size_t i = 0; i < count; i++) {
		panels[i].rect = frame->area;
		panels[i].rect.right -= panels[0].has_counters ? PLOT_FRAME_RIGHT_AXIS - PLOT_FRAME_RIGHT : 0;
		panels[i].rect.top = top - above[i];
		panels[i].rect.bottom = panels[i].rect.top - left / (double)count;
		top = panels[i].rect.bottom - PANEL_GAP;
	}
}

static void put_thresholds(struct plot_frame *frame, const struct panel *panel, bool is_second)
{
	const struct plot *plot = frame->plot;
	const struct plot_axis *axis = is_second ? &panel->y2 : &panel->y;

	for (size_t i = 0; i < plot->options->threshold_count; i++) {
		const struct plot_threshold *threshold = &plot->options->thresholds[i];
		struct plot_mark mark = {.value = threshold_on(plot, threshold, panel, is_second),
			.colour = PLOT_INK_WARNING, .dash = plot_style_dash(2)};

		if (isnan(mark.value))
			continue;
		plot_axis_format(axis->unit, mark.value, mark.text, sizeof(mark.text));
		if (threshold->label[0])
			plot_text_clean(threshold->label, 60, mark.text, sizeof(mark.text));
		plot_marks_level(frame, &panel->rect, axis, &mark, 1);
	}
}

static size_t list_marks(const struct plot_series *series, struct plot_mark *marks)
{
	for (size_t i = 0; i < series->mark_count; i++) {
		marks[i] = (struct plot_mark){
			.value = series->marks[i].time, .colour = PLOT_INK_WEAK, .dash = plot_style_dash(2)};
		snprintf(marks[i].text, sizeof(marks[i].text), "%s", series->marks[i].text);
	}
	return series->mark_count;
}

static void plot_lines(struct plot *plot, const struct panel *panel)
{
	const struct plot_series *series = plot->state;
	const char *glue = "plot ";

	for (size_t i = 0; i < series->line_count; i++) {
		const struct plot_series_line *line = &series->lines[i];

		if (!is_in(panel, line))
			continue;
		plot_drawn(plot, line->name);
		fprintf(plot->script, "%s$line%zu using 1:2 axes x1y%d with lines linewidth 1.5 dashtype %s linecolor rgb \"%s\"",
			glue, i, line->place == PLOT_SERIES_COUNTER ? 2 : 1, dash_of(plot, line), colour_of(plot, line));
		glue = ", \\\n\t";
	}
	fprintf(plot->script, "\n");
}

static int check_lines(const struct plot *plot)
{
	const struct plot_series *series = plot->state;
	const struct plot_options *options = plot->options;

	if (series->line_count > LINES_MAX || plot->report_count > PLOT_COLOURS) {
		diag_error(0, "%zu lines of %zu reports: a picture tells at most %d and %d apart; draw fewer",
			series->line_count, plot->report_count, LINES_MAX, PLOT_COLOURS);
		return DIAG_EXIT_USAGE;
	}
	for (size_t i = 0; i < options->threshold_count; i++) {
		if (options->thresholds[i].unit == PLOT_THRESHOLD_BYTES &&
			(!series->has_counter || series->counter_kind != PLOT_COUNTER_BYTES)) {
			diag_error(0, "--threshold: a size needs a --counter of memory, as meminfo.Dirty");
			return DIAG_EXIT_USAGE;
		}
	}
	return DIAG_EXIT_OK;
}

static void measure_time(struct plot_series *series)
{
	series->begin = INFINITY;
	series->end = -INFINITY;
	for (size_t i = 0; i < series->line_count; i++) {
		const struct plot_series_line *line = &series->lines[i];

		series->begin = fmin(series->begin, line->begin);
		series->end = fmax(series->end, line->times[line->count - 1]);
	}
}

static void draw_panels(struct plot *plot, struct panel *panels, size_t count)
{
	const struct plot_series *series = plot->state;
	struct plot_axis x = {"x", NULL, PLOT_UNIT_SECONDS, false, series->begin, series->end};
	struct plot_mark marks[PLOT_SERIES_MARKS_MAX];
	struct plot_key keys[PANELS][LINES_MAX];
	size_t key_counts[PANELS], mark_count = list_marks(series, marks);
	struct plot_frame frame;
	double above[PANELS], of_marks = 0;

	plot_frame_begin(&frame, plot, count);
	for (size_t i = 0; i < count; i++) {
		struct plot_rect rect = frame.area;

		rect.right -= series->has_counter ? PLOT_FRAME_RIGHT_AXIS - PLOT_FRAME_RIGHT : 0;
		key_counts[i] = list_keys(plot, &panels[i], keys[i]);
		of_marks = i ? of_marks : plot_marks_arrange(&rect, &x, marks, mark_count);
		above[i] = plot_frame_key_height(&rect, keys[i], key_counts[i]) + (i ? 0 : of_marks);
	}
	place_panels(&frame, panels, count, above);
	for (size_t i = 0; i < count; i++) {
		const struct plot_rect *rect = &panels[i].rect;

		x.title = i + 1 == count ? time_title(plot) : NULL;
		plot_frame_panel(&frame, rect);
		plot_frame_key(&frame, rect, rect->top + (i ? 0 : of_marks), keys[i], key_counts[i]);
		plot_marks_upright(&frame, rect, &x, marks, mark_count, i == 0);
		plot_frame_axis(&frame, rect, &x);
		plot_frame_axis(&frame, rect, &panels[i].y);
		plot_style_border(plot->script, panels[i].has_counters);
		if (panels[i].has_counters)
			plot_frame_axis(&frame, rect, &panels[i].y2);
		else
			fprintf(plot->script, "unset y2tics\n");
		put_thresholds(&frame, &panels[i], false);
		if (panels[i].has_counters)
			put_thresholds(&frame, &panels[i], true);
		plot_lines(plot, &panels[i]);
	}
	plot_frame_end(&frame);
}

int plot_series_draw(struct plot *plot)
{
	struct plot_series *series = plot->state;
	struct panel panels[PANELS];
	size_t count;
	int rc = check_lines(plot);

	if (!rc)
		rc = name_lines(plot, series);
	if (rc)
		return rc;
	plot_window_note(plot);
	measure_time(series);
	count = list_panels(plot, panels);
	for (size_t i = 0; i < series->line_count; i++)
		write_line(plot, &series->lines[i], i);
	draw_panels(plot, panels, count);
	return DIAG_EXIT_OK;
}
