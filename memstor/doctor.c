/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor doctor: runs memstor-doctor, which prints and refuses as a command of memstor. */
#include "config.h"
#include "memstor/commands.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "common/diag.h"
#include "memstor/run/run.h"

static int run(const struct command *command, int argc, char **argv)
{
	char path[PATH_MAX], name[] = "memstor";

	(void)command;
	(void)argc;
	if (run_find("memstor-doctor", path, sizeof(path)))
		return diag_host(0, "memstor-doctor is not installed: neither in memstor's folder nor in PATH");
	/* Its messages begin with this name. */
	argv[0] = name;
	execv(path, argv);
	return diag_host(errno, "cannot run %s", path);
}

const struct command command_doctor = {
	.program = &memstor_program,
	.name = "doctor",
	.summary = "check what this host offers to each tool",
	.run = run,
};
