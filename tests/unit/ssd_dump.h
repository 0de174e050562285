/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small dump as a run of 1-N makes it: two log workers, a checkpoint worker with splits. */
#ifndef TESTS_UNIT_SSD_DUMP_H
#define TESTS_UNIT_SSD_DUMP_H

#include <string.h>

#include "ssd-workloads/record/dump.h"
#include "tests/unit/unit.h"

#define SSD_DUMP_RECORDS 40

struct ssd_dump {
	struct dump dump;
	struct record records[3][SSD_DUMP_RECORDS];
	struct split splits[SSD_DUMP_RECORDS];
};

static inline struct record ssd_record(const struct dump *dump, unsigned stream, unsigned worker, uint64_t sequence)
{
	uint64_t begin, blocks, prep = dump->begin_ns + 50000 * sequence + 7 * stream + worker;
	uint32_t bytes = dump->workload.streams[stream].block_bytes;

	layout_part(&dump->layout.areas[stream], worker, &begin, &blocks);
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
	struct dump *dump = &made->dump;
	const char *why;

	assert_int_equal(workload_make(mix_find("1-N"), &override, &dump->workload, &why), 0);
	layout_make(&dump->workload, &dump->layout);
	workload_name(&dump->workload, dump->mix, sizeof(dump->mix));
	snprintf(dump->uuid, sizeof(dump->uuid), "01234567-89ab-4cde-8f01-23456789abcd");
	snprintf(dump->backend, sizeof(dump->backend), "uring");
	snprintf(dump->freeze, sizeof(dump->freeze), "log.latency>5ms&&other>=8");
	dump->begin_ns = 1000000;
	dump->end_ns = 21000000;
	dump->seed = 7;
	dump->post = 3;
	dump->fired_ns = 15000000;
	dump->fired_stream = MIX_CHECKPOINT;
	dump->fired_sequence = 44;
	dump->segment_count = 3;
	for (unsigned i = 0; i < 3; i++) {
		struct dump_segment *segment = &dump->segments[i];

		*segment = (struct dump_segment){.stream = i == 2, .worker = i % 2, .count = SSD_DUMP_RECORDS,
			.emitted = SSD_DUMP_RECORDS + 10, .overwritten = 10, .dropped = i, .records = made->records[i],
			.first_due_ns = 1000000, .first_due_sequence = i, .period_num = 50000, .period_den = i ? 0 : 1};
		for (uint64_t k = 0; k < SSD_DUMP_RECORDS; k++)
			made->records[i][k] = ssd_record(dump, segment->stream, segment->worker, k + 10);
	}
	for (int k = 0; k < SSD_DUMP_RECORDS; k++) {
		made->splits[k] = (struct split){.ns = {300, 2000, 1000, 36000, 1000}, .state = SPLIT_OWN + k % 2,
			.requests = 1 + k % 3};
		if (k % 10 == 9)
			made->splits[k] = (struct split){.state = SPLIT_NONE};
	}
	dump->segments[2].splits = made->splits;
	return made;
}

#endif
