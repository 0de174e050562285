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
#ifndef COMMON_UNDO_H
#define COMMON_UNDO_H

#include <stdbool.h>
#include <stdint.h>

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
	/* Swap and memory of common/pressure. They are slow, and are undone before all others and without a lock. */
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
	char before[128]; /* found by undo_add */
};

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

/* Tells whether an action may name its place. */
typedef bool undo_allows_fn(const struct undo_action *action);
/* Undoes what dead runs of this program left. allows: NULL, except for tests with settings in their own folder. *count: the number
 * of journals found. */
int undo_recover(const char *program, undo_allows_fn *allows, unsigned *count);
/* Renames journals of dead runs that cannot be read, so that starts do not report them again. *count: how many. */
int undo_set_aside(const char *program, undo_allows_fn *allows, unsigned *count);

#endif
