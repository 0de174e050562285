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
#include "ssd-workloads/sim/params.h"
#include "ssd-workloads/sim/policy.h"

#define SIM_STREAMS 2 /* enum mix_stream */

struct sim_host { /* the device's driver; its functions are called during steps and may submit */
	void *state;
	void (*completed)(void *state, uint32_t tag, uint64_t now_ns);
	void (*timer)(void *state, uint32_t index, uint64_t now_ns);
};

struct sim_setup {
	const struct sim_params *params; /* copied */
	uint64_t seed;
	struct { uint64_t begin, bytes; } areas[SIM_STREAMS]; /* streams of pages, by address */
	uint32_t commands;              /* maximum of outstanding commands */
	uint32_t command_bytes;         /* largest command */
	struct sim_host host;
	uint32_t timers;                /* maximum of pending timers */
	bool has_records;               /* record after sim_device_arm */
	bool has_stations;              /* sim_device_completed has stations */
	bool is_checked;                /* violations of flash rules are detected: sim_device_check */
	uint64_t begin_ns;              /* start of its clock, above 0 */
	const struct sim_policies *policies; /* copied; NULL = none */
};

struct sim_totals { /* since it was opened, except sim_device_fill */
	uint64_t commands;              /* completed */
	uint64_t slices, hits, clean, partial; /* begun; partial: a part of a page */
	uint64_t host_programs;         /* decided */
	uint64_t copies, gcs;           /* decided */
	uint64_t programs, reads, erases; /* done */
	uint64_t host_bytes;            /* moved by DMA */
	uint64_t events;
	/* With policies: by handle of a placement (FTL_REST: in no area), and by enum sim_policy_kind. */
	uint64_t handle_programs[FTL_HANDLES], handle_copies[FTL_HANDLES];
	uint64_t policy_fired[SIM_POLICY_KINDS], policy_active_ns[SIM_POLICY_KINDS];
};

struct sim_channel_totals {
	uint64_t programs, reads, erases, bus_busy_ns, way_busy_ns, wait_ns, bytes;
	uint32_t queued, queued_most;
};

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
/* For several devices in one time: the time of the next event, a performance index included; UINT64_MAX = there is none. */
uint64_t sim_device_next(const struct sim_device *device);
/* Whether sim_device_step would execute nothing. */
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
