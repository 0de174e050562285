/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/kernel/tracefs_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stddef.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/base/nameless.h"

int tracefs_open_dir(int *dirfd)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	int denied = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int fd = open(places[i], O_DIRECTORY | O_PATH | O_CLOEXEC);
		struct statfs info;

		if (fd < 0 && (errno == EACCES || errno == EPERM))
			denied = -errno;
		if (fd < 0)
			continue;
		if (fstatfs(fd, &info) == 0 && info.f_type == TRACEFS_MAGIC) {
			*dirfd = fd;
			return 0;
		}
		close(fd);
	}
	/* A folder without search permission exists, so it counts as mounted: the permission is missing. */
	return denied ? denied : detached_mount("tracefs", NULL, dirfd);
}
