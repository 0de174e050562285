/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defines how each action is undone, and which actions a journal may contain. */
#ifndef COMMON_UNDO_UNDO_ACTIONS_H
#define COMMON_UNDO_UNDO_ACTIONS_H

#include <stdbool.h>

#include "common/undo/journal.h"
#include "common/undo/undo_list.h"

/* Lock file of root's settings. It is never removed: another run might just have opened it. */
#define UNDO_LOCK_FILE "/run/memstor.lock"

/* Tells whether a journal may name it: settings of /proc/sys/vm and files in a cgroup's folder, as the kernel writes paths, and
 * a twin in the same folder; for UNDO_SHARED also settings of memory and block queues in /sys. Actions on files are limited by
 * their own checks. */
bool undo_allows(const struct undo_action *action);
/* Reads the present value as it is compared and restored: the selected one of a list of choices. -EINVAL: it has none, or
 * several lines. */
int undo_read_setting(const struct undo_action *action, char value[sizeof(action->before)]);
/* Locks a setting for this run against all others, wherever their journals are, until fd and its copies are closed.
 * -EWOULDBLOCK: another run has it. */
int undo_lock_setting(const char *path, int *fd);
/* Fills in before, and twin again ("" when path itself is to be written to), from the present values, or, when they are the
 * run's, from the last action on the place. Returns -errno, not reported. */
int undo_find_before(const struct undo_list *list, struct undo_action *action);
/* Restores a place as recorded in action, the last one on it. Reports its errors. */
int undo_restore(const struct undo_list *list, const struct undo_action *action, bool says_so);

/* Undoes the journal in reverse and removes it. Reports its errors. On failure the journal stays for a later try.
 * says_so: print one line for each item restored. */
int undo_all(struct journal *journal, bool says_so);

#endif
