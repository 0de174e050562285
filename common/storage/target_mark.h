/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detects that another process has changed a target: locks do not bind other programs. */
#ifndef COMMON_STORAGE_TARGET_MARK_H
#define COMMON_STORAGE_TARGET_MARK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "common/storage/target.h"

#define TARGET_CHANGE 160 /* bytes of a sentence about a change */

/* State of a file between two of the run's own writes. */
struct target_mark {
	uint64_t bytes, allocated;    /* allocated: bytes; 0 where the file system changes the number by itself */
	struct timespec modified, changed;
};

/* Records the state; a device has none. Returns 0 or -errno. */
int target_mark(const struct target *target, struct target_mark *mark);
/* Tells whether the target's name, if it has one, still refers to the open file. */
bool target_is_named(const struct target *target);
/* Tells whether another process has changed the file since the mark: its name refers to another file, its size differs, or parts
 * of it are no longer allocated; is_idle: this process has not written to it since, so its times must not differ either. `how`
 * gets the change, or "". A file that cannot be examined counts as changed. */
bool target_is_changed(const struct target *target, const struct target_mark *mark, bool is_idle,
	char how[TARGET_CHANGE]);

#endif
