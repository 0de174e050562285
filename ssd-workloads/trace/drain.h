/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that takes the kernel's events out of a trace instance beside a run, every 20 ms, as 24 bytes each. The
 * latest are kept. It costs some 100 ns an event, on whatever CPU is free.
 */
#ifndef SSD_WORKLOADS_TRACE_DRAIN_H
#define SSD_WORKLOADS_TRACE_DRAIN_H

#include "common/trace_instance.h"
#include "common/trace_page.h"
#include "ssd-workloads/trace/split.h"

#define DRAIN_EVENTS (1u << 25) /* that are kept: 800 MB, of which only what is used is taken */
#define DRAIN_KINDS 3

struct drain_format { /* of each enum split_event_kind */
	unsigned id;
	struct trace_field sector, sectors;
};

struct drain;

/* formats is copied, instance is the caller's and outlives it. 0 or -errno. */
int drain_open(const struct trace_instance *instance, const struct drain_format formats[DRAIN_KINDS], struct drain **opened);
/* From nothing. 0 or -errno. */
int drain_start(struct drain *drain);
/* Takes what is left, ends the thread. 0 or -errno, of reading. */
int drain_stop(struct drain *drain);
/* After drain_stop, by time; the drain's until the next drain_start or drain_close. */
void drain_events(struct drain *drain, const struct split_event **events, size_t *count);
void drain_close(struct drain *drain); /* NULL is allowed; also while it runs */

#endif
