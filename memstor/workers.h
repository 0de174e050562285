/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes files in child processes. Output, messages and status are those of one process that takes file after file.
 */
#ifndef MEMSTOR_WORKERS_H
#define MEMSTOR_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct workers {
	/*
	 * Processes a file: writes its output to out and returns a diag_exit code. With a code above DIAG_EXIT_NEGATIVE it
	 * prints a line on stderr, otherwise none. It may run in a child process; if it returns such a code there, its output
	 * is discarded and it runs again in the caller. The caller may or may not see its other side effects.
	 */
	int (*work)(void *data, const char *path, FILE *out);
	void *data;
	FILE *out;     /* the caller checks ferror(3) */
	bool is_until; /* stop after the first file whose code is not DIAG_EXIT_OK */
};

/*
 * Processes the files in up to `processes` child processes, in fewer if descriptors or processes are short; 1 = in the
 * caller alone. The caller processes files that are not regular, since they may be readable only once, and those of a
 * child that died. Returns the largest code.
 */
int workers_run(const struct workers *workers, char *const *paths, size_t count, unsigned processes);

/* Returns the default number of processes: that of the CPUs of this process, up to 8, since each holds a report in memory. */
unsigned workers_default(void);

#endif
