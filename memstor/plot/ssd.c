/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of ssd-workloads: run --baselines and the figures of analyze, which are tables. */
#include "config.h"
#include "memstor/plot/plot.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/units.h"

#define STREAMS PLOT_STREAMS
#define PANELS PLOT_INTERFERENCE_PANELS
#define STATISTICS PLOT_INTERFERENCE_STATISTICS
#define PARTS PLOT_SLOWEST_PARTS
#define TABLE_COLUMNS 16

/* --- tables --- */

static const char *const streams[STREAMS] = {"log", "checkpoint"};

/* STREAMS = none. */
static size_t stream_of(const char *name)
{
	size_t stream = 0;

	while (stream < STREAMS && strcmp(streams[stream], name) != 0)
		stream++;
	return stream;
}

struct table {
	const struct report_node *analysis, *row;
	size_t count, at[TABLE_COLUMNS]; /* where each of the wanted columns stands; TABLE_COLUMNS = nowhere */
};

/* Whether there is a table of this figure; columns: those wanted. */
static bool open_table(const struct loaded *loaded, const char *figure, const char *const *columns, size_t count,
	struct table *table)
{
	const struct report_node *node = report_read_find(report_read_root(loaded->document), "report/result/analysis");
	const char *own;

	while (node && !((own = report_read_attribute(node, "figure")) && !strcmp(own, figure)))
		node = report_read_next(node);
	*table = (struct table){.analysis = node, .count = count};
	if (!node)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct report_node *column = report_read_find(node, "column");
		size_t at = 0;

		for (; column && at < TABLE_COLUMNS && strcmp(column->text, columns[i]); at++)
			column = report_read_next(column);
		table->at[i] = column ? at : TABLE_COLUMNS;
	}
	table->row = report_read_find(node, "row");
	return true;
}

/* The fields of the next row, "" where the row has none. They are the report's. */
static bool next_row(struct table *table, const char **fields)
{
	const struct report_node *field;

	if (!table->row)
		return false;
	field = report_read_find(table->row, "field");
	for (size_t i = 0; i < table->count; i++)
		fields[i] = "";
	for (size_t column = 0; field && column < TABLE_COLUMNS; field = report_read_next(field), column++) {
		for (size_t i = 0; i < table->count; i++) {
			if (table->at[i] == column)
				fields[i] = field->text;
		}
	}
	table->row = report_read_next(table->row);
	return true;
}

/* Untouched when the table does not say. */
static void take_mix(const struct table *table, char mix[64])
{
	const struct report_node *node = report_read_find(table->analysis, "mix");

	if (node)
		snprintf(mix, 64, "%s", node->text);
}

/* NAN = it is none, as "-". */
static double number_of(const char *text)
{
	double value;

	return units_parse_double(text, -DBL_MAX, DBL_MAX, &value) ? NAN : value;
}

/* "WHAT: M-N, durability dsync": with what all reports have in common; mix: in place of their option, "" = none. */
static void make_title(struct plot *plot, const char *what, const char *mix)
{
	char title[160];
	const char *behind;

	plot_phrase_title(plot->reports, plot->report_count, title, sizeof(title));
	behind = strstr(title, ": ");
	behind = mix[0] ? mix : behind ? behind + 2 : "";
	snprintf(plot->title, sizeof(plot->title), "%s%s%s", what, behind[0] ? ": " : "", behind);
}

/* --- interference: by statistic the ratio of each report with its interval --- */

static const struct {
	const char *stream, *prefix, *title;
} panels[PANELS] = {
	{"log", "", "log, response times"},
	{"log", "commit.", "log, until a commit is durable"},
	{"checkpoint", "", "checkpoint, response times"},
};
static const char *const statistics[STATISTICS] = {"mean", "p50", "p99", "p99.9"};

static struct plot_interference_ratio *find_ratio(struct plot_interference_ratio (*of)[STATISTICS], const char *stream,
	const char *statistic)
{
	char name[32];

	for (size_t i = 0; i < PANELS * STATISTICS; i++) {
		snprintf(name, sizeof(name), "%s%s", panels[i / STATISTICS].prefix, statistics[i % STATISTICS]);
		if (!strcmp(stream, panels[i / STATISTICS].stream) && !strcmp(statistic, name))
			return &of[i / STATISTICS][i % STATISTICS];
	}
	return NULL;
}

/* Of run --baselines. */
static size_t take_ratios(const struct report_node *baselines, struct plot_interference_ratio (*of)[STATISTICS],
	bool *has_intervals)
{
	const struct report_node *node = baselines ? report_read_find(baselines, "interference") : NULL;
	size_t taken = 0;

	for (; node; node = report_read_next(node)) {
		const char *stream = report_read_attribute(node, "stream"), *statistic = report_read_attribute(node, "statistic");
		struct plot_interference_ratio *ratio = stream && statistic ? find_ratio(of, stream, statistic) : NULL;
		double value = report_read_number(node, "value");

		if (!ratio || !(value > 0))
			continue;
		*ratio = (struct plot_interference_ratio){
			value, report_read_number(node, "low"), report_read_number(node, "high")};
		*has_intervals = *has_intervals || isfinite(ratio->low);
		taken++;
	}
	return taken;
}

/* Of analyze interference, where nothing was repeated. */
static size_t take_analysis(const struct loaded *loaded, struct plot_interference_ratio (*of)[STATISTICS], char mix[64])
{
	static const char *const columns[] = {"stream", "ratio_mean", "ratio_p50", "ratio_p99", "ratio_p999"};
	struct table table;
	const char *fields[1 + STATISTICS];
	size_t taken = 0;

	if (!open_table(loaded, "interference", columns, 1 + STATISTICS, &table))
		return 0;
	take_mix(&table, mix);
	while (next_row(&table, fields)) {
		for (size_t i = 0; i < STATISTICS; i++) {
			struct plot_interference_ratio *ratio = find_ratio(of, fields[0], statistics[i]);
			double value = number_of(fields[1 + i]);

			if (!ratio || !(value > 0))
				continue;
			*ratio = (struct plot_interference_ratio){value, NAN, NAN};
			taken++;
		}
	}
	return taken;
}

int plot_interference_take(struct plot *plot, const struct loaded *loaded)
{
	struct plot_interference *interference = plot->state;
	const struct report_node *baselines =
		report_read_find(report_read_root(loaded->document), "report/result/baselines");
	struct plot_interference_ratio(*of)[STATISTICS];
	bool has_intervals = false;

	if (plot->report_count > PLOT_COLOURS)
		return diag_usage("interference: a picture tells at most %d reports apart; draw fewer", PLOT_COLOURS);
	of = interference->of[plot->report_count - 1];
	for (size_t i = 0; i < PANELS * STATISTICS; i++)
		of[i / STATISTICS][i % STATISTICS] = (struct plot_interference_ratio){NAN, NAN, NAN};
	if (take_ratios(baselines, of, &has_intervals)) {
		interference->has_repetitions = interference->has_repetitions || has_intervals;
		interference->has_single = interference->has_single || !has_intervals;
		return DIAG_EXIT_OK;
	}
	interference->has_single = true;
	if (take_analysis(loaded, of, interference->mix))
		return DIAG_EXIT_OK;
	return diag_usage("%s: no report of ssd-workloads run --baselines, or of analyze interference --alone, which is what "
		      "interference draws", loaded->path);
}

int plot_interference_extract(struct plot *plot)
{
	const struct plot_interference *interference = plot->state;
	struct plot_extent extents[PANELS] = {PLOT_EXTENT_NONE, PLOT_EXTENT_NONE, PLOT_EXTENT_NONE};
	char **names = plot_fact_names(plot->reports, plot->report_count, &plot->options->legend);
	size_t drawn = 0;

	if (!names)
		return plot_no_memory();
	if (interference->has_repetitions)
		plot_note(plot, false,
			"Medians over the repetitions, with the other stream relative to alone; bars: 95 %% intervals.");
	if (interference->has_single)
		plot_note(plot, false, "Without bars: of one run of the mix and one of each stream alone, nothing was repeated.");
	make_title(plot, "What log and checkpoint cost each other", plot->report_count == 1 ? interference->mix : "");
	plot_block(plot, "data", "panel, report, statistic (1 mean, 2 p50, 3 p99, 4 p99.9), ratio, low, high");
	for (size_t i = 0; i < PANELS; i++) {
		bool is_there = false;

		plot_extent_add(&extents[drawn], 1);
		for (size_t j = 0; j < plot->report_count * STATISTICS; j++) {
			size_t which = j / STATISTICS;
			const struct plot_interference_ratio *ratio = &interference->of[which][i][j % STATISTICS];
			double low = isfinite(ratio->low) ? ratio->low : ratio->value;
			double high = isfinite(ratio->high) ? ratio->high : ratio->value;

			if (!isfinite(ratio->value))
				continue;
			plot_row(plot, (double)drawn + 1, 1 + (double)which, (double)(j % STATISTICS) + 1, ratio->value,
				low, high);
			plot_extent_add(&extents[drawn], ratio->value);
			plot_extent_add(&extents[drawn], low);
			plot_extent_add(&extents[drawn], high);
			is_there = true;
		}
		drawn += is_there;
	}
	plot_block_end(plot);
	plot_block(plot, "panels", "texts");
	for (size_t i = 0; i < PANELS; i++) {
		bool is_there = false;

		for (size_t j = 0; j < plot->report_count * STATISTICS && !is_there; j++)
			is_there = isfinite(interference->of[j / STATISTICS][i][j % STATISTICS].value);
		if (is_there)
			plot_text_line(plot, panels[i].title, PLOT_TEXT, false);
	}
	plot_block_end(plot);
	plot_block(plot, "ranges", "of each panel: lowest, highest");
	for (size_t i = 0; i < drawn; i++)
		plot_row(plot, extents[i].low, extents[i].high);
	plot_block_end(plot);
	plot_texts(plot, "names", names, plot->report_count);
	plot_fact_names_free(names);
	return DIAG_EXIT_OK;
}

/* --- lba, tail and ratios: points or lines, a colour for each stream, or of several reports for each report --- */

static int add_point(struct plot_points_of *of, double x, double y)
{
	if (arena_grow(&of->list, &of->room, of->count, sizeof(*of->list)))
		return -ENOMEM;
	of->list[of->count][0] = x;
	of->list[of->count++][1] = y;
	return 0;
}

static const struct points_kind {
	const char *kind, *figure, *x, *y;
	const char *end;  /* column of a step's end; NULL = there are no steps */
	const char *what; /* of the title */
	bool is_log;
	bool is_above; /* of a percentile the share that is above it */
} points_kinds[] = {
	{"lba", "fig11", "time_s", "offset", NULL, "Where each write went", false, false},
	{"tail", "fig9", "response_ns", "percent", NULL, "The tail of the response times", true, true},
	/* A step is drawn from its left edge; what is beyond the last one has no end, and no step. */
	{"ratios", "fig6", "ratio_from", "percent", "ratio_to", "Response times with the other stream", false, false},
};

static const struct points_kind *points_kind_of(const struct plot *plot)
{
	const struct points_kind *kind = points_kinds;

	while (strcmp(kind->kind, plot->options->kind->name) != 0)
		kind++;
	return kind;
}

int plot_points_take(struct plot *plot, const struct loaded *loaded)
{
	const struct points_kind *kind = points_kind_of(plot);
	const char *const columns[] = {"stream", kind->x, kind->y, kind->end, "over"};
	struct plot_points *points = plot->state;
	struct plot_points_of *of = points->of[plot->report_count - 1];
	struct table table;
	const char *fields[5];
	int err = 0;

	if (open_table(loaded, kind->figure, columns, kind->end ? 5 : 3, &table)) {
		take_mix(&table, points->mixes[plot->report_count - 1]);
		if (report_read_u64(table.analysis, "every", &points->every))
			points->every = 1;
		while (!err && next_row(&table, fields)) {
			size_t stream = stream_of(fields[0]);
			double x = number_of(fields[1]), y = number_of(fields[2]);

			if (stream == STREAMS || isnan(x) || isnan(y))
				continue;
			/* Where the fourth field says "-", the step has no place: its y is kept apart. */
			if (kind->end && !strcmp(fields[3], "-")) {
				of[stream].beyond = y;
				y = 0;
			}
			points->is_over_write = points->is_over_write || (kind->end && !strcmp(fields[4], "flash-write"));
			err = add_point(&of[stream], x, kind->is_above ? 100 - y : y);
		}
	}
	if (err)
		return plot_no_memory();
	if (of[0].count || of[1].count)
		return DIAG_EXIT_OK;
	return diag_usage("%s: no report of ssd-workloads analyze %s, which is what %s draws", loaded->path, kind->figure,
		kind->kind);
}

void plot_points_free(struct plot *plot)
{
	struct plot_points *points = plot->state;

	for (size_t i = 0; i < PLOT_POINTS_REPORTS * STREAMS; i++)
		free(points->of[i / STREAMS][i % STREAMS].list);
}

static bool are_mixes_different(const struct plot *plot)
{
	const struct plot_points *points = plot->state;

	for (size_t i = 0; i < plot->report_count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (!strcmp(points->mixes[i], points->mixes[j]))
				return false;
		}
	}
	return true;
}

/* Of one report a curve is called by its stream, of several by the mix, or what else distinguishes the reports. Values that
 * a log axis has no place for are left out. */
static int put_points(struct plot *plot, const char *what, bool is_log)
{
	const struct plot_points *points = plot->state;
	bool is_single = plot->report_count == 1;
	bool is_by_mix = !plot->options->legend.count && are_mixes_different(plot);
	char **names = plot_fact_names(plot->reports, plot->report_count, &plot->options->legend);
	struct plot_extent x = PLOT_EXTENT_NONE, y = PLOT_EXTENT_NONE;
	size_t drawn = 0;

	if (!names)
		return plot_no_memory();
	make_title(plot, what, is_single ? points->mixes[0] : "");
	plot_block(plot, "data", "x, y");
	for (size_t i = 0; i < plot->report_count * STREAMS; i++) {
		const struct plot_points_of *of = &points->of[i / STREAMS][i % STREAMS];

		if (!of->count)
			continue;
		if (drawn++)
			plot_next_index(plot);
		for (size_t j = 0; j < of->count; j++) {
			if (is_log && !(of->list[j][0] > 0 && of->list[j][1] > 0))
				continue;
			plot_row(plot, of->list[j][0], of->list[j][1]);
			plot_extent_add(&x, of->list[j][0]);
			plot_extent_add(&y, of->list[j][1]);
		}
		plot_row(plot, NAN, NAN);
	}
	plot_block_end(plot);
	plot_block(plot, "styles", "colour, dash");
	for (size_t i = 0; i < plot->report_count * STREAMS; i++) {
		if (points->of[i / STREAMS][i % STREAMS].count)
			plot_row(plot, (double)(is_single ? i % STREAMS : i / STREAMS), is_single ? 0 : (double)(i % STREAMS));
	}
	plot_block_end(plot);
	plot_block(plot, "names", "texts");
	for (size_t i = 0; i < plot->report_count * STREAMS; i++) {
		size_t report = i / STREAMS;
		char text[PLOT_TEXT];

		if (!points->of[report][i % STREAMS].count)
			continue;
		snprintf(text, sizeof(text), "%.200s%s%s", is_single ? "" : is_by_mix ? points->mixes[report] : names[report],
			is_single ? "" : ", ", streams[i % STREAMS]);
		plot_text_line(plot, text, plot_key_columns(plot), false);
	}
	plot_block_end(plot);
	plot_fact_names_free(names);
	plot_set_count(plot, "over_write", points->is_over_write);
	plot_set_extent(plot, "x", &x, NULL);
	plot_set_extent(plot, "y", &y, NULL);
	return DIAG_EXIT_OK;
}

int plot_points_extract(struct plot *plot)
{
	const struct points_kind *kind = points_kind_of(plot);
	const struct plot_points *points = plot->state;

	if (plot->options->kind->reports_max == 1 && points->every > 1)
		plot_note(plot, false, "One of %llu writes is shown.", (unsigned long long)points->every);
	for (size_t i = 0; i < plot->report_count && kind->end; i++) {
		const struct plot_points_of *of = points->of[i];
		char text[128] = "";
		size_t used = 0;

		for (size_t j = 0; j < STREAMS; j++) {
			if (of[j].count)
				used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.3g %% of the %s", used ? ", " : "",
					of[j].beyond, streams[j]);
		}
		plot_note(plot, false, "Beyond the axis%s%s: %s.", plot->report_count > 1 ? ", " : "",
			plot->report_count > 1 ? points->mixes[i] : "", text);
	}
	return put_points(plot, kind->what, kind->is_log);
}

/* --- slowest: fig4, a bar per write, by its parts --- */

static const struct {
	const char *column, *name, *untraced;
} parts[PARTS] = {
	{"late_ns", "late", "late"}, {"batching_ns", "batching", ""}, {"submit_ns", "submit", ""},
	{"queue_ns", "queue", "before the system call"}, {"device_ns", "device", "device or below"}, {"reap_ns", "reap", ""},
};

enum { FIELD_STREAM, FIELD_KIND, FIELD_SEQUENCE, FIELD_TIME, FIELD_JOINED, FIELD_CAUSE, FIELD_PARTS,
	FIELDS = FIELD_PARTS + PARTS };

static void take_write(struct plot_slowest *slowest, const char *const fields[FIELDS])
{
	struct plot_slowest_row *row = &slowest->rows[slowest->count];
	const char *stream = fields[FIELD_STREAM], *kind = fields[FIELD_KIND];

	if (stream_of(stream) == STREAMS)
		return;
	if (slowest->count == PLOT_SLOWEST_ROWS) {
		slowest->left_out++;
		return;
	}
	*row = (struct plot_slowest_row){.stream = stream_of(stream), .is_usual = strcmp(kind, "slow") != 0};
	if (row->is_usual)
		snprintf(row->name, sizeof(row->name), "%.20s, %s", stream, !strcmp(kind, "alone") ? "alone" : "typical");
	else
		snprintf(row->name, sizeof(row->name), "%.20s at %.3f s", stream, number_of(fields[FIELD_TIME]));
	snprintf(row->cause, sizeof(row->cause), "%s", strcmp(fields[FIELD_CAUSE], "-") != 0 ? fields[FIELD_CAUSE] : "");
	for (size_t i = 0; i < PARTS; i++) {
		double value = number_of(fields[FIELD_PARTS + i]);

		row->parts[i] = value > 0 ? value : 0;
	}
	slowest->is_traced = slowest->is_traced || strcmp(fields[FIELD_JOINED], "no") != 0;
	slowest->count++;
}

int plot_slowest_take(struct plot *plot, const struct loaded *loaded)
{
	struct plot_slowest *slowest = plot->state;
	const char *columns[FIELDS] = {"stream", "kind", "sequence", "time_s", "joined", "largest_excess"};
	const char *fields[FIELDS];
	struct table table;

	for (size_t i = 0; i < PARTS; i++)
		columns[FIELD_PARTS + i] = parts[i].column;
	if (open_table(loaded, "fig4", columns, FIELDS, &table)) {
		take_mix(&table, slowest->mix);
		while (next_row(&table, fields))
			take_write(slowest, fields);
	}
	if (slowest->count)
		return DIAG_EXIT_OK;
	return diag_usage("%s: no report of ssd-workloads analyze fig4, which is what slowest draws", loaded->path);
}

int plot_slowest_extract(struct plot *plot)
{
	const struct plot_slowest *slowest = plot->state;
	struct plot_extent extent = PLOT_EXTENT_NONE;
	bool has_alone = false;

	plot_block(plot, "data", "row from the top, part, from ns, to ns, 1 = the cause");
	for (size_t i = 0; i < slowest->count; i++) {
		const struct plot_slowest_row *row = &slowest->rows[i];
		double from = 0;

		for (size_t j = 0; j < PARTS; j++) {
			double to = from + row->parts[j];

			if (to > from)
				plot_row(plot, (double)i + 1, (double)j, from, to, !strcmp(row->cause, parts[j].name));
			from = to;
		}
		plot_extent_add(&extent, from);
		has_alone = has_alone || strstr(row->name, ", alone");
	}
	plot_block_end(plot);
	plot_block(plot, "rows",
		"sum in ns, 1 = a usual one for comparison, 1 = the first of its stream, part that is the cause, -1 = none");
	for (size_t i = 0; i < slowest->count; i++) {
		const struct plot_slowest_row *row = &slowest->rows[i];
		double sum = 0, cause = -1;

		for (size_t j = 0; j < PARTS; j++) {
			sum += row->parts[j];
			cause = strcmp(row->cause, parts[j].name) ? cause : (double)j;
		}
		plot_row(plot, sum, row->is_usual, i && row->stream != slowest->rows[i - 1].stream, cause);
	}
	plot_block_end(plot);
	plot_block(plot, "names", "texts: the rows");
	for (size_t i = 0; i < slowest->count; i++)
		plot_text_line(plot, slowest->rows[i].name, PLOT_TEXT, false);
	plot_block_end(plot);
	plot_block(plot, "parts", "texts");
	for (size_t i = 0; i < PARTS; i++)
		plot_text_line(plot, slowest->is_traced ? parts[i].name : parts[i].untraced, PLOT_TEXT, false);
	plot_block_end(plot);
	plot_set_extent(plot, "x", &extent, NULL);
	if (slowest->is_traced)
		plot_note(plot, false, "Outlined and named: the part that is the most over its median%s.",
			has_alone ? " in the stream alone" : "");
	if (slowest->left_out)
		plot_note(plot, false, "%zu more are left out.", slowest->left_out);
	make_title(plot, "The slowest writes, and where their time went", slowest->mix);
	return DIAG_EXIT_OK;
}

/* --- tables of the simulated device: the template gets all rows, of each text the number of it in $words --- */

static const struct table_kind {
	const char *kind, *figures[3], *what;
	const char *columns[PLOT_TABLE_COLUMNS + 1]; /* of a text behind '='; ended by NULL */
} table_kinds[] = {
	{"segments", {"fig4"}, "Where a write's time went in the device", {"=stream", "=kind", "over_flash_write", "latency_ns",
		"fetch_ns", "ftl_wait_ns", "ftl_ns", "build_ns", "way_wait_ns", "flash_ns", "lls_wait_ns", "dma_ns",
		"completion_ns", "=largest_excess"}},
	{"collections", {"fig5"}, "Garbage collections by their copies", {"=kind", "copies", "over_erase", "slope", "r2",
		"wait_ns", "read_ns", "program_ns", "erase_ns", "total_ns"}},
	{"gantt", {"gantt", "fig7", "fig8"}, "What ran on the ways of a write", {"command", "=stream", "=origin", "=work", "by",
		"channel", "way", "queued_ns", "begin_ns", "end_ns"}},
	{"copies", {"fig10"}, "Writes by the valid pages copied for them", {"=stream", "copies_from", "copies_to", "writes"}},
	{"attribution", {"attribution"}, "What the time of a write was for", {"=stream", "=cause", "=origin", "mean_ns",
		"tail_mean_ns"}},
	{"counters", {"counters"}, "The device's counters", {"time_s", "=channel", "seconds", "way_busy_percent",
		"bus_busy_percent", "flash_bytes", "host_bytes", "erases"}},
	{"window", {"window"}, "How much time the records hold", {"=records", "seconds", "units_per_second", "percent"}},
	{"bandwidth", {"bandwidth"}, "Bandwidth with the other stream and alone", {"=stream", "bytes_per_second",
		"alone_bytes_per_second", "loss_percent"}},
};

static const struct table_kind *table_kind_of(const struct plot *plot)
{
	const struct table_kind *kind = table_kinds;

	while (strcmp(kind->kind, plot->options->kind->name) != 0)
		kind++;
	return kind;
}

/* From 1; 0 = there are too many of them. */
static size_t word_of(struct plot_table *table, const char *text)
{
	size_t word = 0;
	char name[sizeof(table->words[0])];

	snprintf(name, sizeof(name), "%s", text);
	while (word < table->word_count && strcmp(table->words[word], name) != 0)
		word++;
	if (word == PLOT_TABLE_WORDS)
		return 0;
	if (word == table->word_count)
		memcpy(table->words[table->word_count++], name, sizeof(name));
	return word + 1;
}

int plot_table_take(struct plot *plot, const struct loaded *loaded)
{
	const struct table_kind *kind = table_kind_of(plot);
	struct plot_table *taken = plot->state;
	const char *names[PLOT_TABLE_COLUMNS], *fields[PLOT_TABLE_COLUMNS];
	size_t count = 0, before = taken->count, report = plot->report_count - 1;
	struct table table = {.row = NULL};

	for (; kind->columns[count]; count++)
		names[count] = kind->columns[count] + (kind->columns[count][0] == '=');
	for (size_t i = 0; i < 3 && kind->figures[i] && !table.analysis; i++)
		(void)open_table(loaded, kind->figures[i], names, count, &table);
	/* A host's records have other columns for the same figure. */
	for (size_t i = 0; i < count && table.analysis; i++) {
		if (table.at[i] == TABLE_COLUMNS)
			table.row = NULL;
	}
	if (table.row)
		take_mix(&table, taken->mixes[report]);
	while (table.row && next_row(&table, fields)) {
		double *row;

		if (taken->count == PLOT_TABLE_ROWS) {
			taken->left_out++;
			continue;
		}
		if (arena_grow(&taken->rows, &taken->room, taken->count, sizeof(*taken->rows)))
			return plot_no_memory();
		row = taken->rows[taken->count++];
		row[0] = (double)report + 1;
		for (size_t i = 0; i < count; i++)
			row[1 + i] = kind->columns[i][0] == '=' ? (double)word_of(taken, fields[i]) : number_of(fields[i]);
	}
	if (taken->count > before)
		return DIAG_EXIT_OK;
	return diag_usage(
		"%s: no report of ssd-workloads analyze %s of a simulated device, which is what %s draws", loaded->path,
		kind->figures[0], kind->kind);
}

void plot_table_free(struct plot *plot)
{
	struct plot_table *table = plot->state;

	free(table->rows);
}

int plot_table_extract(struct plot *plot)
{
	const struct table_kind *kind = table_kind_of(plot);
	const struct plot_table *table = plot->state;
	char **names = plot_fact_names(plot->reports, plot->report_count, &plot->options->legend);
	size_t count = 1;

	if (!names)
		return plot_no_memory();
	make_title(plot, kind->what, plot->report_count == 1 ? table->mixes[0] : "");
	while (kind->columns[count - 1])
		count++;
	plot_block(plot, "data", "number of the report, and the columns that plot/ssd.c names");
	for (size_t i = 0; i < table->count; i++)
		plot_values(plot, table->rows[i], count);
	plot_block_end(plot);
	plot_block(plot, "words", "texts");
	for (size_t i = 0; i < table->word_count; i++)
		plot_text_line(plot, table->words[i], PLOT_TEXT, false);
	plot_block_end(plot);
	plot_block(plot, "names", "texts: the reports");
	for (size_t i = 0; i < plot->report_count; i++)
		plot_text_line(plot, !plot->options->legend.count && table->mixes[i][0] ? table->mixes[i] : names[i],
			plot_key_columns(plot), false);
	plot_block_end(plot);
	plot_fact_names_free(names);
	if (table->left_out)
		plot_note(plot, false, "%zu more rows are left out.", table->left_out);
	return DIAG_EXIT_OK;
}
