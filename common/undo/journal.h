/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Write-ahead journals of a program's changes to a machine: a file with one line for each action, on disk before the action is
 * done. The processes of a run share one lock on it (flock of one open file description). When a journal can be locked, its
 * processes are dead and its actions must be undone.
 *
 * A folder of journals belongs to this user, and no other user can read or write it, because it is locked for the short moments
 * in which runs could confuse each other's actions, and any user who can open it can lock it. The same is true of each file,
 * which must have one link; anything else is refused (-EPERM). A folder created by a run has the sticky bit and is removed with
 * the last journal; one without it existed before and stays. For the lines see common/undo/undo_list.h. Functions return 0 or
 * -errno.
 */
#ifndef COMMON_UNDO_JOURNAL_H
#define COMMON_UNDO_JOURNAL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define JOURNAL_NAME 64
#define JOURNAL_SET_ASIDE "%s.bad" /* name of an unreadable journal that was set aside */
#define JOURNAL_NAME_RANDOM 8      /* hexadecimal digits at its end */
#define JOURNAL_UUID_BYTES 16

struct undo_action;

struct journal {
	bool (*allows)(const struct undo_action *action); /* undo_allows except in tests: whether an action may name its place */
	int fd; /* locked while open anywhere */
	char dir[256];
	char name[JOURNAL_NAME];                /* PID-STARTTIME-RANDOM: no other run of this boot ever has it */
	unsigned char uuid[JOURNAL_UUID_BYTES]; /* random; marks the objects that the run makes */
	bool is_this_boot;                      /* false: the machine has been restarted since */
	bool is_this_namespace;                 /* its process numbers are valid here */
};

/* Makes a journal, locked, and its folder if needed. Reports its errors. */
int journal_create(const char *dir, struct journal *journal);
/* Opens and locks a journal by name. -EWOULDBLOCK: a living process holds it. -ENOENT: gone. -EPERM: the file is not this
 * user's alone. */
int journal_open(const char *dir, const char *name, struct journal *journal);
/* Appends a line, given without its newline. It is on disk when 0 is returned. Reports its errors. */
int journal_append(const struct journal *journal, const char *line);
/* Passes each line to take until it returns a value other than 0, which is returned. A truncated line is left out: its
 * action was never begun. -EBADMSG, -EFBIG: not a journal of this kind. */
int journal_load(struct journal *journal, int (*take)(void *arg, const char *line),
	void *arg);
/* Tells whether an error is permanent, so that trying again is useless. */
static inline bool journal_is_unreadable(int error)
{
	return error == -EBADMSG || error == -EFBIG;
}
/* Reads a journal without its lock, like journal_load: its holder may be writing to it. journal->fd is -1 then. */
int journal_peek(const char *dir, const char *name, struct journal *journal,
	int (*take)(void *arg, const char *line), void *arg);
/* Removes the file, and the folder when a run made it and it is empty. The caller holds the folder's lock; the journal
 * stays open and locked. */
int journal_remove(const struct journal *journal);

/* The message about a folder that is refused. */
#define JOURNAL_FOLDER_RULE "the folder must belong to this user, and no other may read or write it: chmod 700 it"
/* Locks the folder; close the descriptor to release it. */
int journal_lock_dir(const char *dir, int *fd);
/* Removes the folder if a run made it and it is empty. The caller holds its lock. */
void journal_remove_dir(const char *dir, int dir_fd);
/* Lists the names of all journals, up to max; other files are ignored. An absent folder has none. -EPERM: the folder is not
 * this user's alone. */
int journal_list(const char *dir, char names[][JOURNAL_NAME], size_t max, size_t *count);
/* Tells whether the journal's front is dead, so that the process that still holds it is restoring or dying. False when that
 * is unknown. */
bool journal_is_orphan(const char *dir, const char *name);
/* Reads the clock ticks from boot to the start of a process; with the process number they are unique. */
int journal_start_time(pid_t pid, uint64_t *ticks);

#endif
