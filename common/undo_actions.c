/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every undo may come a second time, after one that was killed half way, and finds what it looks for either as we
 * made it, or gone (fine), or replaced by somebody else's (left alone).
 */
#include "config.h"
#include "common/undo_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/restore.h"
#include "common/tracefs.h"

#define PAUSE_MS 10
#define TRIES (2 * 1000 / PAUSE_MS)

static int undo_file(const struct undo_action *action, bool says_so)
{
	struct stat stat;
	int err;

	if (lstat(action->path, &stat))
		return 0;
	if (!S_ISREG(stat.st_mode) || stat.st_dev != action->a || stat.st_ino != action->b) {
		diag_warn("left alone: %s is no longer the file that the run made", action->path);
		return 0;
	}
	if (!unlink(action->path)) {
		restore_say(says_so, "%s removed", action->path);
		return 0;
	}
	err = -errno;
	diag_error(err, "cannot remove %s", action->path);
	return err;
}

/* Who had it in use may just be dying: the kernel takes a moment to clean up after him. */
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

static int undo_folder(const struct undo_action *action, bool says_so)
{
	int ret = remove_folder(AT_FDCWD, action->path);

	if (ret == -ENOENT)
		return 0;
	if (ret)
		diag_error(ret, "cannot remove the folder %s", action->path);
	else
		restore_say(says_so, "folder %s removed", action->path);
	return ret;
}

static int undo_trace(const struct undo_action *action, bool says_so)
{
	char path[sizeof(action->path) + 16];
	int dirfd, ret = tracefs_open_dir(&dirfd);

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
		restore_say(says_so, "trace instance %s removed", action->path);
	return ret;
}

static int undo_loop(const struct undo_action *action, bool says_so)
{
	return restore_loop(action->path, action->a, action->b, says_so);
}

static int (*const undo_table[])(const struct undo_action *action, bool says_so) = {
	[UNDO_FILE] = undo_file,
	[UNDO_FOLDER] = undo_folder,
	[UNDO_TRACE] = undo_trace,
	[UNDO_LOOP] = undo_loop,
};

static int undo_one(const struct undo_list *list, size_t index, bool says_so)
{
	const struct undo_action *action = &list->actions[index];

	if (!undo_is_same_place(action, action))
		return undo_table[action->act](action, says_so);
	for (size_t i = 0; i < index; i++)
		if (undo_is_same_place(&list->actions[i], action))
			return 0;
	return undo_put_back(list, undo_last_of(list, action), says_so);
}

/* Backwards. Goes on after a failure: the rest is worth restoring. */
static int undo_list(const struct journal *journal, const struct undo_list *list, bool says_so)
{
	int first = 0;

	for (size_t i = list->count; i-- > 0;) {
		int ret;

		/* Only files outlive a boot. */
		if (!journal->is_this_boot && list->actions[i].act != UNDO_FILE)
			continue;
		ret = undo_one(list, i, says_so);
		if (ret && !first)
			first = ret;
	}
	return first;
}

/* Under the folder's lock: who begins meanwhile either finds this journal, or the settings as they were. */
static int undo_and_remove(struct journal *journal, const struct undo_list *list, bool says_so)
{
	int dir_fd, ret, err = journal_lock_dir(journal->dir, &dir_fd);

	if (err && err != -ENOENT) {
		diag_error(err, "cannot lock %s", journal->dir);
		return err;
	}
	/* Somebody has removed the folder, and with it the journal: there is nobody to agree with. */
	if (err)
		diag_warn("%s is gone: putting back without it", journal->dir);
	ret = undo_list(journal, list, says_so);
	if (err)
		return ret;
	if (!ret)
		ret = journal_remove(journal);
	close(dir_fd);
	return ret;
}

int undo_all(struct journal *journal, bool says_so)
{
	struct undo_list list = {0};
	int ret = undo_load(journal, &list);

	if (journal_is_unreadable(ret))
		diag_error(0, "the journal %s/%s is damaged or of another version, and what it lists is not put back: read "
			      "it, undo by hand what is still there (sysctl, losetup -d, rm), then rename it to " JOURNAL_SET_ASIDE,
			journal->dir, journal->name, journal->name);
	else if (ret)
		diag_error(ret, "cannot read the journal %s/%s", journal->dir, journal->name);
	if (ret)
		return ret;
	ret = undo_and_remove(journal, &list, says_so);
	undo_list_free(&list);
	return ret;
}
