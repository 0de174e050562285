/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/data/witness.h"

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

struct witness {
	char path[64];
	unsigned count;
	size_t bytes;
	bool is_mapped;           /* else a copy */
	struct witness_worker *workers;
};

static void name_path(uint64_t run, char *path, size_t length)
{
	snprintf(path, length, FOLDER "/ssd-workloads-%016" PRIx64, run);
}

static int make(uint64_t run, unsigned count, struct witness **witness)
{
	struct witness *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->count = count;
	made->bytes = count * sizeof(struct witness_worker);
	name_path(run, made->path, sizeof(made->path));
	*witness = made;
	return 0;
}

static int map(int fd, struct witness *witness)
{
	void *memory;
	int rc;

	/* Taken now: a page that is lacking later would be a signal in the middle of the run. */
	rc = posix_fallocate(fd, 0, (off_t)witness->bytes);
	if (rc)
		return -rc;
	memory = mmap(NULL, witness->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	memset(memory, 0, witness->bytes);
	witness->workers = memory;
	witness->is_mapped = true;
	return 0;
}

int witness_open(uint64_t run, unsigned workers, struct witness **witness)
{
	struct witness *made;
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
		*witness = made;
	return rc;
}

/* /dev/shm is everybody's: what another user has written, or could, acknowledges nothing. */
static int check_file(int fd, const struct witness *witness)
{
	struct stat stat;

	if (fstat(fd, &stat))
		return -errno;
	if (!S_ISREG(stat.st_mode) || stat.st_uid != geteuid() || (stat.st_mode & 077) || stat.st_nlink > 1)
		return -EPERM;
	return stat.st_size == (off_t)witness->bytes ? 0 : -ENOENT;
}

/* A copy: nobody who makes the file shorter meanwhile can end the reader. What a copy of a running worker says is
 * true, for what is acknowledged stays so. */
static int copy(int fd, struct witness *witness)
{
	int rc = check_file(fd, witness);

	if (rc)
		return rc;
	witness->workers = malloc(witness->bytes);
	if (!witness->workers)
		return -ENOMEM;
	if (pread(fd, witness->workers, witness->bytes, 0) == (ssize_t)witness->bytes)
		return 0;
	free(witness->workers);
	return -ENOENT;
}

static int open_there(const struct witness *witness, int flags)
{
	return open(witness->path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

int witness_find(uint64_t run, unsigned workers, struct witness **witness)
{
	struct witness *made;
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
		*witness = made;
	return rc;
}

struct witness_worker *witness_worker(struct witness *witness, unsigned index)
{
	return &witness->workers[index];
}

void witness_hide(struct witness *witness)
{
	unlink(witness->path);
}

void witness_remove(uint64_t run)
{
	char path[64];

	name_path(run, path, sizeof(path));
	unlink(path);
}

bool witness_is_gone(struct witness *witness, unsigned index)
{
	return index < witness->count && witness->workers[index].floor == GONE;
}

void witness_remove_part(uint64_t run, unsigned workers, unsigned first, unsigned count)
{
	const uint64_t gone = GONE;
	struct witness *left;
	bool is_needed = false;
	int fd;

	if (make(run, workers, &left))
		return;
	fd = open_there(left, O_RDWR);
	if (fd >= 0 && !check_file(fd, left)) {
		for (unsigned i = 0; i < workers; i++) {
			off_t at = (off_t)(i * sizeof(struct witness_worker) + offsetof(struct witness_worker, floor));
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

void witness_close(struct witness *witness, bool is_removed)
{
	if (!witness)
		return;
	if (is_removed)
		unlink(witness->path);
	if (witness->is_mapped)
		munmap(witness->workers, witness->bytes);
	else
		free(witness->workers);
	free(witness);
}
