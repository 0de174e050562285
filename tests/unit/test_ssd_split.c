/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The join of records with block events: one record of 32 sectors, and each way in which it may lie, or fail. */
#include "config.h"
#include "ssd-workloads/workload/mix.h"
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

static void assert_none(struct recorded *made)
{
	struct split none = {.state = SPLIT_NONE};

	join(made);
	assert_memory_equal(&made->splits[0], &none, sizeof(none));
	free(made);
}

#define QUEUE SPLIT_BIO_QUEUE
#define ISSUE SPLIT_RQ_ISSUE
#define COMPLETE SPLIT_RQ_COMPLETE

TEST("a write is split at its first bio, its first request and its last completion, wherever it lies")
{
	static const struct {
		const char *name;
		uint64_t offset;
		struct split split;
		struct split_event events[12]; /* ended by the time 0 */
	} cases[] = {
		{"one request", 16384, {{100, 10, 20, 770, 0, 100}, SPLIT_OWN, 1, 0},
			{{1110, 10032, 32, QUEUE}, {1130, 10032, 32, ISSUE}, {1900, 10032, 32, COMPLETE}}},
		/* The same place before and after: other writes. Flushes have no sectors. */
		{"requests of other times", 16384, {{100, 0, 0, 900, 0, 0}, SPLIT_OWN, 1, 0},
			{{900, 10032, 32, QUEUE}, {950, 10032, 32, ISSUE}, {1099, 10032, 32, COMPLETE}, {1100, 10032, 32, QUEUE},
				{1100, 10032, 32, ISSUE}, {1500, 10040, 0, ISSUE}, {1600, UINT64_MAX, 32, COMPLETE},
				{2000, 10032, 32, COMPLETE}, {2001, 10032, 32, QUEUE}, {2001, 10000, 64, ISSUE},
				{2001, 10032, 32, COMPLETE}}},
		{"two bios", 16384, {{100, 10, 20, 570, 0, 300}, SPLIT_OWN, 2, 0},
			{{1110, 10032, 16, QUEUE}, {1120, 10048, 16, QUEUE}, {1130, 10048, 16, ISSUE}, {1140, 10032, 16, ISSUE},
				{1500, 10032, 16, COMPLETE}, {1700, 10048, 16, COMPLETE}}},
		{"merged with its neighbour", 16384, {{100, 10, 20, 570, 0, 300}, SPLIT_MERGED, 1, 0},
			{{1110, 10032, 32, QUEUE}, {1120, 10064, 32, QUEUE}, {1130, 10032, 64, ISSUE},
				{1700, 10032, 64, COMPLETE}}},
		{"merged from far before, over many of the index's buckets", (1 << 20) - 16384,
			{{100, 10, 20, 570, 0, 300}, SPLIT_MERGED, 1, 0},
			{{1110, 12016, 32, QUEUE}, {1130, 9000, 4096, ISSUE}, {1700, 9000, 4096, COMPLETE}}},
		{"half in each of two extents", (1 << 20) - 8192, {{100, 10, 20, 570, 0, 300}, SPLIT_OWN, 2, 0},
			{{1110, 12032, 16, QUEUE}, {1120, 90000, 16, QUEUE}, {1130, 12032, 16, ISSUE}, {1135, 90000, 16, ISSUE},
				{1600, 90000, 16, COMPLETE}, {1700, 12032, 16, COMPLETE}}},
		{"issued twice, since the driver was busy, and completed in parts", 16384,
			{{100, 10, 20, 570, 0, 300}, SPLIT_OWN, 2, 0},
			{{1110, 10032, 32, QUEUE}, {1130, 10032, 32, ISSUE}, {1230, 10032, 32, ISSUE}, {1600, 10032, 8, COMPLETE},
				{1700, 10040, 24, COMPLETE}}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recorded *made = one_record();

		made->records[0].offset = cases[i].offset;
		while (cases[i].events[made->event_count].time_ns) {
			made->events[made->event_count] = cases[i].events[made->event_count];
			made->event_count++;
		}
		join(made);
		if (memcmp(&made->splits[0], &cases[i].split, sizeof(cases[i].split)) != 0)
			fail_msg("%s: state %u, %u requests", cases[i].name, made->splits[0].state, made->splits[0].requests);
		free(made);
	}
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

/* --- flushes --- */

#define BIO SPLIT_FLUSH_QUEUE
#define FLUSH SPLIT_FLUSH_ISSUE
#define FLUSHED SPLIT_FLUSH_COMPLETE

/* Data from 1100 to 1500. */
static struct recorded *written(const struct split_event *events)
{
	struct recorded *made = one_record();

	for (; events->time_ns; events++)
		made->events[made->event_count++] = *events;
	return made;
}

#define DATA {1110, 10032, 32, QUEUE}, {1130, 10032, 32, ISSUE}, {1500, 10032, 32, COMPLETE}

TEST("the wait of a durable write is divided by the flushes that ended in it")
{
	static const struct {
		const char *name;
		struct split split;
		struct split_event events[16]; /* ended by the time 0 */
	} cases[] = {
		{"one flush", {{100, 10 + 50, 20 + 30, 370, 400, 20}, SPLIT_OWN, 1, 1},
			{DATA, {1550, 0, 0, BIO}, {1580, 0, 0, FLUSH}, {1980, UINT64_MAX, 0, FLUSHED}, {1985, 0, 0, COMPLETE}}},
		{"FUA that the device lacks: no bio of its own", {{100, 10, 20 + 80, 370, 400, 20}, SPLIT_OWN, 1, 1},
			{DATA, {1580, 0, 0, FLUSH}, {1980, UINT64_MAX, 0, FLUSHED}}},
		{"behind another's flush", {{100, 10, 20 + 25, 370, 200 + 250, 25}, SPLIT_OWN, 1, 2},
			{{1050, 0, 0, BIO}, {1060, 0, 0, FLUSH}, DATA, {1550, 0, 0, BIO}, {1700, 0, 0, FLUSHED},
				{1725, 0, 0, FLUSH}, {1975, 0, 0, FLUSHED}}},
		{"flushes of two queues at once", {{100, 10 + 50, 20 + 30, 370, 400, 20}, SPLIT_OWN, 1, 2},
			{DATA, {1550, 0, 0, BIO}, {1580, 0, 0, FLUSH}, {1600, 0, 0, FLUSH}, {1900, 0, 0, FLUSHED},
				{1980, 0, 0, FLUSHED}}},
		{"flushes that ended before and after", {{100, 10, 20, 370, 0, 500}, SPLIT_OWN, 1, 0},
			{{900, 0, 0, FLUSH}, DATA, {1500, 0, 0, FLUSHED}, {1600, 0, 0, BIO}, {1610, 0, 0, FLUSH},
				{2001, 0, 0, FLUSHED}}},
		{"a flush that began before the trace", {{100, 10, 20, 370, 0, 500}, SPLIT_OWN, 1, 0},
			{DATA, {1700, 0, 0, FLUSHED}}},
		{"a journal's preflush and commit", {{100, 10 + 100, 20 + 10 + 50 + 40, 370, 100 + 150, 50}, SPLIT_OWN, 1, 2},
			{DATA, {1600, 5000, 8, BIO}, {1610, 0, 0, FLUSH}, {1710, 0, 0, FLUSHED}, {1800, 0, 0, FLUSH},
				{1950, 0, 0, FLUSHED}}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recorded *made = written(cases[i].events);

		join_durable(made, true);
		if (memcmp(&made->splits[0], &cases[i].split, sizeof(cases[i].split)) != 0)
			fail_msg("%s: %llu in flushes, %llu in reap", cases[i].name,
				(unsigned long long)made->splits[0].ns[SPLIT_FLUSH],
				(unsigned long long)made->splits[0].ns[SPLIT_REAP]);
		/* A write that does not wait for it is not charged with it. */
		join(made);
		assert_int_equal(made->splits[0].ns[SPLIT_FLUSH], 0);
		assert_int_equal(made->splits[0].ns[SPLIT_REAP], 500);
		free(made);
	}
}

TEST("a sync is divided as a wait is, and one without a flush is unknown")
{
	static const struct {
		const char *name;
		uint64_t seen_ns;         /* when the write's completion is */
		struct split write, sync;
		struct split_event events[8];
	} cases[] = {
		{"a flush", 1520, {{100, 10, 20, 370, 0, 20}, SPLIT_OWN, 1, 0}, {{0, 30, 30, 0, 400, 20}, SPLIT_OWN, 0, 1},
			{DATA, {1550, 0, 0, BIO}, {1580, 0, 0, FLUSH}, {1980, 0, 0, FLUSHED}}},
		{"the write seen in the midst of the flush", 1700, {{100, 10, 20, 370, 0, 200}, SPLIT_OWN, 1, 0},
			{{0, 0, 0, 0, 280, 20}, SPLIT_OWN, 0, 1},
			{DATA, {1550, 0, 0, BIO}, {1580, 0, 0, FLUSH}, {1980, 0, 0, FLUSHED}}},
		{"the write seen with its sync", 2000, {{100, 10 + 50, 20 + 30, 370, 400, 20}, SPLIT_OWN, 1, 1},
			{{0}, SPLIT_OWN, 0, 0}, {DATA, {1550, 0, 0, BIO}, {1580, 0, 0, FLUSH}, {1980, 0, 0, FLUSHED}}},
		{"the write seen behind the flush", 1990, {{100, 10 + 50, 20 + 30, 370, 400, 10}, SPLIT_OWN, 1, 1},
			{{0, 0, 0, 0, 0, 10}, SPLIT_OWN, 0, 0},
			{DATA, {1550, 0, 0, BIO}, {1580, 0, 0, FLUSH}, {1980, 0, 0, FLUSHED}}},
		{"no flush", 1520, {{100, 10, 20, 370, 0, 20}, SPLIT_OWN, 1, 0}, {{0}, SPLIT_NONE, 0, 0}, {DATA}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recorded *made = written(cases[i].events);
		struct record *write = &made->records[0], *sync = &made->records[1];
		struct split_sums sums = {0};
		struct split_counts counts;

		*sync = *write;
		write->reap_ns = sync->prep_ns = sync->enter_ns = cases[i].seen_ns;
		sync->length = 0;
		sync->result = 0;
		made->record_count = 2;
		counts = join(made);
		if (memcmp(&made->splits[0], &cases[i].write, sizeof(cases[i].write)) != 0 ||
			memcmp(&made->splits[1], &cases[i].sync, sizeof(cases[i].sync)) != 0)
			fail_msg("%s: state %u", cases[i].name, made->splits[1].state);
		assert_int_equal(counts.joined, 1);
		assert_int_equal(counts.unflushed, cases[i].sync.state == SPLIT_NONE);
		split_sum(made->records, made->splits, 2, true, &sums);
		assert_int_equal(sums.count, counts.syncs);
		assert_true(sums.ns[SPLIT_FLUSH] == (double)cases[i].sync.ns[SPLIT_FLUSH]);
		/* The sync of a pass begins when all is seen: its flush was not before. */
		write->stream = sync->stream = MIX_CHECKPOINT;
		join(made);
		assert_int_equal(made->splits[0].ns[SPLIT_FLUSH], 0);
		free(made);
	}
}

TEST("flush requests and bios are known by the kernel's text")
{
	static const struct { enum split_event_kind of, kind; const char *rwbs; } cases[] = {
		{QUEUE, BIO, "FWS"}, {QUEUE, BIO, "FWFSM"}, {QUEUE, QUEUE, "WFS"}, {QUEUE, QUEUE, "WS"}, {ISSUE, FLUSH, "FF"},
		{ISSUE, ISSUE, "WFS"}, {ISSUE, ISSUE, "FWS"}, {COMPLETE, FLUSHED, "FF"}, {COMPLETE, COMPLETE, "WS"},
		{COMPLETE, COMPLETE, "W"}, {ISSUE, ISSUE, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(split_event_kind(cases[i].of, cases[i].rwbs), cases[i].kind);
}
