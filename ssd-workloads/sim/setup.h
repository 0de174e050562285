/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Setup and counters of a simulated device. */
#ifndef SSD_WORKLOADS_SIM_SETUP_H
#define SSD_WORKLOADS_SIM_SETUP_H

#include <stdbool.h>
#include <stdint.h>

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
	/* with policies: by handle of a placement (FTL_REST: pages in no area), and by enum sim_policy_kind */
	uint64_t handle_programs[FTL_HANDLES], handle_copies[FTL_HANDLES];
	uint64_t policy_fired[SIM_POLICY_KINDS], policy_active_ns[SIM_POLICY_KINDS];
};

struct sim_channel_totals {
	uint64_t programs, reads, erases, bus_busy_ns, way_busy_ns, wait_ns, bytes;
	uint32_t queued, queued_most;
};

#endif
