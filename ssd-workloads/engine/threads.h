/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workers of a run and their threads: created before it, with touched memory; joined and freed after it. */
#ifndef SSD_WORKLOADS_ENGINE_THREADS_H
#define SSD_WORKLOADS_ENGINE_THREADS_H

#include <pthread.h>

#include "ssd-workloads/engine/setup.h"

struct engine_thread { /* about 150 KiB with its counts */
	struct worker worker;
	pthread_t handle;
	bool is_started;
	void *state;                /* of the backend */
	void *mapping;              /* mapping of the buffers; NULL = none yet */
	size_t mapping_bytes;
	uint32_t *order;            /* NULL = none */
	struct pattern *pattern;    /* pattern from which order is drawn; NULL = each pass has the same order */
	struct ack_log_worker *private_ack_log; /* NULL if the run has an acknowledgement log */
	struct ring ring;
	uint64_t first_sequence, first_due_ns, period_num;
	uint64_t start_ns;
	struct contention contention; /* while the thread wrote */
};

struct engine_threads {
	const struct engine_setup *setup;
	size_t count;
	struct engine_thread *list;
	struct worker_shared shared[MIX_STREAMS];
	struct ring_control control;
	int stop;                   /* atomic */
};

struct engine_times {
	uint64_t start_ns, measure_ns, until_ns; /* CLOCK_MONOTONIC */
};

/* Fills the backend's setup of a worker of this stream; setup need not have its backend yet. */
void engine_backend_setup(const struct engine_setup *setup, enum mix_stream which, unsigned worker, char *buffers,
	struct backend_setup *backend);
/* Creates the workers, with empty rings if has_records is false. Returns 0, or a diag_exit code after an error message; then
 * nothing is left. */
int engine_threads_open(const struct engine_setup *setup, bool has_records, struct engine_threads *threads);
/* Sets the times at which the workers begin to measure, and end. */
void engine_threads_set_times(struct engine_threads *threads, const struct engine_times *times);
/* Sets the time at which the first writes of an open loop are due. */
void engine_threads_set_due(struct engine_threads *threads, uint64_t start_ns);
/* Starts the threads, which begin to write at start_ns. Returns 0, or a diag_exit code after an error message; then none runs. */
int engine_threads_start(struct engine_threads *threads, const struct engine_times *times);
void engine_threads_stop(struct engine_threads *threads);
bool engine_threads_is_stopped(const struct engine_threads *threads);
/* Draws another block in place of the one of this write, for the next pass. Does nothing without a pattern. */
void engine_thread_redraw(struct engine_thread *thread, uint64_t sequence);
void engine_threads_join(struct engine_threads *threads);
void engine_threads_close(struct engine_threads *threads);

#endif
