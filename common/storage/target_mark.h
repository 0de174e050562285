/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether another process has changed a target, which has no lock that others must obey. */
#ifndef COMMON_STORAGE_TARGET_MARK_H
#define COMMON_STORAGE_TARGET_MARK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "common/storage/target.h"

#define TARGET_CHANGE 160 /* bytes of a sentence about a change */

/* State of a file between the run's own writes. */
struct target_mark {
	uint64_t bytes, allocated;    /* allocated: of the bytes; 0 where the file system's number may change by itself */
	struct timespec modified, changed;
};

/* Records it; a device has no such state. Returns 0 or -errno. */
int target_mark(const struct target *target, struct target_mark *mark);
/* Tells whether the target's name, if it has one, still refers to the open file. */
bool target_is_named(const struct target *target);
/* Tells whether another process has changed the file since the mark: its name refers to another file, its size differs, or parts
 * of it are no longer allocated; is_idle: this process has not written to it since, so its times must not differ either. `how`
 * gets the change, or "". A file that cannot be examined counts as changed. */
bool target_is_changed(const struct target *target, const struct target_mark *mark, bool is_idle,
	char how[TARGET_CHANGE]);

#endif
