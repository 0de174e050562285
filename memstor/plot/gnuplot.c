/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/plot.h"

#include <errno.h>
#include <fcntl.h>
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/diag.h"
#include "common/find.h"

#define NO_PROGRAM 127 /* what a child ends with that found no gnuplot */
#define WORDS_MAX 4096 /* of what gnuplot says */

struct sink { /* one of the child's outputs, up to its end */
	int fd;
	char *bytes;
	size_t used, room, max; /* what comes behind max is dropped */
	bool is_cut;
};

struct child {
	pid_t pid;
	int pidfd;
	int status;
	struct sink out, err;
};

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

/* A new list; its texts are those of environ. */
static char **make_environment(void)
{
	static char locale[] = "LC_ALL=C.UTF-8";
	size_t count = 0, kept = 0;
	char **list;

	while (environ && environ[count])
		count++;
	list = calloc(count + 2, sizeof(*list));
	for (size_t i = 0; list && i < count; i++) {
		if (!is_unwanted(environ[i]))
			list[kept++] = environ[i];
	}
	if (list)
		list[kept] = locale;
	return list;
}

/* In the child: never returns. /dev/stdin rather than "-": gnuplot's errors then have line numbers. */
static void become_gnuplot(const char *program, pid_t parent, int script, int out, int err, char **environment)
{
	static char name[] = "gnuplot", no_settings[] = "-d", input[] = "/dev/stdin";
	char *words[] = {name, no_settings, input, NULL};

	setpgid(0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	if (dup2(script, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		_exit(1);
	execve(program, words, environment);
	_exit(errno == ENOENT || errno == EACCES || errno == ENOTDIR ? NO_PROGRAM : 1);
}

/* The script as a file that gnuplot reads from the begin and that has no name. */
static int keep_in_memory(const char *script, size_t size)
{
	int fd = memfd_create("memstor-plot", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < size) {
		ssize_t wrote = write(fd, script + done, size - done);

		if (wrote < 0 && errno != EINTR) {
			int err = -errno;

			close(fd);
			return err;
		}
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	if (fd >= 0 && lseek(fd, 0, SEEK_SET) < 0) {
		close(fd);
		return -EIO;
	}
	return fd >= 0 ? fd : -errno;
}

/* With the two pipes open; their writing ends are closed here. */
static int fork_child(struct child *child, int script, const int *out, const int *err)
{
	char **environment = make_environment(), program[PATH_MAX] = "";
	pid_t parent = getpid();
	int rc = 0;

	if (!environment)
		return -ENOMEM;
	if (find_in_path("gnuplot", program, sizeof(program)))
		program[0] = '\0';
	child->pid = fork();
	if (child->pid == 0)
		become_gnuplot(program, parent, script, out[1], err[1], environment);
	if (child->pid < 0)
		rc = -errno;
	free(environment);
	if (rc)
		return rc;
	/* Both sides: whichever is first. */
	setpgid(child->pid, child->pid);
	child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	return child->pidfd < 0 ? -errno : 0;
}

static int start(struct child *child, const char *script, size_t size)
{
	int out[2] = {-1, -1}, err[2] = {-1, -1};
	int fd = keep_in_memory(script, size);
	int rc = fd < 0 ? fd : 0;

	if (!rc && (pipe2(out, O_CLOEXEC | O_NONBLOCK) || pipe2(err, O_CLOEXEC | O_NONBLOCK)))
		rc = -errno;
	/* gnuplot expects to wait for its reader. */
	if (!rc && (fcntl(out[1], F_SETFL, 0) || fcntl(err[1], F_SETFL, 0)))
		rc = -errno;
	if (!rc)
		rc = fork_child(child, fd, out, err);
	child->out.fd = out[0];
	child->err.fd = err[0];
	if (fd >= 0)
		close(fd);
	if (out[1] >= 0)
		close(out[1]);
	if (err[1] >= 0)
		close(err[1]);
	return rc;
}

/* Makes room for more, up to max and a NUL. */
static bool grow(struct sink *sink)
{
	size_t room = sink->room ? 2 * sink->room : 65536;
	char *bytes;

	if (room > sink->max + 1)
		room = sink->max + 1;
	bytes = realloc(sink->bytes, room);
	if (!bytes)
		return false;
	sink->bytes = bytes;
	sink->room = room;
	return true;
}

/* Reads what is there; closes at the end. */
static int drain(struct sink *sink)
{
	char spare[4096];

	for (;;) {
		bool is_full = sink->used == sink->max;
		ssize_t got;

		if (!is_full && sink->used + 1 >= sink->room && !grow(sink))
			return -ENOMEM;
		got = is_full ? read(sink->fd, spare, sizeof(spare))
			      : read(sink->fd, sink->bytes + sink->used, sink->room - 1 - sink->used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return 0;
		if (got <= 0) {
			close(sink->fd);
			sink->fd = -1;
			return got < 0 ? -errno : 0;
		}
		if (is_full)
			sink->is_cut = true;
		else
			sink->used += (size_t)got;
	}
}

static int64_t now_ms(void)
{
	return (int64_t)(clock_ns(CLOCK_MONOTONIC) / 1000000);
}

/* Until both outputs are closed and the child has ended. -ETIMEDOUT when that takes too long. */
static int follow(struct child *child, int timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;

	while (child->out.fd >= 0 || child->err.fd >= 0 || child->pidfd >= 0) {
		struct pollfd fds[] = {
			{child->out.fd, POLLIN, 0}, {child->err.fd, POLLIN, 0}, {child->pidfd, POLLIN, 0}};
		int64_t left = deadline - now_ms();
		int rc = left > 0 ? poll(fds, 3, (int)left) : 0;

		if (rc < 0 && errno == EINTR)
			continue;
		if (rc <= 0)
			return rc < 0 ? -errno : -ETIMEDOUT;
		rc = fds[0].revents ? drain(&child->out) : 0;
		if (!rc && fds[1].revents)
			rc = drain(&child->err);
		if (rc)
			return rc;
		if (child->out.is_cut)
			return -EFBIG;
		if (fds[2].revents) {
			close(child->pidfd);
			child->pidfd = -1;
		}
	}
	return 0;
}

/* Whatever happened: the child is gone, with those that it started itself. */
static void end(struct child *child)
{
	if (child->pid > 0) {
		kill(-child->pid, SIGKILL);
		kill(child->pid, SIGKILL);
		while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
			;
	}
	if (child->pidfd >= 0)
		close(child->pidfd);
	if (child->out.fd >= 0)
		close(child->out.fd);
	if (child->err.fd >= 0)
		close(child->err.fd);
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

static void hand_on_remark(const char *words)
{
	const char *remark = strstr(words, PLOT_GNUPLOT_REMARK);

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

static int decide(struct child *child, int rc, const struct plot_gnuplot_limits *limits)
{
	if (rc == -ETIMEDOUT)
		diag_error(0, "gnuplot did not finish within %g s, and was ended", limits->timeout_ms / 1000.0);
	else if (rc == -EFBIG)
		diag_error(0, "gnuplot wrote more than %zu MiB, and was ended", limits->bytes_max >> 20);
	else if (rc)
		diag_error(rc, "gnuplot could not be run");
	else if (WIFEXITED(child->status) && WEXITSTATUS(child->status) == NO_PROGRAM)
		diag_error(0, "gnuplot is not installed: install gnuplot-nox (Debian)");
	else if (WIFSIGNALED(child->status))
		diag_error(0, "gnuplot was ended by signal %d%s", WTERMSIG(child->status), !is_of_memory(WTERMSIG(child->status))
			? "" : ": probably a limit of memory (cgroup, ulimit -v); draw fewer reports, or raise it");
	else if (WEXITSTATUS(child->status) == PLOT_GNUPLOT_NO_TERMINAL)
		diag_error(0, "%s", reason(child->err.bytes));
	else if (WEXITSTATUS(child->status) == PLOT_GNUPLOT_REFUSED) {
		return diag_usage("%s", reason(child->err.bytes));
	} else if (WEXITSTATUS(child->status) || child->out.used == 0)
		diag_error(0, "gnuplot failed: %s", reason(child->err.bytes));
	else
		return DIAG_EXIT_OK;
	return DIAG_EXIT_HOST;
}

int plot_gnuplot_run(const char *script, size_t size, const struct plot_gnuplot_limits *limits, char **picture,
	size_t *picture_size)
{
	struct child child = {.pid = -1, .pidfd = -1, .out = {.fd = -1, .max = limits->bytes_max},
		.err = {.fd = -1, .max = WORDS_MAX}};
	int rc = grow(&child.err) ? start(&child, script, size) : -ENOMEM;

	if (!rc)
		rc = follow(&child, limits->timeout_ms);
	end(&child);
	if (child.err.bytes)
		child.err.bytes[child.err.used] = '\0';
	rc = decide(&child, rc, limits);
	if (!rc && child.err.bytes)
		hand_on_remark(child.err.bytes);
	free(child.err.bytes);
	if (rc) {
		free(child.out.bytes);
		return rc;
	}
	*picture = child.out.bytes;
	*picture_size = child.out.used;
	return DIAG_EXIT_OK;
}
