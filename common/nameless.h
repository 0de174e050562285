/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file without a name, which is gone with its last descriptor. */
#ifndef COMMON_NAMELESS_H
#define COMMON_NAMELESS_H

/* In folder, for reading and writing by this user only; flags: O_DIRECT or 0. The descriptor, which is not inherited, or -errno.
 * Where the file system lacks O_TMPFILE the file has a name, .memstor-*, for a moment. */
int nameless_open(const char *folder, int flags);

#endif
