/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What common/undo and common/pressure put back in the same way, and how they say it. */
#ifndef COMMON_RESTORE_H
#define COMMON_RESTORE_H

#include <stdbool.h>
#include <stdint.h>

/* "restored: ..." on stderr, if says_so. */
void restore_say(bool says_so, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Detaches the loop device path if it is over the file of this device and inode; another's is left alone. 0, or -errno
 * after one line. */
int restore_loop(const char *path, uint64_t device, uint64_t inode, bool says_so);

#endif
