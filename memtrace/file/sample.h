/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sample as the kernel writes it; sample_type defines its fields (perf_event_open(2)). */
#ifndef MEMTRACE_FILE_SAMPLE_H
#define MEMTRACE_FILE_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memtrace/file/trace_file.h"

struct sample_fields {
	uint64_t identifier, ip, time_ns, address;
	uint32_t pid, tid;
	uint64_t abi;              /* PERF_SAMPLE_REGS_ABI_*: of the registers */
	const uint64_t *registers; /* of attr's mask, in the mask's order; NULL = none */
	const uint8_t *stack;      /* a copy of the top of the stack; NULL = none */
	size_t stack_bytes;
	uint64_t weight;           /* cycles */
	uint64_t source;           /* perf_mem_data_src */
};

/* Parses a sample; fields that attr does not request are 0. Returns false if there are too few words. */
bool sample_parse(const struct perf_event_attr *attr, const uint64_t *words, size_t count, struct sample_fields *fields);

/* Fills sample from data source and address, as PEBS and IBS record them. Returns TRACE_LOSSES, or the reason why there is no
 * sample. */
enum trace_loss sample_from_source(const struct sample_fields *fields, struct trace_sample *sample);

#endif
