/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/cmdline.h"
#include "common/completion.h"
#include "common/diag.h"
#include "pmbench/options_table.h"
#include "pmbench/replay.h"

#define LONG_KEY 0x1000 /* argp's key of a row without a letter: this and its index */
#define ROWS_MAX 64

/* What the command line says, in its order: parsed only when it is known what a report adds. */
struct typed {
	const struct options_row *row;
	const char *text;
};

struct command_line {
	struct typed *settings;
	size_t count;
	const char *duration; /* the argument, NULL = none so far */
};

static const char *const group_titles[] = {
	[OPTIONS_GROUP_ORIGINAL] = "The original pmbench's:",
	[OPTIONS_GROUP_WORKLOAD] = "Workload:",
	[OPTIONS_GROUP_MEMORY] = "Memory:",
	[OPTIONS_GROUP_PRESSURE] = "Pressure (all is put back at the end; needs root):",
	[OPTIONS_GROUP_MEASURING] = "Measuring:",
	[OPTIONS_GROUP_OUTPUT] = "Output:",
};
#define GROUPS (sizeof(group_titles) / sizeof(group_titles[0]))

static const char intro[] =
	"Measures how long an access to a page takes, for DURATION (300, 5m, 1.5h): in a map larger than "
	"memory "
	"that is what paging costs."
	"\n\n"
	"Examples:\n"
	"  pmbench -m 8192 -p uniform 300\n"
	"  pmbench --ram 1G --swap zram:4G -m 4096 -i 60\n"
	"\v"
	"Sizes without a unit are MiB in -m, -s and --setsize-list, bytes elsewhere; times without one are "
	"seconds. -h is a threshold: help is -?. See pmbench(1).";

static void fill_argp(struct argp_option *options, const struct options_row *rows, size_t row_count)
{
	for (int group = 1; group < (int)GROUPS; group++)
		*options++ = (struct argp_option){.doc = group_titles[group], .group = group};
	for (size_t i = 0; i < row_count; i++) {
		const struct options_row *row = &rows[i];

		if (row->flags & OPTIONS_ARGUMENT)
			continue;
		*options++ = (struct argp_option){
			.name = row->name,
			.key = row->letter ? row->letter : LONG_KEY + (int)i,
			.arg = row->value_name,
			.flags = row->flags & OPTIONS_MAY_BE_BARE ? OPTION_ARG_OPTIONAL : 0,
			.doc = row->help,
			.group = (int)row->group,
		};
	}
}

static const struct options_row *row_of_key(int key)
{
	size_t count;
	const struct options_row *rows = options_table(&count);

	if (key >= LONG_KEY)
		return &rows[key - LONG_KEY];
	for (size_t i = 0; i < count; i++) {
		if (rows[i].letter == key)
			return &rows[i];
	}
	return NULL;
}

static int take_argument(struct command_line *line, const char *text)
{
	if (line->duration) {
		diag_error(0, "unexpected argument '%s': the only one is DURATION, and it is '%s' already",
			text, line->duration);
		return EINVAL;
	}
	line->duration = text;
	line->settings[line->count++] = (struct typed){options_row("duration"), text};
	return 0;
}

static int take_key(int key, char *text, struct argp_state *state)
{
	struct command_line *line = state->input;
	const struct options_row *row;

	switch (key) {
	case ARGP_KEY_ARG:
		return take_argument(line, text);
	default:
		row = key > 0 && key < LONG_KEY + ROWS_MAX ? row_of_key(key) : NULL;
		if (!row)
			return ARGP_ERR_UNKNOWN;
		line->settings[line->count++] = (struct typed){row, text};
		return 0;
	}
}

static int read_command_line(int argc, char **argv, struct command_line *line)
{
	struct argp_option table[ROWS_MAX + GROUPS + 1] = {0};
	struct argp argp = {table, take_key, "[DURATION]", intro, NULL, NULL, NULL};
	size_t row_count;
	const struct options_row *rows = options_table(&row_count);

	fill_argp(table, rows, row_count);
	argp_program_version = "pmbench (" PACKAGE_NAME ") " PACKAGE_VERSION;
	return cmdline_parse(&argp, program_invocation_short_name, 0, argc, argv, line);
}

static void print_completion(void)
{
	size_t row_count;
	const struct options_row *rows = options_table(&row_count);

	for (size_t i = 0; i < row_count; i++) {
		if (rows[i].flags & OPTIONS_ARGUMENT) {
			completion_print_arguments(stdout, rows[i].value_name, NULL);
			continue;
		}
		completion_print_option(stdout, &(struct completion_option){
			.name = rows[i].name,
			.letter = rows[i].letter,
			.value_name = rows[i].value_name,
			.choices = rows[i].choices,
			.may_be_bare = rows[i].flags & OPTIONS_MAY_BE_BARE,
			.is_repeatable = rows[i].flags & OPTIONS_REPEATS}, NULL);
	}
	completion_print_standard(stdout, true);
}

static void row_title(const struct options_row *row, char *title, size_t length)
{
	if (row->flags & OPTIONS_ARGUMENT)
		snprintf(title, length, "%s", row->value_name);
	else if (row->letter)
		snprintf(title, length, "-%c (--%s)", row->letter, row->name);
	else
		snprintf(title, length, "--%s", row->name);
}

/* from: the report the value was found in, NULL = the command line. */
static int apply(
	struct pmbench_options *options, const struct options_row *row, const char *text, const char *from)
{
	struct options_reading in = {row, options, row->allowed};
	int rc = row->set(&in, text);
	char title[64];

	if (!rc)
		return DIAG_EXIT_OK;
	row_title(row, title, sizeof(title));
	if (rc == -ENOMEM)
		diag_error(rc, "%s", title);
	else
		diag_error(0, "%s%s%s '%s': %s", from ? from : "", from ? ": " : "", title, text ? text : "",
			in.why);
	return rc == -ENOTSUP ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
}

static bool is_replaced(const struct options_row *row, const struct command_line *line)
{
	for (size_t i = 0; i < line->count; i++) {
		if (line->settings[i].row == row || options_gives_way(row, line->settings[i].row))
			return true;
	}
	return false;
}

/* What makes swap or writes a file is done because somebody typed it, not because a report says so. */
static bool must_be_typed(const struct options_row *row, const char *value)
{
	return (!strcmp(row->name, "swap") && strcmp(value, "none")) ||
	       (!strcmp(row->name, "map") && !strncmp(value, "file:", 5));
}

/* One line: the options that come from the report. */
static void say_replayed(const char *path, const struct report_option *list, const bool *is_taken, size_t count)
{
	char text[768] = " none";
	size_t used = 0;

	for (size_t i = 0; i < count && used < sizeof(text); i++) {
		if (is_taken[i])
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %s=%s", list[i].name, list[i].value);
	}
	diag_info("--replay %s: takes over%s", path, text);
}

static int apply_replay(
	struct pmbench_options *options, const struct command_line *line, enum options_source *sources)
{
	struct report_option *list;
	size_t count, row_count;
	const struct options_row *rows = options_table(&row_count);
	int rc = replay_read(options->replay_path, &list, &count);
	bool *is_taken = rc ? NULL : calloc(count + 1, sizeof(*is_taken));

	if (!rc && !is_taken) {
		diag_error(ENOMEM, "--replay %s", options->replay_path);
		rc = DIAG_EXIT_USAGE;
	}
	for (size_t i = 0; !rc && i < count; i++) {
		const struct options_row *row = options_row(list[i].name);

		if (!row) {
			diag_error(0, "%s: option '%s' is not known to this version", options->replay_path,
				list[i].name);
			rc = DIAG_EXIT_USAGE;
		} else if (!(row->flags & OPTIONS_COMMAND_ONLY) && !is_replaced(row, line)) {
			is_taken[i] = true;
			rc = apply(options, row, list[i].value, options->replay_path);
			if (!rc && must_be_typed(row, list[i].value)) {
				diag_error(0, "%s: --%s %s is not taken over from a report; repeat it on the command line, or give "
					"another --%s", options->replay_path, row->name, list[i].value, row->name);
				rc = DIAG_EXIT_USAGE;
			}
			sources[row - rows] = OPTIONS_REPLAYED;
		}
	}
	if (!rc)
		say_replayed(options->replay_path, list, is_taken, count);
	replay_free(list, count);
	free(is_taken);
	return rc;
}

static int apply_all(const struct command_line *line, struct pmbench_options *options)
{
	enum options_source sources[ROWS_MAX] = {OPTIONS_DEFAULT};
	size_t row_count;
	const struct options_row *rows = options_table(&row_count);
	int rc = DIAG_EXIT_OK;

	for (size_t i = 0; i < line->count && !rc; i++) {
		if (line->settings[i].row == options_row("replay"))
			rc = apply(options, line->settings[i].row, line->settings[i].text, NULL);
	}
	if (!rc && options->replay_path)
		rc = apply_replay(options, line, sources);
	for (size_t i = 0; i < line->count && !rc; i++) {
		rc = apply(options, line->settings[i].row, line->settings[i].text, NULL);
		sources[line->settings[i].row - rows] = OPTIONS_TYPED;
	}
	return rc ? rc : options_finish(options, sources);
}

static void set_defaults(struct pmbench_options *options, int argc, char **argv)
{
	const char *why;

	*options = (struct pmbench_options){
		.method = TICKS_DEFAULT,
		.ratio = 50,
		.offset = -1,
		.processes = 1,
		.argc = argc,
		.argv = argv,
	};
	pattern_parse("uniform", &options->pattern, &why);
}

int options_parse(int argc, char **argv, struct pmbench_options *options)
{
	struct command_line line = {0};
	int rc = DIAG_EXIT_USAGE;

	if (completion_is_wanted(argc, argv)) {
		print_completion();
		exit(EXIT_SUCCESS);
	}
	set_defaults(options, argc, argv);
	line.settings = calloc((size_t)argc + 1, sizeof(*line.settings));
	if (!line.settings)
		diag_error(ENOMEM, "cannot read the command line");
	else if (!read_command_line(argc, argv, &line))
		rc = apply_all(&line, options);
	if (rc)
		options_free(options);
	free(line.settings);
	return rc;
}

void options_free(struct pmbench_options *options)
{
	label_free(&options->labels);
}

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

bool options_prints_text(const struct pmbench_options *options)
{
	return !is_stdout(options->xml_path) && !is_stdout(options->json_path);
}
