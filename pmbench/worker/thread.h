/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A measuring thread, from its start to the results in its slot. */
#ifndef PMBENCH_WORKER_THREAD_H
#define PMBENCH_WORKER_THREAD_H

#include <pthread.h>
#include "common/host/timebase.h"
#include "pmbench/access/trace_marker.h"
#include "pmbench/memory/mapping.h"
#include "pmbench/plan/plan.h"
#include "pmbench/worker/control.h"

struct worker_job {
	const struct pmbench_plan *plan;
	const struct timebase *timebase;
	struct control *control;
	struct trace_marker *marker; /* of -h, NULL = none */
	uint64_t slow_ticks; /* of classify_calibrate; 0 with --classify none */
};

struct worker_thread {
	const struct worker_job *job;
	unsigned process, number;       /* number is that within the process */
	const struct mapping *mapping;  /* mapped when the thread is released */
	uint32_t is_released;           /* a futex */
	pthread_t handle;
};

/* The start routine of the thread; argument is a struct worker_thread. */
void *worker_thread_main(void *argument);
/* Lets the thread prepare itself; the memory under test must be mapped. */
void worker_thread_release(struct worker_thread *thread);

#endif
