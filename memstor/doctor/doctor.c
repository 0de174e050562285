/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor doctor: what this host offers to each tool, and what would spoil a measurement now. */
#include "config.h"
#include "memstor/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/diag.h"
#include "memstor/doctor/doctor.h"

struct request {
	bool is_json;
	size_t path_count;
	const char *paths[DOCTOR_PATHS];
};

/* Everything that is too large for a stack. */
struct everything {
	struct machine machine;
	struct doctor_result result;
};

static int take(void *data, const char *path, bool is_behind)
{
	struct request *request = data;
	struct stat status;

	(void)is_behind;
	if (request->path_count == DOCTOR_PATHS) {
		diag_error(0, "PATH %s: too many (up to %d)", path, DOCTOR_PATHS);
		return DIAG_EXIT_USAGE;
	}
	if (stat(path, &status)) {
		diag_error(errno, "PATH %s", path);
		return DIAG_EXIT_USAGE;
	}
	if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) {
		diag_error(0, "PATH %s: must be a folder, a file or a block device", path);
		return DIAG_EXIT_USAGE;
	}
	request->paths[request->path_count++] = path;
	return DIAG_EXIT_OK;
}

/* Where swap files and tests of writing usually go, and here; once when both are the same folder. */
static void default_paths(struct request *request)
{
	static const char *const paths[] = {"/var/tmp", "."};
	struct stat status[2] = {0};

	for (size_t i = 0; i < 2; i++) {
		if (!stat(paths[i], &status[i]) && !(i && status[0].st_dev == status[1].st_dev &&
			status[0].st_ino == status[1].st_ino))
			request->paths[request->path_count++] = paths[i];
	}
}

/* https://no-color.org: any value but the empty one. */
static bool is_coloured(void)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && terminal && strcmp(terminal, "dumb") != 0;
}

static int examine(const struct request *request, struct everything *all)
{
	struct doctor_host host = {
		.root = "", .hooks = &doctor_real_hooks, .machine = &all->machine, .path_count = request->path_count};
	int err = machine_read(host.root, &all->machine);

	if (err) {
		diag_error(err, "cannot read this machine's facts from /proc and /sys");
		return DIAG_EXIT_HOST;
	}
	memcpy(host.paths, request->paths, sizeof(host.paths));
	doctor_read_credentials(&host);
	doctor_examine(&host, &all->result);
	if (request->is_json)
		doctor_print_json(stdout, &all->result);
	else
		doctor_print_text(stdout, &all->result, is_coloured());
	return doctor_exit_code(&all->result);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct request request = {0};
	struct opt_line line;
	struct everything *all;
	int code = command_parse(command, argc, argv, &request, &line, NULL);

	opt_free(&line);
	if (code)
		return code;
	if (!request.path_count)
		default_paths(&request);
	all = calloc(1, sizeof(*all));
	if (!all) {
		diag_error(ENOMEM, "cannot look at this machine");
		return DIAG_EXIT_USAGE;
	}
	code = examine(&request, all);
	free(all);
	return code;
}

static const struct opt rows[] = {
	{"json", 0, NULL, OPT_FLAG, .offset = offsetof(struct request, is_json),
		.help = "print JSON instead of text",
		.manual =
"Print JSON with stable codes instead of text.\n"
"The file `doctor.md` of the package's documentation describes its members."},
	{0},
};

const struct command command_doctor = {
	.program = &memstor_program,
	.name = "doctor",
	.arguments = "[PATH...]",
	.summary = "say what this host offers to each tool",
	.doc = "Says what this host offers to each tool of the suite, how to fix what is missing, and what would spoil a "
	       "measurement now. Changes nothing and leaves nothing. Direct writes and swap files are tried at each PATH "
	       "(default: /var/tmp and the current folder).",
	.examples = "  memstor doctor\n"
		    "  sudo memstor doctor --json /mnt/disk\n",
	.notes = "Status: 0 every installed tool can do its main job; 3 some cannot, and the last lines say which and why.",
	.options = rows,
	.take = take,
	.run = run,
};
