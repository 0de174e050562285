/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * File format of records: a header; the parts of the workers; the records of each part, oldest first, followed in a part with a
 * trace by the split of each record (dump/split.h); and for the simulated device (source DUMP_DEVICE) its section and the units of
 * its own records (sim/records.h). Little-endian; every piece is a multiple of 8 bytes and aligned to 8, without gaps or trailing
 * bytes. Each version has a magic of its own; older ones are read. `analyze` does not trust the contents of a file.
 */
#ifndef SSD_WORKLOADS_DUMP_DUMP_H
#define SSD_WORKLOADS_DUMP_DUMP_H

#include <stdbool.h>
#include <stddef.h>

#include "ssd-workloads/dump/split.h"
#include "ssd-workloads/record/ring.h"
#include "ssd-workloads/sim/records.h"
#include "ssd-workloads/workload/layout.h"

#define DUMP_MAGIC "ssdrecs2"
#define DUMP_MAGIC_1 "ssdrecs1" /* without syncs; its splits have no part for flushes, which are in reap */
#define DUMP_SEGMENTS (2 * MIX_WORKERS_MAX)
#define DUMP_SUMMED 16 /* the checksum covers the bytes from here on */

enum dump_source { DUMP_HOST, DUMP_DEVICE /* of the simulated device: with a section */ };

/* This is the layout in the file. Bytes after the end of a text are 0, so that equal runs have equal bytes. */
struct dump_header {
	char magic[8];
	uint64_t checksum;
	uint64_t file_bytes;
	uint32_t source, segment_count, record_bytes, split_bytes;
	char uuid[40], mix[64], row[16], backend[16];
	char freeze[256];                /* the condition as specified, "" = none */
	uint64_t begin_ns, end_ns;       /* of the measurement, CLOCK_MONOTONIC */
	uint64_t seed;
	uint64_t fired_ns;               /* 0 = has not fired */
	uint64_t fired_sequence, post;
	uint8_t fired_stream, fired_worker, reserved[6];
	struct dump_stream { /* of the workload and of the layout */
		uint32_t depth, workers, block_bytes, reserved;
		uint64_t area_bytes, pause_ns, begin;
	} streams[MIX_STREAMS];
	uint64_t layout_bytes;
};
_Static_assert(sizeof(struct dump_header) == 576, "no padding");

/* the part of a worker, in the layout of the file */
struct dump_part {
	uint8_t stream, worker, has_splits, reserved[5];
	uint64_t count, emitted, overwritten, dropped;
	/* Open loop: write k was due at first_due_ns + (k - first_due_sequence) * num / den, to a
	 * nanosecond; den 0 = closed loop. */
	uint64_t first_due_ns, first_due_sequence, period_num, period_den;
};
_Static_assert(sizeof(struct dump_part) == 72, "no padding");
_Static_assert(sizeof(struct split) == 64, "no padding");

struct dump {
	struct dump_header head;
	struct dump_segment {            /* head.segment_count segments, by stream and worker */
		struct dump_part part;
		const struct record *records; /* part.count records, by sequence, a sync after its write */
		const struct split *splits;   /* one per record, NULL = no trace */
	} segments[DUMP_SEGMENTS];
	const struct sim_section *section; /* NULL unless DUMP_DEVICE */
	const union sim_unit *units;     /* section->unit_count units, oldest first */
	void *memory;                    /* contents of a file that was read; owned */
	struct split *converted;         /* splits of a file of version 1; owned */
};

/* Fills the mix's names, the streams and the layout's bytes in the header; a stream without an area is left out. */
void dump_describe(struct dump *dump, const struct workload *workload, const struct layout *layout);
/* Writes the dump to a temporary file in the same directory, and renames it. Computes the dependent fields: magic, sizes,
 * checksum, has_splits, and the uuid if it is empty: equal dumps have equal ones. Returns 0 or -errno. */
int dump_write(const char *path, struct dump *dump);
/* Reads a dump. Memory use is limited by the file's size. Returns 0; -EBADMSG, and in why one line without the file's name; or
 * another -errno. */
int dump_read(const char *path, struct dump *dump, char *why, size_t length);
int dump_read_memory(const void *bytes, size_t size, struct dump *dump, char *why, size_t length); /* for the fuzzer */
void dump_free(struct dump *dump);

/* Returns the checksum of bytes added to sum, which begins at 0; size is a multiple of 8. A change of any one word changes the
 * checksum; it is not cryptographic. */
uint64_t dump_checksum(uint64_t sum, const void *bytes, size_t size);

#endif
