/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every undo may come a second time, after one that was killed half way, and finds what it looks for either as we
 * made it, or gone (fine), or replaced by another process's (left alone).
 */
#include "config.h"
#include "common/undo_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/blockdev.h"
#include "common/cgroup.h"
#include "common/diag.h"
#include "common/loopdev.h"
#include "common/report_draft.h"
#include "common/swap.h"
#include "common/sysfs.h"
#include "common/tracefs.h"
#include "common/zram.h"

#define PAUSE_MS 10
#define TRIES (2 * 1000 / PAUSE_MS)

_Static_assert(JOURNAL_UUID_BYTES == SWAP_UUID_BYTES, "swap areas are marked with the journal's");

void undo_report(bool says_so, const char *format, ...)
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

static int undo_file(const struct journal *journal, const struct undo_action *action, bool says_so)
{
	struct stat stat;
	int err;

	(void)journal;
	if (lstat(action->path, &stat))
		return 0;
	if (!S_ISREG(stat.st_mode) || stat.st_dev != action->a || stat.st_ino != action->b) {
		diag_warn("left alone: %s is no longer the file that the run made", action->path);
		return 0;
	}
	if (!unlink(action->path)) {
		undo_report(says_so, "%s removed", action->path);
		return 0;
	}
	err = -errno;
	diag_error(err, "cannot remove %s", action->path);
	return err;
}

/* A process that uses it may just be dying: the kernel takes a moment to clean up after it. */
static int remove_folder(int dirfd, const char *path)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000 * 1000};

	for (int tries = 0; unlinkat(dirfd, path, AT_REMOVEDIR); tries++) {
		if (errno != EBUSY || tries == TRIES)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int undo_folder(const struct journal *journal, const struct undo_action *action, bool says_so)
{
	int ret = remove_folder(AT_FDCWD, action->path);

	(void)journal;
	if (ret == -ENOENT)
		return 0;
	if (ret)
		diag_error(ret, "cannot remove the folder %s", action->path);
	else
		undo_report(says_so, "folder %s removed", action->path);
	return ret;
}

static int undo_trace(const struct journal *journal, const struct undo_action *action, bool says_so)
{
	char path[sizeof(action->path) + 16];
	int dirfd, ret = tracefs_open_dir(&dirfd);

	(void)journal;
	snprintf(path, sizeof(path), "instances/%s", action->path);
	if (!ret) {
		ret = strchr(action->path, '/') || action->path[0] == '.' ? -EINVAL : remove_folder(dirfd, path);
		close(dirfd);
	}
	if (ret == -ENOENT)
		return 0;
	if (ret)
		diag_error(ret, "cannot remove the trace instance %s", action->path);
	else
		undo_report(says_so, "trace instance %s removed", action->path);
	return ret;
}

static int undo_loop(const struct journal *journal, const struct undo_action *action, bool says_so)
{
	int ret = loopdev_look(action->path, action->a, action->b);

	(void)journal;
	/* What cannot be seen is not restored: only a device that is not there, or is another's, is done. */
	if (!ret || ret == -ENOENT || ret == -ENXIO)
		return 0;
	if (ret > 0)
		ret = loopdev_detach(action->path, action->a, action->b);
	if (ret)
		diag_error(ret, "cannot detach %s", action->path);
	else
		undo_report(says_so, "%s detached", action->path);
	return ret;
}

static int undo_cgroup(const struct journal *journal, const struct undo_action *action, bool says_so)
{
	struct cgroup cgroup = {.version = (int)action->a};
	const char *slash = strrchr(action->path, '/');
	char name[JOURNAL_NAME + 32];
	int ret;

	/* No other process's has this name: it holds this run's number, start and random part. */
	snprintf(name, sizeof(name), "/with-pressure-%s", journal->name);
	if (!slash || strcmp(slash, name) || (access(action->path, F_OK) && errno == ENOENT))
		return 0;
	snprintf(cgroup.dir, sizeof(cgroup.dir), "%s", action->path);
	ret = cgroup_destroy(&cgroup);
	if (ret)
		diag_error(ret, "cannot remove the memory cgroup %s", cgroup.dir);
	else
		undo_report(says_so, "memory cgroup %s removed", cgroup.dir);
	return ret;
}

static int switch_off(const char *path, int fd, bool says_so)
{
	bool was_active;
	int ret = swap_off(fd, &was_active);

	if (ret)
		diag_error(ret, "cannot swap off %s%s", path,
			ret == -ENOMEM ? " (end the programs whose pages are in it, or give them memory, then --recover)" : "");
	else if (was_active)
		undo_report(says_so, "swap on %s switched off", path);
	return ret;
}

static int undo_swap(const struct journal *journal, const struct undo_action *action, bool says_so)
{
	int fd, ret = swap_open(action->path, journal->uuid, &fd);

	if (ret == -ESTALE || ret == -ENOENT || ret == -ENXIO)
		return 0;
	if (ret) {
		diag_error(ret, "cannot open %s, to swap it off", action->path);
		return ret;
	}
	ret = switch_off(action->path, fd, says_so);
	close(fd);
	return ret;
}

/* Another process has swapped it off, and on again: with a priority that is not ours. */
static bool is_swapped_on_by_another(dev_t device)
{
	struct swap_area areas[SWAP_AREAS];
	struct stat stat_of;
	size_t count;

	if (swap_list("", areas, SWAP_AREAS, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!stat(areas[i].path, &stat_of) && S_ISBLK(stat_of.st_mode) && stat_of.st_rdev == device)
			return areas[i].priority != SWAP_PRIORITY;
	return false;
}

/* The device was there before and stays; its header is its own, so that it is known by its number and diskseq. */
static int undo_swap_device(const struct journal *journal, const struct undo_action *action, bool says_so)
{
	int ret = 0, fd = open(action->path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat stat_of;

	(void)journal;
	if (fd < 0 && (errno == ENOENT || errno == ENXIO))
		return 0;
	if (fd < 0 || fstat(fd, &stat_of)) {
		ret = -errno;
		diag_error(ret, "cannot open %s, to swap it off", action->path);
	} else if (!S_ISBLK(stat_of.st_mode) || stat_of.st_rdev != action->a ||
		   blockdev_diskseq("", stat_of.st_rdev) != action->b) {
		/* Another device has its name by now. */
	} else if (is_swapped_on_by_another(stat_of.st_rdev)) {
		diag_warn("left alone: the swap on %s has another priority than the run gave it", action->path);
	} else {
		ret = switch_off(action->path, fd, says_so);
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

/* What is compared and what is removed are in one folder, whatever its path leads to by then. */
static int undo_swap_file(const struct journal *journal, const struct undo_action *action, bool says_so)
{
	char name[NAME_MAX + 1], path[NAME_MAX + 64];
	struct stat stat;
	int folder, ret = 0;

	/* A path that leads nowhere any more, or by another user's link, does not lead to the file. */
	if (report_draft_place(action->path, &folder, name))
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", folder, name);
	/* Device numbers may change from boot to boot. */
	if (!fstatat(folder, name, &stat, AT_SYMLINK_NOFOLLOW) && S_ISREG(stat.st_mode) && stat.st_ino == action->b &&
		(!journal->is_this_boot || stat.st_dev == action->a) && swap_has_uuid(path, journal->uuid)) {
		ret = unlinkat(folder, name, 0) ? -errno : 0;
		if (ret)
			diag_error(ret, "cannot remove the swap file %s", action->path);
		else
			undo_report(says_so, "swap file %s removed", action->path);
	}
	close(folder);
	return ret;
}

static int remove_zram(const struct zram *zram, bool says_so)
{
	int ret = zram_remove("", zram);

	if (ret == -ESTALE)
		return 0;
	if (ret)
		diag_error(ret, "cannot remove /dev/zram%u", zram->id);
	else
		undo_report(says_so, "/dev/zram%u removed", zram->id);
	return ret;
}

static int undo_zram(const struct journal *journal, const struct undo_action *action, bool says_so)
{
	struct zram zram;
	char path[32];

	if (zram_identify("", (unsigned)action->a, &zram) || zram.diskseq != action->b)
		return 0;
	/* Without diskseq (before Linux 5.15) the header tells whose it is. */
	snprintf(path, sizeof(path), "/dev/zram%u", zram.id);
	if (!zram.diskseq && !zram_is_blank("", zram.id) && !swap_has_uuid(path, journal->uuid))
		return 0;
	return remove_zram(&zram, says_so);
}

/* The last action when the run was killed between making a device and noting it: it is the one with the number that was
 * free, younger than all others were, and nothing was done with it. */
static int undo_hot_add(const struct journal *journal, const struct undo_action *action, bool says_so)
{
	struct zram zram;
	int dir_fd, ret = 0;

	/* Runs make devices under this lock, so that none in the making is taken for a leftover. */
	if (journal_lock_dir(journal->dir, &dir_fd))
		return 0;
	if (action->a && !zram_identify("", (unsigned)action->a, &zram) && zram.diskseq >= action->b &&
		zram_is_blank("", zram.id))
		ret = remove_zram(&zram, says_so);
	close(dir_fd);
	return ret;
}

const struct undo_row undo_acts[UNDO_ACTS] = {
	[UNDO_SETTING] = {"setting", .is_place = true},
	[UNDO_LINE] = {"line", .is_place = true},
	[UNDO_SHARED] = {"shared", .is_place = true},
	[UNDO_FILE] = {"file", undo_file, .outlives_boot = true},
	[UNDO_FOLDER] = {"folder", .undo = undo_folder},
	[UNDO_TRACE] = {"trace", .undo = undo_trace},
	[UNDO_LOOP] = {"loop", .undo = undo_loop},
	[UNDO_HOT_ADD] = {"hot-add", undo_hot_add, .is_first = true},
	[UNDO_ZRAM] = {"zram", undo_zram, .is_first = true},
	[UNDO_SWAP_FILE] = {"swap-file", undo_swap_file, .is_first = true, .outlives_boot = true},
	[UNDO_SWAP_LOOP] = {"swap-loop", undo_loop, .is_first = true},
	[UNDO_SWAP] = {"swap", undo_swap, .is_first = true},
	[UNDO_SWAP_DEVICE] = {"swap-device", undo_swap_device, .is_first = true},
	[UNDO_CGROUP] = {"cgroup", undo_cgroup, .is_first = true},
};

static int undo_one(const struct journal *journal, const struct undo_list *list, size_t index, bool says_so)
{
	const struct undo_action *action = &list->actions[index];
	struct undo_action theirs;
	char other[JOURNAL_NAME];

	if (!undo_acts[action->act].is_place)
		return undo_acts[action->act].undo(journal, action, says_so);
	for (size_t i = 0; i < index; i++)
		if (undo_is_same_place(&list->actions[i], action))
			return 0;
	/* Another run still wants the value, and restores it later. */
	if (action->act == UNDO_SHARED && undo_find_other(journal, action, other, &theirs))
		return 0;
	return undo_restore(list, undo_last_of(list, action), says_so);
}

/* Backwards: those that are undone first, or all others. Continues after a failure: the rest is worth restoring. */
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

/* Settings are restored, and the journal removed, under the folder's lock: a run that begins meanwhile either finds this
 * journal, or the settings as they were, and of two that end at once one restores. A swapoff, which takes its time, is
 * before that. */
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
	/* Another process has removed the folder, and with it the journal: no other run has to be asked. */
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
