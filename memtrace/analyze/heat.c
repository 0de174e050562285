/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/analyze/heat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"

#define ROWS 24
#define COLUMNS 200
#define LABEL 15 /* "0x7fff12345000 " */
#define MARKS 10

static const char marks[MARKS + 1] = " .:-=+*#%@";
/* From dark to light, so that more samples stand out on a dark ground; on a light one the mark shows them. */
static const char *const colours[MARKS] = {"", "\033[38;5;24m", "\033[38;5;25m", "\033[38;5;31m", "\033[38;5;37m",
	"\033[38;5;36m", "\033[38;5;71m", "\033[38;5;107m", "\033[38;5;178m", "\033[38;5;208m"};

struct sums {
	size_t rows, columns;
	uint64_t of[ROWS][COLUMNS], most;
};

static void add_up(const struct mt_pattern_values *pattern, struct sums *sums)
{
	const struct mt_cell_values *cells = pattern->map_cell.rows;

	for (size_t i = 0; i < pattern->map_cell.count; i++) {
		size_t row = (size_t)cells[i].band_index * sums->rows / pattern->map_band.count;
		size_t column = (size_t)cells[i].column_index * sums->columns / pattern->map_column.count;

		sums->of[row][column] += cells[i].samples;
		sums->most = sums->of[row][column] > sums->most ? sums->of[row][column] : sums->most;
	}
}

/* The level is 0 for none, then logarithmic up to the most. */
static size_t level_of(const struct sums *sums, uint64_t samples)
{
	double part;

	if (!samples)
		return 0;
	part = sums->most > 1 ? log((double)samples) / log((double)sums->most) : 1;
	return 1 + (size_t)(part * (MARKS - 2) + 0.5);
}

static void print_row(FILE *out, const struct sums *sums, size_t row, bool is_coloured)
{
	size_t before = 0;

	for (size_t column = 0; column < sums->columns; column++) {
		size_t level = level_of(sums, sums->of[row][column]);

		if (is_coloured && level != before)
			diag_colour(out, level ? colours[level] : "\033[0m");
		before = level;
		putc(marks[level], out);
	}
	if (is_coloured && before)
		diag_colour(out, "\033[0m");
	putc('\n', out);
}

static const char *label_of(const struct mt_band_values *bands, size_t first, size_t end)
{
	const char *label = bands[first].region;
	uint64_t most = 0;

	for (size_t i = first; i < end; i++) {
		uint64_t samples = 0;

		for (size_t j = first; j < end; j++)
			samples += strcmp(bands[j].region, bands[i].region) ? 0 : bands[j].samples;
		if (samples > most) {
			most = samples;
			label = bands[i].region;
		}
	}
	return label;
}

int heat_print(FILE *out, const struct mt_pattern_values *pattern, size_t width, bool is_coloured)
{
	const struct mt_band_values *bands = pattern->map_band.rows;
	const struct mt_column_values *columns = pattern->map_column.rows;
	struct sums *sums = calloc(1, sizeof(*sums));
	const char *region = "";
	char begin[32], last[32];

	if (!sums)
		return -ENOMEM;
	if (!pattern->map_band.count || !pattern->map_column.count) {
		free(sums);
		return 0;
	}
	sums->rows = pattern->map_band.count < ROWS ? pattern->map_band.count : ROWS;
	sums->columns = width > LABEL + 11 ? width - LABEL - 1 : 10;
	sums->columns = sums->columns < COLUMNS ? sums->columns : COLUMNS;
	sums->columns = sums->columns < pattern->map_column.count ? sums->columns : pattern->map_column.count;
	add_up(pattern, sums);
	for (size_t row = sums->rows; row-- > 0;) {
		size_t first = (row * pattern->map_band.count + sums->rows - 1) / sums->rows;
		size_t end = ((row + 1) * pattern->map_band.count + sums->rows - 1) / sums->rows;
		const struct mt_band_values *band = &bands[first];
		const char *label = label_of(bands, first, end);

		if (strcmp(region, label)) {
			region = label;
			fprintf(out, "%*s%.*s\n", LABEL, "", (int)sums->columns, region);
		}
		fprintf(out, "%-*s", LABEL, band->address);
		print_row(out, sums, row, is_coloured);
	}
	snprintf(begin, sizeof(begin), "%.6g s", columns[0].from_s);
	snprintf(last, sizeof(last), "%.6g s", columns[pattern->map_column.count - 1].to_s);
	fprintf(out, "%*s%s%*s\n", LABEL, "", begin, (int)(sums->columns > strlen(begin) ? sums->columns - strlen(begin) : 0),
		last);
	fprintf(out, "%*s%.*s: one sample to many, on a log scale; %c is up to %llu\n", LABEL, "", MARKS - 1, marks + 1,
		 marks[MARKS - 1], (unsigned long long)sums->most);
	free(sums);
	return 0;
}
