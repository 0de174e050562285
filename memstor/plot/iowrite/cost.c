/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gathers the cells of reports, and what tells them apart. */
#include "config.h"
#include "memstor/plot/iowrite/kinds.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/plot/text.h"

static const char *const part_names[] = {"method", "mode", "sync", "regime", "rw", "memory"};
#define PARTS (sizeof(part_names) / sizeof(part_names[0]))

static int no_memory(void)
{
	diag_error(ENOMEM, "cannot draw");
	return DIAG_EXIT_HOST;
}

/* One axis has one unit. */
static int choose(const struct plot_options *options, struct plot_cost *cost)
{
	static const char *const usual[] = {"write.mean", "sync.mean"};
	const char *why;

	cost->is_asked = options->metrics.count > 0;
	cost->metric_count = 0;
	for (size_t i = 0; i < 2 && !cost->is_asked; i++)
		cost->metric_count += metric_parse(usual[i], &cost->metrics[i], &why) == 0;
	for (size_t i = 0; i < options->metrics.count; i++) {
		const char *word = options->metrics.items[i];
		struct metric *metric = &cost->metrics[i];

		if (i == PLOT_COST_METRICS) {
			diag_error(0, "--metric: a picture of costs has room for %d, these are %zu", PLOT_COST_METRICS,
				options->metrics.count);
			return DIAG_EXIT_USAGE;
		}
		if (metric_parse(word, metric, &why)) {
			diag_error(0, "--metric '%s': %s", word, why);
			return DIAG_EXIT_USAGE;
		}
		if (metric->subject[0]) {
			diag_error(0, "--metric '%s': without a cell: it is drawn of each, --class chooses some", word);
			return DIAG_EXIT_USAGE;
		}
		if (strcmp(metric->unit, cost->metrics[0].unit)) {
			diag_error(0, "--metric '%s': is in %s, %s in %s; one axis has one unit, draw two pictures", word,
				metric->unit, cost->metrics[0].name, cost->metrics[0].unit);
			return DIAG_EXIT_USAGE;
		}
		cost->metric_count++;
	}
	return DIAG_EXIT_OK;
}

static struct plot_cost_point *new_point(struct plot_cost *cost)
{
	if (cost->count == cost->room) {
		size_t room = cost->room ? 2 * cost->room : 32;
		struct plot_cost_point *points = reallocarray(cost->points, room, sizeof(*points));

		if (!points)
			return NULL;
		cost->points = points;
		cost->room = room;
	}
	return &cost->points[cost->count];
}

static int take_cell(struct plot *plot, const struct loaded *loaded, const struct report_node *node, const char *id)
{
	struct plot_cost *cost = plot->state;
	struct plot_cost_point *point = new_point(cost);
	bool has_value = false;

	if (!point)
		return no_memory();
	*point = (struct plot_cost_point){.report = plot->report_count - 1,
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
	struct plot_cost *cost = plot->state;
	const struct report_node *cells = plot_iowrite_part(loaded, "cost", "run", "cells");
	const struct report_node *node = cells ? report_read_find(cells, "cell") : NULL;
	size_t before = cost->count;
	int rc = cells ? choose(plot->options, cost) : DIAG_EXIT_USAGE;

	for (size_t i = 0; i < loaded->subject_count && node && !rc; i++, node = report_read_next(node)) {
		if (plot_class_is_wanted(plot->options, loaded->subjects[i].id))
			rc = take_cell(plot, loaded, node, loaded->subjects[i].id);
	}
	if (!rc && cost->count == before) {
		diag_error(0, "%s: no cell has %s%s", loaded->path, cost->is_asked ? "such a number" : "costs",
			plot->options->classes.count ? " or is one of --class" : "");
		return DIAG_EXIT_USAGE;
	}
	return rc;
}

void plot_cost_free(struct plot *plot)
{
	struct plot_cost *cost = plot->state;

	free(cost->points);
}

bool plot_cost_differs(const struct plot_cost *cost, size_t part)
{
	for (size_t i = 1; i < cost->count; i++) {
		if (strcmp(cost->points[0].parts[part], cost->points[i].parts[part]))
			return true;
	}
	return false;
}

static void append(char *text, size_t length, const char *glue, const char *part)
{
	size_t used = strlen(text);

	if (part[0])
		snprintf(text + used, length - used, "%s%s", used ? glue : "", part);
}

char *plot_cost_name(const struct plot_cost *cost, const struct plot_cost_point *point, const char *report, char *text,
	size_t length)
{
	text[0] = '\0';
	for (size_t i = 0; i < PARTS; i++) {
		if (plot_cost_differs(cost, i))
			append(text, length, " ", point->parts[i]);
	}
	if (report)
		append(text, length, ", ", report);
	return text;
}

/* What all cells have in common. */
static void make_title(struct plot *plot, bool is_by_size)
{
	const struct plot_cost *cost = plot->state;
	char common[128] = "";

	for (size_t i = 0; i < PARTS; i++) {
		if (!plot_cost_differs(cost, i) && strcmp(cost->points[0].parts[i], "none"))
			append(common, sizeof(common), ", ", cost->points[0].parts[i]);
	}
	snprintf(plot->title, sizeof(plot->title), "%s%s%s%s",
		strcmp(cost->metrics[0].unit, "ns") ? cost->metrics[0].name : "Cost of a write",
		is_by_size ? " by size" : " by cell", common[0] ? ": " : "", common);
}

/* Lines need two sizes of something. */
static bool has_sizes(const struct plot_cost *cost)
{
	for (size_t i = 0; i < cost->count; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct plot_cost_point *one = &cost->points[i], *other = &cost->points[j];
			bool is_same = one->report == other->report;

			for (size_t k = 0; k < PARTS && is_same; k++)
				is_same = !strcmp(one->parts[k], other->parts[k]);
			if (is_same && one->size > 0 && other->size > 0 && one->size != other->size)
				return true;
		}
	}
	return false;
}

int plot_cost_draw(struct plot *plot)
{
	const struct plot_cost *cost = plot->state;
	char **names = plot_fact_names(plot->reports, plot->report_count, &plot->options->legend);
	bool is_by_size = has_sizes(cost);
	int rc;

	if (!names)
		return no_memory();
	make_title(plot, is_by_size);
	rc = is_by_size ? plot_cost_draw_sizes(plot, names) : plot_cost_draw_cells(plot, names);
	plot_fact_names_free(names);
	return rc;
}
