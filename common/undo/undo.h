/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes that a program makes on this machine for its run, and their undoing: at its end or when it dies (kill -9 too) by
 * a guardian process, or from the journal by the next run when the guardian died as well. The journal is a file in
 * /run/PROGRAM (PROGRAM_DIR, upper case, names another folder), see common/undo/journal.h: an action is on disk
 * before it is done. Actions are undone in the reverse order; one that is undone already is success. An action whose object
 * another process has changed since (a setting with another value, a loop device over another file) is
 * not undone but reported.
 * Functions return 0 or -errno, after one line on stderr.
 */
#ifndef COMMON_UNDO_UNDO_H
#define COMMON_UNDO_UNDO_H

#include <stdbool.h>

#include "common/undo/guardian.h"
#include "common/undo/undo_list.h"

struct undo;

/* Makes a journal and forks a guardian: call it before there are threads, and before much memory is filled.
 * Undoes first what dead runs of this program left. */
int undo_open(const char *program, struct undo **undo);
/* Call it before the action itself. Settings belong to the whole machine: -EBUSY when another run has set this one
 * (UNDO_SHARED: to another value). */
int undo_add(struct undo *undo, const struct undo_action *action);
/* Undoes a setting now, and only that; it may be added again. */
int undo_revert(struct undo *undo, const struct undo_action *action);
/* Undoes all, ends the guardian, removes the journal. On failure the journal stays for undo_recover. NULL is 0. */
int undo_close(struct undo *undo);

/* Undoes what dead runs of this program left. allows: NULL, except for tests with settings in their own folder. *count: the number
 * of journals found. */
int undo_recover(const char *program, undo_allows_fn *allows, unsigned *count);
/* Renames journals of dead runs that cannot be read, so that starts do not report them again. *count: how many. */
int undo_set_aside(const char *program, undo_allows_fn *allows, unsigned *count);

/* For common/pressure, whose guardian does more, and for tests. */

/* undo_open; allows: undo_allows, except for tests with settings in their own folder; job: of the guardian, which outlives undo, or
 * NULL. */
int undo_open_with(const char *program, undo_allows_fn *allows, struct guardian_job *job, struct undo **undo);
/* The front's end of the guardian's socket. */
int undo_fd(const struct undo *undo);
const struct journal *undo_journal(const struct undo *undo);
/* undo_close; was_killed: the guardian was killed, and the caller has undone all in its place. */
int undo_finish(struct undo *undo, bool *was_killed);

#endif
