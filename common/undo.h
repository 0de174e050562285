/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a program changes on this machine for its run, and that it is put back: at its end, by a guardian when it dies
 * (kill -9 too), and from the journal by the next run when the guardian died as well or the machine was switched off.
 * The journal is /run/PROGRAM/PID-STARTTIME-RANDOM (IOWRITE_BENCH_DIR and the like name another folder); an action is on
 * disk before it is done. Actions are undone in the reverse order; what is undone already is success. An action that
 * would touch somebody else's later work (a setting that has another value than ours, a loop device over another file)
 * is left alone and said.
 * Return 0 or -errno, after one line on stderr.
 */
#ifndef COMMON_UNDO_H
#define COMMON_UNDO_H

#include <stdint.h>

enum undo_act {
	UNDO_SETTING, /* path of a file below /proc or /sys; back to before, unless it no longer is ours */
	UNDO_FILE,    /* unlink path, if it is the file of device a, inode b */
	UNDO_FOLDER,  /* rmdir path: a mount point, a trace instance, a cgroup */
	UNDO_LOOP,    /* detach path, if it is over the file of device a, inode b */
	UNDO_MOUNT,   /* unmount path */
};

struct undo_action {
	enum undo_act act;
	uint64_t a, b;
	char path[512];
	char before[128], ours[128]; /* UNDO_SETTING */
};

struct undo;

/* A journal and a guardian; what dead runs of this program left is undone first. */
int undo_open(const char *program, struct undo **undo);
/* Before the action itself. */
int undo_add(struct undo *undo, const struct undo_action *action);
/* Undoes all, ends the guardian, removes the journal. NULL is 0. */
int undo_close(struct undo *undo);

/* What dead runs of this program left. *count: journals that were found. */
int undo_recover(const char *program, unsigned *count);

#endif
