/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor merge: files in, one report out. */
#include "config.h"
#include "memstor/merge/merge.h"

#include <errno.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/commands.h"
#include "memstor/inputs.h"

enum { KEY_ALLOW_DIFFERENT = 256 };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0, "where to write the merged report; - is standard output (default)", 0},
	{"allow-different", KEY_ALLOW_DIFFERENT, NULL, 0, "merge runs with different options all the same", 0},
	{0},
};

struct arguments {
	const char *output;
	unsigned flags;
	char **files;
	int file_count;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'o':
		if (!text[0])
			return command_refuse("--output", text, "must be the name of a file, or -");
		arguments->output = text;
		return 0;
	case KEY_ALLOW_DIFFERENT:
		arguments->flags |= MERGE_ALLOW_DIFFERENT;
		return 0;
	case ARGP_KEY_ARGS:
		arguments->files = state->argv + state->next;
		arguments->file_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		diag_error(0, "no FILE given: name the reports to merge, or a folder of them");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int add_file(struct merge *merge, const char *path)
{
	struct loaded *loaded;
	char why[512];
	int code = loaded_read(path, 0, &loaded);
	int err;

	if (code)
		return code;
	err = merge_add(merge, loaded, why, sizeof(why));
	if (!err)
		return DIAG_EXIT_OK;
	diag_error(0, "%s", why);
	return err == -ENOMEM ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
}

/* What was written for others to read can be read. */
static int check_size(struct report *report)
{
	struct report_document *document;
	const char *text;
	size_t size;
	char why[256];
	int err = report_document(report, &text, &size);

	if (!err)
		err = report_read_memory(text, size, &document, why, sizeof(why));
	if (!err)
		report_read_free(document);
	else if (err == -EBADMSG)
		diag_error(0, "the merged report would be no report: %s: merge fewer files", why);
	else
		diag_error(err, "cannot make the merged report");
	return err;
}

static int write_merged(struct merge *merge, const char *output)
{
	struct report *report;
	int code = DIAG_EXIT_HOST;
	int err = merge_report(merge, &report);

	if (err) {
		diag_error(err, "cannot make the merged report");
		return DIAG_EXIT_HOST;
	}
	err = check_size(report);
	if (err) {
		code = err == -EBADMSG ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
		goto out;
	}
	err = report_write_xml(report, output);
	if (err) {
		diag_error(err, "-o %s: the report could not be written", output);
		goto out;
	}
	for (size_t i = 0; merge_note(merge, i); i++)
		diag_warn("%s", merge_note(merge, i));
	code = DIAG_EXIT_OK;
	if (strcmp(merge_status(merge), "ok") != 0) {
		diag_warn("the merged report is %s: its verdict says why", merge_status(merge));
		code = DIAG_EXIT_UNTRUSTED;
	}
out:
	report_free(report);
	return code;
}

static int merge_files(const struct arguments *arguments, const struct inputs *inputs)
{
	struct merge *merge;
	int err = merge_new(arguments->flags, &merge);
	int code = DIAG_EXIT_OK;

	if (err) {
		diag_error(err, "cannot merge");
		return DIAG_EXIT_HOST;
	}
	for (size_t i = 0; i < inputs->count && !code; i++)
		code = add_file(merge, inputs->paths[i]);
	if (!code)
		code = write_merged(merge, arguments->output);
	merge_free(merge);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments = {.output = "-"};
	struct inputs inputs = {0};
	int code = command_parse_argp(command, parse, argc, argv, &arguments);
	int err = 0;

	if (!code && strcmp(arguments.output, "-") != 0)
		err = report_check_path(arguments.output);
	if (err) {
		diag_error(err, "-o %s: cannot be written", arguments.output);
		code = DIAG_EXIT_HOST;
	}
	for (int i = 0; i < arguments.file_count && !code; i++)
		code = inputs_add(&inputs, arguments.files[i]);
	if (!code)
		code = merge_files(&arguments, &inputs);
	inputs_free(&inputs);
	return code;
}

const struct command command_merge = {
	.program = &memstor_program,
	.name = "merge",
	.arguments = "FILE...",
	.summary = "add up the histograms of several reports",
	.doc = "Makes one report of several of the same tool: processes and hosts that ran side by side, or repeated "
	       "runs. Histograms are added exactly; where each part comes from is kept in it.",
	.argp_options = options,
	.run = run,
};
