/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memtrace control and memtrace mark: what is sent to a running recording. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "memtrace/commands.h"
#include "memtrace/control.h"

struct control_options {
	const char *path;
	const char *words[2];
	unsigned count;
};

static const struct opt rows[] = {
	{"control", 0, "FILE", OPT_STRING, .offset = offsetof(struct control_options, path),
		.help = "send to the recording that listens at the FIFO FILE",
		.manual = "Send to the recording that was started with --control FILE. Without this option the variable "
			  "`" CONTROL_VARIABLE "` names it, which a recorded command has."},
	{0},
};

static int take(void *options, const char *text, bool is_behind)
{
	struct control_options *control = options;

	(void)is_behind;
	if (control->count == 2) {
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
		diag_error(0, "no recording named (use --control FILE, as memtrace record does)");
		return DIAG_EXIT_USAGE;
	}
	err = control_send(path, word, text);
	if (err == -ENXIO || err == -ENOENT)
		diag_error(0, "%s: no recording listens there", path);
	else if (err == -EMSGSIZE)
		diag_error(0, "mark: the text must be shorter than %d bytes", CONTROL_TEXT - 8);
	else if (err)
		diag_error(err, "%s", path);
	return !err ? DIAG_EXIT_OK : err == -EMSGSIZE ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
}

static int run_control(const struct command *command, int argc, char **argv)
{
	struct control_options options = {0};
	struct opt_line line;
	int code = command_parse(command, argc, argv, &options, &line, NULL);
	const char *word = options.words[0] ? options.words[0] : "";
	bool is_start = !strcmp(word, "start"), is_mark = !strcmp(word, "mark");

	if (!code && !is_start && !is_mark && strcmp(word, "stop"))
		code = (diag_error(0, "control: %s: must be start, stop or mark", *word ? word : "nothing to do"), DIAG_EXIT_USAGE);
	if (!code && is_mark != (options.count == 2))
		code = (diag_error(0, "control: %s", is_mark ? "mark: a text is missing" : "only mark takes a text"),
			DIAG_EXIT_USAGE);
	if (!code)
		code = send(&options, is_mark ? CONTROL_MARK : is_start ? CONTROL_START : CONTROL_STOP,
			is_mark ? options.words[1] : "");
	opt_free(&line);
	return code;
}

static int run_mark(const struct command *command, int argc, char **argv)
{
	struct control_options options = {0};
	struct opt_line line;
	int code = command_parse(command, argc, argv, &options, &line, NULL);

	if (!code && (options.count != 1 || !*options.words[0]))
		code = (diag_error(0, "mark: one text is needed, the name of the phase that begins"), DIAG_EXIT_USAGE);
	if (!code)
		code = send(&options, CONTROL_MARK, options.words[0]);
	opt_free(&line);
	return code;
}

const struct command memtrace_control = {
	.program = &memtrace_program,
	.name = "control",
	.arguments = "start|stop|mark [TEXT]",
	.summary = "start, stop or mark a running recording",
	.doc = "Start or stop the sampling of a running recording, or mark that a phase begins. The recording must have been "
	       "started with --control.",
	.examples = "  memtrace control --control db.ctl stop\n",
	.options = rows,
	.take = take,
	.run = run_control,
};

const struct command memtrace_mark = {
	.program = &memtrace_program,
	.name = "mark",
	.arguments = "TEXT",
	.summary = "mark that a phase begins in a running recording",
	.doc = "Mark in a running recording that the phase TEXT begins. It ends where the next one begins.",
	.examples = "  memtrace mark load\n",
	.options = rows,
	.take = take,
	.run = run_mark,
};
