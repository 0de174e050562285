/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work on files in child processes, with the output, messages and status of one process that takes a file after another.
 */
#ifndef MEMSTOR_WORKERS_H
#define MEMSTOR_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct workers {
	/*
	 * Writes what it has to say of a file to out, and returns a diag_exit code; with one above DIAG_EXIT_NEGATIVE there is
	 * a line on stderr, otherwise there is none. May run in a child process, where it is forgotten with a code above
	 * DIAG_EXIT_NEGATIVE and runs again in the caller. What else it changes may or may not be seen by the caller.
	 */
	int (*work)(void *data, const char *path, FILE *out);
	void *data;
	FILE *out;     /* its errors stick */
	bool is_until; /* the first code that is not DIAG_EXIT_OK is the last file's */
};

/*
 * Works on the files in up to that many child processes at a time, with fewer when descriptors or processes are short; 1 is
 * the caller alone. Files that are not regular ones, which may be read only once, and those of a child that died are
 * worked on by the caller. Returns the largest code.
 */
int workers_run(const struct workers *workers, char *const *paths, size_t count, unsigned processes);

/* How many to use: the CPUs that this process may run on, up to 8, each of which has a report in memory. */
unsigned workers_default(void);

#endif
