/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that empties a trace instance during a run, every 20 ms, so that no reader is woken by what is measured: the
 * events of all CPUs, as items that the caller makes of them (some 100 ns each), of which the latest are kept.
 */
#ifndef COMMON_TRACE_DRAIN_H
#define COMMON_TRACE_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/trace_instance.h"

/* An event (common/trace_page.h) to an item, which begins with a uint64_t, its time; in the drain's thread. False: it is not
 * wanted. */
typedef bool trace_drain_make(void *context, uint64_t time_ns, const void *event, size_t size, void *item);

struct trace_drain;

/* The instance is the caller's and outlives it; only what is used of `items` takes memory. 0 or -errno. */
int trace_drain_open(const struct trace_instance *instance, size_t items, size_t item_bytes, trace_drain_make *make,
	void *context, struct trace_drain **opened);
/* In the caller's thread, from nothing: all that is there. 0 or -errno. */
int trace_drain_now(struct trace_drain *drain);
/* From nothing. is_elsewhere: on another CPU than this one, where there is one. 0 or -errno. */
int trace_drain_start(struct trace_drain *drain, bool is_elsewhere);
/* Takes what is left, ends the thread. 0 or -errno, of reading. */
int trace_drain_stop(struct trace_drain *drain);
/* After trace_drain_now or trace_drain_stop: items by time; the drain's until the next take or trace_drain_close. */
void trace_drain_kept(struct trace_drain *drain, const void **kept, size_t *count);
void trace_drain_close(struct trace_drain *drain); /* NULL is allowed; also while it runs */

#endif
