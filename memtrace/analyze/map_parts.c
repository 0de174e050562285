/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/analyze/map_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE_COLUMNS 15     /* columns of the map in a tile that may become a part */
#define TILE_BANDS 8
#define TILE_PIECES (TILE_COLUMNS * MAP_PIECES_EACH)
#define TILES ((ANALYSIS_COLUMNS_MAX / TILE_COLUMNS) * (ANALYSIS_BANDS_MAX / TILE_BANDS))
#define ROWS 128            /* of a part */
#define PART_BYTES (48u << 10)
#define PART_LEAST (4u << 10)
#define PART_HEAD 600       /* bytes of a part's elements, and of a row's without its cells and its region */
#define ROW_HEAD 110
#define FEW 5               /* with fewer samples the rate of a cell is uncertain by more than a factor of two */
#define ROW_SAMPLES (2 * FEW * TILE_COLUMNS) /* enough to divide the row by time */

_Static_assert(ANALYSIS_COLUMNS_MAX % TILE_COLUMNS == 0 && ANALYSIS_BANDS_MAX % TILE_BANDS == 0, "tiles cover the map");

/* --- narrow bands --- */

static uint64_t samples_between(const struct buckets *buckets, size_t first, size_t end)
{
	uint64_t sum = 0;

	for (size_t i = first; i < end; i++)
		sum += buckets->slots[i].samples;
	return sum;
}

static int compare_narrow(const void *a, const void *b)
{
	const struct map_narrow *one = a, *other = b;

	return (one->first > other->first) - (one->first < other->first);
}

void map_grid_split(struct map_grid *grid, const struct buckets *buckets)
{
	while (grid->count < MAP_NARROW) {
		struct map_narrow *most = NULL;
		size_t middle;

		for (size_t i = 0; i < grid->count; i++) {
			struct map_narrow *narrow = &grid->narrow[i];

			if (narrow->end - narrow->first > 1 && (!most || narrow->samples > most->samples))
				most = narrow;
		}
		if (!most || most->samples < FEW * TILE_COLUMNS)
			break;
		middle = most->first + (most->end - most->first) / 2;
		grid->narrow[grid->count] = *most;
		grid->narrow[grid->count].first = most->end = middle;
		most->samples = samples_between(buckets, most->first, middle);
		grid->narrow[grid->count].samples -= most->samples;
		grid->count++;
	}
	qsort(grid->narrow, grid->count, sizeof(grid->narrow[0]), compare_narrow);
}

/* --- parts --- */

struct tile {
	size_t column, first, end; /* of the map; narrow bands */
	uint64_t samples;
};

struct map_part {
	size_t rows, each;         /* cells in each column of the map */
	size_t ends[ROWS + 1];     /* ends[i]: narrow bands before row i; ends[0] is the tile's first */
	uint32_t *cells;           /* by row and column */
};

static int compare_tiles(const void *a, const void *b)
{
	const struct tile *one = a, *other = b;

	if (one->samples != other->samples)
		return one->samples > other->samples ? -1 : 1;
	if (one->first != other->first)
		return one->first > other->first ? 1 : -1;
	return (one->column > other->column) - (one->column < other->column);
}

static uint64_t samples_of(const struct map_grid *grid, const struct tile *tile, size_t first, size_t end)
{
	uint64_t sum = 0;

	for (size_t piece = 0; piece < TILE_PIECES; piece++) {
		for (size_t i = first; i < end; i++)
			sum += grid->cells[tile->column * MAP_PIECES_EACH + piece][i];
	}
	return sum;
}

static size_t list_tiles(const struct map_grid *grid, struct tile tiles[TILES])
{
	size_t count = 0;

	for (size_t first = 0, end; first < grid->count; first = end) {
		const size_t begin = grid->narrow[first].band;

		for (end = first; end < grid->count && grid->narrow[end].band < begin + TILE_BANDS; end++)
			;
		for (size_t column = 0; column < ANALYSIS_COLUMNS_MAX; column += TILE_COLUMNS) {
			struct tile tile = {column, first, end, 0};

			tile.samples = samples_of(grid, &tile, first, end);
			if (tile.samples)
				tiles[count++] = tile;
		}
	}
	qsort(tiles, count, sizeof(*tiles), compare_tiles);
	return count;
}

/* Joins adjacent narrow bands into a row until it has enough samples. Hot bands are not joined with others, and no row crosses
 * its band. Returns 0 when there would be more than ROWS. */
static size_t make_rows(const struct map_grid *grid, const struct tile *tile, uint64_t enough, struct map_part *part)
{
	uint64_t before = 0;

	part->rows = 0;
	part->ends[0] = tile->first;
	for (size_t i = tile->first; i < tile->end; i++) {
		uint64_t samples = samples_of(grid, tile, i, i + 1);
		bool is_other = i > tile->first && grid->narrow[i].band != grid->narrow[i - 1].band;

		if (i == tile->first || is_other || before >= enough || samples >= enough) {
			if (part->rows == ROWS)
				return 0;
			part->rows++;
			before = 0;
		}
		part->ends[part->rows] = i + 1;
		before += samples;
	}
	return part->rows;
}

/* Returns the number of cells with samples. */
static size_t fill_part(const struct map_grid *grid, const struct tile *tile, struct map_part *part)
{
	size_t columns = TILE_COLUMNS * part->each, filled = 0;

	memset(part->cells, 0, part->rows * columns * sizeof(*part->cells));
	for (size_t piece = 0; piece < TILE_PIECES; piece++) {
		const uint32_t *samples = grid->cells[tile->column * MAP_PIECES_EACH + piece];

		for (size_t row = 0; row < part->rows; row++) {
			for (size_t i = part->ends[row]; i < part->ends[row + 1]; i++)
				part->cells[row * columns + piece * part->each / MAP_PIECES_EACH] += samples[i];
		}
	}
	for (size_t i = 0; i < part->rows * columns; i++)
		filled += part->cells[i] != 0;
	return filled;
}

static size_t digits_of(uint32_t number)
{
	size_t digits = 1;

	for (; number >= 10; number /= 10)
		digits++;
	return digits;
}

/* Returns the approximate size of the part in a report. */
static size_t size_of(const struct map_grid *grid, const struct map_part *part)
{
	size_t bytes = PART_HEAD;

	for (size_t row = 0; row < part->rows; row++)
		bytes += ROW_HEAD + strlen(grid->regions[part->ends[row]]);
	for (size_t i = 0; i < part->rows * TILE_COLUMNS * part->each; i++)
		bytes += digits_of(part->cells[i]) + 1;
	return bytes;
}

/* Chooses the finest part that the samples support and the bytes allow. Returns its size; 0: it is no finer than the map. */
static size_t choose_part(const struct map_grid *grid, const struct tile *tile, size_t most_bytes, struct map_part *part)
{
	size_t bands = grid->narrow[tile->end - 1].band - grid->narrow[tile->first].band + 1;

	for (uint64_t enough = ROW_SAMPLES; !make_rows(grid, tile, enough, part); enough *= 2)
		;
	for (part->each = MAP_PIECES_EACH; part->each; part->each /= 2) {
		size_t filled = fill_part(grid, tile, part), bytes;

		if (part->each == 1 && part->rows == bands)
			return 0;
		if (part->each > 1 && tile->samples < FEW * filled)
			continue;
		bytes = size_of(grid, part);
		if (bytes <= most_bytes)
			return bytes;
	}
	return 0;
}

static const char *cells_text(struct analysis_run *run, const uint32_t *cells, size_t count)
{
	char text[TILE_PIECES * 11 + 1];
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" PRIu32, i ? " " : "", cells[i]);
	return arena_text(&run->arena, text, used);
}

/* Returns the region with the most samples in a row; a narrow band counts for its own region. */
static const char *label_of(const struct map_grid *grid, const struct tile *tile, size_t first, size_t end)
{
	uint64_t samples_by[MAP_NARROW] = {0}, most = 0;
	const char *label = grid->regions[first];

	for (size_t i = first; i < end; i++)
		samples_by[i] = samples_of(grid, tile, i, i + 1);
	for (size_t i = first; i < end; i++) {
		uint64_t samples = 0;

		for (size_t j = i; j < end; j++)
			samples += grid->regions[j] == grid->regions[i] ? samples_by[j] : 0;
		if (samples > most) {
			most = samples;
			label = grid->regions[i];
		}
	}
	return label;
}

static int write_part(struct analysis_run *run, const struct map_grid *grid, const struct tile *tile, const struct map_part *part,
	struct mt_part_values *values)
{
	struct mt_part_band_values *rows = analysis_allocate(run, part->rows, sizeof(*rows));
	size_t columns = TILE_COLUMNS * part->each, first_band = grid->narrow[tile->first].band;
	const double column_s = grid->piece_s * MAP_PIECES_EACH;

	if (!rows)
		return -ENOMEM;
	for (size_t row = 0; row < part->rows; row++) {
		size_t first = part->ends[row], last = part->ends[row + 1] - 1;
		uint64_t buckets = grid->narrow[last].end - grid->narrow[first].first;

		rows[row] = (struct mt_part_band_values){.address = grid->addresses[first],
			.region = label_of(grid, tile, first, last + 1),
			.size_bytes = buckets << run->shift, .samples = samples_of(grid, tile, first, last + 1),
			.cells = cells_text(run, &part->cells[row * columns], columns)};
		if (!rows[row].cells)
			return -ENOMEM;
	}
	*values = (struct mt_part_values){.index = values->index, .address = rows[0].address,
		.from_s = grid->begin_s + (double)tile->column * column_s,
		.to_s = grid->begin_s + (double)(tile->column + TILE_COLUMNS) * column_s,
		.first_column = tile->column, .columns = TILE_COLUMNS, .first_band = first_band,
		.bands = grid->narrow[tile->end - 1].band - first_band + 1, .cells_each = part->each, .samples = tile->samples,
		.part_band = FIELD_MANY(rows, part->rows)};
	return 0;
}

int map_parts(struct analysis_run *run, const struct map_grid *grid, struct field_child *parts)
{
	struct tile *tiles = malloc(TILES * sizeof(*tiles));
	struct map_part part = {.cells = malloc((size_t)ROWS * TILE_PIECES * sizeof(*part.cells))};
	struct mt_part_values *values = analysis_allocate(run, MAP_PARTS, sizeof(*values));
	size_t bytes = MAP_PARTS_BYTES, count = 0, tile_count = tiles ? list_tiles(grid, tiles) : 0;
	int err = tiles && part.cells && values ? 0 : -ENOMEM;

	for (size_t i = 0; i < tile_count && count < MAP_PARTS && bytes > PART_LEAST && !err; i++) {
		size_t used = choose_part(grid, &tiles[i], bytes < PART_BYTES ? bytes : PART_BYTES, &part);

		if (!used)
			continue;
		values[count].index = count;
		err = write_part(run, grid, &tiles[i], &part, &values[count]);
		bytes -= used;
		count++;
	}
	if (!err)
		*parts = FIELD_MANY(values, count);
	free(part.cells);
	free(tiles);
	return err;
}
