/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Actions that can be undone, lists of them, and the lines of a journal that store them. */
#ifndef COMMON_UNDO_UNDO_LIST_H
#define COMMON_UNDO_UNDO_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/undo/journal.h"

enum undo_act {
	/* Restore the value of the file path, in /proc/sys/vm or of a cgroup, unless it is no longer the run's. */
	UNDO_SETTING,
	/* As UNDO_SETTING, for a file of lines "KEY VALUE" such as blkio.throttle.write_bps_device: `ours` is such a line,
	 * and a KEY that had no line is set to 0. */
	UNDO_LINE,
	/* As UNDO_SETTING, shared by runs that want the same value: the last of them restores the value that the first found. */
	UNDO_SHARED,
	UNDO_FILE,   /* unlink path, if it is the file of device a, inode b */
	UNDO_FOLDER, /* rmdir path, a cgroup's folder */
	UNDO_TRACE,  /* rmdir the trace instance of the name path, wherever tracefs is (common/undo/tracefs.h) */
	UNDO_LOOP,   /* detach path, if it is over the file of device a, inode b */
	/* Swap and memory of common/pressure: these are slow, and are undone before all others and without a lock. */
	UNDO_HOT_ADD,     /* remove the zram device that was being made: a and b are what id and diskseq would be at least */
	UNDO_ZRAM,        /* remove the zram device of id a, diskseq b */
	UNDO_SWAP_FILE,   /* unlink path, if it is the file of device a, inode b and has the journal's uuid in its header */
	UNDO_SWAP_LOOP,   /* as UNDO_LOOP */
	UNDO_SWAP,        /* swap off path, if it has the journal's uuid in its header */
	UNDO_SWAP_DEVICE, /* swap off path, if it is the device of number a, diskseq b; it stays */
	UNDO_CGROUP,      /* remove the memory cgroup of version a with this path, which ends with the journal's name */
	UNDO_ACTS
};

struct undo_action {
	enum undo_act act;
	uint64_t a, b;
	char path[512];
	/* UNDO_SWAP_DEVICE: the area's priority.
	 * UNDO_SETTING, UNDO_LINE, UNDO_SHARED: the value that will be written. A setting may be written repeatedly, each new
	 * value after its own undo_add; the last value that was not the run's is restored. */
	char ours[128];
	/* UNDO_SETTING: the file in the folder of path that writing to path sets to 0, and vice versa, as dirty_ratio
	 * and dirty_bytes; its value is restored when it was the one that was not 0. "" = there is none. */
	char twin[64];
	char before[128]; /* set by undo_add */
};

/* Tells whether an action may name its place. */
typedef bool undo_allows_fn(const struct undo_action *action);

/* Tells whether it is a value of the machine that is restored: UNDO_SETTING, UNDO_LINE, UNDO_SHARED. */
bool undo_is_setting(enum undo_act act);
/* Returns the length of KEY in "KEY VALUE". */
size_t undo_key_length(const char *line);
/* Tells whether two actions on settings name the same place, with any values. */
bool undo_is_same_place(const struct undo_action *one, const struct undo_action *other);

struct undo_list {
	struct undo_action *actions;
	size_t count, capacity;
};

/* Returns 0 or -ENOMEM. */
int undo_list_add(struct undo_list *list, const struct undo_action *action);
void undo_list_free(struct undo_list *list);
/* Returns the list's last action on the place, which is the one to restore; NULL = none. */
const struct undo_action *undo_last_of(const struct undo_list *list, const struct undo_action *place);

#define UNDO_LINE_BYTES 4096

/* Returns 0 or -ENAMETOOLONG. */
int undo_format(const struct undo_action *action, char line[UNDO_LINE_BYTES]);
/* Reads a journal into an empty list, like journal_load. */
int undo_load(struct journal *journal, struct undo_list *list);
/* Finds another run of this boot whose journal (in the folder of this one) has an action on the same place. The caller holds
 * the folder's lock. */
bool undo_find_other(const struct journal *journal, const struct undo_action *action, char name[JOURNAL_NAME],
	struct undo_action *theirs);

#endif
