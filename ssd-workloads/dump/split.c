/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/dump/split.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ssd-workloads/workload/mix.h"

#define SECTOR 512u
#define BUCKET_SHIFT 8      /* 128 KiB: a request covers few buckets, and few requests are in one at a time */
#define PIECES 16           /* per record; a record with more is not joined */
#define HITS 128            /* events per record */
#define KINDS 3             /* of data events */

const char *split_part_name(enum split_part part)
{
	static const char *const names[SPLIT_PARTS] = {
		[SPLIT_BATCHING] = "batching", [SPLIT_SUBMIT] = "submit", [SPLIT_QUEUE] = "queue",
		[SPLIT_DEVICE] = "device", [SPLIT_FLUSH] = "flush", [SPLIT_REAP] = "reap"};

	return names[part];
}

/* "FF" is a flush request, "F..." a bio before which the device flushes its cache; an F after the operation is FUA. */
enum split_event_kind split_event_kind(enum split_event_kind kind, const char *rwbs)
{
	if (rwbs[0] != 'F')
		return kind;
	if (kind == SPLIT_BIO_QUEUE)
		return SPLIT_FLUSH_QUEUE;
	if (rwbs[1] != 'F')
		return kind;
	return kind == SPLIT_RQ_ISSUE ? SPLIT_FLUSH_ISSUE : SPLIT_FLUSH_COMPLETE;
}

/* --- index of events by place, then by time --- */

struct index { /* entries: bucket << 32 | number of the event */
	const struct split_event *events;
	uint64_t first_sector, end_sector;
	unsigned shift;
	uint64_t *entries;
	size_t count;
};

static uint64_t bucket_of(const struct index *index, uint64_t sector)
{
	return (sector - index->first_sector) >> index->shift;
}

/* Returns false if no part of the event is in the range of the records. */
static bool cut(const struct index *index, const struct split_event *event, uint64_t *begin, uint64_t *end)
{
	if (event->kind >= KINDS)
		return false;
	*begin = event->sector > index->first_sector ? event->sector : index->first_sector;
	*end = event->sector + event->sectors < index->end_sector ? event->sector + event->sectors : index->end_sector;
	return event->sector + event->sectors > event->sector && *begin < *end;
}

static int compare_entries(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t list_entries(const struct index *index, size_t event_count, uint64_t *entries)
{
	size_t count = 0;
	uint64_t begin, end;

	for (size_t i = 0; i < event_count; i++) {
		if (!cut(index, &index->events[i], &begin, &end))
			continue;
		for (uint64_t bucket = bucket_of(index, begin); bucket <= bucket_of(index, end - 1); bucket++) {
			if (entries)
				entries[count] = bucket << 32 | i;
			count++;
		}
	}
	return count;
}

static int index_make(const struct split_event *events, size_t event_count, const struct split_extent *extents,
	size_t extent_count, struct index *index)
{
	*index = (struct index){.events = events, .first_sector = UINT64_MAX, .shift = BUCKET_SHIFT};
	if (event_count > UINT32_MAX)
		return -ENOMEM;
	for (size_t i = 0; i < extent_count; i++) {
		uint64_t end = extents[i].sector + extents[i].bytes / SECTOR;

		if (extents[i].sector < index->first_sector)
			index->first_sector = extents[i].sector;
		if (end > index->end_sector)
			index->end_sector = end;
	}
	if (index->first_sector >= index->end_sector)
		return 0;
	while ((index->end_sector - index->first_sector) >> index->shift > UINT32_MAX)
		index->shift++;
	index->count = list_entries(index, event_count, NULL);
	if (!index->count)
		return 0;
	index->entries = reallocarray(NULL, index->count, sizeof(*index->entries));
	if (!index->entries)
		return -ENOMEM;
	list_entries(index, event_count, index->entries);
	qsort(index->entries, index->count, sizeof(*index->entries), compare_entries);
	return 0;
}

/* Returns the first entry of the bucket whose event is not before time_ns; numbers of events rise with time. */
static size_t index_find(const struct index *index, uint64_t bucket, uint64_t time_ns)
{
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t entry = index->entries[middle];

		if (entry >> 32 < bucket || (entry >> 32 == bucket && index->events[(uint32_t)entry].time_ns < time_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* --- places of a record, and events there --- */

struct split_piece {
	uint64_t sector, sectors;
};

struct split_place {
	size_t count;
	struct split_piece pieces[PIECES];  /* adjacent ones are merged */
	uint64_t sectors;
	size_t hit_count[KINDS];
	const struct split_event *hits[KINDS][HITS];
};

static bool add_piece(struct split_place *place, uint64_t sector, uint64_t sectors)
{
	struct split_piece *last = place->count ? &place->pieces[place->count - 1] : NULL;

	place->sectors += sectors;
	if (last && last->sector + last->sectors == sector) {
		last->sectors += sectors;
		return true;
	}
	if (place->count == PIECES)
		return false;
	place->pieces[place->count++] = (struct split_piece){sector, sectors};
	return true;
}

/* extents must be sorted by offset. */
static bool find_pieces(const struct split_extent *extents, size_t count, const struct record *record, struct split_place *place)
{
	uint64_t at = record->offset, end = at + record->length;
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (extents[middle].offset + extents[middle].bytes <= at)
			low = middle + 1;
		else
			high = middle;
	}
	for (; at < end; low++) {
		const struct split_extent *extent = &extents[low];
		uint64_t part;

		if (low == count || extent->offset > at)
			return false;
		part = extent->offset + extent->bytes - at < end - at ? extent->offset + extent->bytes - at : end - at;
		if ((at - extent->offset) % SECTOR || part % SECTOR ||
			!add_piece(place, extent->sector + (at - extent->offset) / SECTOR, part / SECTOR))
			return false;
		at += part;
	}
	return place->count > 0;
}

static bool overlaps(const struct split_piece *piece, const struct split_event *event)
{
	return event->sector < piece->sector + piece->sectors && piece->sector < event->sector + event->sectors;
}

static bool add_hit(struct split_place *place, const struct split_event *event)
{
	/* An event that spans two buckets or pieces is found twice. */
	for (size_t i = 0; i < place->hit_count[event->kind]; i++) {
		if (place->hits[event->kind][i] == event)
			return true;
	}
	if (place->hit_count[event->kind] == HITS)
		return false;
	place->hits[event->kind][place->hit_count[event->kind]++] = event;
	return true;
}

/* No other write to the same place is outstanding meanwhile. */
static bool find_hits(const struct index *index, const struct record *record, struct split_place *place)
{
	for (size_t i = 0; i < place->count; i++) {
		const struct split_piece *piece = &place->pieces[i];
		uint64_t last = bucket_of(index, piece->sector + piece->sectors - 1);

		for (uint64_t bucket = bucket_of(index, piece->sector); bucket <= last; bucket++) {
			size_t at = index_find(index, bucket, record->enter_ns);

			for (; at < index->count && index->entries[at] >> 32 == bucket; at++) {
				const struct split_event *event = &index->events[(uint32_t)index->entries[at]];

				if (event->time_ns > record->reap_ns)
					break;
				if (overlaps(piece, event) && !add_hit(place, event))
					return false;
			}
		}
	}
	return true;
}

/* --- flushes --- */

struct flushes {
	size_t count, queued_count;
	struct flush { uint64_t begin_ns, end_ns; } *list; /* requests, by end */
	uint64_t *queued_ns;         /* bios, by time */
};

static void flushes_free(struct flushes *flushes)
{
	free(flushes->list);
	free(flushes->queued_ns);
}

/* Events do not identify the hardware queue, each of which has at most one flush in flight: a completion is paired with the last
 * unpaired issue. The union of the pairs is the same for every pairing. A completion without an issue is ignored. */
static int flushes_make(const struct split_event *events, size_t event_count, struct flushes *flushes)
{
	size_t counts[SPLIT_EVENT_KINDS] = {0}, open = 0;
	uint64_t *issued_ns;

	for (size_t i = 0; i < event_count; i++)
		counts[events[i].kind]++;
	issued_ns = reallocarray(NULL, counts[SPLIT_FLUSH_ISSUE] + 1, sizeof(*issued_ns));
	*flushes = (struct flushes){
		.list = reallocarray(NULL, counts[SPLIT_FLUSH_COMPLETE] + 1, sizeof(*flushes->list)),
		.queued_ns = reallocarray(NULL, counts[SPLIT_FLUSH_QUEUE] + 1, sizeof(*flushes->queued_ns)),
	};
	for (size_t i = 0; i < event_count && issued_ns && flushes->list && flushes->queued_ns; i++) {
		const struct split_event *event = &events[i];

		if (event->kind == SPLIT_FLUSH_QUEUE)
			flushes->queued_ns[flushes->queued_count++] = event->time_ns;
		else if (event->kind == SPLIT_FLUSH_ISSUE)
			issued_ns[open++] = event->time_ns;
		else if (event->kind == SPLIT_FLUSH_COMPLETE && open)
			flushes->list[flushes->count++] = (struct flush){issued_ns[--open], event->time_ns};
	}
	free(issued_ns);
	return issued_ns && flushes->list && flushes->queued_ns ? 0 : -ENOMEM;
}

/* Returns the number of flushes that ended by this time. */
static size_t flushes_ended(const struct flushes *flushes, uint64_t time_ns)
{
	size_t low = 0, high = flushes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (flushes->list[middle].end_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns when the first bio was queued between from_ns and to_ns, or to_ns. */
static uint64_t flushes_queued(const struct flushes *flushes, uint64_t from_ns, uint64_t to_ns)
{
	size_t low = 0, high = flushes->queued_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (flushes->queued_ns[middle] < from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < flushes->queued_count && flushes->queued_ns[low] < to_ns ? flushes->queued_ns[low] : to_ns;
}

static void add_wait(const struct flushes *flushes, uint64_t from_ns, uint64_t reap_ns, struct split *split)
{
	size_t first = flushes_ended(flushes, from_ns), end = flushes_ended(flushes, reap_ns);
	uint64_t begin_ns, last_ns, queued_ns, flushed_ns = 0;

	split->flushes = end - first;
	if (end == first) {
		split->ns[SPLIT_REAP] += reap_ns - from_ns;
		return;
	}
	begin_ns = last_ns = flushes->list[end - 1].end_ns;
	for (size_t i = end; i-- > first;) {
		const struct flush *flush = &flushes->list[i];
		uint64_t to_ns = flush->end_ns < begin_ns ? flush->end_ns : begin_ns;
		uint64_t since_ns = flush->begin_ns > from_ns ? flush->begin_ns : from_ns;

		if (since_ns >= to_ns)
			continue;
		flushed_ns += to_ns - since_ns;
		begin_ns = since_ns;
	}
	queued_ns = flushes_queued(flushes, from_ns, begin_ns);
	/* A device without FUA: the write's own request is queued for the flush. */
	if (queued_ns == begin_ns && split->requests)
		queued_ns = from_ns;
	split->ns[SPLIT_SUBMIT] += queued_ns - from_ns;
	split->ns[SPLIT_QUEUE] += last_ns - queued_ns - flushed_ns;
	split->ns[SPLIT_FLUSH] += flushed_ns;
	split->ns[SPLIT_REAP] += reap_ns - last_ns;
}

/* --- one record --- */

/* Returns whether every sector of the record is in an event of this kind. */
static bool is_covered(const struct split_place *place, unsigned kind)
{
	for (size_t i = 0; i < place->count; i++) {
		uint64_t at = place->pieces[i].sector, end = at + place->pieces[i].sectors;

		while (at < end) {
			uint64_t reached = at;

			for (size_t k = 0; k < place->hit_count[kind]; k++) {
				const struct split_event *event = place->hits[kind][k];

				if (event && event->sector <= at && event->sector + event->sectors > reached)
					reached = event->sector + event->sectors;
			}
			if (reached == at)
				return false;
			at = reached;
		}
	}
	return true;
}

static uint64_t time_of(const struct split_place *place, unsigned kind, bool is_last)
{
	uint64_t time = 0;

	for (size_t i = 0; i < place->hit_count[kind]; i++) {
		const struct split_event *hit = place->hits[kind][i];

		if (hit && (!i || (is_last ? hit->time_ns > time : hit->time_ns < time)))
			time = hit->time_ns;
	}
	return time;
}

/* A request that extends beyond every piece that it overlaps contains other writes. */
static bool is_merged(const struct split_place *place)
{
	for (size_t k = 0; k < place->hit_count[SPLIT_RQ_ISSUE]; k++) {
		const struct split_event *event = place->hits[SPLIT_RQ_ISSUE][k];
		bool is_inside = false;

		for (size_t i = 0; i < place->count; i++) {
			const struct split_piece *piece = &place->pieces[i];

			is_inside = is_inside || (event && event->sector >= piece->sector &&
						  event->sector + event->sectors <= piece->sector + piece->sectors);
		}
		if (!is_inside)
			return true;
	}
	return false;
}

/* is_over: the flush had ended when the write's completion was detected. */
static void join_sync(const struct flushes *flushes, const struct record *record, bool is_over, struct split *split)
{
	*split = (struct split){.state = SPLIT_OWN, .ns = {[SPLIT_BATCHING] = record->enter_ns - record->prep_ns}};
	add_wait(flushes, record->enter_ns, record->reap_ns, split);
	if (!split->flushes && !is_over)
		*split = (struct split){.state = SPLIT_NONE};
}

/* flushes: NULL if the write does not wait for one. */
static void join_write(const struct index *index, const struct split_extent *extents, size_t extent_count,
	const struct flushes *flushes, const struct record *record, struct split_place *place, struct split *split)
{
	uint64_t queued, issued, completed;

	*split = (struct split){.state = SPLIT_NONE};
	place->count = place->sectors = 0;
	memset(place->hit_count, 0, sizeof(place->hit_count));
	if (!find_pieces(extents, extent_count, record, place) || !find_hits(index, record, place))
		return;
	for (unsigned kind = 0; kind < KINDS; kind++) {
		if (!is_covered(place, kind))
			return;
	}
	queued = time_of(place, SPLIT_BIO_QUEUE, false);
	issued = time_of(place, SPLIT_RQ_ISSUE, false);
	completed = time_of(place, SPLIT_RQ_COMPLETE, true);
	if (issued < queued || completed < issued)
		return;
	*split = (struct split){.state = is_merged(place) ? SPLIT_MERGED : SPLIT_OWN,
		.requests = (uint32_t)place->hit_count[SPLIT_RQ_ISSUE],
		.ns = {[SPLIT_BATCHING] = record->enter_ns - record->prep_ns, [SPLIT_SUBMIT] = queued - record->enter_ns,
			[SPLIT_QUEUE] = issued - queued, [SPLIT_DEVICE] = completed - issued}};
	if (flushes)
		add_wait(flushes, completed, record->reap_ns, split);
	else
		split->ns[SPLIT_REAP] = record->reap_ns - completed;
}

/* The kernel starts the sync of a log write at the write's completion, independent of when that is detected. */
static bool is_sync_of(const struct record *sync, const struct record *write)
{
	return record_is_sync(sync) && !record_is_sync(write) && sync->sequence == write->sequence &&
	       sync->stream == MIX_LOG && write->stream == MIX_LOG && sync->worker == write->worker;
}

int split_join(const struct split_event *events, size_t event_count, const struct split_extent *extents,
	size_t extent_count, const struct record *records, size_t record_count, bool is_durable, struct split *splits,
	struct split_counts *counts)
{
	struct split_place *place = calloc(1, sizeof(*place));
	struct flushes flushes = {.list = NULL};
	struct index index = {.entries = NULL};
	int rc = place ? index_make(events, event_count, extents, extent_count, &index) : -ENOMEM;

	if (!rc)
		rc = flushes_make(events, event_count, &flushes);
	for (size_t i = 0; i < record_count && !rc; i++) {
		const struct record *record = &records[i];
		const struct record *sync = i + 1 < record_count && is_sync_of(record + 1, record) ? record + 1 : NULL;
		bool waits = is_durable ||
			     (sync && flushes_ended(&flushes, sync->enter_ns) == flushes_ended(&flushes, sync->reap_ns));

		if (record_is_sync(record)) {
			join_sync(&flushes, record, i && is_sync_of(record, record - 1) && splits[i - 1].flushes, &splits[i]);
			*(splits[i].state != SPLIT_NONE ? &counts->syncs : &counts->unflushed) += 1;
			continue;
		}
		join_write(&index, extents, extent_count, waits ? &flushes : NULL, record, place, &splits[i]);
		counts->joined += splits[i].state != SPLIT_NONE;
		counts->merged += splits[i].state == SPLIT_MERGED;
		counts->unjoined += splits[i].state == SPLIT_NONE;
	}
	flushes_free(&flushes);
	free(index.entries);
	free(place);
	return rc;
}

void split_sum(const struct record *records, const struct split *splits, size_t count, bool is_sync, struct split_sums *sums)
{
	for (size_t i = 0; i < count; i++) {
		const struct record *record = &records[i];

		if (record->result < 0 || (uint32_t)record->result != record->length ||
			splits[i].state == SPLIT_NONE || record_is_sync(record) != is_sync)
			continue;
		sums->count++;
		for (int part = 0; part < SPLIT_PARTS; part++)
			sums->ns[part] += (double)splits[i].ns[part];
	}
}
