/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench recover: restores what killed runs have left changed on this machine. */
#include "config.h"
#include "iowrite-bench/commands.h"

#include <stdbool.h>
#include <stddef.h>

#include "common/diag.h"
#include "common/opt.h"
#include "common/undo.h"

struct recover_options {
	bool sets_aside;
};

static const struct opt options[] = {
	{.name = "set-aside", .type = OPT_FLAG, .offset = offsetof(struct recover_options, sets_aside),
		.help = "rename unreadable journals to NAME.bad and restore nothing from them",
		.manual = "Rename each journal that is damaged or of another version, which every run complains "
			  "about, to `NAME.bad`. Nothing that it lists is restored: read it and undo that by hand "
			  "first."},
	{0},
};

static int run(const struct command *command, int argc, char **argv)
{
	struct recover_options recover = {0};
	unsigned journals = 0, aside = 0;
	struct opt_line line;
	int code = command_parse(command, argc, argv, &recover, &line, NULL);

	opt_free(&line);
	if (code)
		return code;
	if (recover.sets_aside && undo_set_aside(iowrite_program.name, &aside))
		return DIAG_EXIT_HOST;
	if (undo_recover(iowrite_program.name, &journals))
		return DIAG_EXIT_HOST;
	if (!journals && !aside)
		diag_info("nothing to put back");
	return DIAG_EXIT_OK;
}

const struct command command_recover = {
	.program = &iowrite_program,
	.name = "recover",
	.summary = "restore what killed runs have left changed on this machine",
	.doc = "Restore what runs have changed on this machine that were killed together with their guardian: dirty "
	       "thresholds, throttles, loop devices, trace instances. Each change is reported. The next run does "
	       "the same.",
	.options = options,
	.run = run,
};
