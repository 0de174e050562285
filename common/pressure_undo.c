/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/blockdev.h"
#include "common/diag.h"
#include "common/report_draft.h"
#include "common/restore.h"
#include "common/swap.h"
#include "common/sysfs.h"
#include "common/zram.h"

/* Every undo may come a second time, after one that was killed half way, and finds what it looks for either
 * as we made it, or gone (fine), or replaced by somebody else's (left alone). */
struct undo {
	struct journal *journal;
	bool says_so;
};

static int undo_cgroup(const struct undo *undo, const struct pressure_action *action)
{
	struct cgroup cgroup = {.version = (int)action->a};
	const char *slash = strrchr(action->path, '/');
	char name[JOURNAL_NAME + 32];
	int ret;

	/* The name is nobody else's: it holds this run's number, start and random part. */
	snprintf(name, sizeof(name), "/with-pressure-%s", undo->journal->name);
	if (!slash || strcmp(slash, name) || (access(action->path, F_OK) && errno == ENOENT))
		return 0;
	snprintf(cgroup.dir, sizeof(cgroup.dir), "%s", action->path);
	ret = cgroup_destroy(&cgroup);
	if (ret)
		diag_error(ret, "cannot remove the memory cgroup %s", cgroup.dir);
	else
		restore_say(undo->says_so, "memory cgroup %s removed", cgroup.dir);
	return ret;
}

static int switch_off(const struct undo *undo, const char *path, int fd)
{
	bool was_active;
	int ret = swap_off(fd, &was_active);

	if (ret)
		diag_error(ret, "cannot swap off %s%s", path,
			ret == -ENOMEM ? " (end the programs whose pages are in it, or give them memory, then --recover)" : "");
	else if (was_active)
		restore_say(undo->says_so, "swap on %s switched off", path);
	return ret;
}

static int undo_swap(const struct undo *undo, const struct pressure_action *action)
{
	int fd, ret = swap_open(action->path, undo->journal->uuid, &fd);

	if (ret == -ESTALE || ret == -ENOENT || ret == -ENXIO)
		return 0;
	if (ret) {
		diag_error(ret, "cannot open %s, to swap it off", action->path);
		return ret;
	}
	ret = switch_off(undo, action->path, fd);
	close(fd);
	return ret;
}

/* Another has swapped it off, and on again by himself: with a priority that is not ours. */
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
static int undo_device(const struct undo *undo, const struct pressure_action *action)
{
	int ret = 0, fd = open(action->path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat stat_of;

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
		ret = switch_off(undo, action->path, fd);
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

static int undo_loop(const struct undo *undo, const struct pressure_action *action)
{
	return restore_loop(action->path, action->a, action->b, undo->says_so);
}

static bool is_our_file(const struct undo *undo, const struct pressure_action *action, int folder, const char *name)
{
	char path[NAME_MAX + 64];
	struct stat stat;

	if (fstatat(folder, name, &stat, AT_SYMLINK_NOFOLLOW) || !S_ISREG(stat.st_mode) || stat.st_ino != action->b)
		return false;
	/* Device numbers may change from boot to boot. */
	if (undo->journal->is_this_boot && stat.st_dev != action->a)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", folder, name);
	return swap_has_uuid(path, undo->journal->uuid);
}

/* What is compared and what is removed are in one folder, whatever its path leads to by then. */
static int undo_file(const struct undo *undo, const struct pressure_action *action)
{
	char name[NAME_MAX + 1];
	int folder, ret = 0;

	/* A path that leads nowhere any more, or by another user's link, does not lead to the file. */
	if (report_draft_place(action->path, &folder, name))
		return 0;
	if (is_our_file(undo, action, folder, name)) {
		ret = unlinkat(folder, name, 0) ? -errno : 0;
		if (ret)
			diag_error(ret, "cannot remove the swap file %s", action->path);
		else
			restore_say(undo->says_so, "swap file %s removed", action->path);
	}
	close(folder);
	return ret;
}

static int remove_zram(const struct undo *undo, const struct zram *zram)
{
	int ret = zram_remove("", zram);

	if (ret == -ESTALE)
		return 0;
	if (ret)
		diag_error(ret, "cannot remove /dev/zram%u", zram->id);
	else
		restore_say(undo->says_so, "/dev/zram%u removed", zram->id);
	return ret;
}

static int undo_zram(const struct undo *undo, const struct pressure_action *action)
{
	struct zram zram;

	if (zram_identify("", (unsigned)action->a, &zram) || zram.diskseq != action->b)
		return 0;
	/* Without diskseq (before Linux 5.15) the header tells whose it is. */
	if (!zram.diskseq) {
		char path[32];

		snprintf(path, sizeof(path), "/dev/zram%u", zram.id);
		if (!zram_is_blank("", zram.id) && !swap_has_uuid(path, undo->journal->uuid))
			return 0;
	}
	return remove_zram(undo, &zram);
}

/* Reached with no zram line after it when the run was killed between making a device and noting it: it is
 * the one with the number that was free, younger than all others were, and nothing was done with it. */
static int undo_hot_add(const struct undo *undo, const struct pressure_action *action)
{
	struct zram zram;
	int dir_fd, ret = 0;

	/* Runs make devices under this lock, so that none in the making is taken for a leftover. */
	if (journal_lock_dir(undo->journal->dir, &dir_fd))
		return 0;
	if (action->a && !zram_identify("", (unsigned)action->a, &zram) && zram.diskseq >= action->b &&
		zram_is_blank("", zram.id))
		ret = remove_zram(undo, &zram);
	close(dir_fd);
	return ret;
}

static int undo_setting(const struct undo *undo, const struct pressure_action *action)
{
	const char *path = pressure_setting_path(action->act);
	struct pressure_action others;
	uint64_t value;
	char text[24];
	int ret;

	/* Another run still wants ours and gives the value back later; a value other than ours is another's
	 * wish. */
	if (pressure_journal_others_setting(undo->journal, action->act, &others))
		return 0;
	if (sysfs_read_u64("", path, &value) || value != action->b || value == action->a)
		return 0;
	snprintf(text, sizeof(text), "%" PRIu64, action->a);
	ret = sysfs_write("", path, text);
	/* What could not be written now was not changed by us either. */
	if (ret == -EROFS || ret == -EACCES)
		return 0;
	if (ret)
		diag_error(ret, "cannot write %s to %s", text, path);
	else
		restore_say(undo->says_so, "%s is %s again", path, text);
	return ret;
}

static int (*const undo_table[])(const struct undo *, const struct pressure_action *) = {
	[PRESSURE_ACT_PAGE_CLUSTER] = undo_setting,
	[PRESSURE_ACT_SWAPPINESS] = undo_setting,
	[PRESSURE_ACT_HOT_ADD] = undo_hot_add,
	[PRESSURE_ACT_ZRAM] = undo_zram,
	[PRESSURE_ACT_FILE] = undo_file,
	[PRESSURE_ACT_LOOP] = undo_loop,
	[PRESSURE_ACT_SWAP] = undo_swap,
	[PRESSURE_ACT_DEVICE] = undo_device,
	[PRESSURE_ACT_CGROUP] = undo_cgroup,
};

static bool is_to_undo(
	const struct journal *journal, const struct pressure_action *actions, size_t count, size_t i)
{
	/* Only files outlive a boot. */
	if (!journal->is_this_boot)
		return actions[i].act == PRESSURE_ACT_FILE;
	return actions[i].act != PRESSURE_ACT_HOT_ADD || i + 1 == count;
}

/* Backwards; settings only or all but those. Goes on after a failure: the rest is worth restoring. */
static int undo_actions(
	const struct undo *undo, const struct pressure_action *actions, size_t count, bool is_settings)
{
	int first = 0;

	for (size_t i = count; i-- > 0;) {
		int ret = 0;

		if (!pressure_setting_path(actions[i].act) != is_settings &&
			is_to_undo(undo->journal, actions, count, i))
			ret = undo_table[actions[i].act](undo, &actions[i]);
		if (ret && !first)
			first = ret;
	}
	return first;
}

/* Settings are given back under the folder's lock, together with the journal: otherwise two runs that end
 * at once could each leave it to the other. The lock is not held for longer, a swapoff may take its time. */
static int undo_last(const struct undo *undo, const struct pressure_action *actions, size_t count, int ret)
{
	int dir_fd, err = journal_lock_dir(undo->journal->dir, &dir_fd);

	if (err == -ENOENT) {
		/* Somebody has removed the folder, and with it the journal: there is nobody to agree with. */
		diag_warn("%s is gone: putting back without it", undo->journal->dir);
		err = undo_actions(undo, actions, count, true);
		return ret ? ret : err;
	}
	if (err) {
		diag_error(err, "cannot lock %s", undo->journal->dir);
		return err;
	}
	err = undo_actions(undo, actions, count, true);
	if (!ret)
		ret = err;
	if (!ret)
		ret = journal_remove(undo->journal);
	close(dir_fd);
	return ret;
}

int pressure_undo(struct journal *journal, bool says_so)
{
	const struct undo undo = {.journal = journal, .says_so = says_so};
	struct pressure_action actions[PRESSURE_ACTIONS];
	size_t count = 0;
	int ret = pressure_journal_load(journal, actions, &count);

	if (journal_is_unreadable(ret))
		diag_error(0, "the journal %s/%s is damaged or of another version, and what it lists is not put back: read "
			      "it, undo by hand what is still there (swapoff, zramctl -r, losetup -d, rm, rmdir of the "
			      "cgroup), then --recover=set-aside renames it to " JOURNAL_SET_ASIDE,
			journal->dir, journal->name, journal->name);
	else if (ret)
		diag_error(ret, "cannot read the journal %s/%s", journal->dir, journal->name);
	if (ret)
		return ret;
	return undo_last(&undo, actions, count, undo_actions(&undo, actions, count, false));
}
