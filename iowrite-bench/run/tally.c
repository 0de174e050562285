/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int tally_init(struct tally *tally, bool has_sync)
{
	*tally = (struct tally){0};
	for (int i = 0; i < TALLIES; i++) {
		if (!has_sync && i != TALLY_WRITE)
			continue;
		tally->of[i] = calloc(1, sizeof(*tally->of[i]));
		if (!tally->of[i]) {
			tally_free(tally);
			return -ENOMEM;
		}
	}
	return 0;
}

void tally_free(struct tally *tally)
{
	for (int i = 0; i < TALLIES; i++)
		free(tally->of[i]);
	free(tally->rows);
	*tally = (struct tally){0};
}

void tally_reset(struct tally *tally, uint64_t begin_ns, uint64_t interval_ns)
{
	for (int i = 0; i < TALLIES; i++) {
		/* Touched, too: the first drain of a ring is between two windows. */
		if (tally->of[i])
			memset(tally->of[i], 0, sizeof(*tally->of[i]));
	}
	tally->operations = tally->bytes = tally->short_writes = 0;
	tally->begin_ns = begin_ns;
	tally->interval_ns = interval_ns;
	tally->row_count = 0;
}

static void add_moment(struct histogram_moments *moments, double ns)
{
	moments->min_ns = !moments->count || ns < moments->min_ns ? ns : moments->min_ns;
	moments->max_ns = !moments->count || ns > moments->max_ns ? ns : moments->max_ns;
	moments->count++;
	moments->sum_ns += ns;
	moments->sum_squares_ns2 += ns * ns;
}

static void add_latency(struct tally_latency *latency, uint64_t ns)
{
	latency->counts[bucket_hdr(ns)]++;
	add_moment(&latency->moments, (double)ns);
}

/* So that there is a row of this index; the last one there is when there cannot be. */
static struct tally_row *row_at(struct tally *tally, size_t index)
{
	index = index < TALLY_ROWS_MAX ? index : TALLY_ROWS_MAX - 1;
	if (index >= tally->row_room) {
		size_t room = index + index / 2 + 16;
		struct tally_row *rows = realloc(tally->rows, room * sizeof(*rows));

		if (!rows) {
			tally->lacks_memory = true;
			return tally->row_count ? &tally->rows[tally->row_count - 1] : NULL;
		}
		tally->rows = rows;
		tally->row_room = room;
	}
	while (tally->row_count <= index)
		memset(&tally->rows[tally->row_count++], 0, sizeof(*tally->rows));
	return &tally->rows[index];
}

/* An operation belongs to the interval that it ends in. */
static void add_to_row(struct tally *tally, const struct record *record, uint64_t ns)
{
	uint64_t end = record->start_ns + ns;
	struct tally_row *row;

	if (!tally->interval_ns)
		return;
	row = row_at(tally, end <= tally->begin_ns ? 0 : (end - tally->begin_ns - 1) / tally->interval_ns);
	if (!row)
		return;
	add_moment(&row->moments, (double)ns);
	row->bytes += record->size;
	row->counts[bucket_log16(ns)]++;
}

void tally_add(struct tally *tally, const struct record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct record *record = &records[i];

		if (record->error)
			continue;
		tally->operations++;
		tally->bytes += record->size;
		tally->short_writes += record->calls > 1;
		add_latency(tally->of[TALLY_WRITE], record->write_ns);
		if (tally->of[TALLY_SYNC] && record->is_synced)
			add_latency(tally->of[TALLY_SYNC], record->sync_ns);
		if (tally->of[TALLY_BOTH])
			add_latency(tally->of[TALLY_BOTH], record->write_ns + record->sync_ns);
		add_to_row(tally, record, record->write_ns + record->sync_ns);
	}
}

void tally_merge(struct tally *total, const struct tally *part)
{
	total->operations += part->operations;
	total->bytes += part->bytes;
	total->short_writes += part->short_writes;
	for (int i = 0; i < TALLIES; i++) {
		if (!total->of[i] || !part->of[i])
			continue;
		/* Sums of operations cannot pass 64 bits. */
		(void)histogram_merge(&histogram_hdr, total->of[i]->counts, part->of[i]->counts);
		histogram_moments_add(&total->of[i]->moments, &part->of[i]->moments);
	}
}

int tally_merge_rows(struct tally *total, const struct tally *part)
{
	for (size_t i = 0; i < part->row_count; i++) {
		struct tally_row *row = row_at(total, i);

		if (!row)
			return -ENOMEM;
		histogram_moments_add(&row->moments, &part->rows[i].moments);
		row->bytes += part->rows[i].bytes;
		(void)histogram_merge(&histogram_log16, row->counts, part->rows[i].counts);
	}
	return 0;
}

const struct tally_latency *tally_latency(const struct tally *tally, enum tally_of of)
{
	if (of == TALLY_SYNC || tally->of[of])
		return tally->of[of];
	return tally->of[TALLY_WRITE];
}
