/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Executes a plan. The calling process is the coordinator: it stays outside the job's cgroup, gives the orders,
 * takes the snapshots and the series, and survives whatever happens to those that measure.
 */
#ifndef PMBENCH_RUN_H
#define PMBENCH_RUN_H

#include "pmbench/result.h"

/* 0 and a complete result (freed by result_free), also of an interrupted or killed run; or a diag_exit code after one
 * line when nothing was measured.  */
int run_plan(const struct pmbench_plan *plan, const struct machine *machine, struct pmbench_result *result);

#endif
