/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures one list of writes to a target in one way: puts the file into the state of the regime, waits
 * until there is little write-back, prepares memory, writes, closes. run, calibrate and evaluate
 * measure only with it.
 */
#ifndef IOWRITE_BENCH_WRITE_MEASURE_H
#define IOWRITE_BENCH_WRITE_MEASURE_H

#include "iowrite-bench/write/measure_job.h"

/* Returns 0, or a diag_exit code after one line when nothing could be measured; a failing write is a result (error). */
int measure(const struct measure_job *job, struct measurement *measurement);
void measure_free(struct measurement *measurement);

enum measure_phase { MEASURE_READY, MEASURE_BEGINS, MEASURE_RUNS, MEASURE_ENDS };

/* Callbacks in the caller's thread while the other threads write. */
struct measure_watch {
	uint64_t every_ns;        /* 0 = only at the start and the end */
	/* Called when all threads are ready, right before the first write, every every_ns, and after the last. */
	void (*observe)(void *state, enum measure_phase phase, uint64_t now_ns);
	int wake_fd;              /* readable: woken is called once; -1 = none */
	void (*woken)(void *state);
	void *state;
};

/* Runs each job in its own thread, all started together; jobs with the same target share its file and have the same regime. A
 * failed preparation is a result as well (error). Prints no messages. Returns 0, or -errno when threads cannot be created:
 * then nothing is measured. */
int measure_together(const struct measure_job *jobs, size_t count, const struct measure_watch *watch,
	struct measurement *measurements);

/* The message of a failed measurement: what failed, why, and the remedy. */

#define FAILURE_TEXT 320

/* Writes one line, without the name of the cell or scenario. */
void failure_text(const char *path, enum measure_stage stage, int error, char *text, size_t length);

#endif
