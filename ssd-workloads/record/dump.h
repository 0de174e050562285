/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records in a file: a header, then the records of each worker, oldest first, then what the trace knew of each
 * (trace/split.h), when there was one. Little-endian, without padding, versioned; read back by `analyze`, which trusts
 * nothing in it.
 */
#ifndef SSD_WORKLOADS_RECORD_DUMP_H
#define SSD_WORKLOADS_RECORD_DUMP_H

#include <stdbool.h>

#include "ssd-workloads/layout.h"
#include "ssd-workloads/record/ring.h"
#include "ssd-workloads/trace/split.h"

#define DUMP_MAGIC "ssdrecs1"
#define DUMP_SEGMENTS (2 * MIX_WORKERS_MAX)

enum dump_source { DUMP_HOST, DUMP_DEVICE /* of the simulated device: other figures can be computed */ };

struct dump_segment {
	uint8_t stream, worker;
	uint64_t count, emitted, overwritten, dropped;
	/* Open loop: write k was due at first_due_ns + (k - first_due_sequence) * num / den, to a
	 * nanosecond; den 0 = closed loop. */
	uint64_t first_due_ns, first_due_sequence, period_num, period_den;
	const struct record *records;    /* count of them, by sequence */
	const struct split *splits;      /* one for each, NULL = no trace */
};

struct dump {
	enum dump_source source;
	char uuid[40], mix[64], backend[16];
	struct workload workload;
	struct layout layout;
	uint64_t begin_ns, end_ns;       /* of the measurement, CLOCK_MONOTONIC */
	uint64_t seed;
	char freeze[256];                /* the condition as given, "" = none */
	uint64_t fired_ns;               /* 0 = has not */
	uint8_t fired_stream, fired_worker;
	uint64_t fired_sequence, post;
	size_t segment_count;
	struct dump_segment segments[DUMP_SEGMENTS];
	void *memory;                    /* of what was read; owned */
};

/* Through a file beside it that is then renamed. 0 or -errno. */
int dump_write(const char *path, const struct dump *dump);
/* 0; -EBADMSG and in why one line without the file's name; -errno. Bounded by the file's own size. */
int dump_read(const char *path, struct dump *dump, char *why, size_t length);
int dump_read_memory(const void *bytes, size_t size, struct dump *dump, char *why, size_t length); /* the fuzzer's way */
void dump_free(struct dump *dump);

#endif
