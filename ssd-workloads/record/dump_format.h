/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of a dump: header, segments, of each segment its records, of each segment with a trace its splits. All
 * little-endian, every part a multiple of 8 bytes and aligned to 8, nothing between them or behind. Of a newer version
 * the magic is another. Private to record/.
 */
#ifndef SSD_WORKLOADS_RECORD_DUMP_FORMAT_H
#define SSD_WORKLOADS_RECORD_DUMP_FORMAT_H

#include <stddef.h>

#include "ssd-workloads/record/dump.h"

#define DUMP_SUMMED 16 /* the checksum is of the bytes from here on */

struct dump_header {
	char magic[8];
	uint64_t checksum;
	uint64_t file_bytes;
	uint32_t source, segment_count, record_bytes, split_bytes;
	char uuid[40], mix[64], row[16], backend[16], freeze[256];
	uint64_t begin_ns, end_ns, seed, fired_ns, fired_sequence, post;
	uint8_t fired_stream, fired_worker, reserved[6];
	struct dump_stream { /* of the workload and of the layout */
		uint32_t depth, workers, block_bytes, reserved;
		uint64_t area_bytes, pause_ns, begin;
	} streams[MIX_STREAMS];
	uint64_t layout_bytes;
};
_Static_assert(sizeof(struct dump_header) == 576, "no padding");

struct dump_part {
	uint8_t stream, worker, has_splits, reserved[5];
	uint64_t count, emitted, overwritten, dropped, first_due_ns, first_due_sequence, period_num, period_den;
};
_Static_assert(sizeof(struct dump_part) == 72, "no padding");
_Static_assert(sizeof(struct split) == 48, "no padding");

/* size: a multiple of 8. From sum 0 on, in pieces as they come. Any change of one word changes it; not against malice. */
uint64_t dump_checksum(uint64_t sum, const void *bytes, size_t size);

#endif
