/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/arena.h"
#include "common/diag.h"

#define DEPTH_MAX 8

/* Takes path over. */
static int append(struct inputs *inputs, char *path)
{
	if (!path || arena_grow(&inputs->paths, &inputs->room, inputs->count, sizeof(*inputs->paths))) {
		free(path);
		return -ENOMEM;
	}
	inputs->paths[inputs->count++] = path;
	return 0;
}

/* Names that begin with a dot are hidden: drafts, and .scratch of memstor run. */
static int is_wanted(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* memstor run writes index.xml next to its reports; system.xml is the calibration of a step. */
static bool is_report_name(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && strcmp(name + length - 4, ".xml") == 0 && strcmp(name, "index.xml") != 0 &&
	       strcmp(name, "system.xml") != 0;
}

static int add_folder(struct inputs *inputs, const char *folder, int depth);

static int add_entry(struct inputs *inputs, const char *folder, const char *name, int depth)
{
	const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
	struct stat status;
	char *path;
	int err = 0;

	if (asprintf(&path, "%s%s%s", folder, slash, name) < 0)
		return -ENOMEM;
	/* A file that was removed meanwhile, or a link to nowhere, is no report. */
	if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode))
		err = depth < DEPTH_MAX ? add_folder(inputs, path, depth + 1) : 0;
	else if (is_report_name(name) && stat(path, &status) == 0 && S_ISREG(status.st_mode))
		return append(inputs, path);
	free(path);
	return err;
}

/* 0, -ENOMEM, or a diag_exit code after its line. */
static int add_folder(struct inputs *inputs, const char *folder, int depth)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, is_wanted, compare_names);
	int err = 0;

	if (count < 0 && errno == ENOMEM)
		return -ENOMEM;
	if (count < 0)
		return diag_usage_errno(errno, "cannot read the folder %s", folder);
	for (int i = 0; i < count; i++) {
		if (!err)
			err = add_entry(inputs, folder, entries[i]->d_name, depth);
		free(entries[i]);
	}
	free(entries);
	return err;
}

int inputs_add(struct inputs *inputs, const char *argument)
{
	size_t before = inputs->count;
	struct stat status;
	int err;

	if (stat(argument, &status) < 0)
		return diag_usage_errno(errno, "%s", argument);
	err = S_ISDIR(status.st_mode) ? add_folder(inputs, argument, 1) : append(inputs, strdup(argument));
	if (err == -ENOMEM)
		return diag_host(ENOMEM, "%s", argument);
	if (!err && inputs->count == before)
		return diag_usage("%s: no report (*.xml) in this folder or up to %d levels below it", argument, DEPTH_MAX);
	return err;
}

int inputs_set(struct opt_value *in)
{
	return inputs_add(opt_field(in), in->text) ? -EALREADY : 0;
}

void inputs_free(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		free(inputs->paths[i]);
	free(inputs->paths);
	*inputs = (struct inputs){0};
}
