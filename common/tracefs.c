/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

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

/* The mount interface of Linux 5.2: a mount that is attached nowhere. By syscall(2), because glibc's header for it
 * came late and does not go together with linux/mount.h. */
static int open_detached(int *dirfd)
{
	int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	int fd, err = 0;

	if (context < 0)
		return -errno;
	if (syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0) {
		err = -errno;
		goto out;
	}
	fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	if (fd < 0)
		err = -errno;
	else
		*dirfd = fd;
out:
	close(context);
	return err;
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
	return denied ? denied : open_detached(dirfd);
}
