/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records in a file: a header, the parts of the workers, of each part its records, oldest first, and of each part with a trace
 * what that knew of each record (trace/split.h); of the simulated device (source DUMP_DEVICE) at last its section and the
 * units of its own records (sim/records.h). Little-endian, every piece a multiple of 8 bytes and aligned to 8, nothing
 * between them or behind; of a newer version the magic is another. Read back by `analyze`, which trusts nothing in it.
 */
#ifndef SSD_WORKLOADS_RECORD_DUMP_H
#define SSD_WORKLOADS_RECORD_DUMP_H

#include <stdbool.h>
#include <stddef.h>

#include "ssd-workloads/layout.h"
#include "ssd-workloads/record/ring.h"
#include "ssd-workloads/sim/records.h"
#include "ssd-workloads/trace/split.h"

#define DUMP_MAGIC "ssdrecs1"
#define DUMP_SEGMENTS (2 * MIX_WORKERS_MAX)
#define DUMP_SUMMED 16 /* the checksum is of the bytes from here on */

enum dump_source { DUMP_HOST, DUMP_DEVICE /* of the simulated device: there is a section */ };

/* As in the file. What is behind a text's end is 0: the same run has the same bytes. */
struct dump_header {
	char magic[8];
	uint64_t checksum;
	uint64_t file_bytes;
	uint32_t source, segment_count, record_bytes, split_bytes;
	char uuid[40], mix[64], row[16], backend[16];
	char freeze[256];                /* the condition as given, "" = none */
	uint64_t begin_ns, end_ns;       /* of the measurement, CLOCK_MONOTONIC */
	uint64_t seed;
	uint64_t fired_ns;               /* 0 = has not */
	uint64_t fired_sequence, post;
	uint8_t fired_stream, fired_worker, reserved[6];
	struct dump_stream { /* of the workload and of the layout */
		uint32_t depth, workers, block_bytes, reserved;
		uint64_t area_bytes, pause_ns, begin;
	} streams[MIX_STREAMS];
	uint64_t layout_bytes;
};
_Static_assert(sizeof(struct dump_header) == 576, "no padding");

/* Of a worker, as in the file. */
struct dump_part {
	uint8_t stream, worker, has_splits, reserved[5];
	uint64_t count, emitted, overwritten, dropped;
	/* Open loop: write k was due at first_due_ns + (k - first_due_sequence) * num / den, to a
	 * nanosecond; den 0 = closed loop. */
	uint64_t first_due_ns, first_due_sequence, period_num, period_den;
};
_Static_assert(sizeof(struct dump_part) == 72, "no padding");
_Static_assert(sizeof(struct split) == 48, "no padding");

struct dump {
	struct dump_header head;
	struct dump_segment {            /* head.segment_count of them, by stream and worker */
		struct dump_part part;
		const struct record *records; /* part.count of them, by sequence */
		const struct split *splits;   /* one for each, NULL = no trace */
	} segments[DUMP_SEGMENTS];
	const struct sim_section *section; /* NULL unless DUMP_DEVICE */
	const union sim_unit *units;     /* section->unit_count of them, oldest first */
	void *memory;                    /* of what was read; owned */
};

/* Into the header: the mix's names, the streams and the layout's bytes. */
void dump_describe(struct dump *dump, const struct workload *workload, const struct layout *layout);
/* Through a file beside it that is then renamed. Fills what follows from the rest: magic, sizes, checksum, has_splits. 0 or
 * -errno. */
int dump_write(const char *path, struct dump *dump);
/* 0; -EBADMSG and in why one line without the file's name; -errno. Bounded by the file's own size. */
int dump_read(const char *path, struct dump *dump, char *why, size_t length);
int dump_read_memory(const void *bytes, size_t size, struct dump *dump, char *why, size_t length); /* the fuzzer's way */
void dump_free(struct dump *dump);

/* size: a multiple of 8. From sum 0 on, in pieces as they come. Any change of one word changes it; not against malice. */
uint64_t dump_checksum(uint64_t sum, const void *bytes, size_t size);

#endif
