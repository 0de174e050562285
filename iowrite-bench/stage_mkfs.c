/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/stage_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/find.h"

#define MISSING 127 /* as a shell's */

/* No lazy initialisation: the kernel would write in the background while we measure. No discard: the image's blocks
 * are to stay. Few inodes: there is less to write. */
static void exec_mkfs(const char *device)
{
	static const char *const places[] = {"/usr/sbin/mkfs.ext4", "/sbin/mkfs.ext4"};
	char found[PATH_MAX];

	/* The search path of a user's shell often lacks sbin. */
	for (size_t i = 0; i < 1 + sizeof(places) / sizeof(places[0]); i++) {
		if (!i && find_in_path("mkfs.ext4", found, sizeof(found)))
			continue;
		execl(i ? places[i - 1] : found, "mkfs.ext4", "-q", "-m", "0", "-i", "262144", "-E",
			"nodiscard,lazy_itable_init=0,lazy_journal_init=0", device, (char *)NULL);
	}
}

static _Noreturn void run_child(const char *device, int output)
{
	int null = open("/dev/null", O_RDONLY);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
		_exit(1);
	exec_mkfs(device);
	_exit(errno == ENOENT ? MISSING : 1);
}

/* The last line of what it said. */
static const char *last_line(int output, char *text, size_t length)
{
	off_t size = lseek(output, 0, SEEK_END);
	off_t from = size > (off_t)length - 1 ? size - (off_t)length + 1 : 0;
	ssize_t got = pread(output, text, length - 1, from);
	char *newline;

	text[got > 0 ? got : 0] = '\0';
	while ((newline = strrchr(text, '\n')) && !newline[1])
		*newline = '\0';
	return newline ? newline + 1 : text;
}

static int judge(int status, int output, const char *device)
{
	char text[256];

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return DIAG_EXIT_OK;
	if (WIFEXITED(status) && WEXITSTATUS(status) == MISSING)
		diag_error(0, "mkfs.ext4 is missing: install the package e2fsprogs");
	else if (WIFSIGNALED(status))
		diag_error(0, "mkfs.ext4 on %s was ended by signal %d", device, WTERMSIG(status));
	else
		diag_error(0, "mkfs.ext4 on %s failed: %s", device, last_line(output, text, sizeof(text)));
	return DIAG_EXIT_HOST;
}

int stage_mkfs(const char *device)
{
	int output = memfd_create("mkfs.ext4", MFD_CLOEXEC);
	int status = 0, code;
	pid_t pid;

	fflush(NULL);
	pid = output < 0 ? -1 : fork();
	if (pid == 0)
		run_child(device, output);
	if (pid < 0) {
		diag_error(errno, "cannot start mkfs.ext4");
		code = DIAG_EXIT_HOST;
	} else {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		code = judge(status, output, device);
	}
	if (output >= 0)
		close(output);
	return code;
}
