/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The join of records with block events: a recorded run against a naive join, and with events that are lost. */
#include "config.h"
#include "tests/unit/ssd_split.h"

#include <errno.h>
#include <math.h>

static void read_line(struct recorded *recorded, const char *line)
{
	struct split_extent *extent = &recorded->extents[recorded->extent_count];
	struct record *record = &recorded->records[recorded->record_count];
	struct split_event *event = &recorded->events[recorded->event_count];
	unsigned stream;
	unsigned kind;

	if (sscanf(line, "extent %lu %lu %lu", &extent->offset, &extent->bytes, &extent->sector) == 3) {
		recorded->extent_count++;
	} else if (sscanf(line, "record %u %lu %lu %lu %lu %lu %u", &stream, &record->sequence, &record->prep_ns,
			   &record->enter_ns, &record->reap_ns, &record->offset, &record->length) == 7) {
		record->stream = (uint8_t)stream;
		record->result = (int32_t)record->length;
		recorded->record_count++;
	} else if (sscanf(line, "event %lu %u %lu %u", &event->time_ns, &kind, &event->sector, &event->sectors) == 4) {
		event->kind = (uint8_t)kind;
		recorded->event_count++;
	}
}

static struct recorded *read_fixture(void)
{
	struct recorded *recorded = calloc(1, sizeof(*recorded));
	char path[512], line[256];
	FILE *in;

	snprintf(path, sizeof(path), "%s/tests/fixtures/ssd/block-trace.txt", unit_srcdir());
	in = fopen(path, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		assert_true(recorded->record_count < MOST && recorded->event_count < MOST && recorded->extent_count < 4);
		read_line(recorded, line);
	}
	fclose(in);
	assert_true(recorded->record_count > 100 && recorded->event_count > 300 && recorded->extent_count > 0);
	return recorded;
}

static uint64_t sum_of(const struct split *split)
{
	uint64_t sum = 0;

	for (int part = 0; part < SPLIT_PARTS; part++)
		sum += split->ns[part];
	return sum;
}

/* A record that lies in one extent: every event is looked at. */
static void join_naive(const struct recorded *recorded, const struct record *record, struct split *split)
{
	uint64_t sector = recorded->extents[0].sector + record->offset / 512, end = sector + record->length / 512;
	uint64_t first[2] = {UINT64_MAX, UINT64_MAX}, last = 0;
	bool is_merged = false;

	assert_int_equal(recorded->extent_count, 1);
	*split = (struct split){.requests = 0};
	for (size_t i = 0; i < recorded->event_count; i++) {
		const struct split_event *event = &recorded->events[i];

		if (event->time_ns < record->enter_ns || event->time_ns > record->reap_ns || event->sector >= end ||
			event->sector + event->sectors <= sector)
			continue;
		if (event->kind == SPLIT_RQ_COMPLETE)
			last = event->time_ns > last ? event->time_ns : last;
		else if (event->time_ns < first[event->kind])
			first[event->kind] = event->time_ns;
		if (event->kind == SPLIT_RQ_ISSUE) {
			split->requests++;
			is_merged = is_merged || event->sector < sector || event->sector + event->sectors > end;
		}
	}
	split->state = is_merged ? SPLIT_MERGED : SPLIT_OWN;
	split->ns[SPLIT_BATCHING] = record->enter_ns - record->prep_ns;
	split->ns[SPLIT_SUBMIT] = first[0] - record->enter_ns;
	split->ns[SPLIT_QUEUE] = first[1] - first[0];
	split->ns[SPLIT_DEVICE] = last - first[1];
	split->ns[SPLIT_REAP] = record->reap_ns - last;
}

TEST("a recorded trace joins the expected number of writes")
{
	struct recorded *recorded = read_fixture();
	struct split_counts counts = join(recorded);
	size_t requests = 0;

	assert_int_equal(counts.joined, 197);
	assert_int_equal(counts.merged, 134);
	assert_int_equal(counts.unjoined, 0);
	for (size_t i = 0; i < recorded->record_count; i++) {
		struct split naive;

		join_naive(recorded, &recorded->records[i], &naive);
		assert_memory_equal(&naive, &recorded->splits[i], sizeof(naive));
		assert_int_equal(sum_of(&naive), recorded->records[i].reap_ns - recorded->records[i].prep_ns);
		requests += naive.requests > 1;
	}
	/* 2 MiB are more than one request of this disk. */
	assert_true(requests > 0);
	free(recorded);
}

TEST("the split does not depend on the order of the records")
{
	struct recorded *recorded = read_fixture();
	struct split *before = calloc(MOST, sizeof(*before));

	join(recorded);
	memcpy(before, recorded->splits, sizeof(recorded->splits));
	for (size_t low = 0, high = recorded->record_count - 1; low < high; low++, high--) {
		struct record record = recorded->records[low];

		recorded->records[low] = recorded->records[high];
		recorded->records[high] = record;
	}
	join(recorded);
	for (size_t i = 0; i < recorded->record_count; i++)
		assert_memory_equal(&recorded->splits[i], &before[recorded->record_count - 1 - i], sizeof(*before));
	free(before);
	free(recorded);
}

/* Without some of its events a record has no split, or the same one: those that were lost are never made up. */
TEST("lost events never make up a split")
{
	struct recorded *recorded = read_fixture(), *whole = read_fixture();

	join(whole);
	for (unsigned one_of = 2; one_of <= 7; one_of++) {
		struct split_counts counts;

		recorded->event_count = 0;
		for (size_t i = 0; i < whole->event_count; i++) {
			if (i % one_of)
				recorded->events[recorded->event_count++] = whole->events[i];
		}
		counts = join(recorded);
		assert_true(counts.unjoined > 0);
		for (size_t i = 0; i < recorded->record_count; i++)
			assert_int_equal(recorded->splits[i].state == SPLIT_NONE ? 0 : sum_of(&recorded->splits[i]),
				recorded->splits[i].state == SPLIT_NONE
					? 0 : recorded->records[i].reap_ns - recorded->records[i].prep_ns);
	}
	recorded->event_count = 0;
	assert_int_equal(join(recorded).unjoined, recorded->record_count);
	free(recorded);
	free(whole);
}

TEST("the mean of a split is of the writes that have one")
{
	struct recorded *recorded = read_fixture();
	struct split_sums sums = {0};
	double total = 0, all = 0;

	join(recorded);
	recorded->records[3].result = -EIO;
	recorded->records[4].result = 512;
	recorded->splits[5].state = SPLIT_NONE;
	split_sum(recorded->records, recorded->splits, recorded->record_count, false, &sums);
	assert_int_equal(sums.count, recorded->record_count - 3);
	for (size_t i = 0; i < recorded->record_count; i++) {
		if (i < 3 || i > 5)
			all += (double)(recorded->records[i].reap_ns - recorded->records[i].prep_ns);
	}
	for (int part = 0; part < SPLIT_PARTS; part++)
		total += sums.ns[part];
	assert_true(fabs(total - all) < 1);
	assert_true(sums.ns[SPLIT_REAP] > 0);
	free(recorded);
}
