/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One measurement of a mix, from its options to its result. */
#ifndef SSD_WORKLOADS_RUN_RUN_H
#define SSD_WORKLOADS_RUN_RUN_H

#include "ssd-workloads/run/result.h"

/* Takes a result, complete or partial, after ssd_run_result_decide, while signals and SIGPIPE cannot end the process. Returns a
 * diag_exit code. */
typedef int run_take_fn(const struct ssd_run_result *result, void *data);

/* Plans, checks, measures, and calls take once; with options->is_dry_run prints the plan instead. Afterwards nothing of the run is
 * left, whatever happened. Returns what take returned, or a diag_exit code after one line. */
int run_measure(const struct ssd_run_options *options, run_take_fn *take, void *data);

#endif
