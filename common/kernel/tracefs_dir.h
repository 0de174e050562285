/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's tracing files. Where tracefs is not mounted a privileged caller gets a private mount that is attached to no
 * folder: no other process can see it, and it is removed with its last descriptor.
 */
#ifndef COMMON_KERNEL_TRACEFS_DIR_H
#define COMMON_KERNEL_TRACEFS_DIR_H

/* Opens the folder for openat(2), close-on-exec; the caller closes it. Returns 0 or -errno: -ENODEV the kernel has no tracefs,
 * -EACCES or -EPERM it needs root. */
int tracefs_open_dir(int *dirfd);

#endif
