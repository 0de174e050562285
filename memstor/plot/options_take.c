/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each option's value may be. */
#include "config.h"
#include "memstor/plot/options_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "memstor/plot/format.h"
#include "memstor/plot/value.h"

const char *plot_option_name(int key)
{
	const struct argp_option *option = plot_option_table;

	while (option->key != key)
		option++;
	return option->name;
}

int plot_option_refuse(int key, const char *value, const char *why)
{
	char option[32];

	snprintf(option, sizeof(option), "--%s", plot_option_name(key));
	return command_refuse(option, value, why);
}

static int take_list(struct plot_parsing *parsing, int key, const char *text, struct plot_list *list)
{
	struct plot_options *options = parsing->options;

	for (const char *from = text;; from += strcspn(from, ",") + 1) {
		size_t size = strcspn(from, ",");
		char *copy = options->lists + parsing->room;

		if (size == 0)
			return plot_option_refuse(key, text, "must be names with commas between");
		if (list->count == PLOT_LIST_MAX)
			return plot_option_refuse(key, text, "these are more than 16");
		memcpy(copy, from, size);
		copy[size] = '\0';
		parsing->room += size + 1;
		list->items[list->count++] = copy;
		if (from[size] == '\0')
			return 0;
	}
}

static int take_marks(struct plot_parsing *parsing, const char *text)
{
	struct plot_options *options = parsing->options;

	options->has_marks = true;
	if (!strcmp(text, "none")) {
		options->marks.count = 0;
		return 0;
	}
	if (take_list(parsing, KEY_MARK, text, &options->marks))
		return EINVAL;
	for (size_t i = 0; i < options->marks.count; i++) {
		const char *mark = options->marks.items[i];

		if (mark[0] != 'p' || units_parse_double(mark + 1, 0, 100, &options->mark_percents[i]))
			return plot_option_refuse(KEY_MARK, mark,
				"must be none, or percentiles from p0 to p100 with commas between");
	}
	return 0;
}

static int take_models(struct plot_parsing *parsing, const char *text)
{
	struct plot_list *models = &parsing->options->models;
	size_t first = models->count;

	if (take_list(parsing, KEY_MODEL, text, models))
		return EINVAL;
	for (size_t i = first; i < models->count; i++) {
		const char *name = models->items[i];

		if (strcmp(name, "naive") && strcmp(name, "cawl") && strcmp(name, "kernel"))
			return plot_option_refuse(KEY_MODEL, name, "must be naive, cawl or kernel, with commas between");
	}
	return 0;
}

static int take_keyword(struct plot_parsing *parsing, int key, const char *text)
{
	struct plot_options *options = parsing->options;

	switch (key) {
	case KEY_FORMAT:
		parsing->format_name = text;
		return plot_format_find(text) ? 0 : plot_option_refuse(key, text, "must be svg, png or pdf");
	case KEY_Y:
		options->y = strcmp(text, "log") ? PLOT_SCALE_LINEAR : PLOT_SCALE_LOG;
		return !strcmp(text, "log") || !strcmp(text, "linear") ? 0 : plot_option_refuse(key, text, "must be log or linear");
	case KEY_SIZE:
		return plot_value_size(text, &options->width, &options->height)
			       ? plot_option_refuse(key, text, "must be WIDTHxHEIGHT in pixels, each from 200 to 10000, as 960x600")
			       : 0;
	case KEY_THRESHOLD:
		if (options->threshold_count == PLOT_LIST_MAX)
			return plot_option_refuse(key, text, "these are more than 16");
		return plot_value_threshold(text, &options->thresholds[options->threshold_count++])
			       ? plot_option_refuse(key, text, "must be a latency (100us), a size (1G), a number (5000) or a rate "
						   "(2e6/s), then perhaps :LABEL")
			       : 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int take_range(struct plot_parsing *parsing, int key, const char *text)
{
	struct plot_options *options = parsing->options;

	options->has_window = options->has_window || key == KEY_FROM || key == KEY_TO;
	switch (key) {
	case KEY_FROM:
		return plot_value_seconds(text, &options->from_s)
			       ? plot_option_refuse(key, text, "must be a time as 10 or 1.5s")
			       : 0;
	case KEY_TO:
		return plot_value_seconds(text, &options->to_s)
			       ? plot_option_refuse(key, text, "must be a time as 10 or 1.5s")
			       : 0;
	default:
		return plot_value_range(text, key == KEY_X_RANGE ? &options->x_range : &options->y_range)
			       ? plot_option_refuse(key, text, "must be LOW:HIGH, latencies above 0 as 100ns:1ms")
			       : 0;
	}
}

int plot_option_take(struct plot_parsing *parsing, int key, const char *text)
{
	struct plot_options *options = parsing->options;

	switch (key) {
	case 'o':
		options->output = text;
		return 0;
	case KEY_KEEP_SCRIPT:
		options->script = text ? text : "";
		return 0;
	case KEY_TITLE:
		options->title = text;
		return 0;
	case KEY_TYPE:
		options->type = text;
		return 0;
	case KEY_GROUP_BY:
		options->group_by = text;
		return 0;
	case KEY_SHARE:
		options->is_share = true;
		return 0;
	case KEY_SCENARIO:
		options->scenario = text;
		return 0;
	case KEY_MODEL:
		return take_models(parsing, text);
	case KEY_CLASS:
		return take_list(parsing, key, text, &options->classes);
	case KEY_MARK:
		return take_marks(parsing, text);
	case KEY_METRIC:
		return take_list(parsing, key, text, &options->metrics);
	case KEY_COUNTER:
		return take_list(parsing, key, text, &options->counters);
	case KEY_LEGEND:
		return take_list(parsing, key, text, &options->legend);
	case KEY_FROM:
	case KEY_TO:
	case KEY_X_RANGE:
	case KEY_Y_RANGE:
		return take_range(parsing, key, text);
	default:
		return take_keyword(parsing, key, text);
	}
}
