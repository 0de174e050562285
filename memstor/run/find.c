/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/find.h"

static const char *const pmbench_reserved[] = {
	"-f", "--file", "--json", "--dry-run", "--recover", "-?", "--help", "--usage", "-V", "--version", "--", NULL,
};

static const char *const iowrite_reserved[] = {
	"-f", "--file", "--output", "--json", "--ops-csv", "-n", "--dry-run", "-?", "--help", "--usage", "-V",
	"--version", "--", NULL,
};
static const char *const calibrate_reserved[] = {
	"-o", "--output", "--dry-run", "-?", "--help", "--usage", "-V", "--version", "--", NULL,
};

static const char *const ssd_reserved[] = {
	"-f", "--file", "--json", "--dump", "-n", "--dry-run", "-?", "--help", "--usage", "-V", "--version", "--", NULL,
};

/* Letters of pmbench that a value follows: what is behind one in its word is no letter. */
#define PMBENCH_VALUED "msperjytaodh"

static const struct run_program programs[] = {
	{"pmbench", NULL, "-f", "report.xml", true, "--label", "--dry-run", pmbench_reserved, PMBENCH_VALUED, NULL, NULL},
	{"iowrite-bench", "run", "-f", "report.xml", true, "--label", "--dry-run", iowrite_reserved, "", "--ops-csv=ops.csv",
		"ops.csv"},
	{"iowrite-bench", "evaluate", "-f", "report.xml", true, "--label", "--dry-run", iowrite_reserved, "", NULL, NULL},
	{"iowrite-bench", "trace", "-f", "report.xml", true, "--label", "--dry-run", iowrite_reserved, "", NULL, NULL},
	{"iowrite-bench", "calibrate", "-o", "system.xml", false, NULL, "--dry-run", calibrate_reserved, "", NULL, NULL},
	{"ssd-workloads", "run", "-f", "report.xml", true, "--label", "--dry-run", ssd_reserved, "", "--dump=records.rec",
		"records.rec"},
	{"ssd-workloads", "analyze", "-f", "report.xml", true, NULL, NULL, ssd_reserved, "", NULL, NULL},
	{.name = "with-pressure"},
};
const struct run_program run_program_command = {.name = "command"};

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

/* As getopt_long reads it: a long name may be cut short and have =VALUE behind it; letters may stand together, the last
 * with its value. */
static bool is_option(const struct run_program *program, const char *word, const char *option)
{
	size_t length = strcspn(word, "=");

	if (!strcmp(option, "--"))
		return !strcmp(word, option);
	if (!strncmp(option, "--", 2))
		return length > 2 && !strncmp(word, option, length);
	if (word[0] != '-' || word[1] == '-')
		return false;
	for (const char *letter = word + 1; *letter; letter++) {
		if (*letter == option[1])
			return true;
		if (strchr(program->valued, *letter))
			return false;
	}
	return false;
}

const char *run_program_reserves(const struct run_program *program, const char *word)
{
	if (!program->reserved || (program->kept && !strcmp(program->kept, word)))
		return NULL;
	for (size_t i = 0; program->reserved[i]; i++) {
		if (is_option(program, word, program->reserved[i]))
			return program->reserved[i];
	}
	return NULL;
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

int run_find_in(const char *folder, const char *name, char *path, size_t length)
{
	for (size_t i = 0; i < 2; i++) {
		struct stat status;
		int used = snprintf(path, length, "%s/%s%s%s", folder, name, i ? "/" : "", i ? name : "");

		if (used < (int)length && !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK))
			return 0;
	}
	return -ENOENT;
}

/* The programs of one configured tree are in folders of their names, memstor-doctor in doctor/. */
static const char *tree_folder(const char *name)
{
	return !strncmp(name, "memstor-", 8) ? name + 8 : name;
}

static bool is_build_tree(const char *folder)
{
	char path[PATH_MAX];
	const char *slash = strrchr(folder, '/');

	return slash && !strcmp(slash, "/memstor") &&
	       snprintf(path, sizeof(path), "%s/../config.status", folder) < (int)sizeof(path) && !access(path, F_OK);
}

int run_find(const char *name, char *path, size_t length)
{
	char folder[PATH_MAX];
	struct stat own;
	int used;

	if (!own_folder(folder, sizeof(folder)) && !stat("/proc/self/exe", &own)) {
		used = snprintf(path, length, "%s/%s", folder, name);
		if (used < (int)length && !find_of_owner(path, own.st_uid))
			return 0;
		used = snprintf(path, length, "%s/../%s/%s", folder, tree_folder(name), name);
		if (used < (int)length && is_build_tree(folder) && !find_of_owner(path, own.st_uid))
			return 0;
	}
	return find_in_path(name, path, length);
}
