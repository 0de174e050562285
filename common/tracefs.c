/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stddef.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/detached.h"

static int open_mounted(const char *path, int *dirfd)
{
	struct statfs info;
	int fd = open(path, O_DIRECTORY | O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fstatfs(fd, &info) == 0 && info.f_type == TRACEFS_MAGIC) {
		*dirfd = fd;
		return 0;
	}
	close(fd);
	return -ENOENT;
}

int tracefs_open_dir(int *dirfd)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	int denied = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int err = open_mounted(places[i], dirfd);

		if (!err)
			return 0;
		if (err == -EACCES || err == -EPERM)
			denied = err;
	}
	/* A folder that may not even be looked into is as good as mounted: what is missing is the right. */
	return denied ? denied : detached_mount("tracefs", NULL, dirfd);
}
