/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iowrite-bench/run/result.h"

/* The names in the order of Documentation/block/stat.rst. */
static const char *const block_names[] = {"block.read_ios", "block.read_merges", "block.read_sectors", "block.read_ticks",
	"block.write_ios", "block.write_merges", "block.write_sectors", "block.write_ticks", "block.in_flight",
	"block.io_ticks", "block.time_in_queue"};
#define BLOCK_NAMES (sizeof(block_names) / sizeof(block_names[0]))

static size_t read_block(const struct storage *storage, uint64_t *values)
{
	uint64_t all[COUNTERS_DISK];
	size_t count = storage->stat_path[0] ? counters_read_disk("", storage->stat_path, all) : 0;

	count = count < BLOCK_NAMES ? count : BLOCK_NAMES;
	memcpy(values, all, count * sizeof(*values));
	return count;
}

int write_series_open(struct write_series *series, const struct dirty *dirty, const struct storage *storage, uint64_t interval_ns)
{
	uint64_t values[BLOCK_NAMES];
	size_t blocks;

	*series = (struct write_series){.dirty = dirty, .storage = storage, .interval_ns = interval_ns};
	if (!interval_ns)
		return 0;
	series->snapshot = calloc(1, sizeof(*series->snapshot));
	if (!series->snapshot)
		return -ENOMEM;
	/* The series has the counters of the first reading. */
	blocks = read_block(storage, values);
	for (size_t i = 0; i < blocks; i++)
		snprintf(series->names[series->name_count++], VMCOUNTERS_NAME, "%s", block_names[i]);
	if (vmcounters_read("", NULL, VMCOUNTERS_PSI, series->snapshot))
		return 0;
	for (size_t i = 0; i < series->snapshot->count && series->name_count < SERIES_COUNTERS_MAX; i++)
		snprintf(series->names[series->name_count++], VMCOUNTERS_NAME, "%s", series->snapshot->values[i].name);
	return 0;
}

void write_series_close(struct write_series *series)
{
	free(series->snapshot);
	free(series->samples);
	free(series->intervals);
	*series = (struct write_series){0};
}

/* Samples an edge of the round; edges that were missed before it get the same values. */
static void take_edge(struct write_series *series, uint64_t edge)
{
	size_t needed = (size_t)(edge <= TALLY_ROWS_MAX ? edge : TALLY_ROWS_MAX) + 1;
	struct series_sample sample = {0};
	size_t count;

	if (needed > series->sample_capacity) {
		size_t capacity = needed + needed / 2 + 64;
		struct series_sample *samples = realloc(series->samples, capacity * sizeof(*samples));

		if (!samples) {
			series->lacks_memory = true;
			return;
		}
		series->samples = samples;
		series->sample_capacity = capacity;
	}
	count = read_block(series->storage, sample.values);
	if (series->dirty)
		(void)dirty_read(series->dirty, &sample.dirty);
	if (!vmcounters_read("", NULL, VMCOUNTERS_PSI, series->snapshot)) {
		for (size_t i = count; i < series->name_count; i++)
			(void)vmcounters_get(series->snapshot, series->names[i], &sample.values[i]);
	}
	/* The round may end at an edge that was sampled. */
	if (series->sample_count == needed)
		series->sample_count--;
	while (series->sample_count < needed)
		series->samples[series->sample_count++] = sample;
}

void write_series_begin(struct write_series *series, uint64_t now_ns)
{
	series->begin_ns = now_ns;
	series->sample_count = 0;
	if (series->interval_ns)
		take_edge(series, 0);
}

void write_series_sample_edge(struct write_series *series, uint64_t now_ns)
{
	if (series->interval_ns)
		take_edge(series, (now_ns - series->begin_ns) / series->interval_ns);
}

void write_series_end(struct write_series *series, uint64_t now_ns)
{
	if (series->interval_ns)
		take_edge(series, (now_ns - series->begin_ns + series->interval_ns - 1) / series->interval_ns);
}

/* Appends the index-th row of the tally, which ends at time_s after `seconds`. */
static void add_interval(struct write_series *series, const struct tally *tally, size_t index, double time_s, double seconds,
	size_t cell)
{
	const struct tally_row *row = &tally->rows[index];
	double count = (double)row->moments.count;
	struct series_interval *interval;

	if (series->count == series->capacity) {
		size_t capacity = series->capacity * 2 + 64;
		struct series_interval *intervals = realloc(series->intervals, capacity * sizeof(*intervals));

		if (!intervals) {
			series->lacks_memory = true;
			return;
		}
		series->intervals = intervals;
		series->capacity = capacity;
	}
	interval = &series->intervals[series->count++];
	*interval = (struct series_interval){.cell = cell, .row = {
		.time_s = time_s,
		.seconds = seconds,
		.operations = row->moments.count,
		.operations_per_second = seconds > 0 ? count / seconds : 0,
		.bytes_per_second = seconds > 0 ? (double)row->bytes / seconds : 0,
		.mean_ns = count > 0 ? row->moments.sum_ns / count : NAN,
		.p50_ns = histogram_percentile(&histogram_log16, row->counts, &row->moments, 50),
		.p99_ns = histogram_percentile(&histogram_log16, row->counts, &row->moments, 99),
		.nr_dirty_bytes = FIELD_NO_COUNT,
		.nr_writeback_bytes = FIELD_NO_COUNT,
		.background_threshold_bytes = FIELD_NO_COUNT,
		.threshold_bytes = FIELD_NO_COUNT,
	}};
	if (index + 1 < series->sample_count) {
		const struct series_sample *before = &series->samples[index], *after = before + 1;

		if (after->dirty.threshold) {
			interval->row.nr_dirty_bytes = after->dirty.dirty;
			interval->row.nr_writeback_bytes = after->dirty.writeback;
			interval->row.background_threshold_bytes = after->dirty.background_threshold;
			interval->row.threshold_bytes = after->dirty.threshold;
		}
		interval->has_counters = series->name_count > 0;
		for (size_t i = 0; i < series->name_count; i++)
			interval->deltas[i] = after->values[i] - before->values[i];
	}
}

/* Joins the last interval with the one before if it is shorter than half of one: a few writes in a moment are no rate. */
static void join_remnant(struct write_series *series, struct tally *tally, uint64_t end_ns)
{
	size_t last = tally->row_count - 1;
	struct tally_row *row;

	if (tally->row_count < 2 || (end_ns - series->begin_ns) * 2 >= (2 * last + 1) * series->interval_ns)
		return;
	row = &tally->rows[last];
	histogram_moments_add(&row[-1].moments, &row->moments);
	row[-1].bytes += row->bytes;
	(void)histogram_merge(&histogram_log16, row[-1].counts, row->counts);
	tally->row_count--;
	if (series->sample_count == last + 2)
		series->samples[last] = series->samples[--series->sample_count];
}

void write_series_join(struct write_series *series, size_t cell, double time_s, struct tally *tally, uint64_t end_ns)
{
	double whole = (double)(end_ns - series->begin_ns) / 1e9, each = (double)series->interval_ns / 1e9;

	join_remnant(series, tally, end_ns);
	for (size_t i = 0; i < tally->row_count; i++) {
		double begin = each * (double)i, seconds = i + 1 == tally->row_count ? whole - begin : each;

		add_interval(series, tally, i, time_s + begin + seconds, seconds, cell);
	}
}

static int compare_intervals(const void *a, const void *b)
{
	const struct series_interval *one = a, *other = b;

	if (one->cell != other->cell)
		return one->cell < other->cell ? -1 : 1;
	return one->row.time_s < other->row.time_s ? -1 : one->row.time_s > other->row.time_s;
}

void write_series_sort(struct write_series *series)
{
	if (series->count)
		qsort(series->intervals, series->count, sizeof(*series->intervals), compare_intervals);
}

/* --- tally --- */

int tally_init(struct tally *tally, bool has_sync)
{
	*tally = (struct tally){0};
	for (int i = 0; i < TALLIES; i++) {
		if (!has_sync && i != TALLY_WRITE)
			continue;
		tally->of[i] = malloc(sizeof(*tally->of[i]));
		if (!tally->of[i]) {
			tally_free(tally);
			return -ENOMEM;
		}
		latency_clear(tally->of[i]);
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
		/* This also touches the memory: the first drain of a ring is between two windows. */
		if (tally->of[i])
			latency_clear(tally->of[i]);
	}
	tally->operations = tally->bytes = tally->short_writes = 0;
	tally->begin_ns = begin_ns;
	tally->interval_ns = interval_ns;
	tally->row_count = 0;
}

/* Returns the row of this index, made if it is new; the last row when there is no memory. */
static struct tally_row *row_at(struct tally *tally, size_t index)
{
	index = index < TALLY_ROWS_MAX ? index : TALLY_ROWS_MAX - 1;
	if (index >= tally->row_capacity) {
		size_t capacity = index + index / 2 + 16;
		struct tally_row *rows = realloc(tally->rows, capacity * sizeof(*rows));

		if (!rows) {
			tally->lacks_memory = true;
			return tally->row_count ? &tally->rows[tally->row_count - 1] : NULL;
		}
		tally->rows = rows;
		tally->row_capacity = capacity;
	}
	while (tally->row_count <= index)
		memset(&tally->rows[tally->row_count++], 0, sizeof(*tally->rows));
	return &tally->rows[index];
}

/* An operation belongs to the interval that it ends in. */
static void add_to_row(struct tally *tally, const struct write_record *record, uint64_t ns)
{
	uint64_t end = record->start_ns + ns;
	const struct histogram_moments one = {.count = 1, .sum_ns = (double)ns, .sum_squares_ns2 = (double)ns * (double)ns,
		.min_ns = (double)ns, .max_ns = (double)ns};
	struct tally_row *row = row_at(tally, end <= tally->begin_ns ? 0 : (end - tally->begin_ns - 1) / tally->interval_ns);

	if (!row)
		return;
	histogram_moments_add(&row->moments, &one);
	row->bytes += record->size;
	row->counts[bucket_log16(ns)]++;
}

void tally_add(struct tally *tally, const struct write_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct write_record *record = &records[i];

		if (record->error)
			continue;
		tally->operations++;
		tally->bytes += record->size;
		tally->short_writes += record->calls > 1;
		latency_add(tally->of[TALLY_WRITE], record->write_ns, 1);
		if (tally->of[TALLY_SYNC] && record->is_synced)
			latency_add(tally->of[TALLY_SYNC], record->sync_ns, 1);
		if (tally->of[TALLY_BOTH])
			latency_add(tally->of[TALLY_BOTH], record->write_ns + record->sync_ns, 1);
		if (tally->interval_ns)
			add_to_row(tally, record, record->write_ns + record->sync_ns);
	}
}

void tally_merge(struct tally *total, const struct tally *part)
{
	total->operations += part->operations;
	total->bytes += part->bytes;
	total->short_writes += part->short_writes;
	for (int i = 0; i < TALLIES; i++) {
		if (total->of[i] && part->of[i])
			latency_merge(total->of[i], part->of[i]);
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

const struct latency *tally_latency(const struct tally *tally, enum tally_of of)
{
	if (of == TALLY_SYNC || tally->of[of])
		return tally->of[of];
	return tally->of[TALLY_WRITE];
}
