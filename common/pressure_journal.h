/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The journal of one run (common/journal.h) with the actions of common/pressure. The folder is /run/with-pressure, or
 * what the environment variable WITH_PRESSURE_DIR names; its lock is held while a zram device is made and while
 * settings are taken and restored. Return 0 or -errno.
 */
#ifndef COMMON_PRESSURE_JOURNAL_H
#define COMMON_PRESSURE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/journal.h"

#define PRESSURE_DIR "/run/with-pressure"
#define PRESSURE_DIR_VARIABLE "WITH_PRESSURE_DIR"

/* What is undone, in the order in which it is done. */
enum pressure_act {
	PRESSURE_ACT_PAGE_CLUSTER, /* value before, value of the run */
	PRESSURE_ACT_SWAPPINESS,   /* the same */
	PRESSURE_ACT_HOT_ADD,      /* id and diskseq that a device would get at least */
	PRESSURE_ACT_ZRAM,         /* id, diskseq */
	PRESSURE_ACT_FILE,         /* device, inode, path */
	PRESSURE_ACT_LOOP,         /* device, inode of the file; path of the device */
	PRESSURE_ACT_SWAP,         /* path */
	PRESSURE_ACT_DEVICE,       /* device number, diskseq (0 = unknown); path of a swap device that stays */
	PRESSURE_ACT_CGROUP,       /* version; path */
};

struct pressure_action {
	enum pressure_act act;
	uint64_t a, b;
	char path[512];
};

#define PRESSURE_ACTIONS 16

extern const struct journal_kind pressure_journal_kind;

/* The folder in use. */
const char *pressure_journal_dir(void);
/* On disk when it returns 0. Reports its errors. */
int pressure_journal_append(const struct journal *journal, const struct pressure_action *action);
/* As journal_load. */
int pressure_journal_load(struct journal *journal, struct pressure_action actions[PRESSURE_ACTIONS], size_t *count);
/* As journal_peek. */
int pressure_journal_peek(const char *dir, const char *name, struct journal *journal,
	struct pressure_action actions[PRESSURE_ACTIONS], size_t *count);
/* Where the kernel has the setting of such an action; NULL: it is none. */
const char *pressure_setting_path(enum pressure_act act);
/* What another journal says of a setting: the value that it keeps for restoring, and that of its run. */
bool pressure_journal_others_setting(const struct journal *journal, enum pressure_act act, struct pressure_action *found);

#endif
