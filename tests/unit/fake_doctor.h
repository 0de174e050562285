/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines for memstor doctor: a recorded root, a machine, and what its kernel answers. */
#ifndef TESTS_UNIT_FAKE_DOCTOR_H
#define TESTS_UNIT_FAKE_DOCTOR_H

#include "doctor/doctor.h"

/* What the hooks answer; tests change it. */
struct fake_kernel {
	int time_source, memlock, pid_namespace, writable, swap_file, uring, uring_plain, direct, fault_address, tracefs,
		process_madvise;
	int hardware, clock;       /* perf events by type; a unit's own: the one at unit */
	uint32_t unit_type;
	uint64_t leader_config;    /* not 0: without an event of this config as leader the unit has no data (ENODATA) */
	int unit;
	uint64_t memlock_bytes;
	struct timebase timebase;
	struct probe_direct direct_facts;
	uint64_t paused_ns;
};
extern struct fake_kernel fake_kernel;
extern const struct probe_hooks fake_hooks;

/* "laptop", "epyc", "container": root, machine and kernel. The host's root is valid until the next call. */
void fake_doctor(const char *name, struct machine *machine, struct probe_host *host);

#endif
