/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor convert: one report after another, from a file to the form that is asked for. */
#include "config.h"
#include "memstor/convert/convert.h"

#include <errno.h>
#include <string.h>

#include "common/diag.h"
#include "common/report.h"
#include "common/report_output.h"
#include "memstor/commands.h"
#include "memstor/inputs.h"

const struct convert_format *const convert_formats[] = {
	&convert_json, &convert_ndjson, &convert_csv, &convert_pmgraph, &convert_markdown, NULL};

static const char *const what_names[] = {
	[CONVERT_SUMMARY] = "summary",
	[CONVERT_BUCKETS] = "buckets",
	[CONVERT_SERIES] = "series",
	[CONVERT_FACTS] = "facts",
};
#define WHAT_COUNT (sizeof(what_names) / sizeof(what_names[0]))
#define FORMAT_CHOICE "json|ndjson|csv|pmgraph|markdown"
#define WHAT_CHOICE "summary|buckets|series|facts"

struct arguments {
	struct inputs inputs;
	const struct convert_format *format;
	const char *what, *output;
	int code; /* of inputs_add */
};

int convert_add(const struct convert_format *format, struct convert *convert, const struct loaded *loaded)
{
	int err = convert->count == 0 && format->begin ? format->begin(convert) : 0;

	if (!err)
		err = format->add(convert, loaded);
	convert->count++;
	/* Texts of the report may be in it. */
	diag_clean(convert->why, strlen(convert->why), "");
	return err;
}

int convert_end(const struct convert_format *format, struct convert *convert)
{
	int err = format->end ? format->end(convert) : 0;

	arena_free(&convert->arena);
	return err;
}

static int refuse(const struct convert *convert, const char *path, int err)
{
	if (convert->why[0])
		diag_error(0, "%s", convert->why);
	else
		diag_error(err, "%s", path);
	return err == -ENOMEM ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
}

static int convert_all(const struct arguments *arguments, struct convert *convert)
{
	unsigned flags = convert->what == CONVERT_SERIES ? LOADED_SERIES : 0;
	const char *path = arguments->inputs.paths[0];
	int code = DIAG_EXIT_OK, err;

	for (size_t i = 0; i < arguments->inputs.count && !code; i++) {
		struct loaded *loaded;

		path = arguments->inputs.paths[i];
		code = loaded_read(path, flags, &loaded);
		if (code)
			break;
		err = convert_add(arguments->format, convert, loaded);
		loaded_free(loaded);
		if (err)
			code = refuse(convert, path, err);
	}
	if (code) {
		arena_free(&convert->arena);
		return code;
	}
	err = convert_end(arguments->format, convert);
	return err ? refuse(convert, path, err) : DIAG_EXIT_OK;
}

static int cannot_write(const char *path, int err)
{
	diag_error(err, "--output %s: cannot be written", strcmp(path, "-") ? path : "(standard output)");
	return DIAG_EXIT_HOST;
}

static int convert_to(const struct arguments *arguments, enum convert_what what)
{
	const char *path = arguments->output ? arguments->output : "-";
	struct convert convert = {.what = what, .total = arguments->inputs.count};
	struct report_output *output;
	int err = report_check_path(path), code;

	if (!err)
		err = report_output_open(path, &output);
	if (err)
		return cannot_write(path, err);
	convert.out = report_output_stream(output);
	code = convert_all(arguments, &convert);
	err = report_output_close(output, code == DIAG_EXIT_OK);
	return err ? cannot_write(path, err) : code;
}

static error_t parse_format(struct arguments *arguments, const char *text)
{
	for (size_t i = 0; convert_formats[i]; i++) {
		if (strcmp(convert_formats[i]->name, text) == 0) {
			arguments->format = convert_formats[i];
			return 0;
		}
	}
	return command_refuse("--to", text, "allowed are json, ndjson, csv, pmgraph and markdown");
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 't':
		return parse_format(arguments, text);
	case 'w':
		arguments->what = text;
		return 0;
	case 'o':
		arguments->output = text;
		return 0;
	case ARGP_KEY_ARG:
		if (!arguments->code)
			arguments->code = inputs_add(&arguments->inputs, text);
		return 0;
	case ARGP_KEY_NO_ARGS:
		diag_error(0, "convert: no FILE given: a report, or a folder of them");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int check_arguments(const struct arguments *arguments, enum convert_what *what)
{
	size_t i = 0;

	*what = CONVERT_SUMMARY;
	if (!arguments->format) {
		diag_error(0, "convert: --to is missing: json, ndjson, csv, pmgraph or markdown");
		return DIAG_EXIT_USAGE;
	}
	if (!arguments->what)
		return DIAG_EXIT_OK;
	while (i < WHAT_COUNT && strcmp(what_names[i], arguments->what) != 0)
		i++;
	if (i == WHAT_COUNT) {
		command_refuse("--what", arguments->what, "allowed are summary, buckets, series and facts");
		return DIAG_EXIT_USAGE;
	}
	if (arguments->format != &convert_csv) {
		command_refuse("--what", arguments->what, "is for --to csv only");
		return DIAG_EXIT_USAGE;
	}
	*what = (enum convert_what)i;
	return DIAG_EXIT_OK;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments = {.code = DIAG_EXIT_OK};
	enum convert_what what;
	int code = command_parse_argp(command, parse, argc, argv, &arguments);

	if (!code)
		code = arguments.code;
	if (!code)
		code = check_arguments(&arguments, &what);
	if (!code)
		code = convert_to(&arguments, what);
	inputs_free(&arguments.inputs);
	return code;
}

static const struct argp_option options[] = {
	{"to", 't', FORMAT_CHOICE, 0, "The form to write", 0},
	{"what", 'w', WHAT_CHOICE, 0, "The table that --to csv writes; summary if not given", 0},
	{"output", 'o', "FILE", 0, "Write to FILE, whole or not at all, instead of standard output", 0},
	{0},
};

const struct command command_convert = {
	.program = &memstor_program,
	.name = "convert",
	.arguments = "FILE...",
	.summary = "write reports as JSON, CSV or Markdown",
	.doc = "Writes reports in another form. Several are a JSON array, lines of NDJSON, rows of CSV or of a Markdown "
	       "table; pmgraph is the CSV that the original pmbench's viewer exports.\v"
	       "  memstor convert --to json report.xml | jq .pmbenchmark.report.result.totals\n"
	       "  memstor convert --to csv --what buckets -o buckets.csv results/\n"
	       "  memstor convert --to markdown base.xml new.xml\n",
	.argp_options = options,
	.run = run,
};
