/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parser of packets of ARM's Statistical Profiling Extension, as the processor writes them ("Arm Architecture Reference Manual",
 * chapter "The Statistical Profiling Extension sample record specification"). */
#ifndef MEMTRACE_PERF_SPE_H
#define MEMTRACE_PERF_SPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spe_record {
	uint64_t pc, address;     /* of the instruction and of its data, 0 = not recorded */
	uint64_t physical;        /* 0 = not recorded */
	uint64_t timestamp;       /* of the generic timer; 0 = not recorded */
	uint64_t events;          /* bits: 3 L1 miss, 5 TLB miss, 7 mispredicted, ... */
	uint32_t source;          /* data source as this processor encodes it; 0 = not recorded */
	uint32_t context;         /* CONTEXTIDR */
	uint16_t latency;         /* cycles from dispatch to the end */
	bool is_load, is_store;   /* both: an atomic operation; neither: another kind */
	bool is_kernel;           /* executed above EL0 */
};

struct spe_reader {
	const uint8_t *at, *end;
	const uint8_t *begin;
	uint64_t position;        /* of begin in the processor's area, the base of alignment; 0 at first */
	uint64_t skipped_bytes;   /* bytes that are no packet, and truncated packets */
};

void spe_begin(struct spe_reader *reader, const uint8_t *bytes, size_t size);
/* Reads the next record that ends with an END or timestamp packet. Returns false if there is none. */
bool spe_next(struct spe_reader *reader, struct spe_record *record);

#endif
