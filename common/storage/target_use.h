/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other users of a file or device that is about to be written: swap, loop devices, processes, other runs. */
#ifndef COMMON_STORAGE_TARGET_USE_H
#define COMMON_STORAGE_TARGET_USE_H

#include <stdbool.h>
#include <sys/types.h>

/* Checks that path leads to the kernel's own answer: root ("/proc" or "/sys") is that file system's root folder, and no mount
 * below it hides path. Returns 0, -ENODATA when it is hidden, or -errno of path. */
int target_check_mounted(const char *root, const char *path);
/* Refuses a file that is in use as swap or by a loop device, and one for which that is unknown, even when confirmed. Returns 0
 * or a diag_exit code after one line. */
int target_check_use(const char *path, int fd);
/* Does the same for a block device that nothing else holds: a loop device over it, or over the same bytes of its file if it is
 * a loop device itself, does not claim it in the kernel. fd: the device; -1 for a partition whose disk is checked as well. */
int target_check_device_use(const char *path, dev_t device, int fd);
/* Refuses a block device that another process has open, also without O_EXCL, or whose disk or partition is open. Root sees all
 * processes of its PID namespace (except a container's init, where the kernel hides it), other users see their own. */
int target_check_openers(const char *path, dev_t device);
/* Finds a process that has the device open: returns 1 and its number, 0 for none, or -errno. */
int target_find_opener(dev_t device, pid_t *pid);
/* Tells whether neither another process nor a loop device has this file open. False also when that is unknown: for another
 * user's file, or on a file system that does not support the query. */
bool target_is_open_once(int fd);

/* Locks for writing or, shared, for reading; waits up to 3 s. Returns 0, -EWOULDBLOCK when another process has the lock, or
 * -errno. */
int target_lock(int fd, bool is_shared);
/* Prints one line that another process has the lock, with its number if /proc/locks has it. */
void target_say_locked(const char *path, int fd);
/* Checks, before anything is written, whether `count` more descriptors can be opened. Returns 0 or DIAG_EXIT_HOST after one
 * line. */
int target_check_descriptors(const char *path, unsigned count);

#endif
