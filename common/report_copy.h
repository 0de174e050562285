/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the tree of a report that was read into one that is written. */
#ifndef COMMON_REPORT_COPY_H
#define COMMON_REPORT_COPY_H

#include "common/arena.h"
#include "common/report.h"
#include "common/report_read.h"

/* Asked for each element before it is copied: true when it is done with, written otherwise or left out. */
typedef bool report_copy_fn(struct report *report, const struct report_node *node, void *data);

/* The element with everything in it; instead may be NULL. */
void report_copy(struct report *report, const struct report_node *node, report_copy_fn *instead, void *data);
/* The same without its begin and end: attributes not, text and children. */
void report_copy_content(
	struct report *report, const struct report_node *node, report_copy_fn *instead, void *data);

/* A copy of the tree below node that lives as long as the arena; without parent and next. Adds the number of its
 * elements to count. NULL when memory is short. */
const struct report_node *report_keep(struct arena *arena, const struct report_node *node, size_t *count);

#endif
