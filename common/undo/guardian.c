/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/undo/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/undo/journal.h"
#include "common/undo/undo_actions.h"

enum { FRONT = 3, JOURNAL = 4, PIDFD = 5, FIRST_FREE = 6 };

/* passed: a descriptor to send along, -1 = none. */
static int send_with(int fd, int verb, int value, int passed)
{
	struct guardian_message text = {verb, value};
	struct iovec bytes = {&text, sizeof(text)};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
	struct cmsghdr *header;

	if (passed >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(passed));
		memcpy(CMSG_DATA(header), &passed, sizeof(passed));
	}
	return TEMP_FAILURE_RETRY(sendmsg(fd, &message, MSG_NOSIGNAL)) < 0 ? -errno : 0;
}

int guardian_send(int fd, int verb, int value)
{
	return send_with(fd, verb, value, -1);
}

/* A descriptor that came with the message stays open, which holds its lock. */
static int receive(int fd, int flags, struct guardian_message *text)
{
	struct iovec bytes = {text, sizeof(*text)};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr message = {
		.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)};

	return TEMP_FAILURE_RETRY(recvmsg(fd, &message, flags | MSG_CMSG_CLOEXEC)) == (ssize_t)sizeof(*text) ? 0 : -EPIPE;
}

int guardian_receive(int fd, struct guardian_message *message)
{
	return receive(fd, 0, message);
}

/* Copies the wanted descriptors before it moves them, because one may have the number of another's place. */
static int keep_only(int *front, int *journal, int *pidfd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int from[] = {null, null, *front, *journal, *pidfd};
	static const int to[] = {0, 1, FRONT, JOURNAL, PIDFD};

	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
		from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, FIRST_FREE);
		if (from[i] < 0)
			return -errno;
	}
	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++)
		if (dup2(from[i], to[i]) < 0)
			return -errno;
	*front = FRONT;
	*journal = JOURNAL;
	*pidfd = PIDFD;
	if (syscall(SYS_close_range, FIRST_FREE, ~0u, 0)) /* Linux 5.9 */
		for (int fd = FIRST_FREE; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
			close(fd);
	return 0;
}

/* Waits until the front has sent GUARDIAN_FINISH or is dead; earlier messages are handled first. */
static void wait_for_end(struct guardian_job *job, int fd, int pidfd)
{
	bool is_over = false;

	while (!is_over) {
		struct pollfd polled[] = {
			{.fd = fd, .events = POLLIN},
			{.fd = pidfd, .events = POLLIN},
			{.fd = job ? job->polled_fd : -1, .events = POLLIN},
		};
		struct guardian_message message;

		if (poll(polled, 3, job ? job->tick_ms : -1) < 0)
			continue;
		if (job && polled[2].revents)
			job->ready(job->arg);
		if (polled[0].revents || polled[1].revents) {
			if (receive(fd, MSG_DONTWAIT, &message) || message.verb == GUARDIAN_FINISH)
				is_over = true;
			else if (job)
				job->hear(job->arg, &message);
		}
		if (job)
			job->tick(job->arg);
	}
}

static _Noreturn void guard(struct journal *journal, struct undo *undo, struct guardian_job *job, pid_t front, int fd)
{
	int undone, ret = 0, pidfd = (int)syscall(SYS_pidfd_open, front, 0);

	if (pidfd < 0) {
		ret = -errno;
		diag_error(ret, "cannot watch process %d (pidfd_open, Linux 5.3)", (int)front);
	}
	if (job)
		setpgid(0, 0);
	else
		setsid();
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_NAME, job ? job->name : "undo-guard");
	/* The front died before this process watched it, and its number may be reused. Nothing was changed yet, so only the
	 * journal is removed. */
	if (getppid() != front)
		_exit(undo_all(journal, false) ? DIAG_EXIT_HOST : DIAG_EXIT_OK);
	if (!ret && job) {
		ret = job->begin(job->arg, undo, fd);
	} else if (!ret) {
		ret = chdir("/") ? -errno : keep_only(&fd, &journal->fd, &pidfd);
		if (ret)
			diag_error(ret, "cannot start the guardian");
	}
	if (!ret && !guardian_send(fd, GUARDIAN_READY, 0))
		wait_for_end(job, fd, pidfd);
	if (job)
		job->end(job->arg);
	/* Undoes all even if another process has removed the journal's name; an action that is undone already is success. */
	undone = undo_all(journal, false);
	guardian_send(fd, ret ? GUARDIAN_READY : GUARDIAN_RESTORED, ret ? ret : undone);
	_exit(ret || undone ? DIAG_EXIT_HOST : DIAG_EXIT_OK);
}

int guardian_start(struct journal *journal, struct undo *undo, struct guardian_job *job, struct guardian *guardian)
{
	struct guardian_message message;
	sigset_t all, before;
	pid_t pid, front = getpid();
	int ends[2], ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return diag_error(errno, "cannot start the guardian");
	/* Buffered output must be written once only. */
	fflush(NULL);
	sigfillset(&all);
	/* No signal handler of the caller may run in the guardian. */
	sigprocmask(SIG_SETMASK, &all, &before);
	if (job)
		job->front_mask = before;
	pid = fork();
	if (!pid) {
		close(ends[0]);
		guard(journal, undo, job, front, ends[1]);
	}
	ret = pid < 0 ? -errno : 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	if (ret) {
		diag_error(ret, "cannot start the guardian");
		close(ends[0]);
		return ret;
	}
	/* The caller may change nothing before the guardian watches. */
	ret = receive(ends[0], 0, &message) ? -ECHILD : message.value;
	if (ret) {
		close(ends[0]);
		(void)TEMP_FAILURE_RETRY(waitpid(pid, NULL, 0));
		return ret;
	}
	*guardian = (struct guardian){.pid = pid, .fd = ends[0]};
	return 0;
}

int guardian_hold(const struct guardian *guardian, int lock)
{
	return send_with(guardian->fd, GUARDIAN_HOLD, 0, lock);
}

bool guardian_finish(struct guardian *guardian, int *ret)
{
	struct guardian_message message = {0};
	bool is_done = !guardian_send(guardian->fd, GUARDIAN_FINISH, 0);

	while (is_done && message.verb != GUARDIAN_RESTORED)
		is_done = !guardian_receive(guardian->fd, &message);
	close(guardian->fd);
	guardian->fd = -1;
	(void)TEMP_FAILURE_RETRY(waitpid(guardian->pid, NULL, 0));
	if (is_done)
		*ret = message.value;
	return is_done;
}
