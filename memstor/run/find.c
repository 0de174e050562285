/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/find.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const pmbench_reserved[] = {
	"-f", "--file", "--json", "--dry-run", "--recover", "-?", "--help", "--usage", "-V", "--version", "--", NULL,
};

static const char *const iowrite_reserved[] = {
	"-f", "--file", "--output", "--json", "-n", "--dry-run", "-?", "--help", "--usage", "-V", "--version", "--", NULL,
};
static const char *const calibrate_reserved[] = {
	"-o", "--output", "--dry-run", "-?", "--help", "--usage", "-V", "--version", "--", NULL,
};

static const char *const ssd_reserved[] = {
	"-f", "--file", "--json", "-n", "--dry-run", "-?", "--help", "--usage", "-V", "--version", "--", NULL,
};

static const struct run_program programs[] = {
	{"pmbench", NULL, "-f", "report.xml", true, "--label", "--dry-run", pmbench_reserved, NULL},
	{"iowrite-bench", "run", "-f", "report.xml", true, "--label", "--dry-run", iowrite_reserved, NULL},
	{"iowrite-bench", "evaluate", "-f", "report.xml", true, "--label", "--dry-run", iowrite_reserved, NULL},
	{"iowrite-bench", "trace", "-f", "report.xml", true, "--label", "--dry-run", iowrite_reserved, NULL},
	{"iowrite-bench", "calibrate", "-o", "system.xml", false, NULL, "--dry-run", calibrate_reserved, NULL},
	{"ssd-workloads", "run", "-f", "report.xml", true, "--label", "--dry-run", ssd_reserved, "records.rec"},
};
#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))

const struct run_program *run_program(const char *const *words)
{
	for (size_t i = 0; i < PROGRAMS; i++) {
		const struct run_program *program = &programs[i];

		if (!strcmp(program->name, words[0]) &&
			(!program->command || (words[1] && !strcmp(program->command, words[1]))))
			return program;
	}
	return NULL;
}

void run_program_names(char *text, size_t length)
{
	size_t used = 0;

	for (size_t i = 0; i < PROGRAMS && used < length; i++)
		used += (size_t)snprintf(text + used, length - used, "%s%s%s%s", i ? ", " : "", programs[i].name,
			programs[i].command ? " " : "", programs[i].command ? programs[i].command : "");
}

/* As getopt_long reads it: a long name may be cut short and have =VALUE behind it, a letter its value. */
static bool is_option(const char *word, const char *option)
{
	size_t length = strcspn(word, "=");

	if (strncmp(option, "--", 2))
		return !strncmp(word, option, 2);
	if (length <= 2)
		return !strcmp(word, option);
	return !strncmp(word, option, length);
}

const char *run_program_reserves(const struct run_program *program, const char *word)
{
	for (size_t i = 0; program->reserved[i]; i++) {
		if (is_option(word, program->reserved[i]))
			return program->reserved[i];
	}
	return NULL;
}

static bool is_executable(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

static int check(const char *path, int used, size_t length)
{
	return used > 0 && (size_t)used < length && is_executable(path) ? 0 : -ENOENT;
}

/* The folder of the running program. */
static int own_folder(char *folder, size_t length)
{
	ssize_t used = readlink("/proc/self/exe", folder, length);
	char *slash;

	if (used <= 0 || (size_t)used >= length)
		return -ENOENT;
	folder[used] = '\0';
	slash = strrchr(folder, '/');
	if (!slash)
		return -ENOENT;
	*slash = '\0';
	return 0;
}

int run_find_in_path(const char *name, char *path, size_t length)
{
	const char *folders = getenv("PATH");

	while (folders && *folders) {
		size_t size = strcspn(folders, ":");
		int used = snprintf(path, length, "%.*s%s%s", (int)size, folders, size ? "/" : "./", name);

		if (!check(path, used, length))
			return 0;
		folders += size + (folders[size] == ':');
	}
	return -ENOENT;
}

int run_find(const char *name, char *path, size_t length)
{
	char folder[PATH_MAX];

	if (!own_folder(folder, sizeof(folder))) {
		if (!check(path, snprintf(path, length, "%s/%s", folder, name), length))
			return 0;
		if (!check(path, snprintf(path, length, "%s/../%s/%s", folder, name, name), length))
			return 0;
	}
	return run_find_in_path(name, path, length);
}
