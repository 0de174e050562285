/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The host's record of a write: 64 bytes, little-endian, CLOCK_MONOTONIC in ns. HOT. */
#ifndef SSD_WORKLOADS_RECORD_RECORD_H
#define SSD_WORKLOADS_RECORD_RECORD_H

#include <stdint.h>

struct record {
	uint64_t sequence;        /* of the worker's writes, from 0 */
	uint64_t prep_ns;         /* preparation begins: its block is free and, in an open loop, due */
	uint64_t enter_ns;        /* the call that submits it begins */
	uint64_t reap_ns;         /* its completion is seen */
	uint64_t offset;          /* bytes in the target */
	uint32_t entered_ns;      /* duration of that call, including its wait for completions; at most 2^32 - 1 */
	uint32_t length;          /* bytes asked for */
	int32_t result;           /* bytes written, or -errno */
	uint32_t batch;           /* number of the worker's submitting call, equal for writes submitted together; on the
				   * simulated device the number of its command, `cmd` in the device's records */
	uint8_t stream, worker;   /* enum mix_stream */
	uint16_t pass;            /* modulo 65536 */
	uint16_t inflight_own;    /* of this stream (all its workers) at its enter, including all of its batch */
	uint16_t inflight_other;  /* of the other stream at that time */
};
_Static_assert(sizeof(struct record) == 64, "records are 64 bytes");

/* The due time of a write of an open loop follows from its sequence: record/dump.h. */

#endif
