/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pins the writer to one CPU, and leaves at least one other to the kernel's flusher: where both share one, the scheduler
 * decides how much write-back takes from the writer. The calling thread is moved, and moved back.
 */
#ifndef IOWRITE_BENCH_WRITE_PIN_H
#define IOWRITE_BENCH_WRITE_PIN_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct pin_request {
	bool is_free;   /* stays where the scheduler puts it */
	bool has_cpus;  /* to the first of these; else to the last CPU, since the first ones have the interrupts */
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

/* Parses "none", or a list of CPUs as common/host/topology.h has it. Returns 0, or -EINVAL and *why (static text). */
int pin_parse(const char *text, struct pin_request *request, const char **why);
/* Returns the request for the same pinning as a calibration's writer, of which it gets text (struct pin) and CPU. */
struct pin_request pin_again(const char *text, int cpu);
/* Returns the CPU of a writer that may run on these; -1 = it is not to be pinned. text as above. */
int pin_choose(const struct pin_request *request, const cpu_set_t *inherited, char *text, size_t length);
/* Pins the calling thread; if that is impossible pin->text has the reason. */
void pin_begin(const struct pin_request *request, struct pin *pin);
/* Restores the affinity; does nothing for a pin that is not pinned, or all 0. */
void pin_end(struct pin *pin);
/* Moves the calling thread, which a pinned thread has made, off the writer's CPU. */
void pin_leave(const struct pin *pin);
/* Returns the CPUs for threads that a pinned thread makes; NULL = unchanged. */
const cpu_set_t *pin_others(const struct pin *pin);
/* Returns whether a text as above is that of a pinned writer. */
bool pin_was(const char *text);

#endif
