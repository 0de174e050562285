/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Analyses in the order of addresses: pattern and count. */
#include "config.h"
#include "memtrace/analyze/analysis.h"
#include "memtrace/file/search.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memtrace/analyze/map_parts.h"

#define COLUMNS ANALYSIS_COLUMNS_MAX
#define BANDS ANALYSIS_BANDS_MAX
#define GAP_PART 64         /* a gap is shortened to this part of all touched buckets */

/* --- pattern --- */

struct place_map {
	const struct analysis_run *run;
	uint64_t begin;                 /* of time */
	double length;                  /* ns; up to 2^64, which no integer holds */
	struct map_grid grid;
	struct mt_band_values *rows;
	uint64_t *by_name;              /* counters by name, 0 between uses */
};

_Static_assert((MAP_NARROW & (MAP_NARROW - 1)) == 0, "narrow_of halves them");

/* Finds the narrow band without a branch that depends on the key, because it would not be predictable. No key is UINT64_MAX,
 * and none is before the first band. */
static inline size_t narrow_of(const struct map_grid *grid, uint64_t key)
{
	size_t narrow = 0;

	for (size_t half = MAP_NARROW / 2; half; half /= 2)
		narrow += half & (0 - (size_t)(grid->firsts[narrow + half] <= key));
	return narrow;
}

static int fill_map(void *data, const struct access *batch, size_t count)
{
	struct place_map *map = data;

	for (size_t i = 0; i < count; i++) {
		size_t piece = (size_t)((double)(batch[i].time_ns - map->begin) / map->length * MAP_PIECES);

		piece = piece < MAP_PIECES ? piece : MAP_PIECES - 1;
		map->grid.cells[piece][narrow_of(&map->grid, batch[i].place >> map->run->shift)]++;
	}
	return 0;
}

/* Returns the distance from one touched bucket to the next, with gaps shortened. */
static double step_between(const struct analysis_run *run, const struct buckets *buckets, size_t i, bool *is_gap)
{
	double step = (double)(buckets->slots[i].key - buckets->slots[i - 1].key);
	double most = fmax((double)buckets->count / GAP_PART, 16);

	*is_gap = step > most;
	return run->options->y == 0 ? 1 : fmin(step, most);
}

/* by_name must be zero and is zero afterwards. */
static const char *label_of(const struct analysis_run *run, const struct buckets *buckets, size_t first, size_t end,
	uint64_t *by_name)
{
	uint32_t best = buckets->slots[first].extra;

	for (size_t i = first; i < end; i++) {
		uint32_t name = buckets->slots[i].extra;

		by_name[name] += buckets->slots[i].samples;
		best = by_name[name] > by_name[best] ? name : best;
	}
	for (size_t i = first; i < end; i++)
		by_name[buckets->slots[i].extra] = 0;
	return run->source->names[best].text;
}

/* buckets: sorted; extra: names. */
static int make_bands(struct analysis_run *run, const struct buckets *buckets, struct place_map *map)
{
	struct map_grid *grid = &map->grid;
	double whole = 1, position = 0;
	size_t last = BANDS;
	bool is_gap = false;

	map->rows = analysis_allocate(run, BANDS, sizeof(*map->rows));
	map->by_name = analysis_allocate(run, run->source->name_count, sizeof(*map->by_name));
	if (!map->rows || !map->by_name)
		return -ENOMEM;
	for (size_t i = 1; i < buckets->count; i++)
		whole += step_between(run, buckets, i, &is_gap);
	is_gap = false;
	for (size_t i = 0; i < buckets->count; i++) {
		const struct bucket *bucket = &buckets->slots[i];
		struct mt_band_values *band;
		size_t place;

		position += i ? step_between(run, buckets, i, &is_gap) : 0;
		place = (size_t)(position / whole * BANDS);
		if (place != last) {
			/* Only touched buckets begin a band. */
			last = place;
			band = &map->rows[grid->bands];
			*band = (struct mt_band_values){.index = grid->bands,
				.address = analysis_hex(run, analysis_address(run, bucket->key))};
			if (!band->address)
				return -ENOMEM;
			grid->narrow[grid->count++] = (struct map_narrow){.first = i, .band = grid->bands++};
		}
		band = &map->rows[grid->bands - 1];
		band->is_behind_gap |= i && is_gap;
		band->size_bytes += 1ull << run->shift;
		band->samples += bucket->samples;
		grid->narrow[grid->count - 1].end = i + 1;
		grid->narrow[grid->count - 1].samples += bucket->samples;
	}
	for (size_t i = 0; i < grid->count; i++)
		map->rows[i].region = label_of(run, buckets, grid->narrow[i].first, grid->narrow[i].end, map->by_name);
	return 0;
}

/* Parts of the map have columns of equal time, so only maps by time need narrow bands. */
static int make_narrow(struct analysis_run *run, const struct buckets *buckets, struct place_map *map)
{
	struct map_grid *grid = &map->grid;

	if (run->options->x == 0)
		map_grid_split(grid, buckets);
	memset(grid->firsts, 0xff, sizeof(grid->firsts));
	for (size_t i = 0; i < grid->count; i++) {
		const struct map_narrow *narrow = &grid->narrow[i];
		const struct bucket *bucket = &buckets->slots[narrow->first];

		grid->firsts[i] = bucket->key;
		grid->regions[i] = label_of(run, buckets, narrow->first, narrow->end, map->by_name);
		grid->addresses[i] = analysis_hex(run, analysis_address(run, bucket->key));
		if (!grid->addresses[i])
			return -ENOMEM;
	}
	return 0;
}

/* Columns have equal time, or equal numbers of samples. */
static void cut_columns(const struct analysis_run *run, const struct place_map *map, size_t ends[COLUMNS])
{
	uint64_t before = 0;
	size_t column = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		ends[i] = (i + 1) * MAP_PIECES_EACH;
	if (run->options->x == 0)
		return;
	for (size_t piece = 0; piece < MAP_PIECES; piece++) {
		for (size_t i = 0; i < map->grid.count; i++)
			before += map->grid.cells[piece][i];
		while (column < COLUMNS && (double)before >= (double)run->source->selected * (double)(column + 1) / COLUMNS)
			ends[column++] = piece + 1;
	}
	ends[COLUMNS - 1] = MAP_PIECES;
}

static int make_cells(struct analysis_run *run, const struct place_map *map, struct mt_pattern_values *values)
{
	const struct map_grid *grid = &map->grid;
	struct mt_column_values *columns = analysis_allocate(run, COLUMNS, sizeof(*columns));
	struct mt_cell_values *cells = analysis_allocate(run, COLUMNS * grid->bands, sizeof(*cells));
	size_t ends[COLUMNS], begin = 0, column_count = 0, cell_count = 0;

	if (!columns || !cells)
		return -ENOMEM;
	cut_columns(run, map, ends);
	for (size_t i = 0; i < COLUMNS; begin = ends[i++]) {
		struct mt_column_values *column = &columns[column_count];
		uint64_t samples[BANDS] = {0};

		if (ends[i] <= begin)
			continue;
		*column = (struct mt_column_values){column_count, grid->begin_s + (double)begin * grid->piece_s,
			grid->begin_s + (double)ends[i] * grid->piece_s, 0};
		for (size_t piece = begin; piece < ends[i]; piece++) {
			for (size_t narrow = 0; narrow < grid->count; narrow++)
				samples[grid->narrow[narrow].band] += grid->cells[piece][narrow];
		}
		for (size_t band = 0; band < grid->bands; band++) {
			if (samples[band])
				cells[cell_count++] = (struct mt_cell_values){column_count, band, samples[band]};
			column->samples += samples[band];
		}
		column_count++;
	}
	values->map_column = FIELD_MANY(columns, column_count);
	values->map_cell = FIELD_MANY(cells, cell_count);
	return 0;
}

static int make_intervals(struct analysis_run *run, const struct mt_pattern_values *values, const struct place_map *map)
{
	const struct mt_column_values *columns = values->map_column.rows;

	if (run->options->x != 0)
		return 0;
	run->intervals = analysis_allocate(run, values->map_column.count, sizeof(*run->intervals));
	if (!run->intervals)
		return -ENOMEM;
	run->interval_count = values->map_column.count;
	run->interval_ns = (uint64_t)(map->length / COLUMNS);
	for (size_t i = 0; i < run->interval_count; i++) {
		double seconds = columns[i].to_s - columns[i].from_s;

		run->intervals[i] = (struct mt_interval_values){columns[i].to_s, seconds, columns[i].samples,
			seconds > 0 ? (double)columns[i].samples * run->source->period / seconds : NAN};
	}
	return 0;
}

int analysis_pattern(struct analysis_run *run, const char **why)
{
	static const char *const x_names[] = {"time", "samples"}, *const y_names[] = {"rank", "address"};
	struct mt_pattern_values *values = run->values;
	struct place_map *map = calloc(1, sizeof(*map));
	struct buckets buckets = {0};
	int err = map ? analysis_buckets(run, run->source, &buckets) : -ENOMEM;

	(void)why;
	if (!err)
		err = buckets_sort(&buckets);
	if (!err) {
		*values = (struct mt_pattern_values){.x = x_names[run->options->x], .y = y_names[run->options->y],
			.bucket_bytes = 1ull << run->shift};
		map->run = run;
		map->begin = run->source->first_ns;
		map->length = (double)(run->source->last_ns - map->begin) + 1;
		map->grid.begin_s = (double)map->begin / 1e9;
		map->grid.piece_s = map->length / 1e9 / MAP_PIECES;
		map->grid.cells = calloc(MAP_PIECES, sizeof(*map->grid.cells));
		err = map->grid.cells ? make_bands(run, &buckets, map) : -ENOMEM;
	}
	if (!err)
		err = make_narrow(run, &buckets, map);
	buckets_free(&buckets);
	if (!err)
		err = source_read(run->source, fill_map, map);
	if (!err)
		err = make_cells(run, map, values);
	if (!err) {
		values->map_band = FIELD_MANY(map->rows, map->grid.bands);
		err = make_intervals(run, values, map);
	}
	if (!err && run->options->x == 0)
		err = map_parts(run, &map->grid, &values->map_part);
	free(map ? map->grid.cells : NULL);
	free(map);
	return err;
}

/* --- count --- */

static int make_hot(struct analysis_run *run, const struct buckets *buckets, struct mt_count_values *values)
{
	size_t rows = run->options->rows < buckets->count ? (size_t)run->options->rows : buckets->count;
	struct mt_bucket_values *list = analysis_allocate(run, rows, sizeof(*list));
	const struct bucket **hot = buckets_hot(buckets, NULL, rows);
	int err = list && hot ? 0 : -ENOMEM;

	for (size_t i = 0; i < rows && !err; i++) {
		const struct source_name *name = &run->source->names[hot[i]->extra];
		struct estimate accesses = analysis_accesses(run->source, hot[i]->samples);
		uint64_t address = analysis_address(run, hot[i]->key);

		list[i] = (struct mt_bucket_values){.address = analysis_hex(run, address), .region = name->text,
			.element = NAN, .samples = hot[i]->samples, .return_seconds = NAN,
			.percent = analysis_percent(hot[i]->samples, (double)run->source->selected),
			.estimated_accesses = accesses.value, .estimated_accesses_low = accesses.low,
			.estimated_accesses_high = accesses.high};
		/* A bucket may begin before its range does. */
		if (name->element) {
			uint64_t behind = address > name->begin ? address - name->begin : 0;
			uint64_t element = behind / name->element;

			list[i].element = (double)element;
		}
		err = list[i].address ? 0 : -ENOMEM;
	}
	free(hot);
	values->hot_bucket = FIELD_MANY(list, rows);
	return err;
}

/* Lists the pages that came back soonest: pages were drawn uniformly, so their numbers of samples are meaningless. */
static int make_hot_by_returns(struct analysis_run *run, const struct buckets *sorted, const struct returns *returns,
	struct mt_count_values *values)
{
	size_t most = run->options->rows < returns->count ? (size_t)run->options->rows : returns->count, rows = 0;
	struct mt_bucket_values *list = analysis_allocate(run, most, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < returns->count && rows < most; i++) {
		const struct page_returns *page = &returns->pages[i];
		size_t at = SEARCH(sorted->count, k, sorted->slots[k].key < page->page);

		/* A page that never came back has no sample. */
		if (at == sorted->count || sorted->slots[at].key != page->page)
			continue;
		list[rows] = (struct mt_bucket_values){.address = analysis_hex(run, analysis_address(run, page->page)),
			.region = run->source->names[sorted->slots[at].extra].text, .element = NAN,
			.samples = sorted->slots[at].samples, .percent = NAN, .estimated_accesses = NAN,
			.estimated_accesses_low = NAN, .estimated_accesses_high = NAN, .return_seconds = exp(page->mean)};
		if (!list[rows++].address)
			return -ENOMEM;
	}
	values->hot_bucket = FIELD_MANY(list, rows);
	return 0;
}

/* Returns why the returns do not show which pages are accessed most; NULL: they do. */
static const char *returns_why_not(struct analysis_run *run, const struct returns *returns)
{
	char text[256];

	if (!returns->is_ordered)
		return "has no order of its pages: the times until one page came back differ as those of different pages do; "
		       "record longer, or by popularity or burst";
	if (returns->saturated <= run->options->rows)
		return NULL;
	snprintf(text, sizeof(text), "has no order of the %zu pages that came back within 0.1 ms most times; record by popularity "
		"or burst, or list more --rows than these", returns->saturated);
	return arena_text(&run->arena, text, strlen(text));
}

/* A bin has as many buckets as needed for ANALYSIS_BINS bins, and ends with its range or mapping. */
static int make_bins(struct analysis_run *run, const struct buckets *buckets, struct mt_count_values *values)
{
	size_t together = buckets->count / ANALYSIS_BINS + 1, count = 0, splits = 0;
	struct mt_bin_values *bins = analysis_allocate(run, buckets->count / together + 1 + ANALYSIS_BINS, sizeof(*bins));

	if (!bins)
		return -ENOMEM;
	for (size_t i = 0; i < buckets->count; i++) {
		const struct bucket *bucket = &buckets->slots[i];
		bool is_split = i && bucket->extra != bucket[-1].extra && splits < ANALYSIS_BINS;

		if (!count || bins[count - 1].buckets == together || is_split) {
			splits += is_split;
			bins[count] = (struct mt_bin_values){.position = (double)i * (double)(1ull << run->shift),
				.address = analysis_hex(run, analysis_address(run, bucket->key)),
				.region = run->source->names[bucket->extra].text};
			if (!bins[count++].address)
				return -ENOMEM;
		}
		bins[count - 1].buckets++;
		bins[count - 1].samples += bucket->samples;
	}
	values->address_bin = FIELD_MANY(bins, count);
	return 0;
}

int analysis_count(struct analysis_run *run, const char **why)
{
	struct mt_count_values *values = run->values;
	struct buckets buckets = {0};
	struct returns returns = {0};
	bool is_by_returns = run->source->has_returns && !run->source->is_bursts;
	int err = is_by_returns ? analysis_returns_of_pages(run, &returns, why) : 0;

	if (!err && is_by_returns) {
		*why = returns_why_not(run, &returns);
		err = *why ? -ENODATA : 0;
	}
	if (!err)
		err = analysis_buckets(run, run->source, &buckets);
	if (!err)
		err = buckets_sort(&buckets);
	if (!err) {
		*values = (struct mt_count_values){.bucket_bytes = 1ull << run->shift, .touched_buckets = buckets.count};
		err = is_by_returns ? make_hot_by_returns(run, &buckets, &returns, values) : make_hot(run, &buckets, values);
	}
	/* The samples by address reflect the draws, not the accesses. */
	if (is_by_returns)
		run->touched = NULL;
	else if (!err)
		err = make_bins(run, &buckets, values);
	returns_free(&returns);
	buckets_free(&buckets);
	return err;
}
