/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/target/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/interrupt.h"

#define NOT_FOUND 127
#define NOT_RUN 126

int child_start(char **command, struct child *child)
{
	int go[2], failure[2];

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failure, O_CLOEXEC)) {
		int err = -errno;

		close(go[0]);
		close(go[1]);
		return err;
	}
	child->pid = fork();
	if (!child->pid) {
		char byte;

		interrupt_reset();
		close(go[1]);
		/* The end of the file instead of the byte means that the recorder is gone. */
		if (read(go[0], &byte, 1) == 1) {
			execvp(command[0], command);
			if (write(failure[1], &errno, sizeof(errno)) < 0)
				_exit(NOT_RUN);
		}
		_exit(NOT_FOUND);
	}
	close(go[0]);
	close(failure[1]);
	child->go_fd = go[1];
	child->failure_fd = failure[0];
	child->pid_fd = child->pid > 0 ? (int)syscall(SYS_pidfd_open, child->pid, 0) : -1;
	if (child->pid < 0 || child->pid_fd < 0) {
		int err = -errno;

		child_close(child);
		return err;
	}
	return 0;
}

int child_go(struct child *child)
{
	int failed = 0;
	char byte = 1;

	if (write(child->go_fd, &byte, 1) != 1)
		return errno;
	close(child->go_fd);
	child->go_fd = -1;
	if (read(child->failure_fd, &failed, sizeof(failed)) != sizeof(failed))
		failed = 0;
	return failed;
}

void child_close(struct child *child)
{
	if (child->go_fd >= 0)
		close(child->go_fd);
	if (child->failure_fd >= 0)
		close(child->failure_fd);
	if (child->pid_fd >= 0)
		close(child->pid_fd);
	child->go_fd = child->failure_fd = child->pid_fd = -1;
}
