/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small dump as a run of 1-N makes it: two log workers, a checkpoint worker with splits. */
#ifndef TESTS_UNIT_SSD_DUMP_H
#define TESTS_UNIT_SSD_DUMP_H

#include <string.h>

#include "ssd-workloads/dump/dump.h"
#include "tests/unit/unit.h"

#define SSD_DUMP_RECORDS 40

struct ssd_dump {
	struct workload workload;
	struct layout layout;
	struct dump dump;
	struct record records[3][SSD_DUMP_RECORDS];
	struct split splits[SSD_DUMP_RECORDS];
};

static inline struct record ssd_record(const struct ssd_dump *made, unsigned stream, unsigned worker, uint64_t sequence)
{
	uint64_t begin, blocks, prep = made->dump.head.begin_ns + 50000 * sequence + 7 * stream + worker;
	uint32_t bytes = made->workload.streams[stream].block_bytes;

	layout_part(&made->layout.areas[stream], worker, &begin, &blocks);
	return (struct record){.sequence = sequence, .prep_ns = prep, .enter_ns = prep + 300, .reap_ns = prep + 40300,
		.entered_ns = 200, .offset = begin + sequence % blocks * bytes, .length = bytes, .result = (int32_t)bytes,
		.batch = (uint32_t)sequence, .stream = (uint8_t)stream, .worker = (uint8_t)worker,
		.pass = (uint16_t)(sequence / blocks), .inflight_own = 1, .inflight_other = 8};
}

/* Of each worker records 10, 11, ... */
static inline struct ssd_dump *ssd_dump_make(void)
{
	static const struct workload_override override = {
		.streams = {{.has_depth = true, .depth = 2, .area_bytes = 1 << 20}, {.area_bytes = 4 << 20}}, .workers = 2};
	struct ssd_dump *made = calloc(1, sizeof(*made));
	struct dump_header *head = &made->dump.head;
	const char *why;

	assert_int_equal(workload_make(mix_find("1-N"), &override, &made->workload, &why), 0);
	layout_make(&made->workload, &made->layout);
	dump_describe(&made->dump, &made->workload, &made->layout);
	snprintf(head->uuid, sizeof(head->uuid), "01234567-89ab-4cde-8f01-23456789abcd");
	snprintf(head->backend, sizeof(head->backend), "uring");
	snprintf(head->freeze, sizeof(head->freeze), "log.latency>5ms&&other>=8");
	head->begin_ns = 1000000;
	head->end_ns = 21000000;
	head->seed = 7;
	head->post = 3;
	head->fired_ns = 15000000;
	head->fired_stream = MIX_CHECKPOINT;
	head->fired_sequence = 44;
	head->segment_count = 3;
	for (unsigned i = 0; i < 3; i++) {
		const struct dump_part part = {.stream = i == 2, .worker = i % 2, .count = SSD_DUMP_RECORDS,
			.emitted = SSD_DUMP_RECORDS + 10, .overwritten = 10, .dropped = i,
			.first_due_ns = 1000000, .first_due_sequence = i, .period_num = 50000, .period_den = i ? 0 : 1};

		made->dump.segments[i] = (struct dump_segment){.part = part, .records = made->records[i]};
		for (uint64_t k = 0; k < SSD_DUMP_RECORDS; k++)
			made->records[i][k] = ssd_record(made, part.stream, part.worker, k + 10);
	}
	for (int k = 0; k < SSD_DUMP_RECORDS; k++) {
		made->splits[k] = (struct split){.ns = {300, 2000, 1000, 36000, 0, 1000}, .state = SPLIT_OWN + k % 2,
			.requests = 1 + k % 3};
		if (k % 10 == 9)
			made->splits[k] = (struct split){.state = SPLIT_NONE};
	}
	made->dump.segments[2].splits = made->splits;
	return made;
}

#endif
