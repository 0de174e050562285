/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library that memtrace record loads into its command. */
#ifndef MEMTRACE_FILE_PRELOAD_H
#define MEMTRACE_FILE_PRELOAD_H

#define PRELOAD_LIBRARY "libmemtrace-allocs.so"
#define PRELOAD_MEMORY "memtrace-allocs" /* the memfd that it shares with memtrace */

/* Adds the library to LD_PRELOAD for the command that is started next. Returns 0 or -errno; -ENOENT if the library is neither in
 * the program's directory nor installed. */
int preload_library(void);

#endif
