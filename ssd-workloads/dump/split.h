/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the time of one write or sync, from the kernel's block events. The parts add up to reap - prep exactly; a
 * record that could not be joined has no parts and is counted. A write is joined by device and sectors:
 *   batching  prep .. enter          waiting for others that are submitted with it
 *   submit    enter .. block_bio_queue   system call, file system
 *   queue     .. block_rq_issue      scheduler, tags, plug ("Q2D")
 *   device    .. block_rq_complete   driver, hypervisor, device ("D2C"), not divided further
 *   reap      .. reap_ns             interrupt, wake-up, detection
 * A write of several bios or requests counts from the first one queued or issued to the last one completed. Without a
 * trace there are two parts: "queue" is prep .. enter and "device or below" the rest.
 *
 * A sync, and a write with RWF_DSYNC when its data are written, wait for the device to flush its cache. A flush request
 * (blk-flush.c) has no sectors and serves all that wait for one, so that it is joined by time: every flush that ended in
 * the wait counts, also one that was in progress before, since a hardware queue has one at a time. The wait is divided into
 *   submit    .. block_bio_queue of a flush   wake-up, file system and its journal
 *   queue     .. block_rq_issue, and between flushes
 *   flush     the device flushes     union of the flush requests
 *   reap      .. reap_ns             from the end of the last flush
 * A flush of a log write's sync that had ended when the write's completion was detected is in the write's split. If the device
 * has FUA, a write may be durable without a flush: the time for it is in device. A sync without a flush is not joined, because
 * the cause of its wait is unknown.
 */
#ifndef SSD_WORKLOADS_DUMP_SPLIT_H
#define SSD_WORKLOADS_DUMP_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "ssd-workloads/record/record.h"

enum split_part { SPLIT_BATCHING, SPLIT_SUBMIT, SPLIT_QUEUE, SPLIT_DEVICE, SPLIT_FLUSH, SPLIT_REAP, SPLIT_PARTS };
const char *split_part_name(enum split_part part);

enum split_state {
	SPLIT_NONE,               /* not joined: no event, lost events, or events that contradict the record */
	SPLIT_OWN,                /* its requests had no other data; of a sync: its flushes were found */
	SPLIT_MERGED,             /* a request had other writes as well: queue and device are those of the request */
};

struct split {
	uint64_t ns[SPLIT_PARTS]; /* sum = record's reap - prep, unless SPLIT_NONE */
	uint32_t state;           /* enum split_state */
	uint32_t requests;        /* number of requests that contained it; 0 for a sync */
	uint64_t flushes;         /* number of flush requests that ended while it waited for one, or SPLIT_UNKNOWN */
};
#define SPLIT_UNKNOWN UINT64_MAX  /* recorded before there was a part for it: it is in reap */

struct split_event {
	uint64_t time_ns, sector; /* of 512 bytes, of the whole disk */
	uint32_t sectors;
	uint8_t kind;             /* enum split_event_kind */
};
enum split_event_kind {
	SPLIT_BIO_QUEUE, SPLIT_RQ_ISSUE, SPLIT_RQ_COMPLETE, /* of data */
	SPLIT_FLUSH_QUEUE, SPLIT_FLUSH_ISSUE, SPLIT_FLUSH_COMPLETE, /* of a bio that needs a flush before it; of a flush request */
	SPLIT_EVENT_KINDS
};
/* Returns the kind of an event of the tracepoint for this kind of data; rwbs: the event's text, of which two bytes are read. */
enum split_event_kind split_event_kind(enum split_event_kind kind, const char *rwbs);

/* Mapping of offsets of the target to the disk. A device: 0 or the partition's start; a file: its extents (FIEMAP). */
struct split_extent {
	uint64_t offset, bytes, sector;
};

struct split_counts {
	uint64_t joined, merged, unjoined; /* writes */
	uint64_t syncs, unflushed; /* syncs with their flushes, and without any */
	uint64_t lost_events;
};

/* Joins events, sorted by time, and extents, sorted by offset, with records in any order but for a sync, which follows its write;
 * outstanding records do not overlap. is_durable: writes are completed when they are durable. splits has one element per record.
 * counts is added to; lost_events is set by the caller. Returns 0 or -ENOMEM. Has no side effects, for tests. */
int split_join(const struct split_event *events, size_t event_count, const struct split_extent *extents,
	size_t extent_count, const struct record *records, size_t record_count, bool is_durable, struct split *splits,
	struct split_counts *counts);

struct split_sums { /* sums of a stream's writes, or of its syncs */
	uint64_t count;
	double ns[SPLIT_PARTS];
};
/* Adds the joined writes, or the syncs, that did not fail. */
void split_sum(const struct record *records, const struct split *splits, size_t count, bool is_sync, struct split_sums *sums);

#endif
