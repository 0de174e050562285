/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the time of one write, from the kernel's block events joined by device and sectors. The parts add up to
 * reap - prep exactly; a write that could not be joined has none and is counted as unjoined, never guessed.
 *   batching  prep .. enter          waiting for others that are submitted with it
 *   submit    enter .. block_bio_queue   system call, file system
 *   queue     .. block_rq_issue      scheduler, tags, plug ("Q2D")
 *   device    .. block_rq_complete   driver, hypervisor, device ("D2C"), not divided further
 *   reap      .. reap_ns             interrupt, wake-up, detection
 * A write of several bios or requests: first queued, first issued, last completed. A flush that makes a write durable
 * has no sectors: if the kernel sends one after the write, its time is in reap. Without a trace there are two parts:
 * "queue" is prep .. enter and "device or below" the rest.
 */
#ifndef SSD_WORKLOADS_TRACE_SPLIT_H
#define SSD_WORKLOADS_TRACE_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "ssd-workloads/record/record.h"

enum split_part { SPLIT_BATCHING, SPLIT_SUBMIT, SPLIT_QUEUE, SPLIT_DEVICE, SPLIT_REAP, SPLIT_PARTS };
const char *split_part_name(enum split_part part);

enum split_state {
	SPLIT_NONE,               /* not joined: no event, lost events, or events that contradict the record */
	SPLIT_OWN,                /* its requests had no other data */
	SPLIT_MERGED,             /* a request had other writes as well: queue and device are those of the request */
};

struct split {
	uint64_t ns[SPLIT_PARTS]; /* sum = record's reap - prep, unless SPLIT_NONE */
	uint32_t state;           /* enum split_state */
	uint32_t requests;        /* number of requests that contained it */
};

struct split_event {
	uint64_t time_ns, sector; /* of 512 bytes, of the whole disk */
	uint32_t sectors;
	uint8_t kind;             /* enum split_event_kind */
};
enum split_event_kind { SPLIT_BIO_QUEUE, SPLIT_RQ_ISSUE, SPLIT_RQ_COMPLETE };

/* Mapping of offsets of the target to the disk. A device: 0 or the partition's start; a file: its extents (FIEMAP). */
struct split_extent {
	uint64_t offset, bytes, sector;
};

struct split_counts {
	uint64_t joined, merged, unjoined;
	uint64_t lost_events;
};

/* Joins events, sorted by time, and extents, sorted by offset, with records in any order; outstanding records do not overlap.
 * splits has one element per record. counts is added to; lost_events is set by the caller. Returns 0 or -ENOMEM. Has no side
 * effects, for tests. */
int split_join(const struct split_event *events, size_t event_count, const struct split_extent *extents,
	size_t extent_count, const struct record *records, size_t record_count, struct split *splits,
	struct split_counts *counts);

struct split_sums { /* sums of a stream */
	uint64_t count;
	double ns[SPLIT_PARTS];
};
/* Adds the joined writes that did not fail. */
void split_sum(const struct record *records, const struct split *splits, size_t count, struct split_sums *sums);

#endif
