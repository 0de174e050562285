/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of target only. */
#ifndef COMMON_TARGET_PRIVATE_H
#define COMMON_TARGET_PRIVATE_H

#include "common/target.h"

#define TARGET_SIGNATURES 512 /* bytes of a list of them */

/* Locks what is open for writing. 0 or a diag_exit code after one line. */
int target_take_lock(const struct target_request *request, int fd);
/* The same of a file, and looks whether it may be written; what another process has written since it was made here is not
 * removed. */
int target_take(const struct target_request *request, struct target *target);
/* Another descriptor of the same file, which may be an O_PATH one; or -errno. */
int target_open_again(int fd, int flags);
/* Whether it begins as the tool's own targets do. */
bool target_has_header(int fd, const struct target_request *request);
/* A file that is in use as something else is refused, whatever is said, and one of which that cannot be seen. 0 or a
 * diag_exit code after one line. */
int target_check_use(const char *path, int fd);
/* The same of a block device, which nothing else holds: a loop device over it does not say so to the kernel. */
int target_check_device_use(const char *path, dev_t device);
/* A block device that another process has open, also without O_EXCL; or its disk, or a partition of it. Root sees all
 * processes of its PID namespace (but a container's init, where the kernel hides it), others their own. */
int target_check_openers(const char *path, dev_t device);
/* Such a process: 1 and its number, 0 none, or -errno. */
int target_find_opener(dev_t device, pid_t *pid);
/* No other process has this file open, no loop device either; false also when that cannot be told: of another's file, or on a
 * file system that does not know. */
bool target_is_open_once(int fd);

#endif
