/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several reports of one tool as one report of that tool: counts are added exactly, percentiles are made from the
 * added counts, and each part's provenance is kept (docs/report.md, "Merged reports"). A merged report that is merged
 * again stands for its parts, so that the order and the grouping of merges decide nothing but the order of the parts.
 */
#ifndef MEMSTOR_MERGE_MERGE_H
#define MEMSTOR_MERGE_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/report.h"
#include "memstor/loaded/loaded.h"

struct merge;

#define MERGE_ALLOW_DIFFERENT 1u /* flag: parts may have been run with different options */

int merge_new(unsigned flags, struct merge **merge);
void merge_free(struct merge *merge);

/* Adds what is in the report, and takes it over, also on failure. 0, or -errno and one line in why: -EBADMSG what
 * cannot be read, -EINVAL what does not go together, -EEXIST the same run twice, -EOVERFLOW, -ENOMEM. After a failure
 * only merge_free. */
int merge_add(struct merge *merge, struct loaded *loaded, char *why, size_t length);

/* The merged report of all that was added, at least one; freed by the caller. 0 or -ENOMEM. */
int merge_report(struct merge *merge, struct report **report);

/* "ok", "interrupted" or "untrustworthy": the worst of the parts. */
const char *merge_status(const struct merge *merge);
/* What whoever reads the merged report should know, one line each, until NULL; valid after merge_report. */
const char *merge_note(const struct merge *merge, size_t index);

#endif
