/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measured runs of a command: alone, recorded by this program, and under valgrind's lackey, which traces every access. Recordings
 * go to a file without a name, and their control file is a pipe: nothing is left, however the program ends.
 */
#ifndef MEMTRACE_CHECK_RUNS_H
#define MEMTRACE_CHECK_RUNS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct runs {
	const char *name;       /* of the subcommand, for messages */
	char program[PATH_MAX]; /* this program */
	char place[64];         /* path of the recording */
	int fd;                 /* of the recording; -1 = none */
};

/* Returns 0, or a diag_exit code after an error message. */
int runs_open(struct runs *runs, const char *name);
void runs_close(struct runs *runs);

/* Starts program (a path, or a name in PATH) with argv. Its standard input is empty; its standard output goes to output_fd (-1:
 * /dev/null); log_fd, unless it is -1, becomes descriptor 9. Returns its process ID, or -errno. */
pid_t runs_start(const char *program, char *const *argv, int output_fd, int log_fd);
/* Waits for the process; name is its name in messages. Returns 0, or a diag_exit code after an error message if it was not
 * started, was interrupted or failed. */
int runs_finish(const struct runs *runs, pid_t pid, const char *name);

/* Records command with "memtrace record", these options and those for a recording that leaves no files; its standard output goes
 * to output_fd as above. Each list ends with NULL. Returns 0, also if the recording lacks samples, which it counts, or a diag_exit
 * code after an error message. */
int runs_record(struct runs *runs, const char *const *options, const char *const *command, int output_fd);

/* Takes a data access in a trace of lackey. kind: 'L', 'S' or 'M' (both). */
typedef int runs_lackey_take(void *data, char kind, uint64_t address);
/* Runs command under lackey; valgrind is the path of that program. Calls take for each access, until it returns an error; bytes
 * receives the size of the trace. Returns 0, or a diag_exit code after an error message. */
int runs_lackey(const struct runs *runs, const char *valgrind, const char *const *command, int output_fd, runs_lackey_take *take,
	void *data, uint64_t *bytes);

#endif
