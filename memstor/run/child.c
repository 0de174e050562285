/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/child.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/report_common.h"
#include "memstor/run/keeper.h"

int run_child_start(const struct run_child_request *request, struct run_child *child)
{
	struct run_keeper keeper = {.request = request, .front = getpid()};
	sigset_t all;
	int fds[2], err = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	child->begin_ns = report_monotonic_ns();
	child->socket = fds[0];
	keeper.socket = fds[1];
	/* A signal between fork and the keeper's own handling of it would end the keeper, or be lost. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &keeper.mask);
	child->keeper = fork();
	if (!child->keeper) {
		close(fds[0]);
		if (request->close >= 0)
			close(request->close);
		run_keeper(&keeper);
	}
	if (child->keeper < 0)
		err = -errno;
	sigprocmask(SIG_SETMASK, &keeper.mask, NULL);
	close(fds[1]);
	if (err)
		close(fds[0]);
	return err;
}

int run_child_fd(const struct run_child *child)
{
	return child->socket;
}

void run_child_stop(struct run_child *child, int signal)
{
	/* When it fails the keeper has just ended, which run_child_finish sees. */
	if (send(child->socket, &signal, sizeof(signal), MSG_NOSIGNAL) < 0)
		return;
}

void run_child_finish(struct run_child *child, struct run_child_outcome *outcome)
{
	struct run_keeper_message message;
	ssize_t size;

	do {
		size = recv(child->socket, &message, sizeof(message), 0);
	} while (size < 0 && errno == EINTR);
	*outcome = (struct run_child_outcome){.end = RUN_CHILD_LOST, .wall_ns = report_monotonic_ns() - child->begin_ns};
	if (size == sizeof(message)) {
		outcome->end = message.end;
		outcome->wait_status = message.wait_status;
		outcome->usage = message.usage;
		outcome->wall_ns = message.ended_ns - child->begin_ns;
	}
	while (waitpid(child->keeper, NULL, 0) < 0 && errno == EINTR)
		;
	close(child->socket);
}
