/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A loop device over a file of ours. It is known again by the file behind it (device and inode), so a
 * number that passed to another file is never detached. Return 0 or -errno.
 */
#ifndef COMMON_LOOPDEV_H
#define COMMON_LOOPDEV_H

#include <stdbool.h>
#include <stdint.h>

#define LOOPDEV_PATH 32

/* Attaches file_fd to a free device, with direct I/O so that nothing is cached twice, and detaching itself
 * with the last user. *device_fd keeps it attached until closed; the caller closes it. path as
 * "/dev/loop3". is_direct: direct I/O is really on (the file system may not have it). */
int loopdev_attach(int file_fd, char path[LOOPDEV_PATH], int *device_fd, bool *is_direct);
/* The device behind path is attached to the file with these numbers. */
bool loopdev_is_over(const char *path, uint64_t device, uint64_t inode);
/* The same, distinguished: 1, 0 (also when it is attached to nothing), or -errno when it cannot be seen. */
int loopdev_look(const char *path, uint64_t device, uint64_t inode);
/* As loopdev_look, of a loop device over the block device of this number. */
int loopdev_look_device(const char *path, uint64_t number);
/* Detaches path if it is over that file; success when it is not. */
int loopdev_detach(const char *path, uint64_t device, uint64_t inode);

#endif
