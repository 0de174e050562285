/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of an earlier run, from its report: ours, or the original pmbench's. */
#ifndef PMBENCH_REPLAY_H
#define PMBENCH_REPLAY_H

#include <stddef.h>
#include "common/report_common.h"

/* Names are long option names, values text for them; both are owned by the list. A run whose seed was drawn
 * is repeated with that seed. The original's report is translated so that the same accesses are measured the
 * same way: its zipf was bounded Pareto, its rdtscp was not fenced. 0 or a diag_exit code after one line, and
 * then list and count are NULL and 0. */
int replay_read(const char *path, struct report_option **list, size_t *count);
void replay_free(struct report_option *list, size_t count);

#endif
