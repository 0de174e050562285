/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a function prints, and how it ends: it runs in a child, since --help ends the process. */
#ifndef TESTS_UNIT_SAID_H
#define TESTS_UNIT_SAID_H

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/unit.h"

struct said {
	int status;
	char out[4096], err[1024];
};

static inline void said_read(FILE *file, char *text, size_t capacity)
{
	rewind(file);
	text[fread(text, 1, capacity - 1, file)] = '\0';
	fclose(file);
}

/* What this process writes to stderr from said_begin to said_end, where no child is needed: less than a pipe holds. */
struct said_err {
	int pipes[2], before;
};

static inline void said_begin(struct said_err *said)
{
	said->before = dup(STDERR_FILENO);
	assert_int_equal(pipe(said->pipes), 0);
	dup2(said->pipes[1], STDERR_FILENO);
}

static inline void said_end(struct said_err *said, char *text, size_t capacity)
{
	ssize_t got;

	dup2(said->before, STDERR_FILENO);
	close(said->before);
	close(said->pipes[1]);
	got = read(said->pipes[0], text, capacity - 1);
	close(said->pipes[0]);
	text[got > 0 ? got : 0] = '\0';
}

/* The child ends with what act(data) returns. */
static inline struct said said_of(int (*act)(void *data), void *data)
{
	FILE *out = tmpfile(), *err = tmpfile();
	struct said said = {0};
	pid_t child;

	assert_non_null(out);
	assert_non_null(err);
	fflush(NULL);
	child = fork();
	if (!child) {
		if (dup2(fileno(out), STDOUT_FILENO) < 0 || dup2(fileno(err), STDERR_FILENO) < 0)
			_exit(99);
		exit(act(data));
	}
	assert_int_equal(waitpid(child, &said.status, 0), child);
	assert_true(WIFEXITED(said.status));
	said.status = WEXITSTATUS(said.status);
	said_read(out, said.out, sizeof(said.out));
	said_read(err, said.err, sizeof(said.err));
	return said;
}

#endif
