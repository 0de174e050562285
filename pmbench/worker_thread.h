/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One measuring thread, from its start to its results in the slot. */
#ifndef PMBENCH_WORKER_THREAD_H
#define PMBENCH_WORKER_THREAD_H

#include <pthread.h>
#include "pmbench/mapping.h"
#include "pmbench/worker.h"

struct worker_thread {
	const struct worker_job *job;
	unsigned process, number;       /* number: within the process */
	const struct mapping *mapping;  /* open once the thread is released */
	uint64_t init_ns;
	uint32_t is_released;           /* a futex */
	pthread_t handle;
};

void *worker_thread_main(void *argument);
/* The map is there: the thread may prepare itself. */
void worker_thread_release(struct worker_thread *thread);

#endif
