/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/trace/extents.h"

#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define SECTOR 512u
#define CALL_EXTENTS 256u /* of one call */
#define NO_PLACE (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_ENCRYPTED | \
	FIEMAP_EXTENT_NOT_ALIGNED | FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL)

struct list {
	struct split_extent *extents;
	size_t count;
};

static int add(struct list *list, uint64_t offset, uint64_t bytes, uint64_t sector)
{
	struct split_extent *last = list->count ? &list->extents[list->count - 1] : NULL, *more;

	if (last && last->offset + last->bytes == offset && last->sector + last->bytes / SECTOR == sector) {
		last->bytes += bytes;
		return 0;
	}
	more = reallocarray(list->extents, list->count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	list->extents = more;
	more[list->count++] = (struct split_extent){offset, bytes, sector};
	return 0;
}

/* What one call gives, cut to [*at, bytes). *at moves behind it, to bytes when it was the last. */
static int read_call(int fd, struct fiemap *map, uint64_t bytes, uint64_t begin_sector, uint64_t *at, struct list *list)
{
	int rc = 0;

	memset(map, 0, sizeof(*map));
	map->fm_start = *at;
	map->fm_length = bytes - *at;
	map->fm_flags = FIEMAP_FLAG_SYNC;
	map->fm_extent_count = CALL_EXTENTS;
	if (ioctl(fd, FS_IOC_FIEMAP, map))
		return errno == ENOTTY || errno == EBADR ? -EOPNOTSUPP : -errno;
	for (unsigned i = 0; i < map->fm_mapped_extents && !rc; i++) {
		const struct fiemap_extent *extent = &map->fm_extents[i];
		uint64_t from = extent->fe_logical > *at ? extent->fe_logical : *at;
		uint64_t end = extent->fe_logical + extent->fe_length;

		end = end < bytes ? end : bytes;
		if (extent->fe_flags & NO_PLACE || extent->fe_physical % SECTOR)
			return -EOPNOTSUPP;
		if (end > from)
			rc = add(list, from, end - from,
				begin_sector + (extent->fe_physical + (from - extent->fe_logical)) / SECTOR);
		*at = end > *at ? end : *at;
		if (extent->fe_flags & FIEMAP_EXTENT_LAST)
			*at = bytes;
	}
	if (!map->fm_mapped_extents)
		*at = bytes;
	return rc;
}

static int read_file(int fd, uint64_t bytes, uint64_t begin_sector, struct list *list)
{
	struct fiemap *map = malloc(sizeof(*map) + CALL_EXTENTS * sizeof(struct fiemap_extent));
	int rc = map ? 0 : -ENOMEM;

	for (uint64_t at = 0; at < bytes && !rc;)
		rc = read_call(fd, map, bytes, begin_sector, &at, list);
	free(map);
	return rc;
}

int extents_read(const struct target *target, uint64_t bytes, uint64_t begin_sector, struct split_extent **extents, size_t *count)
{
	struct list list = {0};
	int rc = target->kind == TARGET_DEVICE ? add(&list, 0, bytes, begin_sector)
					       : read_file(target->fd, bytes, begin_sector, &list);

	if (rc) {
		free(list.extents);
		return rc;
	}
	*extents = list.extents;
	*count = list.count;
	return 0;
}
