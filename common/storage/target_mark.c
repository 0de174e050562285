/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/storage/target_mark.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define STAT_BLOCK 512 /* the unit of st_blocks */

/* Blocks of these file systems are neither shared nor compressed nor counted later. */
static bool counts_blocks(const char *file_system)
{
	return !strcmp(file_system, "ext4") || !strcmp(file_system, "xfs");
}

int target_mark(const struct target *target, struct target_mark *mark)
{
	struct stat stat;

	*mark = (struct target_mark){0};
	if (target->kind == TARGET_DEVICE)
		return 0;
	if (fstat(target->fd, &stat))
		return -errno;
	*mark = (struct target_mark){.bytes = (uint64_t)stat.st_size, .modified = stat.st_mtim, .changed = stat.st_ctim};
	if (counts_blocks(target->file_system))
		mark->allocated = (uint64_t)stat.st_blocks * STAT_BLOCK;
	/* st_blocks includes the blocks of the extent list, which are freed when extents merge. */
	if (mark->allocated > mark->bytes)
		mark->allocated = mark->bytes;
	return 0;
}

static bool is_same_time(const struct timespec *one, const struct timespec *other)
{
	return one->tv_sec == other->tv_sec && one->tv_nsec == other->tv_nsec;
}

bool target_is_named(const struct target *target)
{
	struct stat named, ours;

	return target->kind != TARGET_FILE || (!fstat(target->fd, &ours) && !lstat(target->path, &named) &&
						      named.st_dev == ours.st_dev && named.st_ino == ours.st_ino);
}

bool target_is_changed(const struct target *target, const struct target_mark *mark, bool is_idle,
	char how[TARGET_CHANGE])
{
	struct target_mark now;
	int rc = target_mark(target, &now);

	how[0] = '\0';
	if (target->kind == TARGET_DEVICE)
		return false;
	if (rc)
		snprintf(how, TARGET_CHANGE, "the file can no longer be examined: %s", strerror(-rc));
	else if (now.bytes != mark->bytes)
		snprintf(how, TARGET_CHANGE, "another process changed the size of the file: %" PRIu64 " bytes instead of %" PRIu64,
			now.bytes, mark->bytes);
	else if (now.allocated < mark->allocated)
		snprintf(how, TARGET_CHANGE, "another process removed %" PRIu64 " bytes from the file",
			mark->allocated - now.allocated);
	else if (!target_is_named(target))
		snprintf(how, TARGET_CHANGE, "another process renamed, replaced or removed the file");
	else if (is_idle && (!is_same_time(&now.modified, &mark->modified) || !is_same_time(&now.changed, &mark->changed)))
		snprintf(how, TARGET_CHANGE, "another process wrote to the file");
	return how[0];
}
