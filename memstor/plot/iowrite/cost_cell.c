/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row for each cell, its numbers along it. */
#include "config.h"
#include "memstor/plot/iowrite/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/diag.h"
#include "common/units.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/style.h"
#include "memstor/plot/text.h"

#define ROWS_MAX 40
#define ROW_MIN 13.0
#define SIZE_NAME 12
#define NAME_COLUMNS 52

static void name_row(const struct plot *plot, const struct plot_cost_point *point, char **reports, char *text, size_t length)
{
	const struct plot_cost *cost = plot->state;
	char way[PLOT_TEXT], size[UNITS_TEXT] = "";

	plot_cost_name(cost, point, NULL, way, sizeof(way));
	if (point->size > 0)
		units_format_size((uint64_t)point->size, size, sizeof(size));
	snprintf(text, length, "%.120s%s%s%s%.60s", way, way[0] && size[0] ? " " : "", size,
		plot->report_count > 1 ? ", " : "", plot->report_count > 1 ? reports[point->report] : "");
	if (!text[0])
		snprintf(text, length, "%.120s", point->id);
}

static double widest(const struct plot *plot, char **reports)
{
	const struct plot_cost *cost = plot->state;
	size_t columns = 0;

	for (size_t i = 0; i < cost->count; i++) {
		char text[PLOT_TEXT];
		size_t these;

		name_row(plot, &cost->points[i], reports, text, sizeof(text));
		these = plot_text_columns(text);
		columns = these > columns ? these : columns;
	}
	return plot_frame_width(columns < NAME_COLUMNS ? columns : NAME_COLUMNS, SIZE_NAME) + 16;
}

static void write_data(const struct plot *plot, struct plot_extent *extent)
{
	const struct plot_cost *cost = plot->state;
	FILE *out = plot->script;

	fprintf(out, "# row, least, most, values\n$rows << END\n");
	for (size_t i = 0; i < cost->count; i++) {
		struct plot_extent of_row = PLOT_EXTENT_NONE;

		for (size_t j = 0; j < cost->metric_count; j++)
			plot_extent_add(&of_row, cost->points[i].values[j]);
		fprintf(out, "%zu %.10g %.10g", i + 1, of_row.low, of_row.high);
		for (size_t j = 0; j < cost->metric_count; j++) {
			if (isfinite(cost->points[i].values[j]))
				fprintf(out, " %.10g", cost->points[i].values[j]);
			else
				fputs(" NaN", out);
		}
		fputc('\n', out);
		plot_extent_add(extent, of_row.low);
		plot_extent_add(extent, of_row.high);
	}
	fprintf(out, "END\n");
}

static void put_names(struct plot_frame *frame, const struct plot_rect *rect, char **reports)
{
	const struct plot_cost *cost = frame->plot->state;
	double step = (rect->top - rect->bottom) / (double)cost->count;

	fprintf(frame->plot->script, "set yrange [%zu.5:0.5] noextend\nunset ytics\n", cost->count);
	for (size_t i = 0; i < cost->count; i++) {
		char text[PLOT_TEXT], clean[PLOT_TEXT];

		name_row(frame->plot, &cost->points[i], reports, text, sizeof(text));
		plot_text_clean(text, NAME_COLUMNS, clean, sizeof(clean));
		plot_frame_text(frame, rect->left - 8, rect->top - step * ((double)i + 0.5), PLOT_ANCHOR_RIGHT, SIZE_NAME, PLOT_INK,
			clean);
	}
	if (step < ROW_MIN)
		frame->plot->is_too_small = true;
}

static size_t list_keys(const struct plot_cost *cost, struct plot_key *keys)
{
	for (size_t i = 0; i < cost->metric_count; i++)
		keys[i] = (struct plot_key){cost->metrics[i].name, plot_style_colour(i), "solid"};
	return cost->metric_count;
}

static void plot_rows(struct plot *plot)
{
	const struct plot_cost *cost = plot->state;
	FILE *out = plot->script;

	plot_drawn(plot, "from the least to the most");
	fprintf(out, "plot $rows using 2:1:($3-$2):(0) with vectors nohead linewidth 2 linecolor rgb \"#9a9a9a\"");
	for (size_t i = 0; i < cost->metric_count; i++) {
		plot_drawn(plot, cost->metrics[i].name);
		fprintf(out, ", \\\n\t$rows using %zu:1 with points pointtype 7 pointsize 0.8 linecolor rgb \"%s\"", 4 + i,
			plot_style_colour(i));
	}
	fprintf(out, "\n");
}

int plot_cost_draw_cells(struct plot *plot, char **names)
{
	const struct plot_cost *cost = plot->state;
	const char *unit = cost->metrics[0].unit;
	bool is_ns = !strcmp(unit, "ns");
	/* --y is about the axis of the numbers, which is the level one here. */
	struct plot_axis x = {"x", is_ns ? "cost of a write" : !strcmp(unit, "B/s") ? "bytes per second" : "per second",
		is_ns ? PLOT_UNIT_NS : PLOT_UNIT_COUNT, plot->options->y != PLOT_SCALE_LINEAR, 0, 0};
	struct plot_extent extent = PLOT_EXTENT_NONE;
	struct plot_key keys[PLOT_COST_METRICS];
	size_t key_count = list_keys(cost, keys);
	struct plot_frame frame;
	struct plot_rect rect;

	if (cost->count > ROWS_MAX) {
		diag_error(0, "%zu cells: a picture has room for %d; choose with --class, as --class 'pwrite.*'", cost->count,
			ROWS_MAX);
		return DIAG_EXIT_USAGE;
	}
	write_data(plot, &extent);
	plot_axis_fit(&x, &extent);
	plot_frame_begin(&frame, plot, 1);
	rect = frame.area;
	rect.left = 8 + widest(plot, names);
	rect.bottom += PLOT_FRAME_BELOW;
	rect.top -= plot_frame_key_height(&rect, keys, key_count);
	plot_frame_panel(&frame, &rect);
	plot_frame_key(&frame, &rect, rect.top, keys, key_count);
	plot_frame_axis(&frame, &rect, &x);
	put_names(&frame, &rect, names);
	plot_rows(plot);
	plot_frame_end(&frame);
	return DIAG_EXIT_OK;
}
