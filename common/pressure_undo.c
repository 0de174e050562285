/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/restore.h"
#include "common/swap.h"
#include "common/sysfs.h"
#include "common/zram.h"

#define PAGE_CLUSTER "/proc/sys/vm/page-cluster"

/* Every undo may come a second time, after one that was killed half way, and finds what it looks for either
 * as we made it, or gone (fine), or replaced by somebody else's (left alone). */
struct undo {
	struct journal *journal;
	bool says_so;
};

static int undo_cgroup(const struct undo *undo, const struct pressure_action *action)
{
	struct cgroup cgroup = {.version = (int)action->a};
	int ret;

	/* The name is in the path and nobody else's: it holds this run's number, start and random part. */
	if (!strstr(action->path, undo->journal->name) || access(action->path, F_OK))
		return 0;
	snprintf(cgroup.dir, sizeof(cgroup.dir), "%s", action->path);
	ret = cgroup_kill(&cgroup);
	if (!ret)
		ret = cgroup_remove(&cgroup);
	if (ret)
		diag_error(ret, "cannot remove the memory cgroup %s", cgroup.dir);
	else
		restore_say(undo->says_so, "memory cgroup %s removed", cgroup.dir);
	return ret;
}

static int undo_swap(const struct undo *undo, const struct pressure_action *action)
{
	bool was_active;
	int ret;

	if (!swap_has_uuid(action->path, undo->journal->uuid))
		return 0;
	ret = swap_off(action->path, &was_active);
	if (ret)
		diag_error(ret, "cannot swap off %s", action->path);
	else if (was_active)
		restore_say(undo->says_so, "swap on %s switched off", action->path);
	return ret;
}

static int undo_loop(const struct undo *undo, const struct pressure_action *action)
{
	return restore_loop(action->path, action->a, action->b, undo->says_so);
}

static int undo_file(const struct undo *undo, const struct pressure_action *action)
{
	struct stat stat;

	if (lstat(action->path, &stat) || !S_ISREG(stat.st_mode) || stat.st_ino != action->b)
		return 0;
	/* Device numbers may change from boot to boot. */
	if (undo->journal->is_this_boot && stat.st_dev != action->a)
		return 0;
	if (!swap_has_uuid(action->path, undo->journal->uuid))
		return 0;
	if (unlink(action->path)) {
		int err = -errno;

		diag_error(err, "cannot remove the swap file %s", action->path);
		return err;
	}
	restore_say(undo->says_so, "swap file %s removed", action->path);
	return 0;
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

static int undo_page_cluster(const struct undo *undo, const struct pressure_action *action)
{
	uint64_t value, others;
	char text[24];
	int ret;

	/* Another run still wants 0 and gives the value back later; a value other than ours is another's
	 * wish. */
	if (pressure_journal_others_page_cluster(undo->journal, &others))
		return 0;
	if (sysfs_read_u64("", PAGE_CLUSTER, &value) || value || !action->a)
		return 0;
	snprintf(text, sizeof(text), "%" PRIu64, action->a);
	ret = sysfs_write("", PAGE_CLUSTER, text);
	/* What could not be written now was not changed by us either. */
	if (ret == -EROFS || ret == -EACCES)
		return 0;
	if (ret)
		diag_error(ret, "cannot write %s to " PAGE_CLUSTER, text);
	else
		restore_say(undo->says_so, PAGE_CLUSTER " is %s again", text);
	return ret;
}

static int (*const undo_table[])(const struct undo *, const struct pressure_action *) = {
	[PRESSURE_ACT_PAGE_CLUSTER] = undo_page_cluster,
	[PRESSURE_ACT_HOT_ADD] = undo_hot_add,
	[PRESSURE_ACT_ZRAM] = undo_zram,
	[PRESSURE_ACT_FILE] = undo_file,
	[PRESSURE_ACT_LOOP] = undo_loop,
	[PRESSURE_ACT_SWAP] = undo_swap,
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

/* Backwards; page-cluster only or all but that. Goes on after a failure: the rest is worth restoring. */
static int undo_actions(
	const struct undo *undo, const struct pressure_action *actions, size_t count, bool is_page_cluster)
{
	int first = 0;

	for (size_t i = count; i-- > 0;) {
		int ret = 0;

		if ((actions[i].act == PRESSURE_ACT_PAGE_CLUSTER) == is_page_cluster &&
			is_to_undo(undo->journal, actions, count, i))
			ret = undo_table[actions[i].act](undo, &actions[i]);
		if (ret && !first)
			first = ret;
	}
	return first;
}

/* page-cluster is given back under the folder's lock, together with the journal: otherwise two runs that end
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
