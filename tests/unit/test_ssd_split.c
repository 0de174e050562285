/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The join of records with block events: one record of 32 sectors, and each way in which it may lie, or fail. */
#include "config.h"
#include "tests/unit/ssd_split.h"

static struct recorded *one_record(void)
{
	struct recorded *made = calloc(1, sizeof(*made));

	made->extent_count = 2;
	made->extents[0] = (struct split_extent){0, 1 << 20, 10000};
	made->extents[1] = (struct split_extent){1 << 20, 1 << 20, 90000};
	made->record_count = 1;
	made->records[0] = (struct record){.prep_ns = 1000, .enter_ns = 1100, .reap_ns = 2000, .offset = 16384, .length = 16384,
		.result = 16384};
	return made;
}

static void add_event(struct recorded *made, uint64_t time_ns, unsigned kind, uint64_t sector, uint32_t sectors)
{
	made->events[made->event_count++] =
		(struct split_event){.time_ns = time_ns, .kind = (uint8_t)kind, .sector = sector, .sectors = sectors};
}

static void assert_split(struct recorded *made, uint32_t split_state, uint32_t requests, uint64_t submit, uint64_t queue,
	uint64_t device)
{
	const struct split *split = &made->splits[0];

	join(made);
	assert_int_equal(split->state, split_state);
	assert_int_equal(split->requests, requests);
	assert_int_equal(split->ns[SPLIT_BATCHING], 100);
	assert_int_equal(split->ns[SPLIT_SUBMIT], submit);
	assert_int_equal(split->ns[SPLIT_QUEUE], queue);
	assert_int_equal(split->ns[SPLIT_DEVICE], device);
	assert_int_equal(split->ns[SPLIT_REAP], 900 - submit - queue - device);
	free(made);
}

static void assert_none(struct recorded *made)
{
	struct split none = {.state = SPLIT_NONE};

	join(made);
	assert_memory_equal(&made->splits[0], &none, sizeof(none));
	free(made);
}

TEST("a write of one request is split into its own stages")
{
	struct recorded *made = one_record();

	add_event(made, 1110, SPLIT_BIO_QUEUE, 10032, 32);
	add_event(made, 1130, SPLIT_RQ_ISSUE, 10032, 32);
	add_event(made, 1900, SPLIT_RQ_COMPLETE, 10032, 32);
	assert_split(made, SPLIT_OWN, 1, 10, 20, 770);
}

/* The same place before and after: other writes. Flushes have no sectors. */
TEST("requests of other times are not the write's")
{
	struct recorded *made = one_record();

	add_event(made, 900, SPLIT_BIO_QUEUE, 10032, 32);
	add_event(made, 950, SPLIT_RQ_ISSUE, 10032, 32);
	add_event(made, 1099, SPLIT_RQ_COMPLETE, 10032, 32);
	add_event(made, 1100, SPLIT_BIO_QUEUE, 10032, 32);
	add_event(made, 1100, SPLIT_RQ_ISSUE, 10032, 32);
	add_event(made, 1500, SPLIT_RQ_ISSUE, 10040, 0);
	add_event(made, 1600, SPLIT_RQ_COMPLETE, UINT64_MAX, 32);
	add_event(made, 2000, SPLIT_RQ_COMPLETE, 10032, 32);
	add_event(made, 2001, SPLIT_BIO_QUEUE, 10032, 32);
	add_event(made, 2001, SPLIT_RQ_ISSUE, 10000, 64);
	add_event(made, 2001, SPLIT_RQ_COMPLETE, 10032, 32);
	assert_split(made, SPLIT_OWN, 1, 0, 0, 900);
}

TEST("a write of two bios is split from the first to the last")
{
	struct recorded *made = one_record();

	add_event(made, 1110, SPLIT_BIO_QUEUE, 10032, 16);
	add_event(made, 1120, SPLIT_BIO_QUEUE, 10048, 16);
	add_event(made, 1130, SPLIT_RQ_ISSUE, 10048, 16);
	add_event(made, 1140, SPLIT_RQ_ISSUE, 10032, 16);
	add_event(made, 1500, SPLIT_RQ_COMPLETE, 10032, 16);
	add_event(made, 1700, SPLIT_RQ_COMPLETE, 10048, 16);
	assert_split(made, SPLIT_OWN, 2, 10, 20, 570);
}

TEST("a write merged with its neighbour is split as merged")
{
	struct recorded *made = one_record();

	add_event(made, 1110, SPLIT_BIO_QUEUE, 10032, 32);
	add_event(made, 1120, SPLIT_BIO_QUEUE, 10064, 32);
	add_event(made, 1130, SPLIT_RQ_ISSUE, 10032, 64);
	add_event(made, 1700, SPLIT_RQ_COMPLETE, 10032, 64);
	assert_split(made, SPLIT_MERGED, 1, 10, 20, 570);
	/* From far before, over many of the index's buckets. */
	made = one_record();
	made->records[0].offset = (1 << 20) - 16384;
	add_event(made, 1110, SPLIT_BIO_QUEUE, 12016, 32);
	add_event(made, 1130, SPLIT_RQ_ISSUE, 9000, 4096);
	add_event(made, 1700, SPLIT_RQ_COMPLETE, 9000, 4096);
	assert_split(made, SPLIT_MERGED, 1, 10, 20, 570);
}

/* Half of it lies in the one extent, half in the other. */
TEST("a write across two extents is split from both")
{
	struct recorded *made = one_record();

	made->records[0].offset = (1 << 20) - 8192;
	add_event(made, 1110, SPLIT_BIO_QUEUE, 12032, 16);
	add_event(made, 1120, SPLIT_BIO_QUEUE, 90000, 16);
	add_event(made, 1130, SPLIT_RQ_ISSUE, 12032, 16);
	add_event(made, 1135, SPLIT_RQ_ISSUE, 90000, 16);
	add_event(made, 1600, SPLIT_RQ_COMPLETE, 90000, 16);
	add_event(made, 1700, SPLIT_RQ_COMPLETE, 12032, 16);
	assert_split(made, SPLIT_OWN, 2, 10, 20, 570);
}

/* Issued twice (the driver was busy), completed in two parts. */
TEST("a request issued twice and completed in parts is one")
{
	struct recorded *made = one_record();

	add_event(made, 1110, SPLIT_BIO_QUEUE, 10032, 32);
	add_event(made, 1130, SPLIT_RQ_ISSUE, 10032, 32);
	add_event(made, 1230, SPLIT_RQ_ISSUE, 10032, 32);
	add_event(made, 1600, SPLIT_RQ_COMPLETE, 10032, 8);
	add_event(made, 1700, SPLIT_RQ_COMPLETE, 10040, 24);
	assert_split(made, SPLIT_OWN, 2, 10, 20, 570);
}

TEST("a write without matching events has no split")
{
	static const struct { uint64_t queued, issued, completed; uint32_t queue, issue, complete; } cases[] = {
		{1110, 1130, 1700, 31, 32, 32}, {1110, 1130, 1700, 32, 31, 32}, {1110, 1130, 1700, 32, 32, 31},
		{1110, 1130, 1700, 0, 32, 32}, {1110, 1130, 1700, 32, 0, 32}, {1110, 1130, 1700, 32, 32, 0},
		{1099, 1130, 1700, 32, 32, 32}, {1110, 1130, 2001, 32, 32, 32}, {1140, 1130, 1700, 32, 32, 32},
		{1110, 1710, 1700, 32, 32, 32},
	};
	struct recorded *made;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		made = one_record();
		add_event(made, cases[i].queued, SPLIT_BIO_QUEUE, 10032, cases[i].queue);
		add_event(made, cases[i].issued, SPLIT_RQ_ISSUE, 10032, cases[i].issue);
		add_event(made, cases[i].completed, SPLIT_RQ_COMPLETE, 10032, cases[i].complete);
		if (made->events[1].time_ns < made->events[0].time_ns) {
			struct split_event event = made->events[0];

			made->events[0] = made->events[1];
			made->events[1] = event;
		}
		assert_none(made);
	}
	/* In a hole, and beyond the end. */
	made = one_record();
	made->extents[1].offset += 4096;
	made->records[0].offset = (1 << 20) - 8192;
	assert_none(made);
	made = one_record();
	made->records[0].offset = (2 << 20) - 8192;
	assert_none(made);
	made = one_record();
	made->extent_count = 0;
	assert_none(made);
}
