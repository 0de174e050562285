/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A measuring process: maps and fills the memory under test, runs its threads through ready, warm, run and
 * unmap at the coordinator's orders, and stores its results in the shared slots.
 */
#ifndef PMBENCH_WORKER_PROCESS_H
#define PMBENCH_WORKER_PROCESS_H

#include "pmbench/worker/thread.h"

/* The job for pressure_start: runs every process of the plan (a single one in the calling process itself) and returns
 * when all have ended. Returns 0, or 1 if one of them failed or was killed. argument is a struct worker_job. */
int worker_run_job(void *argument);

#endif
