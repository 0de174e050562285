/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the library in a process tells the recorder of its written pages: a message of one byte (enum writes_word) to the
 * abstract Unix socket that is named in WRITES_VARIABLE, of type SOCK_SEQPACKET, a connection each. WRITES_BEGIN and
 * WRITES_FORK carry a userfaultfd of the process as SCM_RIGHTS. The recorder closes the connection when it has done its work.
 *
 * The process keeps no userfaultfd: when the last descriptor is closed, by the recorder's death too, the kernel takes away all
 * write protection.
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
#define WRITES_NO_HUGE_VARIABLE "MEMTRACE_WRITES_NO_HUGE" /* set: huge pages were off before there was a recorder */
#define WRITES_PATIENCE_S 10 /* for a recorder that is stopped */

enum writes_word {
	WRITES_BEGIN = 'b', /* a program has begun: all of its pages that were written were so by it */
	WRITES_FORK = 'f',  /* of a process that was forked: what it has is its parent's work */
	WRITES_END = 'e',   /* it is about to end */
};

/* A userfaultfd of this process whose write faults the kernel resolves itself, or -errno. The mode for faults of the user
 * alone needs no privilege, and is no limit here: no fault is delivered. */
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

/* Of the abstract address: its length. A name that is too long is cut. */
static inline socklen_t writes_address(const char *name, struct sockaddr_un *address)
{
	socklen_t length = 0;

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	for (; name[length] && length + 1 < sizeof(address->sun_path); length++)
		address->sun_path[length + 1] = name[length];
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

#endif
