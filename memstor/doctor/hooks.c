/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/doctor/hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/pressure_check.h"
#include "common/swap.h"
#include "common/tracefs.h"
#include "common/find.h"

#define CALIBRATION_NS 50000000ull
#define VERSION_WAIT_MS 5000 /* a program that says nothing by then has no version */

static int time_source(const char *root, struct timebase *timebase)
{
	return timebase_init(timebase, TICKS_DEFAULT, false, CALIBRATION_NS, root);
}

static int memlock_limit(uint64_t *bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return -errno;
	*bytes = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
	return 0;
}

static int wait_for(pid_t child, int *status)
{
	while (waitpid(child, status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/* unshare is about the children to come: a child that has none tries it. */
static int pid_namespace(void)
{
	int status = 0, err;
	pid_t child = fork();

	if (child < 0)
		return -errno;
	if (!child)
		_exit(unshare(CLONE_NEWPID) ? errno : 0);
	err = wait_for(child, &status);
	if (err)
		return err;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

static int is_writable(const char *path)
{
	return access(path, W_OK) ? -errno : 0;
}

static int swap_file(const char *root, const char *folder, char *why, size_t length)
{
	struct pressure_plan plan = {.swap = {.kind = PRESSURE_SWAP_FILE, .bytes = SWAP_MIN_BYTES}};

	if (snprintf(plan.swap.path, sizeof(plan.swap.path), "%s/memstor-doctor.swap", folder) >= (int)sizeof(plan.swap.path))
		return pressure_refuse(-ENAMETOOLONG, why, length, "the path is longer than 255 bytes");
	return pressure_check_swap(root, &plan, why, length);
}

static int uring(unsigned flags)
{
	struct io_uring_params params = {.flags = flags};
	int fd = (int)syscall(SYS_io_uring_setup, 4, &params);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int tracefs(void)
{
	int dirfd, err = tracefs_open_dir(&dirfd);

	if (err)
		return err;
	if (faccessat(dirfd, "trace_marker", W_OK, AT_EACCESS))
		err = -errno;
	close(dirfd);
	return err;
}

static int user_faults(int flags, uint64_t *features)
{
	struct uffdio_api api = {.api = UFFD_API};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | flags), err = 0;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, UFFDIO_API, &api))
		err = -errno;
	else
		*features = api.features;
	close(fd);
	return err;
}

/* Reads until the first newline, the end or the time is over. */
static int read_line(int fd, char *line, size_t length)
{
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	size_t used = 0;

	while (used + 1 < length && poll(&polled, 1, VERSION_WAIT_MS) > 0) {
		ssize_t got = read(fd, line + used, length - 1 - used);

		if (got <= 0)
			break;
		used += (size_t)got;
		if (memchr(line, '\n', used))
			break;
	}
	line[used] = '\0';
	line[strcspn(line, "\n")] = '\0';
	for (char *at = line; *at; at++)
		*at = *at >= ' ' && *at <= '~' ? *at : '?';
	return *line ? 0 : -ENODATA;
}

static void exec_version(const char *path, int out)
{
	int null = open("/dev/null", O_RDWR);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDERR_FILENO);
	}
	dup2(out, STDOUT_FILENO);
	execl(path, path, "--version", (char *)NULL);
	_exit(errno == ENOENT ? 127 : 126);
}

int doctor_program_version(const char *program, char *line, size_t length)
{
	int ends[2], status = 0, err;
	char path[PATH_MAX];
	pid_t child;

	/* Not execlp: of what is nowhere it says EACCES when a folder of PATH may not be searched. */
	if (find_in_path(program, path, sizeof(path)))
		return -ENOENT;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	child = fork();
	if (!child)
		exec_version(path, ends[1]);
	close(ends[1]);
	err = child < 0 ? -errno : read_line(ends[0], line, length);
	close(ends[0]);
	if (child < 0)
		return err;
	/* It has said what it had to say, or hangs. */
	kill(child, SIGKILL);
	if (!wait_for(child, &status) && WIFEXITED(status) && WEXITSTATUS(status) >= 126)
		return WEXITSTATUS(status) == 127 ? -ENOENT : -EACCES;
	return err;
}

const struct doctor_hooks doctor_real_hooks = {
	.time_source = time_source,
	.memlock_limit = memlock_limit,
	.pid_namespace = pid_namespace,
	.is_writable = is_writable,
	.swap_file = swap_file,
	.uring = uring,
	.direct = doctor_try_direct,
	.perf_event = doctor_perf_event,
	.fault_address = doctor_fault_address,
	.tracefs = tracefs,
	.userfaultfd = user_faults,
	.program_version = doctor_program_version,
	.pause = clock_pause,
};
