/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to common/undo*.c. */
#ifndef COMMON_UNDO_PRIVATE_H
#define COMMON_UNDO_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/journal.h"
#include "common/undo.h"

#define UNDO_DIR 256
#define UNDO_LINE_BYTES 4096
/* Of root's settings. It stays: who removed it might take it from another that has just opened it. */
#define UNDO_LOCK_FILE "/run/memstor.lock"

struct undo_list {
	struct undo_action *actions;
	size_t count, room;
};

/* --- undo.c --- */

/* Whether an action may name its place. */
struct undo_kind {
	struct journal_kind journal; /* the first: a journal leads to it */
	bool (*allows)(const struct undo_action *action);
};

/* undo_open, undo_recover and undo_set_aside, which allow what undo_allows does, with another rule: tests have settings in
 * a folder of theirs. */
int undo_open_with(const char *program, bool (*allows)(const struct undo_action *action), struct undo **undo);
int undo_recover_with(const char *program, bool (*allows)(const struct undo_action *action), unsigned *count);
int undo_set_aside_with(const char *program, bool (*allows)(const struct undo_action *action), unsigned *count);

/* --- undo_journal.c --- */

struct undo_kind undo_kind(bool (*allows)(const struct undo_action *action));
/* Of an undo_kind's journal. */
bool undo_journal_allows(const struct journal *journal, const struct undo_action *action);
/* The folder of a program's journals; absolute. -ENAMETOOLONG, or -errno of getcwd(3). */
int undo_dir(const char *program, char dir[UNDO_DIR]);
/* -ENAMETOOLONG. */
int undo_format(const struct undo_action *action, char line[UNDO_LINE_BYTES]);
/* -ENOMEM. */
int undo_list_add(struct undo_list *list, const struct undo_action *action);
void undo_list_free(struct undo_list *list);
/* As journal_load, into an empty list. */
int undo_load(struct journal *journal, struct undo_list *list);
/* As journal_peek, into an empty list. */
int undo_peek(const struct undo_kind *kind, const char *dir, const char *name, struct journal *journal, struct undo_list *list);

/* --- undo_setting.c --- */

/* Of UNDO_SETTING and UNDO_LINE: the same place, whatever is written there. */
bool undo_is_same_place(const struct undo_action *one, const struct undo_action *other);
/* Whether a journal may name it: settings of /proc/sys/vm and what is in a cgroup's folder, as the kernel writes paths, and
 * a twin beside it. Actions on files are limited by what they check. */
bool undo_allows(const struct undo_action *action);
/* Locks a setting for this run against all others, wherever their journals are, until fd and its copies are closed.
 * -EWOULDBLOCK: another run has it. */
int undo_lock_setting(const char *path, int *fd);
/* The last in the list of the place, NULL = none. It is what it says that is put back. */
const struct undo_action *undo_last_of(const struct undo_list *list, const struct undo_action *place);
/* Fills before, and twin anew ("" when path itself is to be written to), by what is there now, or, when that is ours,
 * as the last of the place has it. -errno, not reported. */
int undo_find_before(const struct undo_list *list, struct undo_action *action);
/* Puts a place back, as action, the last of the place, has it. Reports its errors. */
int undo_put_back(const struct undo_list *list, const struct undo_action *action, bool says_so);

/* --- undo_actions.c --- */

/* Undoes the journal in reverse and removes it. Reports its errors. On failure the journal stays for a later try.
 * says_so: one line for each thing restored. */
int undo_all(struct journal *journal, bool says_so);

/* --- undo_guardian.c --- */

/* Forks it. *fd: its socket; closing that, or dying, makes it undo all. */
int undo_guardian_start(struct journal *journal, pid_t *guardian, int *fd);
/* A lock that it holds, too, until it ends: nobody else takes what is locked before it is put back. -errno: it is dead. */
int undo_guardian_hold(int fd, int lock);
/* All is undone: nothing is left to do for it. Reaps it. True when it was dead before. */
bool undo_guardian_end(pid_t guardian, int fd);

#endif
