/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages of the preloaded library to the recorder about written pages: one byte (enum writes_word) to the abstract Unix socket
 * that is named in WRITES_VARIABLE, of type SOCK_SEQPACKET, one connection per message. WRITES_BEGIN and WRITES_FORK carry a
 * userfaultfd of the process as SCM_RIGHTS. The recorder closes the connection when it has handled the message.
 *
 * The process keeps no userfaultfd: when the last descriptor is closed, also by the recorder's death, the kernel removes all write
 * protection.
 */
#ifndef MEMTRACE_WRITES_UFFD_H
#define MEMTRACE_WRITES_UFFD_H

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define WRITES_VARIABLE "MEMTRACE_WRITES"
#define WRITES_NO_HUGE_VARIABLE "MEMTRACE_WRITES_NO_HUGE" /* set: huge pages were off before the recording */
#define WRITES_TIMEOUT_S 10 /* for a recorder that is stopped */

enum writes_word {
	WRITES_BEGIN = 'b', /* a program has begun: it has written all of its written pages */
	WRITES_FORK = 'f',  /* a process was forked: its pages were written by its parent */
	WRITES_END = 'e',   /* the process is about to exit */
};

/* Opens a userfaultfd of this process whose write faults the kernel resolves itself. Returns it, or -errno. The mode for faults
 * of the user alone needs no privilege, and is no limit here: no fault is delivered. */
static inline int writes_open_uffd(void)
{
	/* UFFD_USER_MODE_ONLY and UFFD_FEATURE_WP_ASYNC, which older headers lack. */
	struct uffdio_api api = {.api = UFFD_API, .features = 1ull << 15};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | 1), err;

	if (fd < 0)
		return -errno;
	if (!ioctl(fd, UFFDIO_API, &api))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* Makes the abstract address, and returns its length. A name that is too long is truncated. */
static inline socklen_t writes_address(const char *name, struct sockaddr_un *address)
{
	socklen_t length = 0;

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	for (; name[length] && length + 1 < sizeof(address->sun_path); length++)
		address->sun_path[length + 1] = name[length];
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

#endif
