/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/base/nameless.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>


#define MODE 0600

/* Replaces O_TMPFILE where the file system lacks it. The flags are set after the name is removed, because an open that fails
 * for O_DIRECT can leave its file behind. */
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

/* --- detached mounts --- */

/* Uses syscall(2): older glibc has no header for these calls, and newer ones conflict with linux/mount.h. */
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
