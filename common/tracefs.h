/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's tracing files, wherever they are. Where tracefs is not mounted a privileged caller gets a mount of
 * its own that hangs in no folder: it is seen by no other process and goes with its last descriptor.
 */
#ifndef COMMON_TRACEFS_H
#define COMMON_TRACEFS_H

/* A folder descriptor for openat(2), close-on-exec; the caller closes it. 0 or -errno: -ENODEV a kernel without
 * tracefs, -EACCES or -EPERM not without root. */
int tracefs_open_dir(int *dirfd);

#endif
