/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file that a recording is written to. */
#ifndef MEMTRACE_RECORDING_H
#define MEMTRACE_RECORDING_H

/* A file that may be replaced: new, empty, or a recording, which is not emptied. Its descriptor, the caller's to close, or
 * -(exit code) after one line. */
int recording_create(const char *path);

#endif
