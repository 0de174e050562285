/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of memtrace analyze: a map of accesses, curves of an analysis, and volumes before and after. */
#include "config.h"
#include "memstor/plot/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"

#define TOOL "memtrace"
#define REGIONS_MAX 200
#define VOLUME_ROWS 24
#define NAME_COLUMNS 30

/* The parts of <result> of one analysis, or NULL after one line. */
static const struct report_node *find_part(const struct plot *plot, const struct loaded *loaded, const char *element,
	const char *analysis)
{
	char path[96];
	const struct report_node *node;

	snprintf(path, sizeof(path), "report/result/%s", element);
	node = report_read_find(report_read_root(loaded->document), path);
	if (!node)
		diag_error(0, "%s: no report of " TOOL " analyze %s, which is what %s draws", loaded->path, analysis,
			plot->options->kind->name);
	return node;
}

static const struct report_node *recording_of(const struct loaded *loaded)
{
	return report_read_find(report_read_root(loaded->document), "report/result/recording");
}

static void take_command(const struct loaded *loaded, char what[160])
{
	plot_text_clean(report_read_text(recording_of(loaded), "recorded_command"), 100, what, 160);
}

/* "8000 samples by page-faults, 100 % in named memory." */
static void note_samples(struct plot *plot, const struct loaded *loaded)
{
	const struct report_node *recording = recording_of(loaded);
	static const char *const parts[] = {
		"in_ranges_percent", "in_objects_percent", "in_allocations_percent", "in_mappings_percent"};
	double named = 0;
	char engine[64];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		double part = report_read_number(recording, parts[i]);

		named += isfinite(part) ? part : 0;
	}

	plot_text_clean(report_read_text(recording, "sampling_engine"), 40, engine, sizeof(engine));
	plot_note(plot, false, "%.15g samples by %s, %.4g %% of them in named memory.", report_read_number(recording, "selected"),
		engine, named);
}

/* What is behind the last '/' of a file's name. */
static void name_region(const char *text, char name[64])
{
	const char *slash = strrchr(text, '/');

	plot_text_clean(slash && slash[1] && strncmp(text, "//", 2) ? slash + 1 : text, NAME_COLUMNS, name, 64);
}

static void make_title(struct plot *plot, const char *what, const char *command)
{
	snprintf(plot->title, sizeof(plot->title), "%s%s%s", what, command[0] ? ": " : "", command);
}

/* Adds what is in [from, to) to the last region when that has the same name. */
static int add_region(struct plot_access_region **regions, size_t *count, size_t *room, double from, double to,
	const char *text)
{
	char name[64];

	name_region(text, name);
	if (*count && !strcmp((*regions)[*count - 1].name, name)) {
		(*regions)[*count - 1].to = to;
		return 0;
	}
	if (*count == REGIONS_MAX)
		return 0;
	if (arena_grow(regions, room, *count, sizeof(**regions)))
		return -ENOMEM;
	(*regions)[*count] = (struct plot_access_region){.from = from, .to = to};
	memcpy((*regions)[(*count)++].name, name, sizeof(name));
	return 0;
}

static void put_regions(struct plot *plot, const struct plot_access_region *regions, size_t count)
{
	plot_block(plot, "regions", "from, to");
	for (size_t i = 0; i < count; i++)
		plot_row(plot, regions[i].from, regions[i].to);
	plot_block_end(plot);
	plot_block(plot, "region_names", "texts: as formats");
	for (size_t i = 0; i < count; i++)
		plot_text_line(plot, regions[i].name, NAME_COLUMNS, true);
	plot_block_end(plot);
}

/* --- curves --- */

/* Fields of a row that become columns; the first two are x and y. */
static const struct access_kind {
	const char *kind, *analysis, *element, *rows, *title;
	const char *columns[PLOT_ACCESS_COLUMNS];
	bool is_attribute;
	const char *note; /* a text of the analysis; NULL = none */
} access_kinds[] = {
	{"access-count", "count", "access_count", "address_bin", "Accesses by address",
		{"position", "samples", "buckets"}, true, NULL},
	{"hot-set", "hotset", "hot_set", "size_step", "Memory by access frequency", {"size_bytes", "samples", "percent"}, false,
		"estimator"},
	{"miss-ratio", "missratio", "miss_ratio_curve", "curve_point", "Miss ratio of an LRU buffer",
		{"buffer_bytes", "miss_ratio", "low", "high"}, false, "estimator"},
	{"popularity", "skew", "skew", "ranked", "Accesses by rank", {"rank", "samples", "fitted"}, false, NULL},
	{"reuse-distance", "reuse", "reuse_distance", "reuse_bin", "Samples until the next of the same bucket",
		{"from", "percent", "between_bytes", "to"}, false, "unit"},
	{"stride", "stride", "strides", "stride", "Distances of successive samples of a thread", {"stride_bytes", "percent"}, false,
		NULL},
};

static const struct access_kind *access_kind_of(const struct plot *plot)
{
	const struct access_kind *kind = access_kinds;

	while (strcmp(kind->kind, plot->options->kind->name) != 0)
		kind++;
	return kind;
}

static int add_row(struct plot *plot, struct plot_access_curve *curve, const struct access_kind *kind,
	const struct report_node *node)
{
	struct plot_access *access = plot->state;
	double *row, accesses;

	if (arena_grow(&curve->rows, &curve->room, curve->count, sizeof(*curve->rows)))
		return -ENOMEM;
	row = curve->rows[curve->count++];
	for (size_t i = 0; i < PLOT_ACCESS_COLUMNS; i++)
		row[i] = !kind->columns[i] ? NAN : kind->is_attribute ? report_read_attribute_number(node, kind->columns[i])
			: report_read_number(node, kind->columns[i]);
	accesses = report_read_number(node, "estimated_accesses");
	if (curve->has_rates && isfinite(accesses))
		row[1] = accesses;
	if (!kind->is_attribute || plot->report_count != 1)
		return 0;
	return add_region(&access->regions, &access->region_count, &access->region_room, row[0], row[0],
		report_read_attribute(node, "region") ? report_read_attribute(node, "region") : "");
}

/* A bin's position is its begin; the end of the last one is where the memory ends. */
static void close_bins(const struct report_node *part, struct plot_access_curve *curve, struct plot_access *access)
{
	double bucket = report_read_number(part, "bucket_bytes"), end = 0;

	for (size_t i = 0; i < curve->count; i++) {
		double *row = curve->rows[i];

		row[3] = bucket;
		row[4] = row[0] + row[2] * bucket;
		end = row[4];
		/* Samples of a bucket, however many are in a bin. */
		row[1] /= row[2];
	}
	for (size_t i = 0; i < access->region_count; i++)
		access->regions[i].to = i + 1 < access->region_count ? access->regions[i + 1].from : end;
}

int plot_access_take(struct plot *plot, const struct loaded *loaded)
{
	const struct access_kind *kind = access_kind_of(plot);
	struct plot_access *access = plot->state;
	struct plot_access_curve *curve = &access->curves[plot->report_count - 1];
	const struct report_node *part = find_part(plot, loaded, kind->element, kind->analysis), *node;
	int err = 0;

	if (!part)
		return DIAG_EXIT_USAGE;
	/* Where pages have rates their samples say nothing of how often they are accessed. */
	curve->has_rates = !strcmp(kind->kind, "hot-set") && strstr(report_read_text(part, "estimator"), "rates of pages");
	access->has_rates |= curve->has_rates;
	for (node = report_read_find(part, kind->rows); node && !err; node = report_read_next(node))
		err = add_row(plot, curve, kind, node);
	if (err)
		return plot_no_memory();
	if (!curve->count)
		return diag_usage("%s: nothing was found by analyze %s", loaded->path, kind->analysis);
	if (kind->is_attribute)
		close_bins(part, curve, access);
	if (plot->report_count == 1) {
		take_command(loaded, access->what);
		note_samples(plot, loaded);
	}
	if (kind->note)
		plot_note(plot, false, "%s: %.150s.", !strcmp(kind->note, "unit") ? "Unit" : "Estimator",
			report_read_text(part, kind->note));
	if (!strcmp(kind->kind, "popularity") && isfinite(report_read_number(part, "zipf_exponent")))
		plot_note(plot, false, "Zipf exponent %.3g (95 %%: %.3g to %.3g), fitted to %.15g ranks; Gini %.3g.",
			report_read_number(part, "zipf_exponent"), report_read_number(part, "zipf_exponent_low"),
			report_read_number(part, "zipf_exponent_high"), report_read_number(part, "zipf_ranks"),
			report_read_number(part, "gini"));
	if (!strcmp(kind->kind, "hot-set"))
		plot_note(plot, false, "Working set %.4g MiB (95 %%: %.4g to %.4g); buckets with a sample have %.4g %% of "
				       "the accesses.",
			report_read_number(part, "working_set_bytes") / 0x1p20,
			report_read_number(part, "working_set_low_bytes") / 0x1p20,
			report_read_number(part, "working_set_high_bytes") / 0x1p20, report_read_number(part, "coverage_percent"));
	return DIAG_EXIT_OK;
}

int plot_access_extract(struct plot *plot)
{
	const struct access_kind *kind = access_kind_of(plot);
	const struct plot_access *access = plot->state;
	char **names = plot_fact_names(plot->reports, plot->report_count, &plot->options->legend);
	struct plot_extent x = PLOT_EXTENT_NONE, y = PLOT_EXTENT_NONE;

	if (!names)
		return plot_no_memory();
	make_title(plot, kind->title, plot->report_count == 1 ? access->what : "");
	plot_block(plot, "data", "an index for each report: x, y, and what else the kind has");
	for (size_t i = 0; i < plot->report_count; i++) {
		const struct plot_access_curve *curve = &access->curves[i];

		if (i)
			plot_next_index(plot);
		for (size_t j = 0; j < curve->count; j++) {
			plot_values(plot, curve->rows[j], PLOT_ACCESS_COLUMNS);
			plot_extent_add(&x, curve->rows[j][0]);
			plot_extent_add(&x, kind->is_attribute ? curve->rows[j][4] : NAN);
			plot_extent_add(&y, curve->rows[j][1]);
		}
	}
	plot_block_end(plot);
	plot_block(plot, "names", "texts");
	for (size_t i = 0; i < plot->report_count; i++)
		plot_text_line(plot, plot->report_count > 1 ? names[i] : "", plot_key_columns(plot), false);
	plot_block_end(plot);
	plot_fact_names_free(names);
	put_regions(plot, access->regions, access->region_count);
	plot_set_count(plot, "has_rates", access->has_rates);
	plot_set_extent(plot, "x", &x, NULL);
	plot_set_extent(plot, "y", &y, NULL);
	return DIAG_EXIT_OK;
}

void plot_access_free(struct plot *plot)
{
	struct plot_access *access = plot->state;

	for (size_t i = 0; i < PLOT_ACCESS_REPORTS; i++)
		free(access->curves[i].rows);
	free(access->regions);
}

/* --- the map --- */

static size_t count_of(const struct report_node *part, const char *name)
{
	size_t count = 0;

	for (const struct report_node *node = report_read_find(part, name); node; node = report_read_next(node))
		count++;
	return count;
}

/* Each column's begin in seconds, or in samples before it. */
static void take_columns(const struct report_node *part, struct plot_access_map *map)
{
	double samples = 0;

	for (const struct report_node *node = report_read_find(part, "map_column"); node; node = report_read_next(node)) {
		map->columns[map->column_count++] = map->is_by_samples ? samples : report_read_number(node, "from_s");
		samples += report_read_number(node, "samples");
		map->columns[map->column_count] = map->is_by_samples ? samples : report_read_number(node, "to_s");
	}
}

static int take_bands(const struct report_node *part, struct plot_access_map *map)
{
	size_t room = 0;

	for (const struct report_node *node = report_read_find(part, "map_band"); node; node = report_read_next(node)) {
		double from = map->bands[map->band_count], to = from + report_read_number(node, "size_bytes");

		map->bands[++map->band_count] = to;
		if (add_region(&map->regions, &map->region_count, &room, from, to, report_read_text(node, "region")))
			return -ENOMEM;
	}
	return 0;
}

int plot_access_map_take(struct plot *plot, const struct loaded *loaded)
{
	struct plot_access_map *map = plot->state;
	const struct report_node *part = find_part(plot, loaded, "access_pattern", "pattern"), *node;

	if (!part)
		return DIAG_EXIT_USAGE;
	map->is_by_samples = !strcmp(report_read_text(part, "x"), "samples");
	map->columns = calloc(count_of(part, "map_column") + 1, sizeof(*map->columns));
	map->bands = calloc(count_of(part, "map_band") + 1, sizeof(*map->bands));
	map->cells = calloc(count_of(part, "map_cell") + 1, sizeof(*map->cells));
	if (!map->columns || !map->bands || !map->cells || take_bands(part, map))
		return plot_no_memory();
	take_columns(part, map);
	for (node = report_read_find(part, "map_cell"); node; node = report_read_next(node)) {
		double *cell = map->cells[map->cell_count];

		cell[0] = report_read_attribute_number(node, "column_index");
		cell[1] = report_read_attribute_number(node, "band_index");
		cell[2] = report_read_attribute_number(node, "samples");
		/* What a report says may be wrong. */
		map->cell_count += cell[0] >= 0 && cell[0] < (double)map->column_count && cell[1] >= 0 &&
			cell[1] < (double)map->band_count && cell[2] > 0;
	}
	if (!map->cell_count)
		return diag_usage("%s: the map of analyze pattern is empty", loaded->path);
	take_command(loaded, map->what);
	note_samples(plot, loaded);
	return DIAG_EXIT_OK;
}

int plot_access_map_extract(struct plot *plot)
{
	const struct plot_access_map *map = plot->state;
	struct plot_extent x = PLOT_EXTENT_NONE, y = PLOT_EXTENT_NONE, heat = PLOT_EXTENT_NONE;

	make_title(plot, "Accesses in time and memory", map->what);
	plot_note(plot, false, "Addresses without a sample are left out: mappings and ranges follow one another.");
	plot_block(plot, "data", "x from, to, y from, to, samples");
	for (size_t i = 0; i < map->cell_count; i++) {
		size_t column = (size_t)map->cells[i][0], band = (size_t)map->cells[i][1];

		plot_row(plot, map->columns[column], map->columns[column + 1], map->bands[band], map->bands[band + 1],
			map->cells[i][2]);
		plot_extent_add(&heat, map->cells[i][2]);
	}
	plot_block_end(plot);
	plot_extent_add(&x, map->columns[0]);
	plot_extent_add(&x, map->columns[map->column_count]);
	plot_extent_add(&y, 0);
	plot_extent_add(&y, map->bands[map->band_count]);
	put_regions(plot, map->regions, map->region_count);
	plot_set_count(plot, "by_samples", map->is_by_samples);
	plot_set_extent(plot, "x", &x, NULL);
	plot_set_extent(plot, "y", &y, NULL);
	plot_set_extent(plot, "heat", &heat, NULL);
	return DIAG_EXIT_OK;
}

void plot_access_map_free(struct plot *plot)
{
	struct plot_access_map *map = plot->state;

	free(map->columns);
	free(map->bands);
	free(map->cells);
	free(map->regions);
}

/* --- volumes before and after --- */

int plot_volume_take(struct plot *plot, const struct loaded *loaded)
{
	struct plot_volume *volume = plot->state;
	const struct report_node *part = find_part(plot, loaded, "partitioning", "partition"), *node;
	size_t left_out = 0;

	if (!part)
		return DIAG_EXIT_USAGE;
	for (node = report_read_find(part, "change"); node; node = report_read_next(node)) {
		struct plot_volume_row *row;
		const char *id = report_read_attribute(node, "id");

		if (volume->count == VOLUME_ROWS) {
			left_out++;
			continue;
		}
		if (arena_grow(&volume->rows, &volume->room, volume->count, sizeof(*volume->rows)))
			return plot_no_memory();
		row = &volume->rows[volume->count++];
		*row = (struct plot_volume_row){.before = report_read_number(node, "before_bytes"),
			.after = report_read_number(node, "after_bytes"), .change = report_read_number(node, "change_percent")};
		row->low = row->before * (1 + report_read_number(node, "low_percent") / 100);
		row->high = row->before * (1 + report_read_number(node, "high_percent") / 100);
		name_region(id ? id : "", row->name);
		snprintf(row->decision, sizeof(row->decision), "%.7s", report_read_text(node, "decision"));
	}
	if (!volume->count)
		return diag_usage("%s: analyze partition found no range or mapping", loaded->path);
	if (left_out)
		plot_note(plot, false, "%zu ranges with less volume are left out.", left_out);
	plot_note(plot, false, "Intervals: %.150s.", report_read_text(part, "noise"));
	take_command(loaded, volume->what);
	return DIAG_EXIT_OK;
}

int plot_volume_extract(struct plot *plot)
{
	const struct plot_volume *volume = plot->state;
	struct plot_extent x = PLOT_EXTENT_NONE;

	make_title(plot, "Accessed volume before and after", volume->what);
	plot_block(plot, "data", "row, before, after, low, high, change in percent, 1 = a change");
	for (size_t i = 0; i < volume->count; i++) {
		const struct plot_volume_row *row = &volume->rows[i];

		plot_row(plot, (double)i + 1, row->before, row->after, row->low, row->high, row->change,
			strcmp(row->decision, "none") ? 1 : 0);
		plot_extent_add(&x, row->before);
		plot_extent_add(&x, row->after);
		plot_extent_add(&x, row->high);
	}
	plot_block_end(plot);
	plot_block(plot, "tics", "texts: the ranges, as formats");
	for (size_t i = 0; i < volume->count; i++)
		plot_text_line(plot, volume->rows[i].name, NAME_COLUMNS, true);
	plot_block_end(plot);
	plot_block(plot, "names", "texts");
	plot_text_line(plot, "before", PLOT_TEXT, false);
	plot_text_line(plot, "after", PLOT_TEXT, false);
	plot_block_end(plot);
	plot_set_extent(plot, "x", &x, NULL);
	return DIAG_EXIT_OK;
}

void plot_volume_free(struct plot *plot)
{
	free(((struct plot_volume *)plot->state)->rows);
}
