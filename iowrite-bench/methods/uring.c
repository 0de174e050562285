/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One write at a time: what the interface itself costs beside the system call, not what depth would gain. */
#include "config.h"
#include "iowrite-bench/methods/methods.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <unistd.h>

#define WRITE_MOST 0x7ffff000u /* of one call (MAX_RW_COUNT, include/linux/fs.h) */

struct uring {
	struct io_uring ring;
	int fd, rwf_flags;
	const void *data;
};

int uring_open(const struct method_setup *setup, void **state)
{
	struct uring *uring = calloc(1, sizeof(*uring));
	int rc;

	if (!uring)
		return -ENOMEM;
	uring->fd = setup->fd;
	uring->rwf_flags = setup->rwf_flags;
	uring->data = setup->data;
	rc = io_uring_queue_init(1, &uring->ring, 0);
	if (rc)
		free(uring);
	else
		*state = uring;
	return rc;
}

int64_t uring_write(void *state, uint64_t offset, uint64_t size)
{
	struct uring *uring = state;
	struct io_uring_sqe *entry = io_uring_get_sqe(&uring->ring);
	struct io_uring_cqe *completion;
	int rc;

	io_uring_prep_write(entry, uring->fd, uring->data, size < WRITE_MOST ? (unsigned)size : WRITE_MOST, offset);
	entry->rw_flags = uring->rwf_flags;
	/* A signal ends the waiting, not the write: it must not be made twice. */
	do
		rc = io_uring_submit_and_wait(&uring->ring, 1);
	while (rc == -EINTR);
	if (rc < 0)
		return rc;
	do
		rc = io_uring_wait_cqe(&uring->ring, &completion);
	while (rc == -EINTR);
	if (rc)
		return rc;
	rc = completion->res;
	io_uring_cqe_seen(&uring->ring, completion);
	return rc;
}

int uring_close(void *state)
{
	struct uring *uring = state;
	int rc;

	io_uring_queue_exit(&uring->ring);
	rc = close(uring->fd) ? -errno : 0;
	free(uring);
	return rc;
}
