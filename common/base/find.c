/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/base/find.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_executable(const char *path, struct stat *status)
{
	return !stat(path, status) && S_ISREG(status->st_mode) && !access(path, X_OK);
}

/* Group write permission is accepted for ordinary users: with a umask of 002 all their files have it, usually for a group of
 * their own. */
static bool is_safe(const struct stat *status, uid_t owner)
{
	mode_t others = S_IWOTH | (owner ? 0 : S_IWGRP);

	return !(status->st_mode & others) && (!status->st_uid || status->st_uid == geteuid() || status->st_uid == owner);
}

int find_of_owner(const char *path, uid_t owner)
{
	const char *slash = strrchr(path, '/');
	struct stat file, place;
	char folder[PATH_MAX];

	if (!slash || slash - path >= PATH_MAX - 1)
		return -ENOENT;
	snprintf(folder, sizeof(folder), "%.*s/", (int)(slash - path), path);
	return is_executable(path, &file) && !stat(folder, &place) && is_safe(&file, owner) && is_safe(&place, owner)
		       ? 0
		       : -ENOENT;
}

int find_in_path(const char *name, char *path, size_t length)
{
	static const char *const trusted[] = {"/usr/sbin", "/usr/bin", "/sbin", "/bin"}; /* replaces PATH for root */
	const char *folders = getenv("PATH");
	struct stat status;

	while (folders && *folders) {
		size_t size = strcspn(folders, ":");
		int used = snprintf(path, length, "%.*s%s%s", (int)size, folders, size ? "/" : "./", name);
		bool is_trusted = geteuid() != 0;

		for (size_t i = 0; i < sizeof(trusted) / sizeof(trusted[0]); i++)
			is_trusted |= strlen(trusted[i]) == size && !memcmp(trusted[i], folders, size);
		if (used > 0 && (size_t)used < length && is_executable(path, &status) && (is_trusted || !find_of_owner(path, 0)))
			return 0;
		folders += size + (folders[size] == ':');
	}
	return -ENOENT;
}
