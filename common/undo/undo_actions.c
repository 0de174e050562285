/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The undoing of each action. It may be repeated after an undo that was killed half way, and finds its object either as the run
 * made it, or gone (success), or replaced by another process's (left alone).
 */
#include "config.h"
#include "common/undo/undo_actions.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/kernel/blockdev.h"
#include "common/kernel/cgroup.h"
#include "common/kernel/swap.h"
#include "common/kernel/tracefs_dir.h"
#include "common/report/report_file.h"

#define PAUSE_MS 10
#define TRIES (2 * 1000 / PAUSE_MS)

_Static_assert(JOURNAL_UUID_BYTES == SWAP_UUID_BYTES, "swap areas are marked with the journal's");

__attribute__((format(printf, 2, 3))) static void undo_report(bool says_so, const char *format, ...)
{
	char text[800];
	va_list arguments;

	if (!says_so)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	diag_info("restored: %s", text);
}

static int undo_file(const struct journal *journal, const struct undo_action *action)
{
	struct stat stat;

	(void)journal;
	if (lstat(action->path, &stat))
		return 0;
	if (!S_ISREG(stat.st_mode) || stat.st_dev != action->a || stat.st_ino != action->b) {
		diag_warn("left alone: %s is no longer the file that the run made", action->path);
		return 0;
	}
	return unlink(action->path) ? -errno : 1;
}

/* Retries, because the kernel needs a moment to clean up after a process that used the folder. */
static int remove_folder(int dirfd, const char *path)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000 * 1000};

	for (int tries = 0; unlinkat(dirfd, path, AT_REMOVEDIR); tries++) {
		if (errno == ENOENT)
			return 0;
		if (errno != EBUSY || tries == TRIES)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return 1;
}

static int undo_folder(const struct journal *journal, const struct undo_action *action)
{
	(void)journal;
	return remove_folder(AT_FDCWD, action->path);
}

static int undo_trace(const struct journal *journal, const struct undo_action *action)
{
	int dirfd, ret = tracefs_open_dir(&dirfd);

	(void)journal;
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	ret = strchr(action->path, '/') || action->path[0] == '.' ? -EINVAL
		: remove_folder(dirfd, SYSFS_PATH("instances/%s", action->path));
	close(dirfd);
	return ret;
}

static int undo_loop(const struct journal *journal, const struct undo_action *action)
{
	int ret = loopdev_is_over(action->path, action->a, action->b);

	(void)journal;
	/* The undo is done only if the device is missing or another's; a device that cannot be examined is an error. */
	if (ret <= 0)
		return ret == -ENOENT || ret == -ENXIO ? 0 : ret;
	ret = loopdev_detach(action->path, action->a, action->b);
	return ret ? ret : 1;
}

static int undo_cgroup(const struct journal *journal, const struct undo_action *action)
{
	struct cgroup cgroup = {.version = (int)action->a};
	const char *slash = strrchr(action->path, '/');
	char name[JOURNAL_NAME + 32];
	int ret;

	/* The name is unique: it contains this run's process number, start time and random number. */
	snprintf(name, sizeof(name), "/with-pressure-%s", journal->name);
	if (!slash || strcmp(slash, name) || (access(action->path, F_OK) && errno == ENOENT))
		return 0;
	snprintf(cgroup.dir, sizeof(cgroup.dir), "%s", action->path);
	ret = cgroup_destroy(&cgroup);
	return ret ? ret : 1;
}

static int undo_swap(const struct journal *journal, const struct undo_action *action)
{
	bool was_active;
	int fd, ret = swap_open(action->path, journal->uuid, &fd);

	if (ret)
		return ret == -ESTALE || ret == -ENOENT || ret == -ENXIO ? 0 : ret;
	ret = swap_off(fd, &was_active);
	close(fd);
	return ret ? ret : was_active;
}

/* Tells whether another process has swapped the device off and on again, so that its priority is not the run's. */
static bool is_swapped_on_by_another(dev_t device, const char *ours)
{
	struct swap_area areas[SWAP_AREAS];
	uint64_t priority = SWAP_PRIORITY;
	struct stat stat_of;
	size_t count;

	(void)units_parse_u64(ours, 0, SWAP_PRIORITY, &priority);
	if (swap_list("", areas, SWAP_AREAS, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!stat(areas[i].path, &stat_of) && S_ISBLK(stat_of.st_mode) && stat_of.st_rdev == device)
			return areas[i].priority != (int)priority;
	return false;
}

/* Swaps off a device that existed before and stays. Its header is not the run's, so the number and diskseq identify it. */
static int undo_swap_device(const struct journal *journal, const struct undo_action *action)
{
	int ret = 0, fd = open(action->path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat stat_of;
	bool was_active;

	(void)journal;
	if (fd < 0)
		return errno == ENOENT || errno == ENXIO ? 0 : -errno;
	if (fstat(fd, &stat_of)) {
		ret = -errno;
	} else if (!S_ISBLK(stat_of.st_mode) || stat_of.st_rdev != action->a ||
		   blockdev_diskseq(stat_of.st_rdev) != action->b) {
		/* Another device has the name by now. */
	} else if (is_swapped_on_by_another(stat_of.st_rdev, action->ours)) {
		diag_warn("left alone: the swap on %s has a different priority than the run set", action->path);
	} else {
		ret = swap_off(fd, &was_active);
		ret = ret ? ret : was_active;
	}
	close(fd);
	return ret;
}

/* Compares and removes the file within one open folder, whatever its path leads to by then. */
static int undo_swap_file(const struct journal *journal, const struct undo_action *action)
{
	char name[NAME_MAX + 1];
	struct stat stat;
	int folder, ret = 0;

	/* Without a folder, or behind another user's link, the path no longer leads to the file. */
	if (report_draft_place(action->path, &folder, name))
		return 0;
	/* Device numbers may change from boot to boot. */
	if (!fstatat(folder, name, &stat, AT_SYMLINK_NOFOLLOW) && S_ISREG(stat.st_mode) && stat.st_ino == action->b &&
		(!journal->is_this_boot || stat.st_dev == action->a) &&
		swap_has_uuid(SYSFS_PATH("/proc/self/fd/%d/%s", folder, name), journal->uuid))
		ret = unlinkat(folder, name, 0) ? -errno : 1;
	close(folder);
	return ret;
}

static int remove_zram(const struct zram *zram)
{
	int ret = zram_remove("", zram);

	return ret == -ESTALE ? 0 : ret ? ret : 1;
}

static int undo_zram(const struct journal *journal, const struct undo_action *action)
{
	struct zram zram;

	if (zram_identify("", (unsigned)action->a, &zram) || zram.diskseq != action->b)
		return 0;
	/* Without diskseq (before Linux 5.15) the header identifies the device. */
	if (!zram.diskseq && !zram_is_blank("", zram.id) && !swap_has_uuid(SYSFS_PATH("/dev/zram%u", zram.id), journal->uuid))
		return 0;
	return remove_zram(&zram);
}

/* Removes the zram device of a run that was killed between making it and journaling it: it has the number that was free, is
 * newer than all others were, and is still unused. */
static int undo_hot_add(const struct journal *journal, const struct undo_action *action)
{
	struct zram zram;
	int dir_fd, ret = 0;

	/* Runs make devices under this lock, so no device of a living run is taken for a leftover. */
	if (journal_lock_dir(journal->dir, &dir_fd))
		return 0;
	if (action->a && !zram_identify("", (unsigned)action->a, &zram) && zram.diskseq >= action->b &&
		zram_is_blank("", zram.id))
		ret = remove_zram(&zram);
	close(dir_fd);
	return ret;
}

struct undo_row {
	/* Returns 1: restored, 0: there is nothing to restore, or -errno. NULL for a setting, which undo_restore restores. */
	int (*undo)(const struct journal *journal, const struct undo_action *action);
	const char *verb, *noun, *done; /* "cannot VERB PATH", "NOUN PATH DONE" */
	bool is_first;      /* undone before the others, and without the folder's lock */
	bool outlives_boot; /* only files do */
};

static const struct undo_row undo_acts[UNDO_ACTS] = {
	[UNDO_FILE] = {undo_file, "remove", "", "removed", .outlives_boot = true},
	[UNDO_FOLDER] = {undo_folder, "remove the folder", "folder ", "removed", .is_first = false},
	[UNDO_TRACE] = {undo_trace, "remove the trace instance", "trace instance ", "removed", .is_first = false},
	[UNDO_LOOP] = {undo_loop, "detach", "", "detached", .is_first = false},
	[UNDO_HOT_ADD] = {undo_hot_add, "remove", "", "removed", .is_first = true},
	[UNDO_ZRAM] = {undo_zram, "remove", "", "removed", .is_first = true},
	[UNDO_SWAP_FILE] = {undo_swap_file, "remove the swap file", "swap file ", "removed", .is_first = true,
		.outlives_boot = true},
	[UNDO_SWAP_LOOP] = {undo_loop, "detach", "", "detached", .is_first = true},
	[UNDO_SWAP] = {undo_swap, "swap off", "swap on ", "switched off", .is_first = true},
	[UNDO_SWAP_DEVICE] = {undo_swap_device, "swap off", "swap on ", "switched off", .is_first = true},
	[UNDO_CGROUP] = {undo_cgroup, "remove the memory cgroup", "memory cgroup ", "removed", .is_first = true},
};

static int undo_one(const struct journal *journal, const struct undo_list *list, size_t index, bool says_so)
{
	const struct undo_action *action = &list->actions[index];
	const struct undo_row *row = &undo_acts[action->act];
	char name[sizeof(action->path)], other[JOURNAL_NAME];
	bool is_swap = action->act == UNDO_SWAP || action->act == UNDO_SWAP_DEVICE;
	struct undo_action theirs;
	int ret;

	if (undo_is_setting(action->act)) {
		for (size_t i = 0; i < index; i++)
			if (undo_is_same_place(&list->actions[i], action))
				return 0;
		/* Another run still needs the value, and will restore it. */
		if (action->act == UNDO_SHARED && undo_find_other(journal, action, other, &theirs))
			return 0;
		return undo_restore(list, undo_last_of(list, action), says_so);
	}
	ret = row->undo(journal, action);
	snprintf(name, sizeof(name), "%s", action->path);
	if (action->act == UNDO_HOT_ADD || action->act == UNDO_ZRAM)
		snprintf(name, sizeof(name), "/dev/zram%llu", (unsigned long long)action->a);
	if (ret < 0)
		diag_error(ret, "cannot %s %s%s", row->verb, name, is_swap && ret == -ENOMEM
			? " (end the programs whose pages are in it, or give them memory, then --recover)" : "");
	else if (ret)
		undo_report(says_so, "%s%s %s", row->noun, name, row->done);
	return ret < 0 ? ret : 0;
}

/* Undoes actions in reverse: those with is_first, or all others. Continues after a failure, to restore the rest. */
static int undo_list(const struct journal *journal, const struct undo_list *list, bool is_first, bool says_so)
{
	int first = 0;

	for (size_t i = list->count; i-- > 0;) {
		enum undo_act act = list->actions[i].act;
		int ret;

		if (undo_acts[act].is_first != is_first || (!journal->is_this_boot && !undo_acts[act].outlives_boot) ||
			(act == UNDO_HOT_ADD && i + 1 < list->count))
			continue;
		ret = undo_one(journal, list, i, says_so);
		if (ret && !first)
			first = ret;
	}
	return first;
}

/* Restores settings and removes the journal under the folder's lock: a run that begins meanwhile finds either this journal or
 * the settings as they were, and of two runs that end at once one restores. Slow swapoffs are done before, without the lock. */
int undo_all(struct journal *journal, bool says_so)
{
	struct undo_list list = {0};
	int dir_fd, err, last, ret = undo_load(journal, &list);

	if (journal_is_unreadable(ret))
		diag_error(0, "the journal %s/%s is damaged or of another version, and what it lists is not restored: read "
			      "it, undo by hand what is still there (swapoff, zramctl -r, sysctl, losetup -d, rm, rmdir), then "
			      "set it aside as " JOURNAL_SET_ASIDE,
			journal->dir, journal->name, journal->name);
	else if (ret)
		diag_error(ret, "cannot read the journal %s/%s", journal->dir, journal->name);
	if (ret)
		return ret;
	ret = undo_list(journal, &list, true, says_so);
	err = journal_lock_dir(journal->dir, &dir_fd);
	if (err && err != -ENOENT) {
		diag_error(err, "cannot lock %s", journal->dir);
		undo_list_free(&list);
		return err;
	}
	/* If the folder was removed, no other run can have a journal in it. */
	if (err)
		diag_warn("%s is gone: restoring without it", journal->dir);
	last = undo_list(journal, &list, false, says_so);
	ret = ret ? ret : last;
	if (!err) {
		if (!ret)
			ret = journal_remove(journal);
		close(dir_fd);
	}
	undo_list_free(&list);
	return ret;
}

#define VALUE 128
#define TEXT_LIMIT (1024 * 1024)
#define SETTINGS "/proc/sys/vm"
#define CGROUPS "/sys/fs/cgroup"

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return length > 1 && !strncmp(path, folder, length) && path[length] == '/' && path[length + 1];
}

/* The hierarchies may be mounted elsewhere than CGROUPS on unusual machines. */
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

/* No component of a plain path, the last one neither, is empty, "." or "..". */
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

/* Example: /sys/block/DISK/queue/NAME */
static bool is_of_queue(const char *path)
{
	const char *disk = path + strlen("/sys/block/");

	return is_below(path, "/sys/block") && !strncmp(strchrnul(disk, '/'), "/queue/", 7);
}

/* Tells whether path is a setting of memory, of a block queue, or of memory, io or cpu of a cgroup, which is restored as one
 * value; files that are commands (cgroup.procs, memory.reclaim, release_agent) are not. */
static bool is_shared_setting(const char *path)
{
	static const char *const controls[] = {"memory.", "io.", "blkio.", "cpu."};
	const char *name = strrchr(path, '/');

	if (*path != '/')
		return false;
	name++;
	if (is_below(path, "/sys/kernel/mm"))
		return !is_below(path, "/sys/kernel/mm/damon");
	if (is_below(path, "/sys/module/zswap/parameters") || is_of_queue(path))
		return true;
	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++)
		if (!strncmp(name, controls[i], strlen(controls[i])))
			return is_in_cgroup(path);
	return false;
}

bool undo_allows(const struct undo_action *action)
{
	const char *path = action->path;

	if (!undo_is_setting(action->act) && action->act != UNDO_FOLDER)
		return true;
	if (!is_plain(path) || (action->twin[0] && (strchr(action->twin, '/') || !is_plain(action->twin))))
		return false;
	if ((action->act == UNDO_SETTING || action->act == UNDO_SHARED) && is_below(path, SETTINGS) &&
		!strchr(path + strlen(SETTINGS) + 1, '/'))
		return true;
	if (action->act == UNDO_SHARED)
		return is_shared_setting(path);
	return is_in_cgroup(path);
}

int undo_lock_setting(const char *path, int *fd)
{
	/* The lock belongs to the open file description, of which the guardian gets a copy. */
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	uint64_t hash = 14695981039346656037ull; /* FNV-1a of the path: its byte in the lock file */
	bool is_root = !geteuid();
	struct stat stat;
	int found, ret = 0;

	/* Root locks a file of its own, because any user can open the setting for reading and lock it. An ordinary user can
	 * write only to files that were delegated, and locks the file itself. */
	found = is_root ? open(UNDO_LOCK_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)
			: open(path, O_RDWR | O_CLOEXEC);
	if (found < 0)
		return -errno;
	if (fstat(found, &stat))
		ret = -errno;
	else if (is_root && (!S_ISREG(stat.st_mode) || stat.st_uid || (stat.st_mode & 077) || stat.st_nlink != 1))
		ret = -EPERM;
	for (const char *c = path; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 1099511628211ull;
	lock.l_start = (off_t)(hash >> 2);
	if (!ret && fcntl(found, F_OFD_SETLK, &lock))
		ret = errno == EACCES || errno == EAGAIN ? -EWOULDBLOCK : -errno;
	if (ret)
		close(found);
	else
		*fd = found;
	return ret;
}

/* Reads a value: for UNDO_LINE the line of the KEY in the file, or "KEY 0" when it has none; for a list of choices the selected
 * one. */
static int read_value(const struct undo_action *action, char value[VALUE])
{
	const char *key = action->ours;
	size_t length = undo_key_length(key), size;
	char *text, *rest, *line;
	int ret;

	if (action->act != UNDO_LINE) {
		ret = sysfs_read_choice("", action->path, value, VALUE);
		return ret == -EINVAL ? sysfs_read("", action->path, value, VALUE) : ret;
	}
	ret = sysfs_slurp("", action->path, TEXT_LIMIT, &text, &size);
	if (ret)
		return ret;
	ret = snprintf(value, VALUE, "%.*s 0", (int)length, key) < VALUE ? 0 : -EOVERFLOW;
	for (rest = text; (line = strsep(&rest, "\n"));)
		if (undo_key_length(line) == length && !strncmp(line, key, length) && line[length])
			ret = snprintf(value, VALUE, "%s", line) < VALUE ? 0 : -EOVERFLOW;
	free(text);
	return ret;
}

int undo_read_setting(const struct undo_action *action, char value[sizeof(action->before)])
{
	int ret = read_value(action, value);

	return ret || (*value && !strchr(value, '\n')) ? ret : -EINVAL;
}

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

/* now: the present value of path. */
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

	/* The value is 0 because the run wrote to the twin: writing 0 again would not change it, and the twin would keep the
	 * run's value. */
	if (!ret && action->twin[0] && !strcmp(action->before, "0"))
		ret = sysfs_write("", path, "1");
	if (!ret)
		ret = sysfs_write("", path, action->before);
	return ret;
}

static void leave_alone(const struct undo_action *action, const char *now)
{
	char other[sizeof(action->path)], before[sizeof(action->path)], value[VALUE];
	const char *ruler = action->path;

	snprintf(value, sizeof(value), "%s", now);
	/* If two files exclude each other, the one that is not 0 is effective. */
	if (action->twin[0] && !strcmp(now, "0") && !partner(action, other)) {
		ruler = other;
		if (sysfs_read("", other, value, VALUE))
			snprintf(value, VALUE, "?");
	}
	if (partner(action, before))
		return;
	diag_warn("left alone: %s is '%s', which this run did not set (before the run %s was '%s')", ruler, value, before,
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
	if (ret)
		return diag_error(ret, "cannot read %s", action->path);
	if (is_back(action, now))
		return 0;
	if (!is_ours(list, action, now)) {
		leave_alone(action, now);
		return 0;
	}
	ret = write_before(action);
	if (!ret && !action->twin[0])
		ret = read_value(action, now);
	if (!ret && !action->twin[0] && !is_back(action, now))
		ret = -EIO;
	if (ret)
		diag_error(ret, "cannot write '%s' back to %s", action->before, path);
	else
		undo_report(says_so, "%s is '%s' again", path, action->before);
	return ret;
}
