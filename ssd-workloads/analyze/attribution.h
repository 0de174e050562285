/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Attribution of each nanosecond of a command on the simulated device: parts by kind and origin whose sum is its latency. The
 * latency of a command is that of its slice that is done last. The time of a slice is divided at its stations. Time in which it is
 * served (its own firmware, transfer, array and DMA, from a station to the next that it reaches) is its own. Time in which it waits
 * is attributed to the occupant of, in this order, its buffer entry, its way, its bus, the firmware core; each nanosecond once.
 * Before device_table's known_ns the occupants are unknown. This is accounting, not causation: without the occupant another
 * operation might have delayed it.
 */
#ifndef SSD_WORKLOADS_ANALYZE_ATTRIBUTION_H
#define SSD_WORKLOADS_ANALYZE_ATTRIBUTION_H

#include "ssd-workloads/analyze/device_table.h"

/* K(name, text): the occupant or the work */
#define ATTRIBUTION_KINDS(K) \
	K(OWN, "own-service")   /* its own firmware, transfer, array, DMA and completion */ \
	K(PROGRAM, "program")   /* the way programs a page of the host */ \
	K(READ, "read")         /* the way reads the rest of a partly written page */ \
	K(GC_READ, "gc-read")   /* the way reads a valid page for a collection */ \
	K(GC_COPY, "gc-copy")   /* the way programs that page */ \
	K(ERASE, "erase")       \
	K(BUS, "bus")           /* a transfer of another way */ \
	K(BUFFER, "buffer")     /* the buffer entry is not free yet */ \
	K(ORDER, "order")       /* earlier pages of its block are not in the way's queue */ \
	K(FIRMWARE, "firmware") /* the core is busy, or has not polled yet (origin self) */ \
	K(DMA, "host-dma")      /* earlier transfers */ \
	K(FETCH, "fetch")       /* until the command is in the device, including a wait for a slot */ \
	K(UNKNOWN, "unknown")   /* records were lost */

enum attribution_kind {
#define ATTRIBUTION_KIND(name, text) ATTRIBUTION_##name,
	ATTRIBUTION_KINDS(ATTRIBUTION_KIND)
#undef ATTRIBUTION_KIND
	ATTRIBUTION_KINDS_COUNT
};
/* A collection belongs to the command that triggered it. */
enum attribution_origin { ATTRIBUTION_SELF, ATTRIBUTION_SAME, ATTRIBUTION_OTHER, ATTRIBUTION_ORIGINS };
const char *attribution_kind_name(enum attribution_kind kind);
const char *attribution_origin_name(enum attribution_origin origin);

struct attribution_parts {
	uint64_t ns[ATTRIBUTION_KINDS_COUNT][ATTRIBUTION_ORIGINS];
};
uint64_t attribution_sum(const struct attribution_parts *parts);

struct attribution;
/* Refers to the table, which must outlive it. Returns 0 or -ENOMEM. */
int attribution_open(const struct device_table *table, struct attribution **opened);
void attribution_close(struct attribution *attribution);
/* Computes the parts of a slice of a whole command: from the time when the command was fetched until the slice is done. Returns
 * 0 or -ENOMEM. */
int attribution_slice(struct attribution *attribution, uint32_t index, struct attribution_parts *parts);
/* Computes the parts of a whole command, from its issue to its completion. Returns 0 or -ENOMEM. */
int attribution_command(struct attribution *attribution, const struct device_command *command, struct attribution_parts *parts);

#endif
