/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command that is recorded: a process that waits before its exec until the recorder is ready. */
#ifndef MEMTRACE_TARGET_CHILD_H
#define MEMTRACE_TARGET_CHILD_H

#include <sys/types.h>

struct child {
	pid_t pid;
	int go_fd, failure_fd, pid_fd; /* -1 = none */
};

/* Starts the child, which waits for child_go. The child ends if memtrace dies before child_go. Returns 0 or -errno. */
int child_start(char **command, struct child *child);
/* Lets the child execute the command. Returns 0, or the positive errno of exec, after which the child has ended. */
int child_go(struct child *child);
void child_close(struct child *child);

#endif
