/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/sysfs.h"
#include "common/undo_private.h"

#define PEERS 256

struct undo {
	struct undo_kind kind;
	struct journal journal;
	struct undo_list added;
	struct guardian_job *job; /* NULL = none */
	struct guardian guardian;
	int *locks; /* of settings */
	size_t lock_count;
};

static int find_dir(const char *program, char dir[UNDO_DIR])
{
	int ret = undo_dir(program, dir);

	if (ret)
		diag_error(ret, "cannot tell the folder of journals of %s", program);
	return ret;
}

int undo_recover_with(const char *program, undo_allows_fn *allows, unsigned *count)
{
	const struct undo_kind kind = undo_kind(allows);
	char dir[UNDO_DIR];
	int ret = find_dir(program, dir);

	return ret ? ret : journal_recover(&kind.journal, dir, count);
}

int undo_recover(const char *program, unsigned *count)
{
	return undo_recover_with(program, undo_allows, count);
}

int undo_set_aside_with(const char *program, undo_allows_fn *allows, unsigned *count)
{
	const struct undo_kind kind = undo_kind(allows);
	char dir[UNDO_DIR];
	int ret = find_dir(program, dir);

	return ret ? ret : journal_set_aside_unreadable(&kind.journal, dir, count);
}

int undo_set_aside(const char *program, unsigned *count)
{
	return undo_set_aside_with(program, undo_allows, count);
}

static void free_undo(struct undo *undo)
{
	for (size_t i = 0; i < undo->lock_count; i++)
		close(undo->locks[i]);
	free(undo->locks);
	close(undo->journal.fd);
	undo_list_free(&undo->added);
	free(undo);
}

static int open_guarded(const char *program, undo_allows_fn *allows, struct guardian_job *job, struct undo **undo)
{
	struct undo *made = calloc(1, sizeof(*made));
	char dir[UNDO_DIR];
	unsigned recovered;
	int ret = made ? find_dir(program, dir) : -ENOMEM;

	if (!ret) {
		made->kind = undo_kind(allows);
		made->job = job;
		/* Its errors are reported, and are no reason not to start. */
		journal_recover(&made->kind.journal, dir, &recovered);
		ret = journal_create(&made->kind.journal, dir, &made->journal);
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
	} else if (ret) {
		(void)undo_all(&made->journal, false);
	}
	if (ret)
		free_undo(made);
	else
		*undo = made;
	return ret;
}

int undo_open_with(const char *program, undo_allows_fn *allows, struct undo **undo)
{
	return open_guarded(program, allows, NULL, undo);
}

int undo_open_job(const char *program, struct guardian_job *job, struct undo **undo)
{
	return open_guarded(program, undo_allows, job, undo);
}

int undo_open(const char *program, struct undo **undo)
{
	return open_guarded(program, undo_allows, NULL, undo);
}

int undo_fd(const struct undo *undo)
{
	return undo->guardian.fd;
}

const struct journal *undo_journal(const struct undo *undo)
{
	return &undo->journal;
}

bool undo_find_other(const struct journal *journal, const struct undo_action *action, char name[JOURNAL_NAME],
	struct undo_action *theirs)
{
	char (*names)[JOURNAL_NAME] = calloc(PEERS, sizeof(*names));
	bool is_found = false;
	size_t listed = 0;

	if (!names || journal_list(journal->dir, names, PEERS, &listed))
		listed = 0;
	for (size_t i = 0; i < listed && !is_found; i++) {
		struct undo_list list = {0};
		struct journal other;

		if (!strcmp(names[i], journal->name) || undo_peek(journal, names[i], &other, &list))
			continue;
		for (size_t j = 0; other.is_this_boot && j < list.count && !is_found; j++) {
			is_found = undo_is_same_place(action, &list.actions[j]);
			*theirs = list.actions[j];
		}
		if (is_found)
			memcpy(name, names[i], JOURNAL_NAME);
		undo_list_free(&list);
	}
	free(names);
	return is_found;
}

static bool is_added(const struct undo *undo, const struct undo_action *action)
{
	for (size_t i = 0; i < undo->added.count; i++)
		if (undo_is_same_place(&undo->added.actions[i], action) &&
			!strcmp(undo->added.actions[i].ours, action->ours))
			return true;
	return false;
}

static int write_action(struct undo *undo, const struct undo_action *action)
{
	char line[UNDO_LINE_BYTES];
	int ret = undo_format(action, line);

	if (ret)
		diag_error(ret, "cannot note %s in the journal", action->path);
	if (!ret)
		ret = journal_append(&undo->journal, line);
	return ret ? ret : undo_list_add(&undo->added, action);
}

static int keep_lock(struct undo *undo, int fd)
{
	int *larger = reallocarray(undo->locks, undo->lock_count + 1, sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	undo->locks = larger;
	undo->locks[undo->lock_count++] = fd;
	return 0;
}

/* Runs whose journals are elsewhere see it, too. A throttle's file has lines for many devices, and those are never the
 * same. -EWOULDBLOCK. */
static int lock_setting(struct undo *undo, const struct undo_action *action)
{
	int fd, ret;

	if (action->act != UNDO_SETTING || undo_last_of(&undo->added, action))
		return 0;
	ret = undo_lock_setting(action->path, &fd);
	if (ret)
		return ret;
	ret = keep_lock(undo, fd);
	if (ret)
		close(fd);
	else
		/* A guardian that is dead cannot hold it, and undo_close reports that. */
		(void)guardian_hold(&undo->guardian, fd);
	return ret;
}

/* Fills before. is_noted: the journal has all of this already. */
static int find_before(const struct undo *undo, struct undo_action *action, bool *is_noted)
{
	const struct undo_action *last = undo_last_of(&undo->added, action);
	int ret = undo_find_before(&undo->added, action);

	*is_noted = false;
	if (ret) {
		diag_error(ret, "cannot read %s", action->path);
		return ret;
	}
	if (!last)
		return 0;
	if (!strcmp(last->before, action->before) && !strcmp(last->twin, action->twin))
		*is_noted = is_added(undo, action);
	else
		diag_warn("%s was changed by another process during the run: '%s' will be restored", action->path,
			action->before);
	return 0;
}

/* Of runs with the same value the first has found what the last restores. */
static int share(const struct undo *undo, struct undo_action *action)
{
	struct undo_action theirs;
	char other[JOURNAL_NAME];
	int ret = sysfs_read("", action->path, action->before, sizeof(action->before));

	if (ret) {
		diag_error(ret, "cannot read %s", action->path);
		return ret;
	}
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

/* The folder's lock is held from reading others' journals until ours has the line. */
static int claim(struct undo *undo, struct undo_action *action)
{
	int dir_fd, ret = journal_lock_dir(undo->journal.dir, &dir_fd);
	bool is_noted = false;

	if (ret) {
		diag_error(ret, "cannot lock %s", undo->journal.dir);
		return ret;
	}
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

	if (!undo_journal_allows(&undo->journal, &wanted)) {
		diag_error(0, "%s: not a setting of /proc/sys/vm or of a cgroup, so it is not changed", wanted.path);
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
