/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds programs to start. A program that root starts must be in /usr/sbin, /usr/bin, /sbin or /bin, or be a file in a
 * folder that both belong to root and that no other user may write to.
 */
#ifndef COMMON_BASE_FIND_H
#define COMMON_BASE_FIND_H

#include <stddef.h>
#include <sys/types.h>

/* Finds the path of an executable file in the folders of PATH (for root only in those above). Returns 0 or -ENOENT. */
int find_in_path(const char *name, char *path, size_t length);
/* Returns 0 when this path (a folder and a name) is an executable file, folder and file belong to root, the effective user
 * or the given owner, and no other user may write to them; -ENOENT otherwise. */
int find_of_owner(const char *path, uid_t owner);

#endif
