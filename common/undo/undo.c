/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/undo/undo.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/undo/guardian.h"
#include "common/undo/journal.h"
#include "common/undo/undo_actions.h"

#define PEERS 256
#define UNDO_DIR 256
#define PAUSE_MS 20
#define TRIES (5 * 1000 / PAUSE_MS)

/* --- a run --- */

struct undo {
	struct journal journal;
	struct undo_list added;
	struct guardian_job *job; /* NULL = none */
	struct guardian guardian;
	int *locks; /* locks on settings */
	size_t lock_count;
};

/* The name is absolute, because the guardian has another working folder. */
static int find_dir(const char *program, char dir[UNDO_DIR])
{
	char variable[64], folder[64], here[UNDO_DIR];
	const char *set, *name;
	int ret = 0;

	if (snprintf(variable, sizeof(variable), "%s_DIR", program) >= (int)sizeof(variable))
		ret = -ENAMETOOLONG;
	for (char *c = variable; *c; c++)
		*c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
	set = secure_getenv(variable);
	snprintf(folder, sizeof(folder), "/run/%s", program);
	name = set && set[0] ? set : folder;
	if (!ret && name[0] != '/' && !getcwd(here, sizeof(here)))
		ret = errno == ERANGE ? -ENAMETOOLONG : -errno;
	if (!ret && snprintf(dir, UNDO_DIR, "%s%s%s", name[0] == '/' ? "" : here, name[0] == '/' ? "" : "/", name) >= UNDO_DIR)
		ret = -ENAMETOOLONG;
	if (ret)
		diag_error(ret, "cannot determine the journal folder of %s", program);
	return ret;
}

/* --- recovery of killed runs --- */

/* Retries: a killed guardian holds the lock until the kernel has cleaned up, and one whose front was killed until it has
 * restored; both take only a moment. */
static int open_when_free(const char *dir, undo_allows_fn *allows, const char *name, struct journal *journal)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000 * 1000};
	int ret = journal_open(dir, name, journal);

	for (int tries = 0; ret == -EWOULDBLOCK && tries < TRIES; tries++) {
		if (!journal_is_orphan(dir, name))
			break;
		nanosleep(&pause, NULL);
		ret = journal_open(dir, name, journal);
	}
	if (!ret)
		journal->allows = allows;
	return ret;
}

/* is_found: no process holds the journal. */
static int recover(const char *dir, undo_allows_fn *allows, const char *name, bool *is_found)
{
	struct journal journal;
	int ret = open_when_free(dir, allows, name, &journal);

	*is_found = !ret;
	if (ret == -EWOULDBLOCK || ret == -ENOENT)
		return 0;
	if (ret == -EPERM)
		diag_error(0, "%s/%s: not a file with one link that only this user can read and write, so nothing that it "
			      "lists is restored; remove it", dir, name);
	else if (ret)
		diag_error(ret, "cannot open the journal %s/%s", dir, name);
	if (ret)
		return ret;
	diag_info("found the journal %s of a run that did not clean up", name);
	ret = undo_all(&journal, true);
	close(journal.fd);
	return ret;
}

/* is_found: the journal could not be read, and was renamed. */
static int set_aside(const char *dir, undo_allows_fn *allows, const char *name, bool *is_found)
{
	struct undo_list list = {0};
	struct journal journal;
	int ret;

	*is_found = false;
	if (open_when_free(dir, allows, name, &journal))
		return 0; /* undo_recover reports the reason */
	if (!journal_is_unreadable(undo_load(&journal, &list))) {
		undo_list_free(&list);
		close(journal.fd);
		return 0;
	}
	ret = rename(SYSFS_PATH("%s/%s", dir, name), SYSFS_PATH("%s/" JOURNAL_SET_ASIDE, dir, name)) ? -errno : 0;
	if (ret)
		diag_error(ret, "cannot rename the journal %s/%s to " JOURNAL_SET_ASIDE, dir, name, name);
	else
		diag_info("set aside as %s/" JOURNAL_SET_ASIDE ": nothing that it lists was restored", dir, name);
	*is_found = !ret;
	close(journal.fd);
	return ret;
}

static int for_each(const char *dir, undo_allows_fn *allows,
	int (*what)(const char *dir, undo_allows_fn *allows, const char *name, bool *is_found), unsigned *count)
{
	char (*names)[JOURNAL_NAME] = calloc(PEERS, sizeof(*names));
	unsigned found = 0;
	size_t listed = 0;
	int dir_fd, first = names ? journal_list(dir, names, PEERS, &listed) : -ENOMEM;

	if (first) {
		diag_error(first, "cannot read the journals in %s (" JOURNAL_FOLDER_RULE ")", dir);
		free(names);
		return first;
	}
	for (size_t i = 0; i < listed; i++) {
		bool is_found;
		int ret = what(dir, allows ? allows : undo_allows, names[i], &is_found);

		found += is_found;
		if (ret && !first)
			first = ret;
	}
	free(names);
	/* A run that was killed before it had a journal leaves the folder. */
	if (!journal_lock_dir(dir, &dir_fd)) {
		journal_remove_dir(dir, dir_fd);
		close(dir_fd);
	}
	*count = found;
	return first;
}

int undo_recover(const char *program, undo_allows_fn *allows, unsigned *count)
{
	char dir[UNDO_DIR];
	int ret = find_dir(program, dir);

	return ret ? ret : for_each(dir, allows, recover, count);
}

int undo_set_aside(const char *program, undo_allows_fn *allows, unsigned *count)
{
	char dir[UNDO_DIR];
	int ret = find_dir(program, dir);

	return ret ? ret : for_each(dir, allows, set_aside, count);
}

/* --- actions of this run --- */

static void free_undo(struct undo *undo)
{
	for (size_t i = 0; i < undo->lock_count; i++)
		close(undo->locks[i]);
	free(undo->locks);
	close(undo->journal.fd);
	undo_list_free(&undo->added);
	free(undo);
}

int undo_open_with(const char *program, undo_allows_fn *allows, struct guardian_job *job, struct undo **undo)
{
	struct undo *made = calloc(1, sizeof(*made));
	char dir[UNDO_DIR];
	unsigned recovered;
	struct stat stat;
	int ret = made ? find_dir(program, dir) : -ENOMEM;

	if (!ret) {
		made->job = job;
		/* Recovery reports its errors, which do not prevent the start. */
		for_each(dir, allows, recover, &recovered);
		ret = journal_create(dir, &made->journal);
		made->journal.allows = allows;
	}
	if (ret) {
		free(made);
		return ret;
	}
	ret = guardian_start(&made->journal, made, job, &made->guardian);
	if (ret == -ECHILD) {
		if (job)
			job->end(job->arg);
		diag_error(0, "the guardian was killed during set-up%s",
			undo_all(&made->journal, false) ? "" : "; everything is restored");
	} else if (ret && !fstat(made->journal.fd, &stat) && stat.st_nlink) {
		/* The guardian removes the journal once it has undone all. */
		(void)undo_all(&made->journal, false);
	}
	if (ret)
		free_undo(made);
	else
		*undo = made;
	return ret;
}

int undo_open(const char *program, struct undo **undo)
{
	return undo_open_with(program, undo_allows, NULL, undo);
}

int undo_fd(const struct undo *undo)
{
	return undo->guardian.fd;
}

const struct journal *undo_journal(const struct undo *undo)
{
	return &undo->journal;
}

static int write_action(struct undo *undo, const struct undo_action *action)
{
	char line[UNDO_LINE_BYTES];
	int ret = undo_format(action, line);

	if (ret)
		diag_error(ret, "cannot record %s in the journal", action->path);
	if (!ret)
		ret = journal_append(&undo->journal, line);
	return ret ? ret : undo_list_add(&undo->added, action);
}

/* Runs whose journals are elsewhere see the lock, too. UNDO_LINE needs none: runs use different lines of its file. Returns
 * -EWOULDBLOCK when another run has the lock. */
static int lock_setting(struct undo *undo, const struct undo_action *action)
{
	int fd, ret, *larger;

	if (action->act != UNDO_SETTING || undo_last_of(&undo->added, action))
		return 0;
	ret = undo_lock_setting(action->path, &fd);
	if (ret)
		return ret;
	larger = reallocarray(undo->locks, undo->lock_count + 1, sizeof(*larger));
	if (!larger) {
		close(fd);
		return -ENOMEM;
	}
	undo->locks = larger;
	undo->locks[undo->lock_count++] = fd;
	/* This fails only if the guardian is dead, which undo_close reports. */
	(void)guardian_hold(&undo->guardian, fd);
	return 0;
}

/* Fills in `before`. is_noted: the journal already has this action. */
static int find_before(const struct undo *undo, struct undo_action *action, bool *is_noted)
{
	const struct undo_action *last = undo_last_of(&undo->added, action);
	int ret = undo_find_before(&undo->added, action);

	*is_noted = false;
	if (ret)
		return diag_error(ret, "cannot read %s", action->path);
	if (!last)
		return 0;
	if (strcmp(last->before, action->before) || strcmp(last->twin, action->twin)) {
		diag_warn("%s was changed by another process during the run: '%s' will be restored", action->path,
			action->before);
		return 0;
	}
	for (size_t i = 0; i < undo->added.count; i++)
		*is_noted |= undo_is_same_place(&undo->added.actions[i], action) &&
			     !strcmp(undo->added.actions[i].ours, action->ours);
	return 0;
}

/* If another run shares the setting, its first run found the value that the last one restores. */
static int share(const struct undo *undo, struct undo_action *action)
{
	struct undo_action theirs;
	char other[JOURNAL_NAME];
	int ret = undo_read_setting(action, action->before);

	if (ret)
		return diag_error(ret, "cannot read %s", action->path);
	if (!undo_find_other(&undo->journal, action, other, &theirs))
		return 0;
	if (strcmp(theirs.ours, action->ours)) {
		diag_error(0, "%s is %s for another run, and this one needs %s: wait for its end, or give both the same value",
			action->path, theirs.ours, action->ours);
		return -EBUSY;
	}
	memcpy(action->before, theirs.before, sizeof(action->before));
	return 0;
}

static int take_place(struct undo *undo, const struct undo_action *action)
{
	struct undo_action theirs;
	char other[JOURNAL_NAME];
	int ret;

	if (undo_find_other(&undo->journal, action, other, &theirs)) {
		diag_error(0, "%s is set for the whole machine by another run: wait for the end of process %.*s",
			action->path, (int)strcspn(other, "-"), other);
		return -EBUSY;
	}
	ret = lock_setting(undo, action);
	if (ret == -EWOULDBLOCK) {
		diag_error(0, "%s is set for the whole machine by another run, which has its journals elsewhere: wait for its "
			      "end (lslocks shows it)", action->path);
		return -EBUSY;
	}
	if (ret)
		diag_error(ret, "cannot lock %s (root locks settings in " UNDO_LOCK_FILE ", a file of mode 600)", action->path);
	return ret;
}

/* The folder's lock is held from reading other journals until this one has the line. */
static int claim(struct undo *undo, struct undo_action *action)
{
	int dir_fd, ret = journal_lock_dir(undo->journal.dir, &dir_fd);
	bool is_noted = false;

	if (ret)
		return diag_error(ret, "cannot lock %s", undo->journal.dir);
	if (action->act == UNDO_SHARED) {
		ret = share(undo, action);
	} else {
		ret = take_place(undo, action);
		if (!ret)
			ret = find_before(undo, action, &is_noted);
	}
	if (!ret && !is_noted)
		ret = write_action(undo, action);
	close(dir_fd);
	return ret;
}

int undo_add(struct undo *undo, const struct undo_action *action)
{
	struct undo_action wanted = *action;

	if (!undo->journal.allows(&wanted)) {
		diag_error(0, "%s: not a setting that this program restores, so it is not changed", wanted.path);
		return -EINVAL;
	}
	if (undo_is_same_place(&wanted, &wanted))
		return claim(undo, &wanted);
	return write_action(undo, &wanted);
}

int undo_revert(struct undo *undo, const struct undo_action *action)
{
	const struct undo_action *last = undo_last_of(&undo->added, action);

	return last ? undo_restore(&undo->added, last, false) : 0;
}

int undo_finish(struct undo *undo, bool *was_killed)
{
	int ret = 0;

	*was_killed = !guardian_finish(&undo->guardian, &ret);
	if (*was_killed) {
		if (undo->job)
			undo->job->end(undo->job->arg);
		ret = undo_all(&undo->journal, false);
		diag_warn("the guardian was killed: %s", ret ? "not everything is restored, see above"
							     : "everything is restored without it");
	}
	free_undo(undo);
	return ret;
}

int undo_close(struct undo *undo)
{
	bool was_killed;

	return undo ? undo_finish(undo, &was_killed) : 0;
}
