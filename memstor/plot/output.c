/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/output.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/diag.h"
#include "common/report.h"
#include "common/report_private.h"

static bool is_stream(const char *path)
{
	return !strcmp(path, "-");
}

/* Of --keep-script without a name: the output's with the suffix gp. NULL = too long. */
static const char *script_path(const struct plot_options *options, char *path, size_t length)
{
	const char *name = strrchr(options->output, '/');
	const char *dot = strrchr(name ? name : options->output, '.');
	int used;

	if (options->script[0])
		return options->script;
	used = snprintf(path, length, "%.*s.gp", (int)(dot ? dot - options->output : (long)strlen(options->output)),
		options->output);
	return used >= 0 && (size_t)used < length ? path : NULL;
}

/* Files that are there already. */
static bool is_same(const char *one, const char *other)
{
	struct stat a, b;

	return !stat(one, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino &&
	       (S_ISREG(a.st_mode) || S_ISDIR(a.st_mode));
}

static int check_file(const struct plot_options *options, const char *option, const char *path)
{
	int rc = is_stream(path) ? 0 : report_check_path(path);

	if (rc) {
		diag_error(rc, "%s %s: cannot be written", option, path);
		return DIAG_EXIT_HOST;
	}
	for (size_t i = 0; i < options->files.count && !is_stream(path); i++) {
		if (!is_same(path, options->files.items[i].text))
			continue;
		diag_error(0, "%s %s: is one of the reports; give another name", option, path);
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

int plot_output_check(const struct plot_options *options)
{
	char room[PATH_MAX];
	const char *script = options->script ? script_path(options, room, sizeof(room)) : NULL;
	int rc = check_file(options, "-o", options->output);

	if (rc || !options->script)
		return rc;
	if (!script) {
		diag_error(0, "--keep-script: the name is too long");
		return DIAG_EXIT_USAGE;
	}
	if (!strcmp(script, options->output) || is_same(script, options->output)) {
		diag_error(0, "-o and --keep-script: both name %s; give them two files", script);
		return DIAG_EXIT_USAGE;
	}
	return check_file(options, "--keep-script", script);
}

static int write_file(const char *option, const char *path, const char *bytes, size_t size)
{
	int rc = report_file_write(path, bytes, size);

	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "%s %s: could not be written", option, path);
	return DIAG_EXIT_HOST;
}

int plot_output_picture(const struct plot_options *options, const char *bytes, size_t size)
{
	return write_file("-o", options->output, bytes, size);
}

int plot_output_script(const struct plot_options *options, const char *text, size_t size)
{
	char room[PATH_MAX];

	return options->script
		       ? write_file("--keep-script", script_path(options, room, sizeof(room)), text, size)
		       : DIAG_EXIT_OK;
}
