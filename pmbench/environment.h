/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this machine is and does beside the run: facts and checks of the report. Nothing is ever tuned. */
#ifndef PMBENCH_ENVIRONMENT_H
#define PMBENCH_ENVIRONMENT_H

#include "pmbench/control.h"
#include "pmbench/result.h"

/* Checks that can be made before the run loads the machine. */
void environment_check_start(const struct machine *machine, struct pmbench_result *result);
/* The machine as it is when the window begins, with the run's own swap, settings and cgroup (cgroup_dir NULL = none,
 * limit 0 = none) in force. */
void environment_describe(uint64_t limit, const char *cgroup_dir, struct pmbench_result *result);
/* Checks of what the run showed, after its results were collected. */
void environment_check_run(const struct control *control, struct pmbench_result *result);

#endif
