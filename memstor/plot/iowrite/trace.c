/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the kernel did while writes were made, over what the model thought that it would: the page cache with its
 * thresholds, the limits on how fast pages may be dirtied, pauses and costs. Three panels share the time.
 */
#include "config.h"
#include "memstor/plot/iowrite/kinds.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/style.h"

#define PANELS 3
#define KEYS 5
#define GAP 8.0
#define TITLE 18.0 /* more room for titles beside tics as long as "1.25 GiB/s" */
#define KERNEL "#6e6e6e" /* what the kernel said */
#define DIRTY "#00795a"
#define MEASURED "#202020"
#define PAUSE "#b23b00"
#define LIMIT "#d98cb3"
#define TASKS_MAX 3 /* times the highest other rate: tasks' limits above are not shown */

enum { STATE_DIRTY = 1, STATE_WRITEBACK, STATE_LIMIT };
enum { PAUSE_NS = 1, PAUSE_TASK };
enum { RATE_DIRTY = 1, RATE_BALANCED, RATE_WRITE };
enum { WRITE_MEASURED = 1, WRITE_KERNEL, WRITE_DIRTY, WRITE_WRITEBACK };

struct panel {
	struct plot_rect rect;
	struct plot_axis y;
	size_t key_count;
	struct plot_key keys[KEYS];
};

static void note_events(struct plot *plot, const struct report_node *trace)
{
	const struct plot_trace *state = plot->state;
	double lost = report_read_number(trace, "lost_events"), paused = 0;
	size_t pauses = 0, without = 0;

	for (size_t i = 0; i < state->pauses.count; i++) {
		double ns = state->pauses.values[i][PAUSE_NS];

		pauses += ns > 0;
		without += !(ns > 0);
		paused += ns > 0 ? ns / 1e9 : 0;
	}
	plot_note(plot, false, "%zu pauses, %.3g s in all; %zu times there was none to make.", pauses, paused, without);
	if (lost > 0)
		plot_note(plot, true, "%.0f events were lost: the buffer of the trace was full.", lost);
}

static bool has_column(const struct plot_rows *rows, size_t column)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (isfinite(rows->values[i][column]))
			return true;
	}
	return false;
}

int plot_trace_take(struct plot *plot, const struct loaded *loaded)
{
	static const char *const states[] = {"time_s", "dirty_bytes", "writeback_bytes", "limit_bytes", NULL};
	static const char *const pauses[] = {"time_s", "pause_ns", "task_bytes_per_second", NULL};
	static const char *const rates[] = {
		"time_s", "dirty_bytes_per_second", "balanced_bytes_per_second", "write_bytes_per_second", NULL};
	static const char *const writes[] = {
		"time_s", "measured_ns", "kernel_ns", "predicted_dirty_bytes", "predicted_writeback_bytes", NULL};
	struct plot_trace *state = plot->state;
	const struct report_node *trace = plot_iowrite_part(loaded, "kernel-trace", "trace", "kernel_trace");
	const char *scenario;
	int rc;

	if (!trace)
		return DIAG_EXIT_USAGE;
	rc = plot_rows_take(trace, "kernel_state", states, &state->states);
	if (!rc)
		rc = plot_rows_take(trace, "pause", pauses, &state->pauses);
	if (!rc)
		rc = plot_rows_take(trace, "ratelimit", rates, &state->rates);
	if (!rc)
		rc = plot_rows_take(trace, "write", writes, &state->writes);
	if (!rc && state->states.count + state->writes.count == 0) {
		diag_error(0, "%s: the trace has neither events nor writes", loaded->path);
		rc = DIAG_EXIT_USAGE;
	}
	if (rc)
		return rc;
	state->thresholds = plot_thresholds_of(trace);
	scenario = loaded_option(loaded, "scenario");
	snprintf(plot->title, sizeof(plot->title), "Writes as the kernel saw them%s%s%.100s",
		has_column(&state->writes, WRITE_KERNEL) ? ", and as its model did" : "", scenario ? ": scenario " : "",
		scenario ? scenario : "");
	note_events(plot, trace);
	return DIAG_EXIT_OK;
}

void plot_trace_free(struct plot *plot)
{
	struct plot_trace *state = plot->state;

	free(state->states.values);
	free(state->pauses.values);
	free(state->rates.values);
	free(state->writes.values);
}

/* The kernel raises it at once and lowers it slowly: shown where it is no straight line. */
static bool is_limit_moving(const struct plot_trace *state)
{
	struct plot_extent extent = PLOT_EXTENT_NONE;

	plot_rows_extend(&state->states, STATE_LIMIT, &extent);
	return extent.high > extent.low * 1.001;
}

static void add_key(struct panel *panel, bool is_there, const char *name, const char *colour, const char *dash)
{
	if (is_there)
		panel->keys[panel->key_count++] = (struct plot_key){name, colour, dash};
}

static void make_cache(const struct plot_trace *state, struct panel *panel)
{
	struct plot_extent extent = PLOT_EXTENT_NONE;

	panel->y = (struct plot_axis){"y", "", PLOT_UNIT_BYTES, false, 0, 0};
	for (size_t i = 0; i < state->states.count; i++)
		plot_extent_add(&extent, state->states.values[i][STATE_DIRTY] + state->states.values[i][STATE_WRITEBACK]);
	for (size_t i = 0; i < state->writes.count; i++)
		plot_extent_add(&extent, state->writes.values[i][WRITE_DIRTY] + state->writes.values[i][WRITE_WRITEBACK]);
	plot_thresholds_extend(&state->thresholds, &extent);
	plot_axis_fit(&panel->y, &extent);
	add_key(panel, state->states.count, "dirty and being written", KERNEL, "solid");
	add_key(panel, state->states.count, "dirty", DIRTY, "solid");
	add_key(panel, is_limit_moving(state), "limit", LIMIT, plot_style_dash(3));
	add_key(panel, has_column(&state->writes, WRITE_DIRTY), "the model's sum", plot_model_colour(PLOT_MODEL_KERNEL),
		plot_style_dash(1));
}

static void make_rates(const struct plot_trace *state, struct panel *panel)
{
	struct plot_extent extent = PLOT_EXTENT_NONE, tasks = PLOT_EXTENT_NONE;

	panel->y = (struct plot_axis){"y", "", PLOT_UNIT_BYTES_PER_SECOND, false, 0, 0};
	for (size_t column = RATE_DIRTY; column <= RATE_WRITE; column++)
		plot_rows_extend(&state->rates, column, &extent);
	plot_rows_extend(&state->pauses, PAUSE_TASK, &tasks);
	/* A task may do many times as much while little is dirty: the rest is not bent by that. */
	plot_extent_add(&extent, state->rates.count ? fmin(tasks.high, TASKS_MAX * extent.high) : tasks.high);
	plot_axis_fit(&panel->y, &extent);
	add_key(panel, state->rates.count, "limit on dirtying", plot_style_colour(0), "solid");
	add_key(panel, state->rates.count, "balanced rate", plot_style_colour(1), plot_style_dash(1));
	add_key(panel, state->rates.count, "write-back", plot_style_colour(2), plot_style_dash(2));
	add_key(panel, state->pauses.count, "a task's limit", KERNEL, PLOT_KEY_POINTS);
}

static void make_costs(const struct plot *plot, struct panel *panel)
{
	const struct plot_trace *state = plot->state;
	struct plot_extent extent = PLOT_EXTENT_NONE;

	panel->y = (struct plot_axis){"y", "", PLOT_UNIT_NS, plot->options->y != PLOT_SCALE_LINEAR, 0, 0};
	plot_rows_extend(&state->writes, WRITE_MEASURED, &extent);
	plot_rows_extend(&state->writes, WRITE_KERNEL, &extent);
	for (size_t i = 0; i < state->pauses.count; i++) {
		if (state->pauses.values[i][PAUSE_NS] > 0)
			plot_extent_add(&extent, state->pauses.values[i][PAUSE_NS]);
	}
	plot_axis_fit(&panel->y, &extent);
	add_key(panel, state->writes.count, "cost of a write", MEASURED, PLOT_KEY_POINTS);
	add_key(panel, has_column(&state->writes, WRITE_KERNEL), "the model's", plot_model_colour(PLOT_MODEL_KERNEL), "solid");
	add_key(panel, state->pauses.count, "pause in the kernel", PAUSE, "solid");
}

static void write_data(FILE *out, const struct plot_trace *state)
{
	fprintf(out, "# seconds, dirty, writeback, limit\n");
	plot_rows_write(out, "$states", &state->states);
	fprintf(out, "# seconds, pause ns, a task's bytes per second\n");
	plot_rows_write(out, "$pauses", &state->pauses);
	fprintf(out, "# seconds, bytes per second: dirtying, balanced, write-back\n");
	plot_rows_write(out, "$rates", &state->rates);
	fprintf(out, "# seconds, measured ns, predicted; predicted dirty, being written\n");
	plot_rows_write(out, "$writes", &state->writes);
}

struct lines { /* of one plot command */
	struct plot *plot;
	const char *glue;
};

static void __attribute__((format(printf, 3, 4))) put(struct lines *lines, const char *name, const char *format, ...)
{
	va_list arguments;

	fputs(lines->glue, lines->plot->script);
	va_start(arguments, format);
	vfprintf(lines->plot->script, format, arguments);
	va_end(arguments);
	plot_drawn(lines->plot, name);
	lines->glue = ", \\\n\t";
}

static void plot_cache(struct plot *plot)
{
	const struct plot_trace *state = plot->state;
	struct lines lines = {plot, "plot "};

	if (state->states.count) {
		put(&lines, "dirty and being written",
			"$states using 1:($2+$3) with filledcurves y1=0 fillcolor rgb \"" KERNEL "\"");
		put(&lines, "dirty and being written",
			"$states using 1:($2+$3) with lines linewidth 1.4 linecolor rgb \"" KERNEL "\"");
		put(&lines, "dirty", "$states using 1:2 with lines linewidth 1 linecolor rgb \"" DIRTY "\"");
	}
	if (is_limit_moving(state))
		put(&lines, "limit", "$states using 1:4 with lines linewidth 1.2 dashtype %s linecolor rgb \"" LIMIT "\"",
			plot_style_dash(3));
	if (has_column(&state->writes, WRITE_DIRTY))
		put(&lines, "the model's sum", "$writes using 1:($4+$5) with lines linewidth 1.6 dashtype %s linecolor rgb \"%s\"",
			plot_style_dash(1), plot_model_colour(PLOT_MODEL_KERNEL));
	fputs(!strcmp(lines.glue, "plot ") ? "plot NaN\n" : "\n", plot->script);
}

static void plot_rates(struct plot *plot)
{
	const struct plot_trace *state = plot->state;
	static const char *const names[] = {"limit on dirtying", "balanced rate", "write-back"};
	struct lines lines = {plot, "plot "};

	if (state->pauses.count)
		put(&lines, "a task's limit",
			"$pauses using 1:3 with points pointtype 7 pointsize 0.2 linecolor rgb \"" KERNEL "\"");
	for (int i = 0; i < 3 && state->rates.count; i++)
		put(&lines, names[i], "$rates using 1:%d with steps linewidth 1.6 dashtype %s linecolor rgb \"%s\"", i + 2,
			plot_style_dash((size_t)i), plot_style_colour((size_t)i));
	fputs(!strcmp(lines.glue, "plot ") ? "plot NaN\n" : "\n", plot->script);
}

static void plot_costs(struct plot *plot, const struct plot_axis *y)
{
	const struct plot_trace *state = plot->state;
	struct lines lines = {plot, "plot "};

	if (state->pauses.count)
		put(&lines, "pause in the kernel",
			"$pauses using ($2>0?$1:NaN):(%.10g):(0):($2-%.10g) with vectors nohead linewidth 1 linecolor rgb "
			"\"" PAUSE "\"",
			y->low, y->low);
	if (has_column(&state->writes, WRITE_KERNEL))
		put(&lines, "the model's", "$writes using 1:3 with lines linewidth 1.6 linecolor rgb \"%s\"",
			plot_model_colour(PLOT_MODEL_KERNEL));
	if (state->writes.count)
		put(&lines, "cost of a write",
			"$writes using 1:2 with points pointtype 7 pointsize 0.35 linecolor rgb \"" MEASURED "\"");
	fputs(!strcmp(lines.glue, "plot ") ? "plot NaN\n" : "\n", plot->script);
}

/* The first panel, where most is to be seen, is half as high again as the others; one without data is none. */
static void place(struct plot_frame *frame, struct panel *panels)
{
	static const double shares[PANELS] = {3, 2, 2};
	double top = frame->area.top, left = frame->area.top - frame->area.bottom - PLOT_FRAME_BELOW - (PANELS - 1) * GAP;
	struct plot_rect area = frame->area;
	double whole = 0;

	area.left += TITLE;
	for (size_t i = 0; i < PANELS; i++) {
		left -= plot_frame_key_height(&area, panels[i].keys, panels[i].key_count);
		whole += panels[i].key_count ? shares[i] : 0;
	}
	for (size_t i = 0; i < PANELS; i++) {
		if (!panels[i].key_count)
			continue;
		panels[i].rect = area;
		panels[i].rect.top = top - plot_frame_key_height(&area, panels[i].keys, panels[i].key_count);
		panels[i].rect.bottom = panels[i].rect.top - left * shares[i] / whole;
		top = panels[i].rect.bottom - GAP;
	}
}

static void fit_time(const struct plot_trace *state, struct plot_axis *x)
{
	struct plot_extent extent = PLOT_EXTENT_NONE;

	plot_rows_extend(&state->states, 0, &extent);
	plot_rows_extend(&state->writes, 0, &extent);
	plot_rows_extend(&state->pauses, 0, &extent);
	plot_rows_extend(&state->rates, 0, &extent);
	x->low = extent.low;
	x->high = extent.high > extent.low ? extent.high : extent.low + 1;
}

/* Tasks' limits that are beyond the panel. */
static void note_tasks(struct plot *plot, const struct plot_axis *y)
{
	const struct plot_trace *state = plot->state;
	size_t beyond = 0;

	for (size_t i = 0; i < state->pauses.count; i++)
		beyond += state->pauses.values[i][PAUSE_TASK] > y->high;
	if (beyond)
		plot_note(plot, false, "%zu of %zu limits of the task are higher than the panel of rates shows.", beyond,
			state->pauses.count);
}

static void plot_panel(struct plot_frame *frame, const struct panel *panel, size_t i)
{
	const struct plot_trace *state = frame->plot->state;

	if (i == 0) {
		plot_thresholds_put(frame, &panel->rect, &panel->y, &state->thresholds);
		plot_cache(frame->plot);
	} else if (i == 1) {
		plot_rates(frame->plot);
	} else {
		plot_costs(frame->plot, &panel->y);
	}
}

int plot_trace_draw(struct plot *plot)
{
	struct plot_trace *state = plot->state;
	struct panel panels[PANELS] = {{.key_count = 0}};
	static const char *const titles[PANELS] = {"page cache", "rate", "cost, pause"};
	struct plot_axis x = {"x", NULL, PLOT_UNIT_SECONDS, false, 0, 0};
	struct plot_frame frame;
	size_t last = 0;

	fit_time(state, &x);
	make_cache(state, &panels[0]);
	make_rates(state, &panels[1]);
	make_costs(plot, &panels[2]);
	note_tasks(plot, &panels[1].y);
	if (plot_rows_hold(&state->rates, x.high))
		return DIAG_EXIT_HOST;
	write_data(plot->script, state);
	for (size_t i = 0; i < PANELS; i++)
		last = panels[i].key_count ? i : last;
	plot_frame_begin(&frame, plot, PANELS);
	place(&frame, panels);
	for (size_t i = 0; i < PANELS; i++) {
		const struct panel *panel = &panels[i];

		if (!panel->key_count)
			continue;
		x.title = i == last ? "time since the first write (s)" : NULL;
		plot_frame_panel(&frame, &panel->rect);
		plot_frame_key(&frame, &panel->rect, panel->rect.top, panel->keys, panel->key_count);
		plot_frame_axis(&frame, &panel->rect, &x);
		plot_frame_axis(&frame, &panel->rect, &panel->y);
		plot_frame_text(&frame, panel->rect.left - 76 - TITLE, (panel->rect.bottom + panel->rect.top) / 2,
			PLOT_ANCHOR_UPWARD, 13, PLOT_INK, titles[i]);
		plot_panel(&frame, panel, i);
	}
	plot_frame_end(&frame);
	return DIAG_EXIT_OK;
}
