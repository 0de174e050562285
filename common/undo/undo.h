/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes that a program makes on this machine for its run, and their undoing: at its end or when it dies (kill -9 too) by a
 * guardian process, or from the journal by the next run when the guardian died as well. The journal is a file in /run/PROGRAM
 * (PROGRAM_DIR, upper case, names another folder), see common/undo/journal.h: an action is on disk before it is done. Actions are
 * undone in the reverse order; one that is undone already is success. An action whose object another process has changed since (a
 * setting with another value, a loop device over another file) is not undone but reported. Functions return 0 or -errno, after
 * one line on stderr.
 */
#ifndef COMMON_UNDO_UNDO_H
#define COMMON_UNDO_UNDO_H

#include <stdbool.h>

#include "common/undo/guardian.h"
#include "common/undo/undo_list.h"

struct undo;

/* Makes a journal and forks a guardian: call it before there are threads, and before much memory is filled. First undoes the
 * changes of this program's dead runs. */
int undo_open(const char *program, struct undo **undo);
/* Records an action: call it before the action itself. Settings belong to the whole machine: -EBUSY when another run has set
 * this one (UNDO_SHARED: to another value). */
int undo_add(struct undo *undo, const struct undo_action *action);
/* Undoes one setting now; it may be added again. */
int undo_revert(struct undo *undo, const struct undo_action *action);
/* Undoes all, ends the guardian, removes the journal. On failure the journal stays for undo_recover. NULL is 0. */
int undo_close(struct undo *undo);

/* Undoes the changes of this program's dead runs. allows: NULL, except for tests with settings in their own folder. *count: the
 * number of journals found. */
int undo_recover(const char *program, undo_allows_fn *allows, unsigned *count);
/* Renames journals of dead runs that cannot be read, so that starts do not report them again. *count: their number. */
int undo_set_aside(const char *program, undo_allows_fn *allows, unsigned *count);

/* allows: undo_allows, except for tests with settings in their own folder; job: of the guardian, which outlives undo, or NULL. */
int undo_open_with(const char *program, undo_allows_fn *allows, struct guardian_job *job, struct undo **undo);
/* Returns the front's end of the guardian's socket. */
int undo_fd(const struct undo *undo);
const struct journal *undo_journal(const struct undo *undo);
/* Does the same as undo_close; was_killed: the guardian was killed, and the caller has undone all in its place. */
int undo_finish(struct undo *undo, bool *was_killed);

#endif
