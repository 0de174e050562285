/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A measuring process: maps and fills the memory under test, runs its threads through ready, warm, run and
 * unmap at the coordinator's orders, and stores its results in the shared slots.
 */
#ifndef PMBENCH_WORKER_H
#define PMBENCH_WORKER_H

#include "common/host/timebase.h"
#include "pmbench/control.h"
#include "pmbench/plan.h"
#include "pmbench/trace_marker.h"

struct worker_job {
	const struct pmbench_plan *plan;
	const struct timebase *timebase;
	struct control *control;
	struct trace_marker *marker; /* of -h, NULL = none */
	uint64_t slow_ticks; /* of classify_calibrate; 0 with --classify none */
};

/* The job for pressure_start: runs every process of the plan (a single one in the calling process itself) and returns
 * when all have ended. Returns 0, or 1 if one of them failed or was killed. argument is a struct worker_job. */
int worker_run_job(void *argument);

#endif
