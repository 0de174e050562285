/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs of a command that are measured: alone, recorded by this program, and under valgrind's lackey, which traces every access.
 * Recordings go to a file without a name, and their control file is a pipe: nothing is left whatever ends this.
 */
#ifndef MEMTRACE_RUNS_H
#define MEMTRACE_RUNS_H

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

/* 0, or a diag_exit code after one line. */
int runs_open(struct runs *runs, const char *name);
void runs_close(struct runs *runs);

/* Starts program (a path, or a name in PATH) with argv. Its standard input is empty; its standard output goes to output_fd, which
 * -1 drops; log_fd, unless it is -1, is descriptor 9 there. A process, or -errno. */
pid_t runs_start(const char *program, char *const *argv, int output_fd, int log_fd);
/* Waits for it. 0, or a diag_exit code after one line: it, called name in messages, was not started, was interrupted or failed. */
int runs_finish(const struct runs *runs, pid_t pid, const char *name);

/* Records command by "memtrace record" with these options and those for a recording that leaves nothing, its standard output going
 * to output_fd as above. Each list ends with NULL. 0, or a diag_exit code after one line. */
int runs_record(struct runs *runs, const char *const *options, const char *const *command, int output_fd);

/* An access to data in a trace of lackey. kind: 'L', 'S' or 'M' (both). */
typedef int runs_lackey_take(void *data, char kind, uint64_t address);
/* Runs command under lackey, valgrind being that program. Calls take for each access, until it returns an error; bytes: size of
 * the trace. 0, or a diag_exit code after one line. */
int runs_lackey(const struct runs *runs, const char *valgrind, const char *const *command, int output_fd, runs_lackey_take *take,
	void *data, uint64_t *bytes);

#endif
