/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The part of libmemtrace-allocs.so for memtrace record -e uffd-wp: hands a userfaultfd of the process over when it starts and in
 * each child that it forks, and lets the recorder scan a last time before the process exits.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>

#include "memtrace/writes_uffd.h"

static char name[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* empty: there is no recorder */
static int has_no_huge_pages;                                  /* of its own will */

/* uffd: -1 = none. 0 or -1. */
static int send_word(int to, enum writes_word word, int uffd)
{
	char byte = (char)word;
	struct iovec part = {&byte, 1};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	struct cmsghdr *rights;

	if (uffd >= 0) {
		memset(&control, 0, sizeof(control));
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		rights = CMSG_FIRSTHDR(&message);
		rights->cmsg_level = SOL_SOCKET;
		rights->cmsg_type = SCM_RIGHTS;
		rights->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(rights), &uffd, sizeof(int));
	}
	return sendmsg(to, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

/* Huge pages are off as long as there is a recorder: the first write to one would write all of its pages. Both outlive exec. */
static void set_huge_pages(int is_recorded)
{
	if (is_recorded || !has_no_huge_pages)
		(void)prctl(PR_SET_THP_DISABLE, is_recorded, 0, 0, 0);
}

static void notify(enum writes_word word)
{
	const struct timeval timeout = {.tv_sec = WRITES_TIMEOUT_S};
	int kept = errno, uffd = word == WRITES_END ? -1 : writes_open_uffd(), to = -1, is_waiting = 0;
	struct sockaddr_un address;
	socklen_t length = writes_address(name, &address);
	char byte;

	if (uffd >= 0 || word == WRITES_END)
		to = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (to >= 0 && !setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) &&
		!setsockopt(to, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout))) {
		if (!connect(to, (const struct sockaddr *)&address, length)) {
			is_waiting = !send_word(to, word, uffd) && word != WRITES_BEGIN;
		} else if (errno == ECONNREFUSED) {
			set_huge_pages(0);
		}
		/* Until the recorder closes its end, or dies. */
		while (is_waiting && recv(to, &byte, 1, 0) < 0 && errno == EINTR)
			;
	}
	if (to >= 0)
		close(to);
	if (uffd >= 0)
		close(uffd);
	errno = kept;
}

static void notify_fork(void)
{
	notify(WRITES_FORK);
}

__attribute__((constructor)) static void begin(void)
{
	const char *variable = getenv(WRITES_VARIABLE);

	if (!variable || !*variable || strlen(variable) >= sizeof(name) - 1)
		return;
	memcpy(name, variable, strlen(variable) + 1);
	has_no_huge_pages = getenv(WRITES_NO_HUGE_VARIABLE) != NULL;
	set_huge_pages(1);
	(void)pthread_atfork(NULL, NULL, notify_fork);
	notify(WRITES_BEGIN);
}

__attribute__((destructor)) static void end(void)
{
	if (*name)
		notify(WRITES_END);
}
