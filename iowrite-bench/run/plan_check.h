/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which combinations can be. */
#ifndef IOWRITE_BENCH_RUN_PLAN_CHECK_H
#define IOWRITE_BENCH_RUN_PLAN_CHECK_H

#include "iowrite-bench/run/plan.h"

/* Marks what cannot be as skipped, by words alone without a target, else by what the target can. When nothing is left,
 * or the only one cannot be: a diag_exit code after one line, which is DIAG_EXIT_HOST when another target could. */
int plan_check(struct run_plan *plan, const struct target *target);

#endif
