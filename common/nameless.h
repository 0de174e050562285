/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file without a name, which is gone with its last descriptor. */
#ifndef COMMON_NAMELESS_H
#define COMMON_NAMELESS_H

/* In folder, for reading and writing by this user only; flags: O_DIRECT or 0. The descriptor, which is not inherited, or -errno.
 * Where the file system lacks O_TMPFILE the file has a name, .memstor-*, for a moment. */
int nameless_open(const char *folder, int flags);

/*
 * A mount that hangs in no folder (Linux 5.2): nobody else sees it, and it goes with its last descriptor, however its
 * holder ends.
 */

/* type as "ext4", source a device or NULL; programs and devices in it are nothing but files. *dirfd: for openat(2),
 * close-on-exec; "/proc/self/fd/N" names it for calls that want a path. 0 or -errno: -ENODEV the kernel has no such
 * file system, -EPERM not without root. */
int detached_mount(const char *type, const char *source, int *dirfd);

#endif
