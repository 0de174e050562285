/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/plot.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/diag.h"
#include "common/find.h"

#define NO_PROGRAM 127 /* what a child ends with that found no gnuplot */
#define WORDS_MAX 4096 /* of what gnuplot says */

/* What would change the picture, or be run by gnuplot. Its own: GNUPLOT_*, GNUTERM, GNUHELP, FIT_*; PAGER. */
static bool is_unwanted(const char *variable)
{
	static const char *const prefixes[] = {"GNU", "FIT_", "PAGER=", "LC_", "LANG"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (!strncmp(variable, prefixes[i], strlen(prefixes[i])))
			return true;
	}
	return false;
}

/* In the child: never returns. files take the places of stdin, stdout and stderr. /dev/stdin rather than "-": gnuplot's errors
 * then have line numbers. */
static void become_gnuplot(const char *program, pid_t parent, const int files[3], size_t bytes_max)
{
	static char name[] = "gnuplot", no_settings[] = "-d", input[] = "/dev/stdin";
	char *words[] = {name, no_settings, input, NULL}, **kept = environ;

	setpgid(0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	/* A picture that is too large ends gnuplot by SIGXFSZ. A limit of the user that is lower stays. */
	signal(SIGXFSZ, SIG_DFL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes_max, bytes_max});
	for (int i = 0; i < 3; i++) {
		if (dup2(files[i], i) < 0)
			_exit(1);
	}
	for (char **variable = environ; variable && *variable; variable++) {
		if (!is_unwanted(*variable))
			*kept++ = *variable;
	}
	if (kept)
		*kept = NULL;
	if (setenv("LC_ALL", "C.UTF-8", 1))
		_exit(1);
	execv(program, words);
	_exit(errno == ENOENT || errno == EACCES || errno == ENOTDIR ? NO_PROGRAM : 1);
}

/* Runs gnuplot with these files until it ends. Returns 0 and its status of wait(2), -ETIMEDOUT or another -errno. In any case
 * the process is gone, with those that it started itself. */
static int run_child(const int files[3], const struct plot_gnuplot_limits *limits, int *status)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)limits->timeout_ms * 1000000;
	char program[PATH_MAX] = "";
	struct pollfd child = {-1, POLLIN, 0};
	pid_t parent = getpid(), pid;
	int rc = 0;

	if (find_in_path("gnuplot", program, sizeof(program)))
		program[0] = '\0';
	pid = fork();
	if (pid == 0)
		become_gnuplot(program, parent, files, limits->bytes_max);
	if (pid < 0)
		return -errno;
	/* Both sides: whichever is first. */
	setpgid(pid, pid);
	child.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (child.fd < 0)
		rc = -errno;
	while (!rc) {
		uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
		int ready = now_ns < end_ns ? poll(&child, 1, (int)((end_ns - now_ns + 999999) / 1000000)) : 0;

		if (ready > 0)
			break;
		if (ready == 0)
			rc = -ETIMEDOUT;
		else if (errno != EINTR)
			rc = -errno;
	}
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	if (child.fd >= 0)
		close(child.fd);
	return rc;
}

/* Returns what was written to a file, up to max bytes and a NUL, which the caller frees; NULL = memory is short. */
static char *read_back(int fd, size_t max, size_t *size)
{
	off_t end = lseek(fd, 0, SEEK_END);
	size_t wanted = end < 0 ? 0 : (size_t)end < max ? (size_t)end : max, done = 0;
	char *bytes = malloc(wanted + 1);

	while (bytes && done < wanted) {
		ssize_t got = pread(fd, bytes + done, wanted - done, (off_t)done);

		if (got == 0 || (got < 0 && errno != EINTR))
			break;
		done += got > 0 ? (size_t)got : 0;
	}
	if (bytes)
		bytes[done] = '\0';
	*size = done;
	return bytes;
}

/* gnuplot repeats the command and points at the place, in lines of their own; the reason is where the line is named. */
static const char *reason(char *words)
{
	const char *first = NULL;
	char *rest = words, *line;

	while ((line = strsep(&rest, "\n"))) {
		line += strspn(line, " \t");
		if (strstr(line, "warning:"))
			continue;
		if (strstr(line, " line ") && strchr(line, ':'))
			return line;
		if (line[0] && line[0] != '^' && !first)
			first = line;
	}
	return first ? first : "it gave no reason";
}

static void print_remark(const char *words)
{
	const char *remark = words ? strstr(words, PLOT_GNUPLOT_REMARK) : NULL;

	if (remark && (remark == words || remark[-1] == '\n')) {
		remark += strlen(PLOT_GNUPLOT_REMARK);
		diag_warn("%.*s", (int)strcspn(remark, "\n"), remark);
	}
}

/* What the kernel ends a process with that a cgroup has no memory for, and what allocations that fail end in. */
static bool is_of_memory(int number)
{
	return number == SIGKILL || number == SIGABRT || number == SIGSEGV || number == SIGBUS;
}

static int decide(int rc, int status, bool is_empty, char *messages, const struct plot_gnuplot_limits *limits)
{
	if (rc == -ETIMEDOUT)
		diag_error(0, "gnuplot did not finish within %g s, and was ended", limits->timeout_ms / 1000.0);
	else if (rc)
		diag_error(rc, "gnuplot could not be run");
	else if (WIFEXITED(status) && WEXITSTATUS(status) == NO_PROGRAM)
		diag_error(0, "gnuplot is not installed: install gnuplot-nox (Debian)");
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
		diag_error(0, "gnuplot wrote more than %zu MiB, and was ended", limits->bytes_max >> 20);
	else if (WIFSIGNALED(status))
		diag_error(0, "gnuplot was ended by signal %d%s", WTERMSIG(status), !is_of_memory(WTERMSIG(status))
			? "" : ": probably a limit of memory (cgroup, ulimit -v); draw fewer reports, or raise it");
	else if (WEXITSTATUS(status) == PLOT_GNUPLOT_NO_TERMINAL)
		diag_error(0, "%s", reason(messages));
	else if (WEXITSTATUS(status) == PLOT_GNUPLOT_REFUSED)
		return diag_usage("%s", reason(messages));
	else if (WEXITSTATUS(status) || is_empty)
		diag_error(0, "gnuplot failed: %s", reason(messages));
	else
		return DIAG_EXIT_OK;
	return DIAG_EXIT_HOST;
}

int plot_gnuplot_run(const char *script, size_t size, const struct plot_gnuplot_limits *limits, char **picture,
	size_t *picture_size)
{
	int files[3] = {-1, -1, -1}, status = 0, rc = 0; /* without names: the script, the picture and gnuplot's messages */
	char *bytes = NULL, *words = NULL;
	size_t bytes_size = 0, words_size, done = 0;

	for (int i = 0; i < 3 && !rc; i++) {
		files[i] = memfd_create("memstor-plot", MFD_CLOEXEC);
		rc = files[i] < 0 ? -errno : 0;
	}
	while (!rc && done < size) {
		ssize_t wrote = pwrite(files[0], script + done, size - done, (off_t)done);

		if (wrote < 0 && errno != EINTR)
			rc = -errno;
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	if (!rc)
		rc = run_child(files, limits, &status);
	if (!rc) {
		bytes = read_back(files[1], limits->bytes_max, &bytes_size);
		words = read_back(files[2], WORDS_MAX, &words_size);
		rc = bytes && words ? 0 : -ENOMEM;
	}
	for (int i = 0; i < 3; i++) {
		if (files[i] >= 0)
			close(files[i]);
	}
	rc = decide(rc, status, bytes_size == 0, words, limits);
	if (rc) {
		free(bytes);
	} else {
		print_remark(words);
		*picture = bytes;
		*picture_size = bytes_size;
	}
	free(words);
	return rc;
}
