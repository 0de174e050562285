/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Merges reports of one tool into one report: counts are added exactly, percentiles are computed from the
 * sums, and the provenance of each part is kept (docs/report.md, "Merged reports"). A merged report that is merged
 * again is replaced by its parts, so that the order and the grouping of merges affect only the order of the parts.
 */
#ifndef MEMSTOR_MERGE_MERGE_H
#define MEMSTOR_MERGE_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/report.h"
#include "memstor/loaded/loaded.h"

struct merge;

#define MERGE_ALLOW_DIFFERENT 1u /* flag: the parts may have different options */

/* Makes an empty merge. Returns 0 or -ENOMEM. */
int merge_new(unsigned flags, struct merge **merge);
void merge_free(struct merge *merge);

/* Adds a report and takes ownership of it, also on failure. Returns 0, or -errno and one line in why: -EBADMSG if the
 * report is invalid, -EINVAL if it does not match the others, -EEXIST if the run was added before, -EOVERFLOW, -ENOMEM.
 * After a failure only merge_free may be called. */
int merge_add(struct merge *merge, struct loaded *loaded, char *why, size_t length);

/* Makes the merged report of at least one added report; the caller frees it. Returns 0 or -ENOMEM. */
int merge_report(struct merge *merge, struct report **report);

/* Returns "ok", "interrupted" or "untrustworthy": the worst status of the parts. */
const char *merge_status(const struct merge *merge);
/* Returns the note of this index for the reader of the merged report, one line; NULL after the last. Valid after
 * merge_report. */
const char *merge_note(const struct merge *merge, size_t index);

#endif
