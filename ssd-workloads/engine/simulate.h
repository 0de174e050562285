/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The workers of a run on the simulated device: their fill, take and stamps are those of real runs, called in virtual time
 * without threads. All share one device. A completion is taken when it happens; the worker looks for its next write the
 * device's `turnaround` later. An `fdatasync` is a flush, which the device completes at once.
 */
#ifndef SSD_WORKLOADS_ENGINE_SIMULATE_H
#define SSD_WORKLOADS_ENGINE_SIMULATE_H

#include "ssd-workloads/engine/threads.h"

/* A device for all workers of the setup, before engine_threads_open; setup->link is set then. 0 or a diag_exit code after one
 * line. */
int simulate_open(struct engine_setup *setup);
/* Fills the device, then measures. times: what they were. */
void simulate(struct engine_threads *threads, struct engine_times *times);
/* The device goes into the result. 0 or -ENOMEM. */
int simulate_take(const struct engine_setup *setup, struct engine_result *result);
void simulate_close(struct engine_setup *setup);
/* Frees what is left of the device. NULL is allowed. */
void engine_device_free(struct engine_device *device);

#endif
