/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each nanosecond of a command on the simulated device was for: parts by kind and origin whose sum is its latency. A
 * command is as slow as its slice that is done last. The life of a slice is cut by its stations. Where it is served (its own
 * firmware, transfer, array and DMA, from a station to the next that sees it done) the part is its own. Where it waits, the
 * time is given to what occupied, in this order, its buffer entry, its way, its bus, the firmware core; each nanosecond
 * once. Before device_table's known_ns nothing is known of what occupied them. This is accounting: without the occupant
 * something else might have been in the way.
 */
#ifndef SSD_WORKLOADS_ANALYZE_ATTRIBUTION_H
#define SSD_WORKLOADS_ANALYZE_ATTRIBUTION_H

#include "ssd-workloads/analyze/device_table.h"

/* K(name, text): what was in the way, or was done */
#define ATTRIBUTION_KINDS(K) \
	K(OWN, "own-service")   /* its own firmware, transfer, array, DMA and completion */ \
	K(PROGRAM, "program")   /* the way programs a page of the host */ \
	K(READ, "read")         /* it reads the rest of a page that is written in part */ \
	K(GC_READ, "gc-read")   /* it reads a valid page for a collection */ \
	K(GC_COPY, "gc-copy")   /* it programs that */ \
	K(ERASE, "erase")       \
	K(BUS, "bus")           /* another way's transfer */ \
	K(BUFFER, "buffer")     /* the entry is not free yet */ \
	K(ORDER, "order")       /* pages that come before it in its block are not in the way's queue */ \
	K(FIRMWARE, "firmware") /* the core does something else, or has not looked yet (origin self) */ \
	K(DMA, "host-dma")      /* transfers before it */ \
	K(FETCH, "fetch")       /* until the command is in the device, a wait for a slot included */ \
	K(UNKNOWN, "unknown")   /* records are lost */

enum attribution_kind {
#define ATTRIBUTION_KIND(name, text) ATTRIBUTION_##name,
	ATTRIBUTION_KINDS(ATTRIBUTION_KIND)
#undef ATTRIBUTION_KIND
	ATTRIBUTION_KINDS_COUNT
};
/* A collection is of the command that triggered it. */
enum attribution_origin { ATTRIBUTION_SELF, ATTRIBUTION_SAME, ATTRIBUTION_OTHER, ATTRIBUTION_ORIGINS };
const char *attribution_kind_name(enum attribution_kind kind);
const char *attribution_origin_name(enum attribution_origin origin);

struct attribution_parts {
	uint64_t ns[ATTRIBUTION_KINDS_COUNT][ATTRIBUTION_ORIGINS];
};
uint64_t attribution_sum(const struct attribution_parts *parts);

struct attribution;
/* Refers to the table. 0 or -ENOMEM. */
int attribution_open(const struct device_table *table, struct attribution **opened);
void attribution_close(struct attribution *attribution);
/* Of a slice of a whole command: from when the command was fetched until the slice is done. 0 or -ENOMEM. */
int attribution_slice(struct attribution *attribution, uint32_t index, struct attribution_parts *parts);
/* Of a whole command: from its issue to its completion. So. */
int attribution_command(struct attribution *attribution, const struct device_command *command, struct attribution_parts *parts);

#endif
