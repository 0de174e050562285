/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor doctor: which tools can run on this host, and which conditions would disturb a measurement now. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/base/diag.h"
#include "common/cli/command.h"
#include "common/cli/table.h"
#include "common/probe/probe_checks.h"
#include "doctor/doctor.h"

struct request {
	struct doctor_output output;
	size_t path_count;
	const char *paths[DOCTOR_PATHS];
};

/* The struct is too large for a stack. */
struct examination {
	struct machine machine;
	struct doctor_result result;
};

static int take(void *data, const char *path, bool is_behind)
{
	struct request *request = data;
	struct stat status;

	(void)is_behind;
	if (request->path_count == DOCTOR_PATHS)
		return diag_usage("PATH %s: too many (up to %d)", path, DOCTOR_PATHS);
	if (stat(path, &status))
		return diag_usage_errno(errno, "PATH %s", path);
	if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
		return diag_usage("PATH %s: must be a folder, a file or a block device", path);
	request->paths[request->path_count++] = path;
	return DIAG_EXIT_OK;
}

/* Adds the usual folder of swap files and tests, and the current one if it differs. */
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

static int run(const struct command *command, int argc, char **argv)
{
	struct request request = {0};
	struct examination *all = NULL;
	struct probe_host host = {.root = "", .hooks = &probe_real_hooks};
	struct opt_line line;
	int code = command_parse(command, argc, argv, &request, &line, NULL), err;

	if (code)
		goto out;
	if (!request.path_count)
		default_paths(&request);
	all = calloc(1, sizeof(*all));
	if (!all) {
		code = diag_host(ENOMEM, "cannot examine this machine");
		goto out;
	}
	host.machine = &all->machine;
	err = machine_read(host.root, &all->machine);
	if (err) {
		code = diag_host(err, MACHINE_UNREADABLE);
		goto out;
	}
	probe_read_credentials(&host);
	doctor_examine(&host, request.paths, request.path_count, &all->result);
	request.output.is_coloured = table_is_coloured();
	err = doctor_print(stdout, &all->result, &request.output);
	code = err ? diag_host(err, "cannot print what was found") : doctor_exit_code(&all->result);
out:
	free(all);
	opt_free(&line);
	return code;
}

static int set_columns(struct opt_value *in)
{
	char why[TABLE_TEXT];

	if (doctor_check_columns(in->text, why, sizeof(why))) {
		diag_error(0, "--columns %s: %s", in->text, why);
		return -EALREADY;
	}
	*(const char **)opt_field(in) = in->text;
	return 0;
}

static const struct opt rows[] = {
	{"columns", 'o', "COLUMN,...", OPT_OWN, .offset = offsetof(struct request, output.columns), .set = set_columns,
		.help = "print the facts with these columns only",
		.manual =
"Print the facts, one a line, with these columns: `status`, `code`, `finding`, `group`, `path`, `value`, `tools`,\n"
"`meaning` and `fix` (default: `status,code,finding`, in groups, and what the tools can do).\n"
"With --json the facts have these members only."},
	{"noheadings", 0, NULL, OPT_FLAG, .offset = offsetof(struct request, output.has_no_headings),
		.help = "print no column headings"},
	{"json", 0, NULL, OPT_FLAG, .offset = offsetof(struct request, output.is_json),
		.help = "print JSON instead of text",
		.manual =
"Print JSON with stable codes instead of text.\n"
"The file `doctor.md` of the package's documentation describes its members."},
	{0},
};

/* the name by which memstor starts it */
static const struct program program = {.name = "memstor"};
static const struct command command = {
	.program = &program,
	.name = "doctor",
	.arguments = "[PATH...]",
	.doc = "Checks what this host offers to each tool of the suite, how to fix what is missing, and what disturbs "
	       "measurements at present. The command changes nothing and leaves nothing behind. Direct writes and swap files are "
	       "tried at each PATH (default: /var/tmp and the current folder).",
	.examples = "  memstor doctor\n"
		    "  sudo memstor doctor --json /mnt/disk\n"
		    "  memstor doctor --noheadings -o code,fix\n",
	.notes = "Status: 0 every installed tool can do its main job; 3 some cannot; the last lines name them and the reason.",
	.options = rows,
	.take = take,
};

int main(int argc, char **argv)
{
	diag_claim_descriptors();
	diag_watch_stdout();
	return run(&command, argc, argv);
}
