/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples that are made, not waited for: pages of a process and its descendants are paged out, one at a time, and their threads
 * are stepped, or pages that were written are looked for (memtrace/writes.h). Times are CLOCK_MONOTONIC.
 *
 * A process of its own does that, "mt-step" in a session of its own: when memtrace ends, by kill -9 as well, it ends the burst,
 * detaches and ends. Paged out pages are samples of TRACE_OUT; their way back is a page fault, which the recorder has.
 */
#ifndef MEMTRACE_SAMPLER_H
#define MEMTRACE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memtrace/trace_file.h"

#define SAMPLER_PAGES_HZ 2000
#define SAMPLER_BURSTS_HZ 20
#define SAMPLER_STEPS 256

struct sampler_rates {
	uint64_t pages_hz, bursts_hz; /* per second; 0 = none */
	unsigned steps;               /* instructions of a burst */
	uint64_t scans_hz;            /* for pages that were written */
};

struct sampler_counts {
	uint64_t outs, bursts, steps;
	uint64_t idle;     /* times at which the thread that was chosen did not run */
	uint64_t no_page;  /* times at which no resident page was met */
	uint64_t no_address;
	uint64_t scans, joined; /* joined: programs and processes whose writes are found */
	int err;           /* why it ended: 0, or -errno */
	int signal;        /* that ended its process before it was told to end; 0 = none. Known after sampler_end */
};

struct sampler;

/* NULL = pages can be paged out, or what is missing, in one line. root as in common/sysfs.h. */
const char *sampler_pages_why_not(const char *root);
/* Starts the process, which does nothing yet; listen_fd: of writes_listen for scans, which stays the caller's. 0 or -errno. */
int sampler_new(const struct sampler_rates *rates, int listen_fd, struct sampler **sampler);
/* Samples pid and what it starts, from sampler_resume on. 0 or -errno. */
int sampler_begin(struct sampler *sampler, pid_t pid);
void sampler_pause(struct sampler *sampler);
void sampler_resume(struct sampler *sampler);
/* Writes the samples that there are, as those of this CPU. 0 or -errno. */
int sampler_drain(struct sampler *sampler, struct trace_writer *writer, unsigned cpu);
/* Ends the process and writes the rest. */
int sampler_end(struct sampler *sampler, struct trace_writer *writer, unsigned cpu);
void sampler_counts(const struct sampler *sampler, struct sampler_counts *counts);
void sampler_free(struct sampler *sampler);

#endif
