/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/file/preload.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The library is next to the program, as in a build tree, or installed. */
static int find_library(char path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof(PRELOAD_LIBRARY) - 1);
	char *slash;

	if (length > 0) {
		path[length] = '\0';
		slash = strrchr(path, '/');
		snprintf(slash ? slash + 1 : path, sizeof(PRELOAD_LIBRARY), "%s", PRELOAD_LIBRARY);
		if (!access(path, R_OK))
			return 0;
	}
	snprintf(path, PATH_MAX, "%s/%s", MEMTRACE_LIBRARIES, PRELOAD_LIBRARY);
	return access(path, R_OK) ? -ENOENT : 0;
}

int preload_library(void)
{
	const char *before = getenv("LD_PRELOAD");
	char library[PATH_MAX], *preload;
	int err = find_library(library);

	if (err)
		return err;
	if (asprintf(&preload, "%s%s%s", library, before && *before ? ":" : "", before ? before : "") < 0)
		return -ENOMEM;
	err = setenv("LD_PRELOAD", preload, 1) ? -errno : 0;
	free(preload);
	return err;
}
