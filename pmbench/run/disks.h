/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The disks that a run pages to, other programs' traffic on them, and limits of the run's cgroups. The run's own bytes on these
 * disks are the pages that the machine swapped in and out (the kernel does not count pages that stay in memory: zswap, pages of
 * zeros) and with --map file also the bytes that the worker processes read and made dirty. Other programs' paging is therefore not
 * foreign traffic; the check other-faults reports it. The disks are that of --map file, else that of --swap, else those of the
 * active areas with the highest priority.
 */
#ifndef PMBENCH_RUN_DISKS_H
#define PMBENCH_RUN_DISKS_H

#include "pmbench/run/result.h"
#include "pmbench/worker/control.h"

/* Finds disks and limits, and begins to count. Call it after the run's own swap area was made and before anything is paged.
 * cgroup_dir is the folder of the run's memory cgroup; NULL = none. */
void pm_disks_find(const struct control *control, const char *cgroup_dir, struct pmbench_result *result);
/* Call these directly before and after the window. */
void pm_disks_begin(const struct control *control, struct pmbench_result *result);
void pm_disks_end(const struct control *control, struct pmbench_result *result);

#endif
