/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/nameless.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MODE 0600

/* A file system without O_TMPFILE. The flags come after the name is gone: an open that O_DIRECT fails can leave its file. */
static int open_and_forget(const char *folder, int flags)
{
	char path[PATH_MAX];
	int rc;
	int fd;

	if (snprintf(path, sizeof(path), "%s/.memstor-XXXXXX", folder) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	if (!flags || !fcntl(fd, F_SETFL, flags))
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

int nameless_open(const char *folder, int flags)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | flags, MODE);

	if (fd >= 0)
		return fd;
	if (errno != EOPNOTSUPP && errno != EISDIR)
		return -errno;
	return open_and_forget(folder, flags);
}
