/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/detached.h"

#include <errno.h>
#include <linux/mount.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* By syscall(2), because glibc's header for it came late and does not go together with linux/mount.h. */
int detached_mount(const char *type, const char *source, int *dirfd)
{
	unsigned attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
	int context = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
	int fd, err = 0;

	if (context < 0)
		return -errno;
	if ((source && syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, "source", source, 0) < 0) ||
		syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0) {
		err = -errno;
		goto out;
	}
	fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, attributes);
	if (fd < 0)
		err = -errno;
	else
		*dirfd = fd;
out:
	close(context);
	return err;
}
