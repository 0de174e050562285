/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file without a name, which is removed with its last descriptor. */
#ifndef COMMON_BASE_NAMELESS_H
#define COMMON_BASE_NAMELESS_H

/* Opens a nameless file in folder for reading and writing by this user only; flags: O_DIRECT or 0. Returns a close-on-exec
 * descriptor or -errno. On a file system without O_TMPFILE the file briefly has a name, .memstor-*. */
int nameless_open(const char *folder, int flags);

/*
 * A mount that is attached to no folder (Linux 5.2): no other process can see it, and the kernel removes it with its last
 * descriptor, however the process ends.
 */

/* Mounts a file system of this type ("ext4") from source, a device or NULL, with nosuid, nodev and noexec. *dirfd: for
 * openat(2), close-on-exec; "/proc/self/fd/N" names it for calls that need a path. Returns 0 or -errno: -ENODEV the kernel has
 * no such file system, -EPERM it needs root. */
int detached_mount(const char *type, const char *source, int *dirfd);

#endif
