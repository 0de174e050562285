/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of plan_make, in the order in which it calls them. Each fills its fields of the plan or refuses
 * with one line: 0 or a diag_exit code. */
#ifndef PMBENCH_PLAN_PARTS_H
#define PMBENCH_PLAN_PARTS_H

#include "pmbench/plan.h"

/* process (but map_bytes and set_bytes), thread: plan_threads.c */
int plan_threads(struct pmbench_plan *plan, const struct machine *machine);
/* ram_bytes, map_bytes, process.map_bytes, process.set_bytes: plan_size.c */
int plan_sizes(struct pmbench_plan *plan, const struct machine *machine);
/* Whether the maps fit the address space and the memory with its swap: plan_memory.c */
int plan_memory(const struct pmbench_plan *plan, const struct machine *machine);
/* Whether the map can be made, and its file and the reports written: plan_files.c */
int plan_files(const struct pmbench_plan *plan);

#endif
