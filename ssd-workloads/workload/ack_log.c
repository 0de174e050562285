/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/workload/ack_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "/dev/shm"
#define MODE 0600
#define GONE UINT64_MAX /* the floor of a worker whose target was reused */

struct ack_log {
	char path[64];
	unsigned count;
	size_t bytes;
	bool is_mapped;           /* false: workers is a copy */
	struct ack_log_worker *workers;
};

static void name_path(uint64_t run, char *path, size_t length)
{
	snprintf(path, length, FOLDER "/ssd-workloads-%016" PRIx64, run);
}

static int make(uint64_t run, unsigned count, struct ack_log **ack_log)
{
	struct ack_log *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->count = count;
	made->bytes = count * sizeof(struct ack_log_worker);
	name_path(run, made->path, sizeof(made->path));
	*ack_log = made;
	return 0;
}

static int map(int fd, struct ack_log *ack_log)
{
	void *memory;
	int rc;

	/* Pages are allocated now: a missing page would raise SIGBUS during the run. */
	rc = posix_fallocate(fd, 0, (off_t)ack_log->bytes);
	if (rc)
		return -rc;
	memory = mmap(NULL, ack_log->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	memset(memory, 0, ack_log->bytes);
	ack_log->workers = memory;
	ack_log->is_mapped = true;
	return 0;
}

int ack_log_open(uint64_t run, unsigned workers, struct ack_log **ack_log)
{
	struct ack_log *made;
	int fd, rc = make(run, workers, &made);

	if (rc)
		return rc;
	fd = open(made->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
	if (fd < 0) {
		rc = -errno;
	} else {
		rc = map(fd, made);
		close(fd);
		if (rc)
			unlink(made->path);
	}
	if (rc)
		free(made);
	else
		*ack_log = made;
	return rc;
}

/* A file in /dev/shm that another user owns or could have written is not trusted. */
static int check_file(int fd, const struct ack_log *ack_log)
{
	struct stat stat;

	if (fstat(fd, &stat))
		return -errno;
	if (!S_ISREG(stat.st_mode) || stat.st_uid != geteuid() || (stat.st_mode & 077) || stat.st_nlink > 1)
		return -EPERM;
	return stat.st_size == (off_t)ack_log->bytes ? 0 : -ENOENT;
}

/* A copy survives a process that truncates the file. It is correct during a run, too: acknowledged writes stay acknowledged. */
static int copy(int fd, struct ack_log *ack_log)
{
	int rc = check_file(fd, ack_log);

	if (rc)
		return rc;
	ack_log->workers = malloc(ack_log->bytes);
	if (!ack_log->workers)
		return -ENOMEM;
	if (pread(fd, ack_log->workers, ack_log->bytes, 0) == (ssize_t)ack_log->bytes)
		return 0;
	free(ack_log->workers);
	return -ENOENT;
}

static int open_there(const struct ack_log *ack_log, int flags)
{
	return open(ack_log->path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

int ack_log_find(uint64_t run, unsigned workers, struct ack_log **ack_log)
{
	struct ack_log *made;
	int fd, rc = make(run, workers, &made);

	if (rc)
		return rc;
	fd = open_there(made, O_RDONLY);
	rc = fd >= 0 ? copy(fd, made) : errno == ELOOP ? -EPERM : -errno;
	if (fd >= 0)
		close(fd);
	if (rc)
		free(made);
	else
		*ack_log = made;
	return rc;
}

struct ack_log_worker *ack_log_worker(struct ack_log *ack_log, unsigned index)
{
	return &ack_log->workers[index];
}

void ack_log_hide(struct ack_log *ack_log)
{
	unlink(ack_log->path);
}

void ack_log_remove(uint64_t run)
{
	char path[64];

	name_path(run, path, sizeof(path));
	unlink(path);
}

bool ack_log_is_gone(struct ack_log *ack_log, unsigned index)
{
	return index < ack_log->count && ack_log->workers[index].floor == GONE;
}

void ack_log_remove_part(uint64_t run, unsigned workers, unsigned first, unsigned count)
{
	const uint64_t gone = GONE;
	struct ack_log *left;
	bool is_needed = false;
	int fd;

	if (make(run, workers, &left))
		return;
	fd = open_there(left, O_RDWR);
	if (fd >= 0 && !check_file(fd, left)) {
		for (unsigned i = 0; i < workers; i++) {
			off_t at = (off_t)(i * sizeof(struct ack_log_worker) + offsetof(struct ack_log_worker, floor));
			uint64_t floor = GONE;

			if (i >= first && i - first < count)
				(void)!pwrite(fd, &gone, sizeof(gone), at);
			else if (pread(fd, &floor, sizeof(floor), at) != sizeof(floor) || floor != GONE)
				is_needed = true;
		}
		if (!is_needed)
			unlink(left->path);
	}
	if (fd >= 0)
		close(fd);
	free(left);
}

void ack_log_close(struct ack_log *ack_log, bool is_removed)
{
	if (!ack_log)
		return;
	if (is_removed)
		unlink(ack_log->path);
	if (ack_log->is_mapped)
		munmap(ack_log->workers, ack_log->bytes);
	else
		free(ack_log->workers);
	free(ack_log);
}
