/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files in memory to measure on, and a stream of writes that is counted. */
#ifndef TESTS_UNIT_MEASURE_FLOW_H
#define TESTS_UNIT_MEASURE_FLOW_H

#include <sys/mman.h>
#include <sys/stat.h>

#include "iowrite-bench/write/measure.h"
#include "tests/unit/unit.h"

#define SIZE 4096

static volatile int stop;

static inline void make_target(struct target *target)
{
	*target = (struct target){.kind = TARGET_NAMELESS, .path = "test", .fs_block = 4096,
		.fd = memfd_create("test", MFD_CLOEXEC)};
	assert_true(target->fd >= 0);
}

static inline uint64_t length_of(const struct target *target)
{
	struct stat facts;

	assert_int_equal(fstat(target->fd, &facts), 0);
	return (uint64_t)facts.st_size;
}

static inline struct measure_job job_of(const struct target *target, const char *method)
{
	return (struct measure_job){.target = target, .method = method_of(method), .sync = method_sync_of("none"),
		.memory = MODEL_AS_IS, .sample_every_ns = UINT64_MAX, .stop = &stop};
}

/* --- a stream: writes that are counted, sizes and rings as asked for --- */

struct flow {
	uint64_t begin, bytes, made;   /* of a list, and so far */
	unsigned lists;                /* begun */
	uint64_t records, drained_bytes, last_offset;
	bool is_ordered;
	bool is_of_one_place;          /* all writes begin where the first does */
	const struct target *grows; /* must be empty when a list begins; NULL = must not */
	struct measure_stream stream;
};

static inline size_t refill(void *state, struct op *ops, size_t capacity)
{
	struct flow *flow = state;
	size_t count = 0;

	flow->lists += !flow->made;
	if (flow->grows && !flow->made)
		assert_int_equal(length_of(flow->grows), 0);
	for (; count < capacity && flow->made < flow->bytes; count++, flow->made += SIZE)
		ops[count] = (struct op){0, flow->begin + (flow->is_of_one_place ? 0 : flow->made), SIZE};
	if (!count)
		flow->made = 0;
	return count;
}

static inline void drain(void *state, const struct measurement *found, const struct write_record *records, size_t count)
{
	struct flow *flow = state;

	(void)found;
	for (size_t i = 0; i < count; i++) {
		flow->drained_bytes += records[i].size;
		if (flow->records++ && records[i].offset != flow->begin && records[i].offset != flow->last_offset + SIZE)
			flow->is_ordered = false;
		flow->last_offset = records[i].offset;
	}
}

static inline void make_flow(struct flow *flow, uint64_t begin, uint64_t bytes, size_t ring)
{
	*flow = (struct flow){.begin = begin, .bytes = bytes, .is_ordered = true};
	flow->stream = (struct measure_stream){.ring = ring, .file_bytes = begin + bytes, .largest_bytes = SIZE,
		.total_bytes = bytes, .begin_bytes = begin, .refill = refill, .drain = drain, .state = flow};
}

#endif
