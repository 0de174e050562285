/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memtrace control and memtrace mark: send a command to a running recording. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "memtrace/commands.h"
#include "memtrace/target/control.h"

#define CONTROL_PARTS 5 /* of a line: name NAME START END ELEMENT_BYTES */

struct control_options {
	const char *path;
	const char *words[CONTROL_PARTS];
	unsigned count;
};

static const struct opt rows[] = {
	{"control", 0, "FILE", OPT_STRING, .offset = offsetof(struct control_options, path),
		.help = "send to the recording that reads the FIFO FILE",
		.manual = "Send to the recording that was started with --control FILE. Without this option the variable "
			  "`" CONTROL_VARIABLE "` names it, which a recorded command has."},
	{0},
};

static int take(void *options, const char *text, bool is_behind)
{
	struct control_options *control = options;

	(void)is_behind;
	if (control->count == CONTROL_PARTS) {
		diag_error(0, "%s: one argument too many (write text with blanks in quotes)", text);
		return DIAG_EXIT_USAGE;
	}
	control->words[control->count++] = text;
	return 0;
}

static int send(const struct control_options *options, enum control_word word, const char *text)
{
	const char *path = options->path ? options->path : getenv(CONTROL_VARIABLE);
	int err;

	if (!path || !*path) {
		diag_error(0, "no recording given (use the --control FILE of memtrace record)");
		return DIAG_EXIT_USAGE;
	}
	err = mt_control_send(path, word, text);
	if (err == -ENXIO || err == -ENOENT)
		diag_error(0, "%s: no recording listens there", path);
	else if (err == -EMSGSIZE)
		diag_error(0, "the text must be shorter than %d bytes", CONTROL_TEXT - 8);
	else if (err)
		diag_error(err, "%s", path);
	return !err ? DIAG_EXIT_OK : err == -EMSGSIZE ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
}

/* Joins the arguments to one text and checks it. Returns a diag_exit code, after one line when it is not 0. */
static int check_line(const struct control_options *options, enum control_word word, char text[CONTROL_TEXT])
{
	char copy[CONTROL_TEXT];
	struct trace_event event;
	const char *why;
	size_t used = 0;

	if (word == CONTROL_UNKNOWN) {
		diag_error(0, "control: %s: must be start, stop, mark, name or forget",
			options->count ? options->words[0] : "nothing to do");
		return DIAG_EXIT_USAGE;
	}
	text[0] = '\0';
	for (unsigned i = 1; i < options->count && used < CONTROL_TEXT; i++)
		used += (size_t)snprintf(text + used, CONTROL_TEXT - used, "%s%s", i > 1 ? " " : "", options->words[i]);
	if (!*text != !*mt_control_text(word) || (options->count > 2 && word != CONTROL_NAME)) {
		diag_error(0, "control: %s: takes %s", options->words[0],
			*mt_control_text(word) ? mt_control_text(word) : "no text");
		return DIAG_EXIT_USAGE;
	}
	if (word != CONTROL_NAME && word != CONTROL_FORGET)
		return DIAG_EXIT_OK;
	snprintf(copy, sizeof(copy), "%s", text);
	if (mt_control_event(word, copy, &event, &why)) {
		diag_error(0, "control: %s %s: %s", options->words[0], text, why);
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

static int run_control(const struct command *command, int argc, char **argv)
{
	struct control_options options = {0};
	struct opt_line line;
	char text[CONTROL_TEXT];
	int code = command_parse(command, argc, argv, &options, &line, NULL);
	enum control_word word = mt_control_find(options.words[0] ? options.words[0] : "");

	if (!code)
		code = check_line(&options, word, text);
	if (!code)
		code = send(&options, word, text);
	opt_free(&line);
	return code;
}

static int run_mark(const struct command *command, int argc, char **argv)
{
	struct control_options options = {0};
	struct opt_line line;
	int code = command_parse(command, argc, argv, &options, &line, NULL);

	if (!code && (options.count != 1 || !*options.words[0]))
		code = (diag_error(0, "mark: needs one text, the name of the phase that begins"), DIAG_EXIT_USAGE);
	if (!code)
		code = send(&options, CONTROL_MARK, options.words[0]);
	opt_free(&line);
	return code;
}

const struct command memtrace_control = {
	.program = &memtrace_program,
	.name = "control",
	.arguments = "start|stop|mark|name|forget [TEXT...]",
	.summary = "start, stop or mark a running recording, or name memory in it",
	.doc = "Start or stop the sampling of a running recording, mark that a phase begins, or name addresses of the program: "
	       "name NAME START END [ELEMENT_BYTES], forget NAME. The recording must have been started with --control.",
	.examples = "  memtrace control --control db.ctl stop\n"
		    "  memtrace control name table 7f1000000000 7f1000800000 8\n",
	.options = rows,
	.take = take,
	.run = run_control,
};

const struct command memtrace_mark = {
	.program = &memtrace_program,
	.name = "mark",
	.arguments = "TEXT",
	.summary = "mark the start of a phase in a running recording",
	.doc = "Mark the start of the phase TEXT in a running recording. The phase ends where the next one begins.",
	.examples = "  memtrace mark load\n",
	.options = rows,
	.take = take,
	.run = run_mark,
};
