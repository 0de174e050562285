/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The perf events that sample addresses of memory accesses, best first, as the kernel of this machine describes them. memtrace
 * records with them, and memstor doctor tests with the same code whether they open.
 */
#ifndef COMMON_KERNEL_PERF_MEMORY_H
#define COMMON_KERNEL_PERF_MEMORY_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

enum perf_memory {
	PERF_MEMORY_PEBS,   /* Intel: loads and stores, by cpu, cpu_core and cpu_atom */
	PERF_MEMORY_IBS,    /* AMD: micro-operations, ibs_op */
	PERF_MEMORY_SPE,    /* ARM: arm_spe_0, and others for other kinds of cores; its records are in the AUX area */
	PERF_MEMORY_CLOCK,  /* the registers at each tick of the CPU's clock; the address is decoded */
	PERF_MEMORY_FAULTS, /* page faults: minor ones, then major ones, which have PERF_SAMPLE_IDENTIFIER */
	PERF_MEMORY_SOURCES,
};

#define PERF_MEMORY_EVENTS 9 /* the most that a source has */
/* General registers of user mode and flags, by enum perf_event_x86_regs without segments. */
#define PERF_MEMORY_REGISTERS 18
#define PERF_MEMORY_STACK 512 /* bytes of the stack that are copied with them */
#define PERF_MEMORY_REGISTER_MASK 0xff03ffull

struct perf_memory_event {
	struct perf_event_attr attr;
	bool is_alone;    /* false: in the group of the event before it */
	bool is_sampling; /* false: only leads the group */
};

struct perf_memory_request {
	uint64_t period;     /* 0 = the source's default */
	uint64_t hz;         /* instead of the period; 0 = none */
	bool with_kernel, with_user;
	bool is_system;      /* all processes are to be sampled */
	bool with_begins;    /* page faults: an event for the beginning of each as well, which has PERF_SAMPLE_CPU */
};

uint64_t perf_memory_default_period(enum perf_memory source);
/* Fills events; each attr has type, size, config, period, sample_type, privileges, sample_id_all and disabled set. Returns 0 or
 * -errno: -ENOENT this machine has no such unit; -EINVAL the source does not support the request. */
int perf_memory_events(const char *root, enum perf_memory source, const struct perf_memory_request *request,
	struct perf_memory_event events[PERF_MEMORY_EVENTS], unsigned *count);

/* The type of perf_open_in, or of its replacement in tests. */
typedef int perf_memory_open_fn(const struct perf_event_attr *attr, int pid, int cpu, int group_fd);
/*
 * Opens the events for one process and CPU in fds, -1 for those that this CPU does not have (cpu_core on an efficient core).
 * Returns 0, or -errno with all closed: -ENOENT when the CPU has none of them.
 */
int perf_memory_open(const struct perf_memory_event *events, unsigned count, int pid, int cpu, perf_memory_open_fn *open,
	int fds[PERF_MEMORY_EVENTS]);

#endif
