/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the programs are that others start. What root starts must be root's: in /usr/sbin, /usr/bin, /sbin or /bin, or a
 * file and a folder that belong to root and that no other user may write to.
 */
#ifndef COMMON_FIND_H
#define COMMON_FIND_H

#include <stddef.h>
#include <sys/types.h>

/* The path of an executable file of PATH's folders; for root those above only. 0 or -ENOENT. */
int find_in_path(const char *name, char *path, size_t length);
/* 0 when this path of a folder and a name is an executable file, and both are root's, the effective user's or the
 * given one's, and no other user may write to them; -ENOENT otherwise. */
int find_of_owner(const char *path, uid_t owner);

#endif
