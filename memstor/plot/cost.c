/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cost of writes in iowrite-bench run: a line over the sizes for each way to write, or a row for each cell. */
#include "config.h"
#include "memstor/plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/units.h"

#define ROWS_MAX 40
#define NAME_COLUMNS 52 /* of the name of a cell next to its row */

#define METRICS_MAX 4
#define PARTS 6
struct cost {
	size_t metric_count;
	struct metric metrics[METRICS_MAX];
	size_t count, room;
	struct point {
		size_t report, way; /* way: points of one way differ only in size */
		char id[METRIC_SUBJECT];
		char parts[PARTS][24];  /* method, mode, sync, regime, rw, memory */
		double size;                      /* NAN = several */
		double values[METRICS_MAX]; /* NAN = it has none */
	} *points;
};

static const char *const part_names[PARTS] = {"method", "mode", "sync", "regime", "rw", "memory"};

/* One axis has one unit. */
static int choose(const struct plot_options *options, struct cost *cost)
{
	static const char *const usual[] = {"write.mean", "sync.mean"};
	const char *why;
	int rc = plot_metrics_choose(options, cost->metrics, METRICS_MAX, &cost->metric_count);

	for (size_t i = 0; i < cost->metric_count && !rc; i++) {
		const struct metric *metric = &cost->metrics[i];

		if (metric->subject[0])
			diag_error(0, "--metric '%s': without a cell: it is drawn of each, --class chooses some",
				options->metrics.items[i]);
		else if (strcmp(metric->unit, cost->metrics[0].unit))
			diag_error(0, "--metric '%s': is in %s, %s in %s; one axis has one unit, draw two pictures",
				options->metrics.items[i], metric->unit, cost->metrics[0].name, cost->metrics[0].unit);
		else
			continue;
		return DIAG_EXIT_USAGE;
	}
	for (size_t i = 0; i < 2 && !options->metrics.count; i++)
		cost->metric_count += metric_parse(usual[i], &cost->metrics[i], &why) == 0;
	return rc;
}

static int take_cell(struct plot *plot, const struct loaded *loaded, const struct report_node *node, const char *id)
{
	struct cost *cost = plot->state;
	struct point *point;
	bool has_value = false;

	if (plot_grow(plot, &cost->points, &cost->room, cost->count, sizeof(*cost->points)))
		return plot_no_memory();
	point = &cost->points[cost->count];
	*point = (struct point){.report = plot->report_count - 1,
		.size = report_read_number(node, "size_bytes")};
	snprintf(point->id, sizeof(point->id), "%s", id);
	for (size_t i = 0; i < PARTS; i++)
		plot_text_clean(report_read_text(node, part_names[i]), sizeof(point->parts[i]) - 1, point->parts[i],
			sizeof(point->parts[i]));
	for (size_t i = 0; i < cost->metric_count; i++) {
		struct metric metric = cost->metrics[i];

		snprintf(metric.subject, sizeof(metric.subject), "%s", id);
		point->values[i] = metric_value(&metric, loaded);
		has_value = has_value || isfinite(point->values[i]);
	}
	cost->count += has_value;
	return DIAG_EXIT_OK;
}

int plot_cost_take(struct plot *plot, const struct loaded *loaded)
{
	struct cost *cost = plot_state(plot, sizeof(*cost));
	const struct report_node *cells = plot_result_part(plot, plot->report_count - 1, "cells", "iowrite-bench", "run");
	const struct report_node *node = cells ? report_read_find(cells, "cell") : NULL;
	size_t before = cost ? cost->count : 0;
	int rc = !cells ? DIAG_EXIT_USAGE : cost ? choose(plot->options, cost) : plot_no_memory();

	for (size_t i = 0; i < loaded->subject_count && node && !rc; i++, node = report_read_next(node)) {
		if (plot_class_is_wanted(plot->options, loaded->subjects[i].id))
			rc = take_cell(plot, loaded, node, loaded->subjects[i].id);
	}
	if (!rc && cost->count == before)
		return diag_usage(
			"%s: no cell has %s%s", loaded->path, plot->options->metrics.count ? "such a number" : "costs",
			plot->options->classes.count ? " or is one of --class" : "");
	return rc;
}

static bool differs(const struct cost *cost, size_t part)
{
	for (size_t i = 1; i < cost->count; i++) {
		if (strcmp(cost->points[0].parts[part], cost->points[i].parts[part]))
			return true;
	}
	return false;
}

/* "pwrite direct, b.xml": what differs between the cells. */
static void name_way(const struct plot *plot, const struct point *point, char *text, size_t length)
{
	text[0] = '\0';
	for (size_t i = 0; i < PARTS; i++) {
		if (differs(plot->state, i))
			plot_append(text, length, " ", point->parts[i]);
	}
	if (plot->report_count > 1)
		plot_append(text, length, ", ", plot->names[point->report]);
}

/* A way has the points of one report that differ only in size. Ways are numbered in the order of the reports. Returns how many
 * there are; *has_sizes: one has two sizes, as lines need. */
static size_t number_ways(struct cost *cost, bool *has_sizes)
{
	size_t count = 0;

	*has_sizes = false;
	for (size_t i = 0; i < cost->count; i++) {
		struct point *point = &cost->points[i];

		point->way = count;
		for (size_t j = 0; j < i; j++) {
			const struct point *other = &cost->points[j];

			if (point->report != other->report || memcmp(point->parts, other->parts, sizeof(point->parts)))
				continue;
			point->way = other->way;
			*has_sizes |= point->size > 0 && other->size > 0 && point->size != other->size;
		}
		count += point->way == count;
	}
	return count;
}

static int compare_points(const void *a, const void *b)
{
	const struct point *one = a, *other = b;

	if (one->way != other->way)
		return one->way < other->way ? -1 : 1;
	return (one->size > other->size) - (one->size < other->size);
}

static const struct point *first_of(const struct cost *cost, size_t way, size_t metric)
{
	for (size_t i = 0; i < cost->count; i++) {
		const struct point *point = &cost->points[i];

		if (point->way == way && point->size > 0 && isfinite(point->values[metric]))
			return point;
	}
	return NULL;
}

/* Colours are ways, dashes are numbers. */
static int put_sizes(struct plot *plot, size_t ways)
{
	struct cost *cost = plot->state;
	bool has_metric[METRICS_MAX] = {false};
	size_t metrics = 0, lines = 0;

	if (ways > PLOT_COLOURS)
		return diag_usage(
			"%zu ways to write: a picture distinguishes at most %d; choose with --class, as --class '*.fsync.*'",
			ways, PLOT_COLOURS);
	qsort(cost->points, cost->count, sizeof(*cost->points), compare_points);
	for (size_t i = 0; i < cost->count * cost->metric_count; i++) {
		const struct point *point = &cost->points[i / cost->metric_count];

		has_metric[i % cost->metric_count] |= point->size > 0 && isfinite(point->values[i % cost->metric_count]);
	}
	for (size_t i = 0; i < cost->metric_count; i++)
		metrics += has_metric[i];
	plot_block(plot, "data", "size, value");
	for (size_t i = 0; i < ways * cost->metric_count; i++) {
		size_t way = i / cost->metric_count, metric = i % cost->metric_count, count = 0;

		for (size_t j = 0; j < cost->count; j++) {
			const struct point *point = &cost->points[j];

			if (point->way != way || !(point->size > 0) || !isfinite(point->values[metric]))
				continue;
			if (!count++)
				plot_index(plot, lines);
			plot_row(plot, point->size, point->values[metric]);
		}
		lines += count > 0;
	}
	plot_block(plot, "names", "texts");
	for (size_t way = 0; way < ways; way++) {
		for (size_t metric = 0; metric < cost->metric_count; metric++) {
			const struct point *point = first_of(cost, way, metric);
			char text[PLOT_TEXT];

			if (!point)
				continue;
			name_way(plot, point, text, sizeof(text));
			if (metrics > 1 || !text[0])
				plot_append(text, sizeof(text), ", ", cost->metrics[metric].name);
			plot_text_line(plot, text, plot_key_columns(plot), false);
		}
	}
	plot_block(plot, "styles", "colour, dash");
	for (size_t way = 0; way < ways; way++) {
		for (size_t metric = 0; metric < cost->metric_count; metric++) {
			if (first_of(cost, way, metric))
				plot_row(plot, (double)way, (double)metric);
		}
	}
	return DIAG_EXIT_OK;
}

static int put_cells(struct plot *plot)
{
	const struct cost *cost = plot->state;

	if (cost->count > ROWS_MAX)
		return diag_usage("%zu cells: a picture has room for %d; choose with --class, as --class 'pwrite.*'",
			cost->count, ROWS_MAX);
	plot_block(plot, "data", "row, values of each number");
	for (size_t i = 0; i < cost->count; i++) {
		double row[1 + METRICS_MAX] = {(double)i + 1};

		memcpy(row + 1, cost->points[i].values, cost->metric_count * sizeof(double));
		plot_values(plot, row, 1 + cost->metric_count);
	}
	plot_block(plot, "tics", "texts: the cells, as formats");
	for (size_t i = 0; i < cost->count; i++) {
		const struct point *point = &cost->points[i];
		char text[PLOT_TEXT], size[UNITS_TEXT];

		name_way(plot, point, text, sizeof(text));
		if (point->size > 0) {
			units_format_size((uint64_t)point->size, size, sizeof(size));
			plot_append(text, sizeof(text), " ", size);
		}
		plot_text_line(plot, text[0] ? text : point->id, NAME_COLUMNS, true);
	}
	plot_text_block(plot, "names", "texts", cost->metrics[0].name, sizeof(cost->metrics[0]), cost->metric_count, PLOT_TEXT,
		false);
	return DIAG_EXIT_OK;
}

int plot_cost_extract(struct plot *plot)
{
	struct cost *cost = plot->state;
	struct plot_extent sizes = PLOT_EXTENT_NONE, values = PLOT_EXTENT_NONE;
	const char *unit = cost->metrics[0].unit;
	char common[128] = "";
	bool is_by_size;
	size_t ways = number_ways(cost, &is_by_size);
	int rc;

	for (size_t i = 0; i < PARTS; i++) {
		if (!differs(cost, i) && strcmp(cost->points[0].parts[i], "none"))
			plot_append(common, sizeof(common), ", ", cost->points[0].parts[i]);
	}
	snprintf(plot->title, sizeof(plot->title), "%s%s%s%s", strcmp(unit, "ns") ? cost->metrics[0].name : "Cost of a write",
		is_by_size ? " by size" : " by cell", common[0] ? ": " : "", common);
	for (size_t i = 0; i < cost->count; i++) {
		plot_extent_add(&sizes, cost->points[i].size);
		for (size_t j = 0; j < cost->metric_count; j++)
			plot_extent_add(&values, !is_by_size || cost->points[i].size > 0 ? cost->points[i].values[j] : NAN);
	}
	rc = is_by_size ? put_sizes(plot, ways) : put_cells(plot);
	plot_set_count(plot, "is_by_size", is_by_size);
	plot_set_word(plot, "unit", strcmp(unit, "ns") ? "" : "ns");
	plot_set_word(plot, "value_title", !strcmp(unit, "ns") ? "cost of a write" : !strcmp(unit, "B/s") ? "bytes per second"
		      : "per second");
	plot_set_extent(plot, "x", &sizes, NULL);
	plot_set_extent(plot, "y", &values, NULL);
	return rc;
}
