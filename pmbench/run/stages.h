/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PMBENCH_RUN_STAGES_H
#define PMBENCH_RUN_STAGES_H

#include "pmbench/run/result.h"
#include "pmbench/worker/control.h"

enum run_stage { STAGE_INITIALIZING, STAGE_READY, STAGE_WARMING, STAGE_WARM, STAGE_DONE };
/* Prints the original's lines of a stage of the run, byte for byte, unless -q, --brief or a report on stdout excludes them. Call it
 * outside the window. It uses the plan, the timebase and is_interrupted of the result. */
void stages_print(enum run_stage stage, const struct control *control, const struct pmbench_result *result);

#endif
