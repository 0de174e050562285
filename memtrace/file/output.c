/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/file/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/interrupt.h"

#define NOT_RUN 126

int output_open(const char *path, char *const *argv, struct output *output)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	output->pid = fork();
	if (!output->pid) {
		int none = open("/dev/null", O_RDWR);

		interrupt_reset();
		if (none < 0 || dup2(none, STDIN_FILENO) < 0 || dup2(none, STDERR_FILENO) < 0 || dup2(ends[1], STDOUT_FILENO) < 0)
			_exit(NOT_RUN);
		setenv("LC_ALL", "C", 1);
		execv(path, argv);
		_exit(NOT_RUN);
	}
	close(ends[1]);
	output->stream = output->pid < 0 ? NULL : fdopen(ends[0], "r");
	if (!output->stream) {
		int err = -errno;

		close(ends[0]);
		if (output->pid > 0)
			waitpid(output->pid, NULL, 0);
		return err;
	}
	return 0;
}

int output_close(struct output *output)
{
	int status;

	fclose(output->stream);
	while (waitpid(output->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
