/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/options_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/report.h"
#include "memstor/plot/format.h"
#include "memstor/plot/kind.h"

/* Stands for "--" in argv, where getopt would swallow it. Known by its address. */
static const char separator[] = "(--)";

static int take_argument(struct plot_parsing *parsing, const char *text)
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

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct plot_parsing *parsing = state->input;
	const char *value = text == separator ? "--" : text;

	if (key == ARGP_KEY_ARG)
		return take_argument(parsing, text);
	for (size_t i = 0; i < PLOT_OPTION_USES; i++) {
		if (plot_option_uses[i].key == key)
			parsing->given[i] = value ? value : "";
	}
	return plot_option_take(parsing, key, value);
}

static int check_uses(const struct plot_parsing *parsing)
{
	const struct plot_kind *kind = parsing->options->kind;
	char names[256];

	for (size_t i = 0; i < PLOT_OPTION_USES; i++) {
		if (!parsing->given[i] || (kind->takes & plot_option_uses[i].takes))
			continue;
		diag_error(0, "--%s means nothing to %s: it is for %s", plot_option_name(plot_option_uses[i].key), kind->name,
			plot_kind_names(plot_option_uses[i].takes, names, sizeof(names)));
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

static int check_format(struct plot_parsing *parsing)
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

static int check(struct plot_parsing *parsing)
{
	struct plot_options *options = parsing->options;
	char names[256];

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
	struct plot_parsing parsing = {.options = options};
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
		rc = command_parse_argp(command, parse, argc, words, &parsing);
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
