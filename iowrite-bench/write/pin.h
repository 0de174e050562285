/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One writer on one CPU, and at least one other for the kernel's flusher: where both share one, write-back takes from the
 * writer what the scheduler lets it. The calling thread is moved, and moved back.
 */
#ifndef IOWRITE_BENCH_WRITE_PIN_H
#define IOWRITE_BENCH_WRITE_PIN_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct pin_request {
	bool is_free;   /* stays where the scheduler puts it */
	bool has_cpus;  /* to the first of these; else to the last that there is, since the first ones have the interrupts */
	cpu_set_t cpus;
	bool is_again;  /* as a calibration's writer: to its CPU, or to the last one where that may not be used or is not known */
	int again;      /* -1 = not known */
};

struct pin {
	bool is_pinned;
	int cpu;                  /* where it is pinned */
	cpu_set_t before, others; /* the inherited affinity, with and without the writer's CPU */
	char text[128];           /* for people and reports: "pinned to CPU 1", "not pinned: ..." */
};

/* "none", or a list of CPUs as common/host/topology.h has it. 0, or -EINVAL and *why (static text). */
int pin_parse(const char *text, struct pin_request *request, const char **why);
/* As the writer of a calibration: its text, as below, and its CPU. */
struct pin_request pin_again(const char *text, int cpu);
/* The CPU of a writer that may run on these; -1 = it is not to be pinned. text as above. */
int pin_choose(const struct pin_request *request, const cpu_set_t *inherited, char *text, size_t length);
/* What cannot be done is in the text. */
void pin_begin(const struct pin_request *request, struct pin *pin);
/* Does nothing for one that is not pinned, or all 0. */
void pin_end(struct pin *pin);
/* Moves the calling thread, which a pinned one has made, out of its way. */
void pin_leave(const struct pin *pin);
/* The CPUs of threads that a pinned one makes; NULL = as they are. */
const cpu_set_t *pin_others(const struct pin *pin);
/* Whether a text as above is that of a pinned writer. */
bool pin_was(const char *text);

#endif
