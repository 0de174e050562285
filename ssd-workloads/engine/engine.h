/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run of a workload on its places: a thread for each worker, a thread that samples counters at each interval, and the results.
 * Nothing is allocated, printed or locked between the first write and the last.
 */
#ifndef SSD_WORKLOADS_ENGINE_ENGINE_H
#define SSD_WORKLOADS_ENGINE_ENGINE_H

#include "ssd-workloads/dump/dump.h"
#include "ssd-workloads/engine/setup.h"

/* Checks that the resources of a run other than its targets are available: memory of the workers and of rings of
 * record_capacity, backends, and the threads' stacks. Nothing is written. Returns 0 or a diag_exit code after an error message. */
int engine_rehearse(const struct engine_setup *setup);
/* Runs the workload. Returns 0 if there is a result, complete or partial (error, is_interrupted); else a diag_exit code after an
 * error message. */
int engine_run(const struct engine_setup *setup, struct engine_result *result);
void engine_result_free(struct engine_result *result);
/* Describes the result in a zeroed dump, which refers to its records and to section. splits: by worker, NULL = no trace. which:
 * index of the simulated device whose records the dump has, if there are several, with the layout of that target; else 0, with the
 * run's layout. A stream without an area in the layout is left out. */
void engine_fill_dump(const struct workload *workload, const struct layout *layout, struct engine_result *result, size_t which,
	struct split *const *splits, struct sim_section *section, struct dump *dump);

struct engine_rate { /* of a stream's fastest worker, writes per second; 0 = it does not run */
	double peak;                        /* maximum in an interval of the trial */
	double ceiling;                     /* all its depth at the latency of the fastest write; 0 = not known */
};

struct engine_failure { /* failures of writes before the measurement */
	int error;                          /* 0 or -errno: writing ended early; the run must not continue after the failed write */
	struct counts_error errors[COUNTS_ERRORS]; /* of all its writes */
};

/* Measures rates by a trial of `ns` without records, from which ring sizes are computed. Returns 0 or a diag_exit code after an
 * error message. */
int engine_trial(const struct engine_setup *setup, uint64_t ns, struct engine_rate rates[MIX_STREAMS],
	struct engine_failure *failure);

#endif
