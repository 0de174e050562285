/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The simulated SSD: a discrete-event model of the instrumented Cosmos+ board (paper: CIDR 2020). Commands are fetched, and one
 * firmware core either takes a command through the FTL, or does one task for the flash: commands first. Each channel has a bus and
 * a controller for one operation at a time; each way runs one operation. A buffered write is done when its data is in the buffer
 * entry, which was free when the page evicted from it was programmed. Times are integer nanoseconds, independent of the host's
 * clock; equal parameters, seeds and commands yield equal events.
 */
#ifndef SSD_WORKLOADS_SIM_DEVICE_H
#define SSD_WORKLOADS_SIM_DEVICE_H

#include "ssd-workloads/record/freeze.h"
#include "ssd-workloads/sim/cache.h"
#include "ssd-workloads/sim/ftl.h"
#include "ssd-workloads/sim/setup.h"

struct sim_device;

/* Opens a device. Returns 0; -EINVAL if the parameters are invalid (sim_params_check, a buffer smaller than a command); or
 * -ENOMEM. */
int sim_device_open(const struct sim_setup *setup, struct sim_device **opened);
void sim_device_close(struct sim_device *device); /* NULL is allowed */
/* Writes the page of a slice without time, before the first command. */
void sim_device_fill(struct sim_device *device, uint32_t lsa);

/* Begins to record the commands that are submitted from now on. */
void sim_device_arm(struct sim_device *device);
/* Drops the records, removes a freeze, and records the commands that are submitted from now on. */
void sim_device_rearm(struct sim_device *device);

uint64_t sim_device_now(const struct sim_device *device);
/* Submits a command at the time of sim_device_now; length 0 is a flush. Returns its number. */
uint32_t sim_device_submit(struct sim_device *device, uint32_t tag, uint64_t offset, uint32_t length);
/* Calls host.timer at when_ns. */
void sim_device_set_timer(struct sim_device *device, uint32_t index, uint64_t when_ns);
/* Executes the next event. Returns false if there is none except the next performance index. */
bool sim_device_step(struct sim_device *device);
/* Returns the time of the next event, including a performance index, for several devices in one time; UINT64_MAX = there is
 * none. */
uint64_t sim_device_next(const struct sim_device *device);
/* Returns whether sim_device_step would execute nothing. */
bool sim_device_is_idle(const struct sim_device *device);
/* Executes the next event, also if it is a performance index alone; there must be one. */
void sim_device_execute(struct sim_device *device);
/* Sets the clock forward, before a command is submitted; no event may be pending before now_ns. */
void sim_device_advance(struct sim_device *device, uint64_t now_ns);

const struct sim_totals *sim_device_totals(const struct sim_device *device);
const struct sim_channel_totals *sim_device_channel(const struct sim_device *device, uint32_t channel);
/* Returns data of the completed command, while host.completed is called and before it submits. depth includes this command.
 * There are slices only with setup.has_stations, also for commands that are not recorded. */
void sim_device_completed(const struct sim_device *device, struct freeze_device *completed);
struct sim_cache *sim_device_cache(struct sim_device *device);
const struct ftl *sim_device_ftl(const struct sim_device *device);
/* Fills the section of a dump; straightens the cache. */
void sim_device_section(struct sim_device *device, struct sim_section *section);
/* Checks a device without commands in progress. Returns NULL, or the violation (static text). */
const char *sim_device_check(const struct sim_device *device);

#endif
