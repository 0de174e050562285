/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The write-ahead journal of one run: a file with one line for each action, on disk before the action is
 * done. Front and guardian share one lock on it (flock of one open file description); a journal that can
 * be locked is therefore one whose keepers are dead, and its actions are to be undone.
 *
 * The folder is /run/with-pressure, or what the environment variable WITH_PRESSURE_DIR names. It must
 * belong to this user and be writable to nobody else. It is itself locked for the short moments in which
 * runs could mistake each other's work (making a zram device, giving page-cluster back).
 * Return 0 or -errno.
 */
#ifndef COMMON_PRESSURE_JOURNAL_H
#define COMMON_PRESSURE_JOURNAL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/swap.h"

#define PRESSURE_DIR "/run/with-pressure"
#define PRESSURE_DIR_VARIABLE "WITH_PRESSURE_DIR"
#define PRESSURE_NAME 64
#define PRESSURE_SET_ASIDE "%s.bad" /* the name of one that cannot be read, by its name */
#define PRESSURE_NAME_RANDOM 8 /* hexadecimal digits at its end */

struct pressure_journal {
	int fd; /* locked while open anywhere */
	char dir[256];
	char name[PRESSURE_NAME];            /* PID-STARTTIME-RANDOM: no other run of this boot ever has it */
	unsigned char uuid[SWAP_UUID_BYTES]; /* in the header of the run's swap area */
	bool is_this_boot;                   /* false: the machine has started anew since */
	bool is_this_namespace;              /* its process numbers mean something here */
};

/* What is undone, in the order in which it is done. */
enum pressure_act {
	PRESSURE_ACT_PAGE_CLUSTER, /* value */
	PRESSURE_ACT_HOT_ADD,      /* id and diskseq that a device would get at least */
	PRESSURE_ACT_ZRAM,         /* id, diskseq */
	PRESSURE_ACT_FILE,         /* device, inode, path */
	PRESSURE_ACT_LOOP,         /* device, inode of the file; path of the device */
	PRESSURE_ACT_SWAP,         /* path */
	PRESSURE_ACT_CGROUP,       /* version; path */
};

struct pressure_action {
	enum pressure_act act;
	uint64_t a, b;
	char path[512];
};

#define PRESSURE_ACTIONS 16

/* A new journal, locked; its folder is made if need be. Reports its errors. */
int pressure_journal_create(struct pressure_journal *journal);
/* Opens and locks one by name. -EWOULDBLOCK: somebody alive holds it. -ENOENT: gone. */
int pressure_journal_open(const char *dir, const char *name, struct pressure_journal *journal);
/* On disk when it returns 0. Reports its errors. */
int pressure_journal_append(const struct pressure_journal *journal, const struct pressure_action *action);
/* A line that was cut off is left out: its action was never begun. -EBADMSG, -EFBIG: not a journal of this version.
 */
int pressure_journal_load(
	struct pressure_journal *journal, struct pressure_action actions[PRESSURE_ACTIONS], size_t *count);
/* Whether such an error is one that no later try gets around. */
static inline bool pressure_journal_is_unreadable(int error)
{
	return error == -EBADMSG || error == -EFBIG;
}
/* Gives it a name that no journal has. The caller holds its lock. */
int pressure_journal_set_aside(const struct pressure_journal *journal);
/* Reads one without its lock: whoever holds it may be writing to it. */
int pressure_journal_peek(const char *dir, const char *name, struct pressure_journal *journal,
	struct pressure_action actions[PRESSURE_ACTIONS], size_t *count);
/* Removes the file, and the folder when it is empty. The caller holds the folder's lock; the journal stays
 * open and locked. */
int pressure_journal_remove(const struct pressure_journal *journal);

/* pressure_journal_dir.c */

/* The folder in use. */
const char *pressure_journal_dir(void);
/* Names of all journals, up to max; other files are passed over. An absent folder has none. -EPERM: the folder is not
 * ours alone. */
int pressure_journal_list(const char *dir, char names[][PRESSURE_NAME], size_t max, size_t *count);
/* Its front is dead, so that whoever still holds it is restoring, or dying. False when that is not known. */
bool pressure_journal_is_orphan(const char *dir, const char *name);
/* Clock ticks from boot to the start of a process: with its number it never comes twice. */
int pressure_journal_start_time(pid_t pid, uint64_t *ticks);
/* The value of page-cluster that another journal keeps for restoring. */
bool pressure_journal_others_page_cluster(const struct pressure_journal *journal, uint64_t *value);

/* The folder's lock; close the descriptor to release it. */
int pressure_journal_lock_dir(const char *dir, int *fd);

#endif
