/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/report.h"
#include "common/units.h"
#include "memstor/plot/format.h"
#include "memstor/plot/kind.h"
#include "memstor/plot/value.h"

enum option_key {
	KEY_FORMAT = 0x1000,
	KEY_KEEP_SCRIPT,
	KEY_TITLE,
	KEY_SIZE,
	KEY_Y,
	KEY_SHARE,
	KEY_TYPE,
	KEY_CLASS,
	KEY_MARK,
	KEY_METRIC,
	KEY_COUNTER,
	KEY_THRESHOLD,
	KEY_FROM,
	KEY_TO,
	KEY_X_RANGE,
	KEY_Y_RANGE,
	KEY_GROUP_BY,
	KEY_LEGEND,
	KEY_SCENARIO,
	KEY_MODEL,
};

const struct argp_option plot_option_table[] = {
	{"output", 'o', "FILE", 0, "write the picture there; - is stdout", 0},
	{"format", KEY_FORMAT, "svg|png|pdf", 0, "what FILE is, if not by its suffix", 0},
	{"keep-script", KEY_KEEP_SCRIPT, "FILE", OPTION_ARG_OPTIONAL, "keep the script with its data (OUTPUT.gp)", 0},
	{"size", KEY_SIZE, "WxH", 0, "pixels (svg and pdf 960x600, png 1920x1200)", 0},
	{"title", KEY_TITLE, "TEXT", 0, "in place of the one made from the options", 0},
	{"legend", KEY_LEGEND, "NAME,...", 0, "labels, options or facts that name the reports; repeatable", 0},
	{"type", KEY_TYPE, "TYPE", 0, "read, write, sync, or both (default)", 0},
	{"class", KEY_CLASS, "CLASS,...", 0, "all (default), hit, minor, major, or cells, as 'pwrite.*'; repeatable", 0},
	{"y", KEY_Y, "log|linear", 0, "scale of the y axis", 0},
	{"share", KEY_SHARE, NULL, 0, "y in shares of all accesses", 0},
	{"mark", KEY_MARK, "PERCENTILES", 0, "mark p50,p99.9 (p50,p99), or none; repeatable", 0},
	{"x-range", KEY_X_RANGE, "LOW:HIGH", 0, "latencies on the x axis, as 100ns:1ms", 0},
	{"y-range", KEY_Y_RANGE, "LOW:HIGH", 0, "latencies on the y axis", 0},
	{"from", KEY_FROM, "TIME", 0, "only what was measured from then on", 0},
	{"to", KEY_TO, "TIME", 0, "only what was measured until then", 0},
	{"metric", KEY_METRIC, "NAME,...", 0, "numbers to show, as p99 or write.p50; repeatable", 0},
	{"counter", KEY_COUNTER, "NAME,...", 0, "a counter on the second axis, as meminfo.Dirty; repeatable", 0},
	{"threshold", KEY_THRESHOLD, "VALUE", 0, "a line at 100us, 1G, 5000 or 2e6/s, or VALUE:LABEL; repeatable", 0},
	{"group-by", KEY_GROUP_BY, "NAME", 0, "runs with the same label, option or fact are a group", 0},
	{"scenario", KEY_SCENARIO, "ID[:N]", 0, "of an evaluation (the first), and which repetition", 0},
	{"model", KEY_MODEL, "NAME,...", 0, "naive, cawl, kernel (all of them); repeatable", 0},
	{0},
};

static const struct option_use {
	int key;
	unsigned takes; /* the kinds that it means something to */
} uses[] = {
	{KEY_TYPE, PLOT_TAKES_TYPE},
	{KEY_CLASS, PLOT_TAKES_CLASS},
	{KEY_MARK, PLOT_TAKES_MARK},
	{KEY_METRIC, PLOT_TAKES_METRIC},
	{KEY_COUNTER, PLOT_TAKES_COUNTER},
	{KEY_THRESHOLD, PLOT_TAKES_THRESHOLD},
	{KEY_FROM, PLOT_TAKES_WINDOW},
	{KEY_TO, PLOT_TAKES_WINDOW},
	{KEY_X_RANGE, PLOT_TAKES_X_RANGE},
	{KEY_Y_RANGE, PLOT_TAKES_Y_RANGE},
	{KEY_Y, PLOT_TAKES_Y},
	{KEY_SHARE, PLOT_TAKES_SHARE},
	{KEY_GROUP_BY, PLOT_TAKES_GROUPS},
	{KEY_LEGEND, PLOT_TAKES_LEGEND},
	{KEY_SCENARIO, PLOT_TAKES_SCENARIO},
	{KEY_MODEL, PLOT_TAKES_MODEL},
};
#define USES (sizeof(uses) / sizeof(uses[0]))

/* Stands for "--" in argv, where getopt would swallow it. Known by its address. */
static const char separator[] = "(--)";

struct parsing {
	struct plot_options *options;
	size_t room; /* for lists */
	size_t group;
	const char *given[USES]; /* the value of each use's option, "" = without one */
	const char *format_name, *kind_name;
};

static const char *name_of(int key)
{
	const struct argp_option *option = plot_option_table;

	while (option->key != key)
		option++;
	return option->name;
}

static int refuse(int key, const char *value, const char *why)
{
	char option[32];

	snprintf(option, sizeof(option), "--%s", name_of(key));
	return command_refuse(option, value, why);
}

static int take_list(struct parsing *parsing, int key, const char *text, struct plot_list *list)
{
	struct plot_options *options = parsing->options;

	for (const char *from = text;; from += strcspn(from, ",") + 1) {
		size_t size = strcspn(from, ",");
		char *copy = options->lists + parsing->room;

		if (size == 0)
			return refuse(key, text, "must be names with commas between");
		if (list->count == PLOT_LIST_MAX)
			return refuse(key, text, "these are more than 16");
		memcpy(copy, from, size);
		copy[size] = '\0';
		parsing->room += size + 1;
		list->items[list->count++] = copy;
		if (from[size] == '\0')
			return 0;
	}
}

static int take_marks(struct parsing *parsing, const char *text)
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
			return refuse(KEY_MARK, mark, "must be none, or percentiles from p0 to p100 with commas between");
	}
	return 0;
}

static int take_models(struct parsing *parsing, const char *text)
{
	struct plot_list *models = &parsing->options->models;
	size_t first = models->count;

	if (take_list(parsing, KEY_MODEL, text, models))
		return EINVAL;
	for (size_t i = first; i < models->count; i++) {
		const char *name = models->items[i];

		if (strcmp(name, "naive") && strcmp(name, "cawl") && strcmp(name, "kernel"))
			return refuse(KEY_MODEL, name, "must be naive, cawl or kernel, with commas between");
	}
	return 0;
}

static int take_keyword(struct parsing *parsing, int key, const char *text)
{
	struct plot_options *options = parsing->options;

	switch (key) {
	case KEY_FORMAT:
		parsing->format_name = text;
		return plot_format_find(text) ? 0 : refuse(key, text, "must be svg, png or pdf");
	case KEY_Y:
		options->y = strcmp(text, "log") ? PLOT_SCALE_LINEAR : PLOT_SCALE_LOG;
		return !strcmp(text, "log") || !strcmp(text, "linear") ? 0 : refuse(key, text, "must be log or linear");
	case KEY_SIZE:
		return plot_value_size(text, &options->width, &options->height)
			       ? refuse(key, text, "must be WIDTHxHEIGHT in pixels, each from 200 to 10000, as 960x600")
			       : 0;
	case KEY_THRESHOLD:
		if (options->threshold_count == PLOT_LIST_MAX)
			return refuse(key, text, "these are more than 16");
		return plot_value_threshold(text, &options->thresholds[options->threshold_count++])
			       ? refuse(key, text, "must be a latency (100us), a size (1G), a number (5000) or a rate "
						   "(2e6/s), then perhaps :LABEL")
			       : 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int take_range(struct parsing *parsing, int key, const char *text)
{
	struct plot_options *options = parsing->options;

	options->has_window = options->has_window || key == KEY_FROM || key == KEY_TO;
	switch (key) {
	case KEY_FROM:
		return plot_value_seconds(text, &options->from_s) ? refuse(key, text, "must be a time as 10 or 1.5s") : 0;
	case KEY_TO:
		return plot_value_seconds(text, &options->to_s) ? refuse(key, text, "must be a time as 10 or 1.5s") : 0;
	default:
		return plot_value_range(text, key == KEY_X_RANGE ? &options->x_range : &options->y_range)
			       ? refuse(key, text, "must be LOW:HIGH, latencies above 0 as 100ns:1ms")
			       : 0;
	}
}

static int take_argument(struct parsing *parsing, const char *text)
{
	struct plot_options *options = parsing->options;
	struct plot_files *files = &options->files;

	if (text == separator) {
		bool is_begun = files->count && files->items[files->count - 1].group == parsing->group;

		parsing->group += is_begun;
		files->has_groups = files->has_groups || is_begun;
		return 0;
	}
	if (!parsing->kind_name)
		parsing->kind_name = text;
	else
		files->items[files->count++] = (struct plot_file_argument){text, parsing->group};
	return 0;
}

static int take_text(struct parsing *parsing, int key, const char *text)
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

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct parsing *parsing = state->input;
	const char *value = text == separator ? "--" : text;

	if (key == ARGP_KEY_ARG)
		return take_argument(parsing, text);
	for (size_t i = 0; i < USES; i++) {
		if (uses[i].key == key)
			parsing->given[i] = value ? value : "";
	}
	return take_text(parsing, key, value);
}

static int check_uses(const struct parsing *parsing)
{
	const struct plot_kind *kind = parsing->options->kind;
	char names[128];

	for (size_t i = 0; i < USES; i++) {
		if (!parsing->given[i] || (kind->takes & uses[i].takes))
			continue;
		diag_error(0, "--%s means nothing to %s: it is for %s", name_of(uses[i].key), kind->name,
			plot_kind_names(uses[i].takes, names, sizeof(names)));
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

static int check_format(struct parsing *parsing)
{
	struct plot_options *options = parsing->options;

	if (!options->output) {
		diag_error(0, "no -o given: the file to write, as -o picture.svg");
		return DIAG_EXIT_USAGE;
	}
	options->format = parsing->format_name ? plot_format_find(parsing->format_name)
					       : plot_format_of_file(options->output);
	if (!options->format) {
		diag_error(0, "-o '%s': the suffix must be .svg, .png or .pdf, or give --format", options->output);
		return DIAG_EXIT_USAGE;
	}
	if (!options->width) {
		options->width = options->format->width;
		options->height = options->format->height;
	}
	if (options->script && !options->script[0] && !strcmp(options->output, "-")) {
		diag_error(0, "--keep-script: with -o - name the file, as --keep-script=picture.gp");
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

static int check(struct parsing *parsing)
{
	struct plot_options *options = parsing->options;
	char names[128];

	if (!parsing->kind_name) {
		diag_error(0, "no KIND given: it must be %s", plot_kind_names(0, names, sizeof(names)));
		return DIAG_EXIT_USAGE;
	}
	options->kind = plot_kind_find(parsing->kind_name);
	if (!options->kind) {
		diag_error(0, "'%s' is not a kind of picture: it must be %s", parsing->kind_name,
			plot_kind_names(0, names, sizeof(names)));
		return DIAG_EXIT_USAGE;
	}
	if (options->files.count == 0) {
		diag_error(0, "no reports given: memstor plot %s FILE... -o picture.svg", options->kind->name);
		return DIAG_EXIT_USAGE;
	}
	if (check_uses(parsing))
		return DIAG_EXIT_USAGE;
	if (options->from_s >= options->to_s) {
		diag_error(0, "--from is not before --to");
		return DIAG_EXIT_USAGE;
	}
	if (options->files.has_groups && !(options->kind->takes & PLOT_TAKES_GROUPS)) {
		diag_error(0, "-- between reports means nothing to %s: it is for %s", options->kind->name,
			plot_kind_names(PLOT_TAKES_GROUPS, names, sizeof(names)));
		return DIAG_EXIT_USAGE;
	}
	return check_format(parsing);
}

int plot_options_parse(const struct command *command, int argc, char **argv, struct plot_options *options)
{
	struct parsing parsing = {.options = options};
	char **words = calloc((size_t)argc + 1, sizeof(*words));
	size_t bytes = 1;
	int rc = DIAG_EXIT_HOST;

	*options = (struct plot_options){.type = "both", .to_s = INFINITY};
	for (int i = 0; i < argc; i++)
		bytes += strlen(argv[i]) + 1;
	options->lists = malloc(bytes);
	options->files.items = calloc((size_t)argc + 1, sizeof(*options->files.items));
	if (words && options->lists && options->files.items) {
		for (int i = 0; i < argc; i++)
			words[i] = i && !strcmp(argv[i], "--") ? (char *)separator : argv[i];
		rc = command_parse(command, parse, argc, words, &parsing);
		if (!rc)
			rc = check(&parsing);
	} else {
		diag_error(ENOMEM, "cannot read the command line");
	}
	free(words);
	return rc;
}

void plot_options_free(struct plot_options *options)
{
	free(options->files.items);
	free(options->lists);
}
