/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept of each write, by the host: 64 bytes, little-endian, CLOCK_MONOTONIC in ns. HOT. */
#ifndef SSD_WORKLOADS_RECORD_RECORD_H
#define SSD_WORKLOADS_RECORD_RECORD_H

#include <stdint.h>

struct record {
	uint64_t sequence;        /* of the worker's writes, from 0 */
	uint64_t prep_ns;         /* its block was free, and due in an open loop: it begins to be prepared */
	uint64_t enter_ns;        /* the call that submits it begins */
	uint64_t reap_ns;         /* it is seen to be completed */
	uint64_t offset;          /* bytes in the target */
	uint32_t entered_ns;      /* how long that call took, its waiting for completions included; the most: 2^32 - 1 */
	uint32_t length;          /* bytes asked for */
	int32_t result;           /* bytes written, or -errno */
	uint32_t batch;           /* number of the worker's submitting call: equal for those submitted together; of the
	                           * simulated device the number of its command, `cmd` in that one's records */
	uint8_t stream, worker;   /* enum mix_stream */
	uint16_t pass;            /* modulo 65536 */
	uint16_t inflight_own;    /* of this stream (all its workers) when it was entered, with all of its batch */
	uint16_t inflight_other;  /* of the other stream, then */
};
_Static_assert(sizeof(struct record) == 64, "records are 64 bytes");

/* When a write of an open loop was due follows from its sequence: record/dump.h. */

#endif
