/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of the whole machine: what was there before, and whether what is there now is still ours. */
#include "config.h"
#include "common/undo_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/diag.h"
#include "common/sysfs.h"

#define VALUE 128
#define TEXT_LIMIT (1024 * 1024)
#define SETTINGS "/proc/sys/vm"
#define CGROUPS "/sys/fs/cgroup"

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return length > 1 && !strncmp(path, folder, length) && path[length] == '/' && path[length + 1];
}

/* CGROUPS is where they are everywhere but on machines that were set up by hand. */
static bool is_in_cgroup(const char *path)
{
	static const char *const controllers[] = {NULL, "memory", "blkio"};
	struct cgroup_place place;

	if (is_below(path, CGROUPS))
		return true;
	for (size_t i = 0; i < sizeof(controllers) / sizeof(controllers[0]); i++)
		if (!cgroup_find_hierarchy("", controllers[i], &place) && is_below(path, place.mount_point))
			return true;
	return false;
}

/* No name of it is empty, "." or "..", the last one neither. */
static bool is_plain(const char *path)
{
	do {
		size_t length;

		path += *path == '/';
		length = strcspn(path, "/");
		if (!length || (length == 1 && path[0] == '.') || (length == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		path += length;
	} while (*path);
	return true;
}

bool undo_allows(const struct undo_action *action)
{
	const char *path = action->path;

	if (!undo_acts[action->act].is_place && action->act != UNDO_FOLDER)
		return true;
	if (!is_plain(path) || (action->twin[0] && (strchr(action->twin, '/') || !is_plain(action->twin))))
		return false;
	if ((action->act == UNDO_SETTING || action->act == UNDO_SHARED) && is_below(path, SETTINGS) &&
		!strchr(path + strlen(SETTINGS) + 1, '/'))
		return true;
	return action->act != UNDO_SHARED && is_in_cgroup(path);
}

/* FNV-1a: the byte of the lock file that stands for a path. */
static off_t byte_of(const char *path)
{
	uint64_t hash = 14695981039346656037ull;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 1099511628211ull;
	return (off_t)(hash >> 2);
}

/* Not the setting's own file: every user may read that, and who can open a file can lock it. It is for an ordinary user, who
 * can write only to what was delegated. */
static int open_lock_file(const char *path, int *fd)
{
	bool is_root = !geteuid();
	struct stat stat;
	int found = is_root ? open(UNDO_LOCK_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)
			    : open(path, O_RDWR | O_CLOEXEC);
	int ret = 0;

	if (found < 0)
		return -errno;
	if (fstat(found, &stat))
		ret = -errno;
	else if (is_root && (!S_ISREG(stat.st_mode) || stat.st_uid || (stat.st_mode & 077) || stat.st_nlink != 1))
		ret = -EPERM;
	if (ret)
		close(found);
	else
		*fd = found;
	return ret;
}

int undo_lock_setting(const char *path, int *fd)
{
	/* Of the open file description, which the guardian gets a copy of. */
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte_of(path), .l_len = 1};
	int found = -1, ret = open_lock_file(path, &found);

	if (ret)
		return ret;
	if (!fcntl(found, F_OFD_SETLK, &lock)) {
		*fd = found;
		return 0;
	}
	ret = errno == EACCES || errno == EAGAIN ? -EWOULDBLOCK : -errno;
	close(found);
	return ret;
}

/* The length of KEY in "KEY VALUE". */
static size_t key_length(const char *line)
{
	return strcspn(line, " ");
}

bool undo_is_same_place(const struct undo_action *one, const struct undo_action *other)
{
	size_t length = key_length(one->ours);

	if (one->act != other->act || !undo_acts[one->act].is_place || strcmp(one->path, other->path))
		return false;
	return one->act != UNDO_LINE ||
	       (length == key_length(other->ours) && !strncmp(one->ours, other->ours, length));
}

/* Of the line's KEY in the file; "KEY 0" when it has none. */
static int read_line(const char *path, const char *like, char value[VALUE])
{
	int length = (int)key_length(like), ret;
	char *text, *rest, *line;
	size_t size;

	ret = sysfs_slurp("", path, TEXT_LIMIT, &text, &size);
	if (ret)
		return ret;
	ret = snprintf(value, VALUE, "%.*s 0", length, like) < VALUE ? 0 : -EOVERFLOW;
	for (rest = text; (line = strsep(&rest, "\n"));)
		if (key_length(line) == (size_t)length && !strncmp(line, like, (size_t)length) && line[length])
			ret = snprintf(value, VALUE, "%s", line) < VALUE ? 0 : -EOVERFLOW;
	free(text);
	return ret;
}

static int read_value(const struct undo_action *action, char value[VALUE])
{
	return action->act == UNDO_LINE ? read_line(action->path, action->ours, value)
					: sysfs_read("", action->path, value, VALUE);
}

/* The path of the file beside action->path, or of that itself. */
static int partner(const struct undo_action *action, char path[sizeof(action->path)])
{
	const char *slash = strrchr(action->path, '/');
	int length = slash && action->twin[0] ? (int)(slash + 1 - action->path) : 0;

	if (!length)
		length = snprintf(path, sizeof(action->path), "%s", action->path);
	else
		length = snprintf(path, sizeof(action->path), "%.*s%s", length, action->path, action->twin);
	return length < (int)sizeof(action->path) ? 0 : -ENAMETOOLONG;
}

const struct undo_action *undo_last_of(const struct undo_list *list, const struct undo_action *place)
{
	for (size_t i = list->count; i-- > 0;)
		if (undo_is_same_place(place, &list->actions[i]))
			return &list->actions[i];
	return NULL;
}

static bool is_ours(const struct undo_list *list, const struct undo_action *place, const char *value)
{
	for (size_t i = 0; i < list->count; i++)
		if (undo_is_same_place(place, &list->actions[i]) && !strcmp(list->actions[i].ours, value))
			return true;
	return false;
}

int undo_find_before(const struct undo_list *list, struct undo_action *action)
{
	const struct undo_action *last = undo_last_of(list, action);
	char path[sizeof(action->path)], now[VALUE];
	int ret = read_value(action, now);

	if (ret)
		return ret;
	if (last && is_ours(list, action, now)) {
		memcpy(action->before, last->before, sizeof(action->before));
		memcpy(action->twin, last->twin, sizeof(action->twin));
		return 0;
	}
	if (action->twin[0] && !strcmp(now, "0")) {
		ret = partner(action, path);
		return ret ? ret : sysfs_read("", path, action->before, sizeof(action->before));
	}
	action->twin[0] = '\0';
	memcpy(action->before, now, sizeof(action->before));
	return 0;
}

/* What was there before is there; now is what path reads. */
static bool is_back(const struct undo_action *action, const char *now)
{
	char path[sizeof(action->path)], value[VALUE];

	if (!action->twin[0])
		return !strcmp(now, action->before);
	return !strcmp(now, "0") && !partner(action, path) && !sysfs_read("", path, value, sizeof(value)) &&
	       !strcmp(value, action->before);
}

static int write_before(const struct undo_action *action)
{
	char path[sizeof(action->path)];
	int ret = partner(action, path);

	/* It is 0 since we wrote to its twin: to write the same again is no change to the kernel, and the twin
	 * would stay. */
	if (!ret && action->twin[0] && !strcmp(action->before, "0"))
		ret = sysfs_write("", path, "1");
	if (!ret)
		ret = sysfs_write("", path, action->before);
	return ret;
}

/* The file that rules now: of two that exclude each other the one that is not 0. */
static void find_ruler(const struct undo_action *action, const char *now, char path[sizeof(action->path)], char value[VALUE])
{
	snprintf(path, sizeof(action->path), "%s", action->path);
	snprintf(value, VALUE, "%s", now);
	if (!action->twin[0] || strcmp(now, "0") || partner(action, path))
		return;
	if (sysfs_read("", path, value, VALUE))
		snprintf(value, VALUE, "?");
}

static void leave_alone(const struct undo_action *action, const char *now)
{
	char ruler[sizeof(action->path)], before[sizeof(action->path)], value[VALUE];

	find_ruler(action, now, ruler, value);
	if (partner(action, before))
		return;
	diag_warn("left alone: %s is '%s', and that is not from this run (before it %s was '%s')", ruler, value, before,
		action->before);
}

int undo_restore(const struct undo_list *list, const struct undo_action *action, bool says_so)
{
	char now[VALUE], path[sizeof(action->path)];
	int ret = read_value(action, now);

	if (ret == -ENOENT)
		return 0;
	if (!ret)
		ret = partner(action, path);
	if (ret) {
		diag_error(ret, "cannot read %s", action->path);
		return ret;
	}
	if (is_back(action, now))
		return 0;
	if (!is_ours(list, action, now)) {
		leave_alone(action, now);
		return 0;
	}
	ret = write_before(action);
	if (ret)
		diag_error(ret, "cannot write '%s' back to %s", action->before, path);
	else
		undo_report(says_so, "%s is '%s' again", path, action->before);
	return ret;
}
