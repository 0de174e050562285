/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The workers of a run on the simulated device: their fill, take and stamps are those of real runs, called in virtual time without
 * threads. Each target is a device, with equal parameters; all have one time. A completion is taken when it happens; the worker
 * begins its next write the device's `turnaround` later. An `fdatasync` is a flush, which the device completes at once.
 */
#ifndef SSD_WORKLOADS_ENGINE_SIMULATE_H
#define SSD_WORKLOADS_ENGINE_SIMULATE_H

#include "ssd-workloads/engine/threads.h"

/* Creates the devices for all workers of the setup, before engine_threads_open, and sets setup->link. Returns 0 or a diag_exit code
 * after an error message. */
int simulate_open(struct engine_setup *setup);
/* Fills the devices, then measures. times receives the times of the measurement. */
void simulate(struct engine_threads *threads, struct engine_times *times);
/* Moves the devices into the result. Returns 0 or -ENOMEM. */
int simulate_take(const struct engine_setup *setup, struct engine_result *result);
void simulate_close(struct engine_setup *setup);
/* Frees the results of the devices. NULL is allowed. */
void engine_devices_free(struct engine_device *devices, size_t count);

#endif
