/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line for each way to write, along the sizes. */
#include "config.h"
#include "memstor/plot/iowrite/kinds.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/style.h"
#include "memstor/plot/text.h"

#define LINES_MAX (PLOT_COLOURS * PLOT_DASHES)
#define WAYS_MAX 256

struct line { /* colours are ways, dashes are numbers */
	size_t way, metric;
	size_t count;
	char name[PLOT_TEXT];
};

struct drawing {
	struct plot *plot;
	char **reports;
	size_t way_count, line_count;
	size_t firsts[WAYS_MAX]; /* points[firsts[w]] is the first of way w */
	struct line lines[LINES_MAX];
};

static bool is_same_way(const struct plot_cost_point *one, const struct plot_cost_point *other)
{
	return one->report == other->report && !memcmp(one->parts, other->parts, sizeof(one->parts));
}

static int compare_points(const void *a, const void *b)
{
	double one = ((const struct plot_cost_point *)a)->size, other = ((const struct plot_cost_point *)b)->size;

	return (one > other) - (one < other);
}

static size_t count_points(const struct plot_cost *cost, size_t first, size_t metric)
{
	size_t count = 0;

	for (size_t i = first; i < cost->count; i++)
		count += is_same_way(&cost->points[i], &cost->points[first]) && cost->points[i].size > 0 &&
			 isfinite(cost->points[i].values[metric]);
	return count;
}

/* In the order in which the report has them, which sorting by size would lose. */
static int find_ways(struct drawing *drawing)
{
	const struct plot_cost *cost = drawing->plot->state;

	for (size_t i = 0; i < cost->count; i++) {
		bool is_new = true;

		for (size_t j = 0; j < drawing->way_count && is_new; j++)
			is_new = !is_same_way(&cost->points[drawing->firsts[j]], &cost->points[i]);
		if (is_new && drawing->way_count == WAYS_MAX)
			return -E2BIG;
		if (is_new)
			drawing->firsts[drawing->way_count++] = i;
	}
	return 0;
}

static const char *metric_word(const struct plot_cost *cost, size_t metric)
{
	return cost->metrics[metric].name;
}

static size_t count_metrics(const struct drawing *drawing)
{
	const struct plot_cost *cost = drawing->plot->state;
	size_t count = 0;

	for (size_t metric = 0; metric < cost->metric_count; metric++) {
		bool is_there = false;

		for (size_t i = 0; i < drawing->way_count && !is_there; i++)
			is_there = count_points(cost, drawing->firsts[i], metric) > 0;
		count += is_there;
	}
	return count;
}

static int make_lines(struct drawing *drawing)
{
	struct plot *plot = drawing->plot;
	const struct plot_cost *cost = plot->state;
	bool has_metric = count_metrics(drawing) > 1;

	if (drawing->way_count > PLOT_COLOURS)
		return -E2BIG;
	for (size_t i = 0; i < drawing->way_count; i++) {
		const struct plot_cost_point *point = &cost->points[drawing->firsts[i]];

		for (size_t metric = 0; metric < cost->metric_count; metric++) {
			struct line *line = &drawing->lines[drawing->line_count];
			char way[PLOT_TEXT];

			*line = (struct line){.way = i, .metric = metric, .count = count_points(cost, drawing->firsts[i], metric)};
			if (!line->count)
				continue;
			plot_cost_name(cost, point, plot->report_count > 1 ? drawing->reports[point->report] : NULL, way,
				sizeof(way));
			snprintf(line->name, sizeof(line->name), "%.200s%s%.40s", way, way[0] && has_metric ? ", " : "",
				has_metric || !way[0] ? metric_word(cost, metric) : "");
			drawing->line_count++;
		}
	}
	return 0;
}

static int write_line(const struct drawing *drawing, size_t number)
{
	const struct plot_cost *cost = drawing->plot->state;
	const struct line *line = &drawing->lines[number];
	const struct plot_cost_point *first = &cost->points[drawing->firsts[line->way]];
	struct plot_cost_point *sorted = calloc(cost->count + 1, sizeof(*sorted));
	FILE *out = drawing->plot->script;
	size_t count = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < cost->count; i++) {
		if (is_same_way(&cost->points[i], first) && cost->points[i].size > 0)
			sorted[count++] = cost->points[i];
	}
	qsort(sorted, count, sizeof(*sorted), compare_points);
	fprintf(out, "# size, value\n$line%zu << END\n", number);
	for (size_t i = 0; i < count; i++) {
		if (isfinite(sorted[i].values[line->metric]))
			fprintf(out, "%.10g %.10g\n", sorted[i].size, sorted[i].values[line->metric]);
	}
	fprintf(out, "END\n");
	free(sorted);
	return 0;
}

static void fit_axes(const struct plot_cost *cost, struct plot_axis *x, struct plot_axis *y)
{
	struct plot_extent sizes = PLOT_EXTENT_NONE, values = PLOT_EXTENT_NONE;

	for (size_t i = 0; i < cost->count; i++) {
		plot_extent_add(&sizes, cost->points[i].size);
		for (size_t j = 0; j < cost->metric_count; j++)
			plot_extent_add(&values, cost->points[i].size > 0 ? cost->points[i].values[j] : NAN);
	}
	plot_axis_fit(x, &sizes);
	plot_axis_fit(y, &values);
}

static void plot_lines(const struct drawing *drawing)
{
	struct plot *plot = drawing->plot;
	const char *glue = "plot ";

	for (size_t i = 0; i < drawing->line_count; i++) {
		const struct line *line = &drawing->lines[i];

		plot_drawn(plot, line->name);
		fprintf(plot->script, "%s$line%zu using 1:2 with linespoints linewidth 1.6 pointtype 7 pointsize 0.5 dashtype %s "
				      "linecolor rgb \"%s\"", glue, i, plot_style_dash(line->metric), plot_style_colour(line->way));
		glue = ", \\\n\t";
	}
	fprintf(plot->script, "\n");
}

static void draw(struct drawing *drawing)
{
	struct plot *plot = drawing->plot;
	const struct plot_cost *cost = plot->state;
	const char *unit = cost->metrics[0].unit;
	bool is_ns = !strcmp(unit, "ns");
	struct plot_axis x = {"x", "size of a write", PLOT_UNIT_BYTES, true, 0, 0};
	struct plot_axis y = {"y", is_ns ? "cost of a write" : !strcmp(unit, "B/s") ? "bytes per second" : "per second",
		is_ns ? PLOT_UNIT_NS : PLOT_UNIT_COUNT, plot->options->y != PLOT_SCALE_LINEAR, 0, 0};
	struct plot_key keys[LINES_MAX];
	struct plot_frame frame;
	struct plot_rect rect;

	for (size_t i = 0; i < drawing->line_count; i++)
		keys[i] = (struct plot_key){drawing->lines[i].name, plot_style_colour(drawing->lines[i].way),
			plot_style_dash(drawing->lines[i].metric)};
	fit_axes(cost, &x, &y);
	plot_frame_begin(&frame, plot, 1);
	rect = frame.area;
	rect.bottom += PLOT_FRAME_BELOW;
	rect.top -= plot_frame_key_height(&rect, keys, drawing->line_count);
	plot_frame_panel(&frame, &rect);
	plot_frame_key(&frame, &rect, rect.top, keys, drawing->line_count);
	plot_frame_axis(&frame, &rect, &x);
	plot_frame_axis(&frame, &rect, &y);
	plot_lines(drawing);
	plot_frame_end(&frame);
}

int plot_cost_draw_sizes(struct plot *plot, char **names)
{
	struct drawing *drawing = calloc(1, sizeof(*drawing));
	int err = drawing ? 0 : -ENOMEM, code = DIAG_EXIT_OK;

	if (!err) {
		drawing->plot = plot;
		drawing->reports = names;
		err = find_ways(drawing);
	}
	if (!err)
		err = make_lines(drawing);
	for (size_t i = 0; !err && i < drawing->line_count; i++)
		err = write_line(drawing, i);
	if (err == -E2BIG) {
		diag_error(0, "%zu ways to write: a picture tells at most %d apart; choose with --class, as --class '*.fsync.*'",
			drawing->way_count, PLOT_COLOURS);
		code = DIAG_EXIT_USAGE;
	} else if (err) {
		diag_error(err, "cannot draw");
		code = DIAG_EXIT_HOST;
	} else {
		draw(drawing);
	}
	free(drawing);
	return code;
}
