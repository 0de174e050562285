/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to common/undo/. */
#ifndef COMMON_UNDO_PRIVATE_H
#define COMMON_UNDO_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/undo/guardian.h"
#include "common/undo/journal.h"
#include "common/undo/undo.h"

#define UNDO_DIR 256
#define UNDO_LINE_BYTES 4096
/* Lock file of root's settings. It is never removed: another run might just have opened it. */
#define UNDO_LOCK_FILE "/run/memstor.lock"

struct undo_list {
	struct undo_action *actions;
	size_t count, room;
};

/* --- undo.c --- */

/* undo_open; allows: undo_allows, except for tests with settings in their own folder; job: of the guardian, which outlives undo, or
 * NULL. */
int undo_open_with(const char *program, undo_allows_fn *allows, struct guardian_job *job, struct undo **undo);
/* The front's end of the guardian's socket. */
int undo_fd(const struct undo *undo);
const struct journal *undo_journal(const struct undo *undo);
/* undo_close; was_killed: the guardian was killed, and the caller has undone all in its place. */
int undo_finish(struct undo *undo, bool *was_killed);
/* Finds another run of this boot whose journal (in the folder of this one) has an action on the same place. The caller holds
 * the folder's lock. */
bool undo_find_other(const struct journal *journal, const struct undo_action *action, char name[JOURNAL_NAME],
	struct undo_action *theirs);

/* --- undo.c: lines of a journal --- */

void undo_list_free(struct undo_list *list);
/* As journal_load, into an empty list. */
int undo_load(struct journal *journal, struct undo_list *list);

/* --- undo_actions.c: settings --- */

/* Tells whether two actions on settings name the same place, with any values. */
bool undo_is_same_place(const struct undo_action *one, const struct undo_action *other);
/* Tells whether a journal may name it: settings of /proc/sys/vm and files in a cgroup's folder, as the kernel writes paths, and
 * a twin in the same folder; of UNDO_SHARED also settings of memory and block queues in /sys. Actions on files are limited by
 * what they check. */
bool undo_allows(const struct undo_action *action);
/* Reads the present value as it is compared and restored: of a list of choices the selected one. -EINVAL: it has none, or
 * several lines. */
int undo_read_setting(const struct undo_action *action, char value[sizeof(action->before)]);
/* Locks a setting for this run against all others, wherever their journals are, until fd and its copies are closed.
 * -EWOULDBLOCK: another run has it. */
int undo_lock_setting(const char *path, int *fd);
/* Returns the list's last action on the place, which is the one to restore; NULL = none. */
const struct undo_action *undo_last_of(const struct undo_list *list, const struct undo_action *place);
/* Fills before, and twin again ("" when path itself is to be written to), from the present values, or, when they are the run's,
 * from the last action on the place. Returns -errno, not reported. */
int undo_find_before(const struct undo_list *list, struct undo_action *action);
/* Restores a place as recorded in action, the last one on it. Reports its errors. */
int undo_restore(const struct undo_list *list, const struct undo_action *action, bool says_so);

/* --- undo_actions.c --- */

struct undo_row {
	const char *word; /* in a journal */
	/* NULL for a place. Returns 1: restored, 0: there is nothing to restore, or -errno. */
	int (*undo)(const struct journal *journal, const struct undo_action *action);
	const char *verb, *noun, *done; /* "cannot VERB PATH", "NOUN PATH DONE" */
	bool is_place;      /* a setting: undo_restore */
	bool is_first;      /* undone before the others, and without the folder's lock */
	bool outlives_boot; /* as only files do */
};
extern const struct undo_row undo_acts[UNDO_ACTS];

/* Undoes the journal in reverse and removes it. Reports its errors. On failure the journal stays for a later try.
 * says_so: print one line for each item restored. */
int undo_all(struct journal *journal, bool says_so);

#endif
