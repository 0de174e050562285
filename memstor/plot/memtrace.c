/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of memtrace analyze: a map of accesses, curves of an analysis, and volumes before and after. */
#include "config.h"
#include "memstor/plot/plot.h"

#include <math.h>
#include <string.h>

#include "common/diag.h"

#define REGIONS_MAX 200
#define VOLUME_ROWS 24
#define NAME_COLUMNS 30
#define COLUMNS 5

/* The parts of <result> of one analysis, or NULL after one line. */
static const struct report_node *find_part(const struct plot *plot, size_t report, const char *element, const char *analysis)
{
	return plot_result_part(plot, report, element, "memtrace analyze", analysis);
}

static const struct report_node *recording_of(const struct loaded *loaded)
{
	return report_read_find(report_read_root(loaded->document), "report/result/recording");
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

/* With the command of a single report. */
static void make_title(struct plot *plot, const char *what)
{
	char command[160] = "";

	if (plot->report_count == 1)
		plot_text_clean(report_read_text(recording_of(plot->loaded[0]), "recorded_command"), 100, command,
			sizeof(command));
	snprintf(plot->title, sizeof(plot->title), "%s%s%s", what, command[0] ? ": " : "", command);
}

struct regions { /* where ranges or mappings begin */
	size_t count;
	struct region {
		double from, to;
		char name[64];
	} list[REGIONS_MAX];
};

/* Adds what is in [from, to) to the last region when that has the same name. */
static void add_region(struct regions *regions, double from, double to, const char *text)
{
	struct region region = {.from = from, .to = to};
	struct region *last = regions->count ? &regions->list[regions->count - 1] : NULL;

	name_region(text, region.name);
	if (last && !strcmp(last->name, region.name))
		last->to = to;
	else if (regions->count < REGIONS_MAX)
		regions->list[regions->count++] = region;
}

static void put_regions(struct plot *plot, const struct regions *regions)
{
	plot_block(plot, "regions", "from, to");
	for (size_t i = 0; i < regions->count; i++)
		plot_row(plot, regions->list[i].from, regions->list[i].to);
	plot_text_block(plot, "region_names", "texts: as formats", regions->list[0].name, sizeof(regions->list[0]),
		regions->count, NAME_COLUMNS, true);
}

/* --- curves --- */

/* Fields of a row that become columns; the first two are x and y. */
static const struct access_kind {
	const char *kind, *analysis, *element, *rows, *title;
	const char *columns[COLUMNS];
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

/* Names of a value and of the ends of its interval; reports before there were some, or of an indication, have none. */
static void note_interval(struct plot *plot, const char *what, const char *unit, double divisor, const struct report_node *part,
	const char *const names[3])
{
	double value = report_read_number(part, names[0]) / divisor, low = report_read_number(part, names[1]) / divisor;
	double high = report_read_number(part, names[2]) / divisor;

	if (isfinite(low) && isfinite(high))
		plot_note(plot, false, "%s %.4g%s (95 %%: %.4g to %.4g).", what, value, unit, low, high);
	else if (isfinite(low))
		plot_note(plot, false, "%s %.4g%s (95 %%: %.4g or more).", what, value, unit, low);
	else if (isfinite(value))
		plot_note(plot, false, "%s %.4g%s (indication).", what, value, unit);
}

static void note_analysis(struct plot *plot, const struct access_kind *kind, const struct report_node *part)
{
	if (kind->note)
		plot_note(plot, false, "%s: %.150s.", !strcmp(kind->note, "unit") ? "Unit" : "Estimator",
			report_read_text(part, kind->note));
	if (!strcmp(kind->kind, "popularity") && isfinite(report_read_number(part, "zipf_exponent"))) {
		note_interval(plot, "Zipf exponent", "", 1, part,
			(const char *const[]){"zipf_exponent", "zipf_exponent_low", "zipf_exponent_high"});
		note_interval(plot, "Gini coefficient", "", 1, part, (const char *const[]){"gini", "gini_low", "gini_high"});
	}
	if (!strcmp(kind->kind, "hot-set")) {
		note_interval(plot, "Working set at least", " MiB", 0x1p20, part, (const char *const[]){"working_set_bytes",
			"working_set_low_bytes", "working_set_high_bytes"});
		plot_note(plot, false, "Buckets with a sample have %.4g %% of the accesses.",
			report_read_number(part, "coverage_percent"));
	}
}

/* x, y and what else the kind has. */
static void read_row(const struct access_kind *kind, const struct report_node *node, double bucket_bytes, double row[COLUMNS])
{
	for (size_t i = 0; i < COLUMNS; i++)
		row[i] = !kind->columns[i] ? NAN : kind->is_attribute ? report_read_attribute_number(node, kind->columns[i])
			: report_read_number(node, kind->columns[i]);
	if (!kind->is_attribute)
		return;
	/* A bin's position is its begin. Samples are of a bucket, however many are in a bin. */
	row[3] = bucket_bytes;
	row[4] = row[0] + row[2] * bucket_bytes;
	row[1] /= row[2];
}

int plot_access_extract(struct plot *plot)
{
	const struct access_kind *kind = plot_kind_row(plot, access_kinds, sizeof(access_kinds[0]));
	struct regions *regions = plot_keep(plot, 1, sizeof(*regions)); /* of the first report */
	struct plot_extent x = PLOT_EXTENT_NONE, y = PLOT_EXTENT_NONE;
	bool is_single = plot->report_count == 1;
	double row[COLUMNS];

	if (!regions)
		return plot_no_memory();
	make_title(plot, kind->title);
	plot_block(plot, "data", "an index for each report: x, y, and what else the kind has");
	for (size_t i = 0; i < plot->report_count; i++) {
		const struct report_node *part = find_part(plot, i, kind->element, kind->analysis), *node;

		if (!part)
			return DIAG_EXIT_USAGE;
		node = report_read_find(part, kind->rows);
		if (!node)
			return diag_usage("%s: nothing was found by analyze %s", plot->loaded[i]->path, kind->analysis);
		plot_index(plot, i);
		for (; node; node = report_read_next(node)) {
			const char *region = kind->is_attribute ? report_read_attribute(node, "region") : NULL;

			read_row(kind, node, report_read_number(part, "bucket_bytes"), row);
			plot_values(plot, row, COLUMNS);
			plot_extent_add(&x, row[0]);
			plot_extent_add(&x, kind->is_attribute ? row[4] : NAN);
			plot_extent_add(&y, row[1]);
			if (i == 0 && kind->is_attribute)
				add_region(regions, row[0], row[0], region ? region : "");
		}
		if (i == 0)
			note_samples(plot, plot->loaded[i]);
		note_analysis(plot, kind, part);
	}
	/* A region ends where the next one begins, the last one with the memory. */
	for (size_t i = 0; i < regions->count; i++)
		regions->list[i].to = i + 1 < regions->count ? regions->list[i + 1].from : row[4];
	plot_block(plot, "names", "texts");
	for (size_t i = 0; i < plot->report_count; i++)
		plot_text_line(plot, is_single ? "" : plot->names[i], plot_key_columns(plot), false);
	put_regions(plot, regions);
	plot_set_extent(plot, "x", &x, NULL);
	plot_set_extent(plot, "y", &y, NULL);
	return DIAG_EXIT_OK;
}

/* --- the map --- */

static size_t count_of(const struct report_node *part, const char *name)
{
	size_t count = 0;

	for (const struct report_node *node = report_read_find(part, name); node; node = report_read_next(node))
		count++;
	return count;
}

int plot_access_map_extract(struct plot *plot)
{
	const struct loaded *loaded = plot->loaded[0];
	const struct report_node *part = find_part(plot, 0, "access_pattern", "pattern"), *node;
	struct plot_extent x = PLOT_EXTENT_NONE, y = PLOT_EXTENT_NONE, heat = PLOT_EXTENT_NONE;
	size_t column_count = part ? count_of(part, "map_column") : 0, band_count = part ? count_of(part, "map_band") : 0, i;
	/* Begin of each, and the end of the last: seconds, or samples before it; bytes. */
	double *columns = plot_keep(plot, column_count + 1, sizeof(*columns)), samples = 0;
	double *bands = plot_keep(plot, band_count + 1, sizeof(*bands));
	struct regions *regions = plot_keep(plot, 1, sizeof(*regions));
	bool is_by_samples, has_cells = false;

	if (!part)
		return DIAG_EXIT_USAGE;
	if (!columns || !bands || !regions)
		return plot_no_memory();
	is_by_samples = !strcmp(report_read_text(part, "x"), "samples");
	for (node = report_read_find(part, "map_band"), i = 0; node; node = report_read_next(node), i++) {
		bands[i + 1] = bands[i] + report_read_number(node, "size_bytes");
		add_region(regions, bands[i], bands[i + 1], report_read_text(node, "region"));
	}
	for (node = report_read_find(part, "map_column"), i = 0; node; node = report_read_next(node), i++) {
		columns[i] = is_by_samples ? samples : report_read_number(node, "from_s");
		samples += report_read_number(node, "samples");
		columns[i + 1] = is_by_samples ? samples : report_read_number(node, "to_s");
	}
	plot_block(plot, "data", "x from, to, y from, to, samples");
	for (node = report_read_find(part, "map_cell"); node; node = report_read_next(node)) {
		double column = report_read_attribute_number(node, "column_index");
		double band = report_read_attribute_number(node, "band_index");
		double count = report_read_attribute_number(node, "samples");

		/* What a report says may be wrong. */
		if (!(column >= 0 && column < (double)column_count && band >= 0 && band < (double)band_count && count > 0))
			continue;
		plot_row(plot, columns[(size_t)column], columns[(size_t)column + 1], bands[(size_t)band], bands[(size_t)band + 1],
			count);
		plot_extent_add(&heat, count);
		has_cells = true;
	}
	if (!has_cells)
		return diag_usage("%s: the map of analyze pattern is empty", loaded->path);
	make_title(plot, "Accesses in time and memory");
	note_samples(plot, loaded);
	plot_note(plot, false, "Addresses without a sample are left out: mappings and ranges follow one another.");
	plot_extent_add(&x, columns[0]);
	plot_extent_add(&x, columns[column_count]);
	plot_extent_add(&y, 0);
	plot_extent_add(&y, bands[band_count]);
	put_regions(plot, regions);
	plot_set_count(plot, "by_samples", is_by_samples);
	plot_set_extent(plot, "x", &x, NULL);
	plot_set_extent(plot, "y", &y, NULL);
	plot_set_extent(plot, "heat", &heat, NULL);
	return DIAG_EXIT_OK;
}

/* --- volumes before and after --- */

int plot_volume_extract(struct plot *plot)
{
	const struct report_node *part = find_part(plot, 0, "partitioning", "partition"), *node;
	struct plot_extent x = PLOT_EXTENT_NONE;
	char names[VOLUME_ROWS][64];
	size_t rows = 0, left_out = 0;

	if (!part)
		return DIAG_EXIT_USAGE;
	plot_block(plot, "data", "row, before, after, low, high, change in percent, 1 = a change");
	for (node = report_read_find(part, "change"); node; node = report_read_next(node)) {
		double before = report_read_number(node, "before_bytes"), after = report_read_number(node, "after_bytes");
		double high = before * (1 + report_read_number(node, "high_percent") / 100);
		const char *id = report_read_attribute(node, "id");

		if (rows == VOLUME_ROWS) {
			left_out++;
			continue;
		}
		name_region(id ? id : "", names[rows++]);
		plot_row(plot, (double)rows, before, after, before * (1 + report_read_number(node, "low_percent") / 100), high,
			report_read_number(node, "change_percent"), strcmp(report_read_text(node, "decision"), "none") ? 1 : 0);
		plot_extent_add(&x, before);
		plot_extent_add(&x, after);
		plot_extent_add(&x, high);
	}
	if (!rows)
		return diag_usage("%s: analyze partition found no range or mapping", plot->loaded[0]->path);
	if (left_out)
		plot_note(plot, false, "%zu ranges with less volume are left out.", left_out);
	plot_note(plot, false, "Intervals: %.150s.", report_read_text(part, "noise"));
	make_title(plot, "Accessed volume before and after");
	plot_text_block(plot, "tics", "texts: the ranges, as formats", names[0], sizeof(names[0]), rows, NAME_COLUMNS, true);
	plot_texts(plot, "names", (char *const[]){(char *)"before", (char *)"after"}, 2);
	plot_set_extent(plot, "x", &x, NULL);
	return DIAG_EXIT_OK;
}
