/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command that is recorded: a process that waits before its exec until the recorder is ready. */
#ifndef MEMTRACE_CHILD_H
#define MEMTRACE_CHILD_H

#include <sys/types.h>

struct child {
	pid_t pid;
	int go_fd, failure_fd, pid_fd; /* -1 = none */
};

/* 0 or -errno. When memtrace dies before child_go the child ends, too. */
int child_start(char **command, struct child *child);
/* Lets it execute the command: 0, or the positive errno of exec, after which it has ended. */
int child_go(struct child *child);
void child_close(struct child *child);

#endif
