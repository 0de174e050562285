/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library that memtrace record loads into its command. */
#ifndef MEMTRACE_PRELOAD_H
#define MEMTRACE_PRELOAD_H

#define PRELOAD_LIBRARY "libmemtrace-allocs.so"

/* Adds it to LD_PRELOAD, for the command that is started next. 0 or -errno: -ENOENT it is neither beside the program nor
 * installed. */
int preload_library(void);

#endif
