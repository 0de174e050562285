/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The guardian waits for its front's word that all is undone, or for its death, and then undoes. Signals of the
 * terminal do not reach it: it has blocked them and is in a session of its own. It keeps nothing of its front's open
 * but the journal and stderr, so that neither files nor pipes nor mounts live on with it.
 */
#include "config.h"
#include "common/undo_private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/diag.h"

/* What the front says. */
enum word { NOTHING, HOLD /* this lock, for as long as we live */, DISMISSED };

enum { FRONT = 3, JOURNAL = 4, PIDFD = 5, FIRST_FREE = 6 };

/* Copies first: a descriptor that is wanted may be in the place of another. */
static bool keep_only(int front, int *journal, int pidfd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int from[] = {null, null, front, *journal, pidfd};
	static const int to[] = {0, 1, FRONT, JOURNAL, PIDFD};

	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
		from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, FIRST_FREE);
		if (from[i] < 0)
			return false;
	}
	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++)
		if (dup2(from[i], to[i]) < 0)
			return false;
	*journal = JOURNAL;
	if (syscall(SYS_close_range, FIRST_FREE, ~0u, 0)) /* Linux 5.9 */
		for (int fd = FIRST_FREE; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
			close(fd);
	return true;
}

/* A word of the front, with a descriptor that stays open with us when there is one. NOTHING: it is dead, or has said
 * nothing more. */
static enum word hear(int flags)
{
	char word = NOTHING;
	struct iovec bytes = {&word, 1};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} room;
	struct msghdr message = {
		.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof(room.bytes)};
	ssize_t got;

	do
		got = recvmsg(FRONT, &message, flags | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	return got == 1 ? (enum word)word : NOTHING;
}

/* True when the front says that all is undone; false when it is dead. What it said before is heard first. */
static bool is_dismissed(void)
{
	struct pollfd polled[] = {{.fd = FRONT, .events = POLLIN}, {.fd = PIDFD, .events = POLLIN}};
	enum word word;

	do {
		if (poll(polled, 2, -1) < 0) {
			word = HOLD;
			continue;
		}
		word = hear(polled[0].revents ? 0 : MSG_DONTWAIT);
	} while (word == HOLD);
	return word == DISMISSED;
}

static _Noreturn void guard(struct journal *journal, pid_t front, int front_fd)
{
	int pidfd = (int)syscall(SYS_pidfd_open, front, 0);
	char word = 1;

	setsid();
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_NAME, "undo-guard");
	/* Dead already, before anything was changed; its number may be somebody else's. What is left is the journal. */
	if (getppid() != front)
		_exit(undo_all(journal, false) ? DIAG_EXIT_HOST : DIAG_EXIT_OK);
	if (pidfd < 0 || chdir("/") || !keep_only(front_fd, &journal->fd, pidfd))
		_exit(DIAG_EXIT_HOST);
	send(FRONT, &word, 1, MSG_NOSIGNAL);
	/* Also when the journal has lost its name: somebody may have removed it, and what is undone already is success. */
	if (is_dismissed())
		_exit(DIAG_EXIT_OK);
	_exit(undo_all(journal, false) ? DIAG_EXIT_HOST : DIAG_EXIT_OK);
}

/* True when a signal ended it. */
static bool reap(pid_t guardian)
{
	int status = 0;

	while (waitpid(guardian, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status);
}

int undo_guardian_start(struct journal *journal, pid_t *guardian, int *fd)
{
	sigset_t all, before;
	pid_t pid, front = getpid();
	int ends[2];
	ssize_t got;
	char word;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	/* What is buffered is written once, by its owner. */
	fflush(NULL);
	sigfillset(&all);
	/* No handler of the caller may run in the guardian. */
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		guard(journal, front, ends[1]);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -EAGAIN;
	}
	/* Nothing may be changed before it watches. */
	do
		got = recv(ends[0], &word, 1, 0);
	while (got < 0 && errno == EINTR);
	if (got != 1) {
		reap(pid);
		close(ends[0]);
		return -EOPNOTSUPP;
	}
	*guardian = pid;
	*fd = ends[0];
	return 0;
}

int undo_guardian_hold(int fd, int lock)
{
	char word = HOLD;
	struct iovec bytes = {&word, 1};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} room = {{0}};
	struct msghdr message = {
		.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof(room.bytes)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(lock));
	memcpy(CMSG_DATA(header), &lock, sizeof(lock));
	return sendmsg(fd, &message, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

bool undo_guardian_end(pid_t guardian, int fd)
{
	char word = DISMISSED;
	bool was_dead = send(fd, &word, 1, MSG_NOSIGNAL) != 1;

	close(fd);
	/* Killed just now, it may still have taken the word. */
	return reap(guardian) || was_dead;
}
