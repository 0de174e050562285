/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The host's record of a write or a sync: 64 bytes, little-endian, CLOCK_MONOTONIC in ns. A sync has length 0. The sync of a log
 * write (--durability=fdatasync) has the write's sequence and begins at its reap_ns, so that both together are the commit. The sync
 * of a pass has the sequence of the pass's last write. HOT.
 */
#ifndef SSD_WORKLOADS_RECORD_RECORD_H
#define SSD_WORKLOADS_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

struct record {
	uint64_t sequence;        /* of the worker's writes, from 0 */
	uint64_t prep_ns;         /* preparation begins: its block is free and, in an open loop, due */
	uint64_t enter_ns;        /* the call that submits it begins */
	uint64_t reap_ns;         /* its completion is detected */
	uint64_t offset;          /* bytes in the target */
	uint32_t entered_ns;      /* duration of that call, including its wait for completions; at most 2^32 - 1 */
	uint32_t length;          /* bytes requested; 0 = a sync */
	int32_t result;           /* bytes written, or -errno; 0 or -errno for a sync */
	uint32_t batch;           /* number of the worker's submitting call, equal for writes submitted together; on the
				   * simulated device the number of its command, `cmd` in the device's records */
	uint8_t stream, worker;   /* enum mix_stream */
	uint16_t pass;            /* modulo 65536 */
	uint16_t inflight_own;    /* of this stream (all its workers) at its enter, including all of its batch */
	uint16_t inflight_other;  /* of the other stream at that time */
};
_Static_assert(sizeof(struct record) == 64, "records are 64 bytes");

static inline bool record_is_sync(const struct record *record)
{
	return !record->length;
}

/* The due time of a write of an open loop follows from its sequence: dump/dump.h. */

#endif
