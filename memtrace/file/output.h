/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The standard output of another program, as a stream. */
#ifndef MEMTRACE_FILE_OUTPUT_H
#define MEMTRACE_FILE_OUTPUT_H

#include <stdio.h>
#include <sys/types.h>

struct output {
	FILE *stream;
	pid_t pid;
};

/* Starts the program at path, in the C locale, without standard input and standard error. Returns 0 or -errno. */
int output_open(const char *path, char *const *argv, struct output *output);
/* Waits for the program's end. Returns the exit status, or -1 if a signal ended it. */
int output_close(struct output *output);

#endif
