/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stores fault pages in and dirty them; the file has its size before, since a mapping cannot grow it. A store for which
 * there is no room on the device is a signal, which is made an error again.
 */
#include "config.h"
#include "iowrite-bench/methods/methods.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct map {
	char *begin;
	uint64_t bytes;
	const void *data;
	int fd;
};

/* Where the thread's store began; NULL = a fault that is none of ours. */
static _Thread_local sigjmp_buf *volatile store_begin; /* memcpy(3) cannot change it, says the compiler */

static void on_bus_error(int number)
{
	if (store_begin)
		siglongjmp(*store_begin, 1);
	/* Comes again at once, and ends the process as it should. */
	signal(number, SIG_DFL);
}

static int catch_bus_errors(void)
{
	/* Not blocked while it is handled: it is left by a jump. */
	const struct sigaction action = {.sa_handler = on_bus_error, .sa_flags = SA_NODEFER};

	return sigaction(SIGBUS, &action, NULL) ? -errno : 0;
}

int map_open(const struct method_setup *setup, void **state)
{
	struct map *map = malloc(sizeof(*map));
	struct stat stat;
	int rc = catch_bus_errors();

	if (!map)
		return -ENOMEM;
	*map = (struct map){MAP_FAILED, setup->file_bytes, setup->data, setup->fd};
	if (!rc && (fstat(setup->fd, &stat) || ((uint64_t)stat.st_size < setup->file_bytes &&
					       ftruncate(setup->fd, (off_t)setup->file_bytes))))
		rc = -errno;
	if (!rc)
		map->begin = mmap(NULL, setup->file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, setup->fd, 0);
	if (!rc && map->begin == MAP_FAILED)
		rc = -errno;
	if (rc)
		free(map);
	else
		*state = map;
	return rc;
}

/* The kernel does not say which it was. */
static int bus_error(const struct map *map)
{
	struct statvfs facts;

	return !fstatvfs(map->fd, &facts) && facts.f_bavail < map->bytes / facts.f_frsize + 1 ? -ENOSPC : -EIO;
}

int64_t map_write(void *state, uint64_t offset, uint64_t size)
{
	const struct map *map = state;
	sigjmp_buf begin;

	if (sigsetjmp(begin, 0)) {
		store_begin = NULL;
		return bus_error(map);
	}
	store_begin = &begin;
	memcpy(map->begin + offset, map->data, size);
	store_begin = NULL;
	return (int64_t)size;
}

char *map_begin(void *state)
{
	const struct map *map = state;

	return map->begin;
}

int map_close(void *state)
{
	struct map *map = state;
	int rc = munmap(map->begin, map->bytes) ? -errno : 0;

	if (close(map->fd) && !rc)
		rc = -errno;
	free(map);
	return rc;
}
