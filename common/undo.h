/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a program changes on this machine for its run, and that it is restored: at its end or when it dies (kill -9 too) by
 * a guardian process, and from the journal by the next run when the guardian died as well. The journal is a file of
 * /run/PROGRAM (PROGRAM_DIR, upper case, names another folder), as common/journal.h has it: an action is on disk
 * before it is done. Actions are undone in the reverse order; what is undone already is success. An action that would
 * touch another process's later work (a setting that has another value than ours, a loop device over another file) is
 * left alone and said.
 * Return 0 or -errno, after one line on stderr.
 */
#ifndef COMMON_UNDO_H
#define COMMON_UNDO_H

#include <stdint.h>

enum undo_act {
	/* The value of the file path, in /proc/sys/vm or of a cgroup: back to what it was, unless it no longer is ours. */
	UNDO_SETTING,
	/* As UNDO_SETTING, of a file of lines "KEY VALUE" such as blkio.throttle.write_bps_device: ours is such a line,
	 * and a KEY that had no line is set to 0. */
	UNDO_LINE,
	/* As UNDO_SETTING, shared by runs that want the same value: the last of them restores what the first has found. */
	UNDO_SHARED,
	UNDO_FILE,   /* unlink path, if it is the file of device a, inode b */
	UNDO_FOLDER, /* rmdir path, a cgroup's folder */
	UNDO_TRACE,  /* rmdir the trace instance of the name path, wherever tracefs is (common/tracefs.h) */
	UNDO_LOOP,   /* detach path, if it is over the file of device a, inode b */
	/* Swap and memory of common/pressure. They take their time, and are undone before all others and without a lock. */
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
	/* UNDO_SETTING, UNDO_LINE, UNDO_SHARED: what is going to be written. A setting may be written again and again, each new
	 * value after an undo_add of its own; what comes back is the last value that was not ours. */
	char ours[128];
	/* UNDO_SETTING: the file in the folder of path that writing to path sets to 0, and the other way round, as dirty_ratio
	 * and dirty_bytes; when it is the one that is not 0 it gets its value back. "" = there is none. */
	char twin[64];
	char before[128]; /* found by undo_add */
};

struct undo;

/* A journal and a guardian, which is forked: to be called before there are threads, and before much memory is filled.
 * What dead runs of this program left is undone first. */
int undo_open(const char *program, struct undo **undo);
/* Before the action itself. Settings are the whole machine's: -EBUSY when another run has set this one
 * (UNDO_SHARED: to another value). */
int undo_add(struct undo *undo, const struct undo_action *action);
/* Undoes a setting now, and only that; it may be added again. */
int undo_revert(struct undo *undo, const struct undo_action *action);
/* Undoes all, ends the guardian, removes the journal. On failure that stays, for undo_recover. NULL is 0. */
int undo_close(struct undo *undo);

/* What dead runs of this program left. *count: journals that were found. */
int undo_recover(const char *program, unsigned *count);
/* Renames journals of dead runs that cannot be read, so that starts do not report them again. *count: how many. */
int undo_set_aside(const char *program, unsigned *count);

#endif
