/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores fault pages in and dirty them; the file has its size before, since a mapping cannot grow it. */
#include "config.h"
#include "iowrite-bench/methods/methods.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct map {
	char *begin;
	uint64_t bytes;
	const void *data;
	int fd;
};

int map_open(const struct method_setup *setup, void **state)
{
	struct map *map = malloc(sizeof(*map));
	struct stat stat;
	int rc = 0;

	if (!map)
		return -ENOMEM;
	*map = (struct map){MAP_FAILED, setup->file_bytes, setup->data, setup->fd};
	if (fstat(setup->fd, &stat) || ((uint64_t)stat.st_size < setup->file_bytes &&
					       ftruncate(setup->fd, (off_t)setup->file_bytes)))
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

int64_t map_write(void *state, uint64_t offset, uint64_t size)
{
	const struct map *map = state;

	memcpy(map->begin + offset, map->data, size);
	return (int64_t)size;
}

int map_flush(void *state)
{
	const struct map *map = state;

	return msync(map->begin, map->bytes, MS_SYNC) ? -errno : 0;
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
