/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Active sampling: pages of a process and its descendants are paged out, one at a time, and their threads are stepped.
 * Times are CLOCK_MONOTONIC.
 *
 * A separate process does this, "mt-step" in its own session: when memtrace ends, by kill -9 as well, this process ends the burst,
 * detaches and exits. Paged out pages are samples of TRACE_OUT; their return is a page fault, which the recorder records.
 */
#ifndef MEMTRACE_ACTIVE_SAMPLER_H
#define MEMTRACE_ACTIVE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memtrace/file/trace_file.h"

#define SAMPLER_PAGES_HZ 2000
#define SAMPLER_BURSTS_HZ 20
#define SAMPLER_STEPS 256
#define SAMPLER_MOST 0.5

struct sampler_rates {
	uint64_t pages_hz, bursts_hz; /* per second; 0 = none */
	unsigned steps;               /* instructions per burst */
	double most;                  /* part of the program's time that bursts and refaults may take, above 0 */
	bool is_bounded;              /* most was given: actions that it prevents do not count as requested */
};

struct sampler_counts {
	uint64_t outs, stayed; /* attempts, and attempts after which the page was resident: returns_left() */
	uint64_t bursts, steps;
	uint64_t idle;     /* bursts skipped because the chosen thread did not run */
	uint64_t no_page;  /* attempts at which no resident page was found */
	uint64_t no_address;
	uint64_t stopped_ns; /* time in bursts */
	uint64_t outs_asked, bursts_asked; /* requested by the rates; bursts only while the chosen thread runs */
	int err;           /* why sampling ended: 0, or -errno */
	int signal;        /* signal that ended the process early; 0 = none. Valid after sampler_end */
};

struct sampler;

/* Returns NULL if pages can be paged out, else the reason in one line. root is as in common/base/sysfs.h. */
const char *sampler_pages_why_not(const char *root);
/* Starts the process, which waits for sampler_begin. Returns 0 or -errno. */
int sampler_new(const struct sampler_rates *rates, struct sampler **sampler);
/* Sets the process to sample, with its descendants, from sampler_resume on. Returns 0 or -errno. */
int sampler_begin(struct sampler *sampler, pid_t pid);
/* Adds a process that a sampled one has started, even if its parents have ended since. */
void sampler_follow(struct sampler *sampler, pid_t pid);
void sampler_pause(struct sampler *sampler);
void sampler_resume(struct sampler *sampler);
/* States the program's cost of a page that comes back, as far as it is known. */
void sampler_set_page_cost(struct sampler *sampler, uint64_t cost_ns);
/* Writes the available samples as those of this CPU. Returns 0 or -errno. */
int sampler_drain(struct sampler *sampler, struct trace_writer *writer, unsigned cpu);
/* Ends the process and writes the remaining samples. Returns 0 or -errno. */
int sampler_end(struct sampler *sampler, struct trace_writer *writer, unsigned cpu);
void sampler_counts(const struct sampler *sampler, struct sampler_counts *counts);
void sampler_free(struct sampler *sampler);

#endif
