/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The disks that a run pages to, and other programs on them; limits of the run's cgroups. The run's own bytes on these disks are
 * the pages that the machine swapped in and out, which the kernel counts without what stays in memory (zswap, pages of zeros),
 * and with --map file what the worker processes read and made dirty. So other programs' paging is not foreign; it is the check
 * other-faults. The disks are that of --map file, else that of --swap, or those of
 * the active areas with the highest priority.
 */
#ifndef PMBENCH_RUN_DISKS_H
#define PMBENCH_RUN_DISKS_H

#include "pmbench/run/result.h"
#include "pmbench/worker/control.h"

/* Finds disks and limits, and begins to count; after the run's own swap area was made, before anything is paged.
 * cgroup_dir: of its memory cgroup; NULL = none. */
void pm_disks_find(const struct control *control, const char *cgroup_dir, struct pmbench_result *result);
/* Before and after the window. */
void pm_disks_begin(const struct control *control, struct pmbench_result *result);
void pm_disks_end(const struct control *control, struct pmbench_result *result);

#endif
