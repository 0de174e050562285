/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of ssd-workloads: run --baselines, and the figures of analyze, which it stores as tables. */
#include "config.h"
#include "memstor/plot/plot.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/diag.h"
#include "common/units.h"

#define STREAMS 2
#define PANELS 3
#define STATISTICS 4
#define PARTS 7
#define TABLE_COLUMNS 16
#define MIX_BYTES 64

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
static void take_mix(const struct table *table, char mix[MIX_BYTES])
{
	const struct report_node *node = report_read_find(table->analysis, "mix");

	if (node)
		snprintf(mix, MIX_BYTES, "%s", node->text);
}

/* Whether reports have the names of their mixes: each has another one, and the user asks for no other names. */
static bool are_named_by_mix(const struct plot *plot, char (*mixes)[MIX_BYTES])
{
	for (size_t i = 0; i < plot->report_count; i++) {
		if (!mixes[i][0])
			return false;
		for (size_t j = 0; j < i; j++) {
			if (!strcmp(mixes[i], mixes[j]))
				return false;
		}
	}
	return !plot->options->legend.count;
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

/* --- interference: how many times longer the writes of a stream take with the other stream than alone, by statistic the ratio
 * of each report with its interval --- */

struct ratio { /* NAN = not known */
	double value, low, high;
};

static const struct {
	const char *stream, *prefix, *title;
} panels[PANELS] = {
	{"log", "", "log, response times"},
	{"log", "commit.", "log, until a commit is durable"},
	{"checkpoint", "", "checkpoint, response times"},
};
static const char *const statistics[STATISTICS] = {"mean", "p50", "p99", "p99.9"};

static struct ratio *find_ratio(struct ratio (*of)[STATISTICS], const char *stream,
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
static size_t take_ratios(const struct report_node *baselines, struct ratio (*of)[STATISTICS],
	bool *has_intervals)
{
	const struct report_node *node = baselines ? report_read_find(baselines, "interference") : NULL;
	size_t taken = 0;

	for (; node; node = report_read_next(node)) {
		const char *stream = report_read_attribute(node, "stream"), *statistic = report_read_attribute(node, "statistic");
		struct ratio *ratio = stream && statistic ? find_ratio(of, stream, statistic) : NULL;
		double value = report_read_number(node, "value");

		if (!ratio || !(value > 0))
			continue;
		*ratio = (struct ratio){
			value, report_read_number(node, "low"), report_read_number(node, "high")};
		*has_intervals = *has_intervals || isfinite(ratio->low);
		taken++;
	}
	return taken;
}

/* Of analyze interference, where nothing was repeated. */
static size_t take_analysis(const struct loaded *loaded, struct ratio (*of)[STATISTICS], char mix[MIX_BYTES])
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
			struct ratio *ratio = find_ratio(of, fields[0], statistics[i]);
			double value = number_of(fields[1 + i]);

			if (!ratio || !(value > 0))
				continue;
			*ratio = (struct ratio){value, NAN, NAN};
			taken++;
		}
	}
	return taken;
}

int plot_interference_extract(struct plot *plot)
{
	struct plot_extent extents[PANELS] = {PLOT_EXTENT_NONE, PLOT_EXTENT_NONE, PLOT_EXTENT_NONE};
	struct ratio all[PLOT_COLOURS][PANELS][STATISTICS]; /* by report */
	const char *shown[PANELS];
	bool has_repetitions = false, has_single = false;
	char mix[MIX_BYTES] = "";
	size_t drawn = 0;

	if (plot->report_count > PLOT_COLOURS)
		return diag_usage("interference: a picture distinguishes at most %d reports; draw fewer", PLOT_COLOURS);
	for (size_t i = 0; i < plot->report_count; i++) {
		const struct report_node *root = report_read_root(plot->loaded[i]->document);
		bool has_intervals = false;

		for (size_t j = 0; j < PANELS * STATISTICS; j++)
			all[i][j / STATISTICS][j % STATISTICS] = (struct ratio){NAN, NAN, NAN};
		if (!take_ratios(report_read_find(root, "report/result/baselines"), all[i], &has_intervals) &&
			!take_analysis(plot->loaded[i], all[i], mix))
			return plot_refuse_report(plot, i, "ssd-workloads", "run --baselines, or of analyze interference --alone");
		has_repetitions |= has_intervals;
		has_single |= !has_intervals;
	}
	if (has_repetitions)
		plot_note(plot, false,
			"Medians over the repetitions, with the other stream relative to alone; bars: 95 %% intervals.");
	if (has_single)
		plot_note(plot, false, "Without bars: of one run of the mix and one of each stream alone, nothing was repeated.");
	make_title(plot, "What log and checkpoint cost each other", plot->report_count == 1 ? mix : "");
	plot_block(plot, "data", "panel, report, statistic (1 mean, 2 p50, 3 p99, 4 p99.9), ratio, low, high");
	for (size_t i = 0; i < PANELS; i++) {
		bool is_there = false;

		plot_extent_add(&extents[drawn], 1);
		for (size_t j = 0; j < plot->report_count * STATISTICS; j++) {
			size_t report = j / STATISTICS, statistic = j % STATISTICS;
			const struct ratio *ratio = &all[report][i][statistic];
			double low = isfinite(ratio->low) ? ratio->low : ratio->value;
			double high = isfinite(ratio->high) ? ratio->high : ratio->value;

			if (!isfinite(ratio->value))
				continue;
			plot_row(plot, (double)drawn + 1, (double)report + 1, (double)statistic + 1, ratio->value, low, high);
			plot_extent_add(&extents[drawn], ratio->value);
			plot_extent_add(&extents[drawn], low);
			plot_extent_add(&extents[drawn], high);
			is_there = true;
		}
		shown[drawn] = panels[i].title;
		drawn += is_there;
	}
	plot_block(plot, "panels", "texts");
	for (size_t i = 0; i < drawn; i++)
		plot_text_line(plot, shown[i], PLOT_TEXT, false);
	plot_block(plot, "ranges", "of each panel: lowest, highest");
	for (size_t i = 0; i < drawn; i++)
		plot_row(plot, extents[i].low, extents[i].high);
	plot_texts(plot, "names", plot->names, plot->report_count);
	return DIAG_EXIT_OK;
}

/* --- lba, tail and ratios: points or lines, a colour for each stream, or of several reports for each report --- */

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

struct point {
	size_t stream;
	double x, y;
	double beyond; /* percent of writes that a step without an end has, which has no place; NAN = it has one */
	bool is_over_write;
};

static bool open_points(const struct loaded *loaded, const struct points_kind *kind, struct table *table)
{
	const char *const columns[] = {"stream", kind->x, kind->y, kind->end, "over"};

	return open_table(loaded, kind->figure, columns, kind->end ? 5 : 3, table);
}

static bool next_point(struct table *table, const struct points_kind *kind, struct point *point)
{
	const char *fields[5];

	while (next_row(table, fields)) {
		double y = number_of(fields[2]);

		*point = (struct point){stream_of(fields[0]), number_of(fields[1]), y, NAN, false};
		if (point->stream == STREAMS || isnan(point->x) || isnan(y))
			continue;
		/* Where the fourth field says "-", the step has no place: its y is kept apart. */
		if (kind->end && !strcmp(fields[3], "-")) {
			point->beyond = y;
			point->y = 0;
		}
		point->is_over_write = kind->end && !strcmp(fields[4], "flash-write");
		if (kind->is_above)
			point->y = 100 - point->y;
		return true;
	}
	return false;
}

int plot_points_extract(struct plot *plot)
{
	const struct points_kind *kind = plot_kind_row(plot, points_kinds, sizeof(points_kinds[0]));
	struct plot_extent x = PLOT_EXTENT_NONE, y = PLOT_EXTENT_NONE;
	size_t counts[PLOT_POINTS_REPORTS][STREAMS] = {{0}}, curves = 0;
	struct curve {
		size_t report, stream;
	} list[PLOT_POINTS_REPORTS * STREAMS];
	char mixes[PLOT_POINTS_REPORTS][MIX_BYTES] = {""}, text[PLOT_TEXT];
	double beyond[PLOT_POINTS_REPORTS][STREAMS] = {{0}};
	bool is_single = plot->report_count == 1, is_over_write = false, is_by_mix;
	struct table table;
	struct point point;

	for (size_t i = 0; i < plot->report_count; i++) {
		uint64_t every = 1;

		if (open_points(plot->loaded[i], kind, &table)) {
			take_mix(&table, mixes[i]);
			if (report_read_u64(table.analysis, "every", &every))
				every = 1;
			while (next_point(&table, kind, &point)) {
				counts[i][point.stream]++;
				if (!isnan(point.beyond))
					beyond[i][point.stream] = point.beyond;
				is_over_write |= point.is_over_write;
			}
		}
		if (!counts[i][0] && !counts[i][1])
			return plot_refuse_report(plot, i, "ssd-workloads analyze", kind->figure);
		if (plot->options->kind->reports_max == 1 && every > 1)
			plot_note(plot, false, "One of %llu writes is shown.", (unsigned long long)every);
	}
	is_by_mix = are_named_by_mix(plot, mixes);
	for (size_t i = 0; i < plot->report_count; i++) {
		text[0] = '\0';
		for (size_t j = 0; j < STREAMS; j++) {
			char part[64];

			if (!counts[i][j])
				continue;
			snprintf(part, sizeof(part), "%.3g %% of the %s", beyond[i][j], streams[j]);
			plot_append(text, sizeof(text), ", ", part);
			list[curves++] = (struct curve){i, j};
		}
		if (kind->end)
			plot_note(plot, false, "Beyond the axis%s%.80s: %s.", is_single ? "" : ", ",
				is_single ? "" : is_by_mix ? mixes[i] : plot->names[i], text);
	}
	make_title(plot, kind->what, is_single ? mixes[0] : "");
	plot_block(plot, "data", "x, y");
	for (size_t i = 0; i < curves; i++) {
		plot_index(plot, i);
		(void)open_points(plot->loaded[list[i].report], kind, &table);
		while (next_point(&table, kind, &point)) {
			/* A log axis has no place for others. */
			if (point.stream != list[i].stream || (kind->is_log && !(point.x > 0 && point.y > 0)))
				continue;
			plot_row(plot, point.x, point.y);
			plot_extent_add(&x, point.x);
			plot_extent_add(&y, point.y);
		}
		plot_row(plot, NAN, NAN);
	}
	plot_block(plot, "styles", "colour, dash");
	for (size_t i = 0; i < curves; i++)
		plot_row(plot, (double)(is_single ? list[i].stream : list[i].report), is_single ? 0 : (double)list[i].stream);
	plot_block(plot, "names", "texts");
	for (size_t i = 0; i < curves; i++) {
		const char *stream = streams[list[i].stream];

		/* Of one report a curve has the name of its stream, of several the mix or what else distinguishes the reports. */
		if (is_single)
			snprintf(text, sizeof(text), "%s", stream);
		else
			snprintf(text, sizeof(text), "%.200s, %s",
				is_by_mix ? mixes[list[i].report] : plot->names[list[i].report], stream);
		plot_text_line(plot, text, plot_key_columns(plot), false);
	}
	plot_set_count(plot, "over_write", is_over_write);
	plot_set_extent(plot, "x", &x, NULL);
	plot_set_extent(plot, "y", &y, NULL);
	return DIAG_EXIT_OK;
}

/* --- slowest: fig4, a bar per write, by its parts --- */

static const struct {
	const char *column, *name, *untraced;
} parts[PARTS] = {
	{"late_ns", "late", "late"}, {"batching_ns", "batching", ""}, {"submit_ns", "submit", ""},
	{"queue_ns", "queue", "before the system call"}, {"device_ns", "device", "device or below"}, {"flush_ns", "flush", ""},
	{"reap_ns", "reap", ""},
};

enum { FIELD_STREAM, FIELD_KIND, FIELD_SEQUENCE, FIELD_TIME, FIELD_JOINED, FIELD_CAUSE, FIELD_PARTS,
	FIELDS = FIELD_PARTS + PARTS };

#define ROWS_MAX 32
struct slowest {
	size_t count, left_out;
	bool is_traced;
	struct slowest_row {
		size_t stream;
		bool is_usual;
		char name[48];
		double cause;         /* the part that is the most over what is usual, -1 = none */
		double parts[PARTS];  /* ns */
	} rows[ROWS_MAX];
};

static void take_write(struct slowest *slowest, const char *const fields[FIELDS])
{
	struct slowest_row *row = &slowest->rows[slowest->count];
	const char *stream = fields[FIELD_STREAM], *kind = fields[FIELD_KIND];
	bool is_sync = !strncmp(kind, "sync", 4);

	if (stream_of(stream) == STREAMS)
		return;
	if (slowest->count == ROWS_MAX) {
		slowest->left_out++;
		return;
	}
	*row = (struct slowest_row){.stream = stream_of(stream), .is_usual = strcmp(kind, "slow") && strcmp(kind, "sync"),
		.cause = -1};
	if (row->is_usual)
		snprintf(row->name, sizeof(row->name), "%.20s%s, %s", stream, is_sync ? " sync" : "",
			strstr(kind, "alone") ? "alone" : "typical");
	else
		snprintf(row->name, sizeof(row->name), "%.20s%s at %.3f s", stream, is_sync ? " sync" : "",
			number_of(fields[FIELD_TIME]));
	for (size_t i = 0; i < PARTS; i++) {
		double value = number_of(fields[FIELD_PARTS + i]);

		row->parts[i] = value > 0 ? value : 0;
		row->cause = strcmp(fields[FIELD_CAUSE], parts[i].name) ? row->cause : (double)i;
	}
	slowest->is_traced = slowest->is_traced || strcmp(fields[FIELD_JOINED], "no") != 0;
	slowest->count++;
}

int plot_slowest_extract(struct plot *plot)
{
	struct slowest slowest = {0};
	const char *columns[FIELDS] = {"stream", "kind", "sequence", "time_s", "joined", "largest_excess"}, *fields[FIELDS];
	struct plot_extent extent = PLOT_EXTENT_NONE;
	char mix[MIX_BYTES] = "";
	bool has_alone = false;
	struct table table;

	for (size_t i = 0; i < PARTS; i++)
		columns[FIELD_PARTS + i] = parts[i].column;
	if (open_table(plot->loaded[0], "fig4", columns, FIELDS, &table)) {
		take_mix(&table, mix);
		while (next_row(&table, fields))
			take_write(&slowest, fields);
	}
	if (!slowest.count)
		return plot_refuse_report(plot, 0, "ssd-workloads analyze", "fig4");
	plot_block(plot, "data", "row from the top, part, from ns, to ns, 1 = the cause");
	for (size_t i = 0; i < slowest.count; i++) {
		const struct slowest_row *row = &slowest.rows[i];
		double from = 0;

		for (size_t j = 0; j < PARTS; j++) {
			if (row->parts[j] > 0)
				plot_row(plot, (double)i + 1, (double)j, from, from + row->parts[j], row->cause == (double)j);
			from += row->parts[j];
		}
		plot_extent_add(&extent, from);
		has_alone = has_alone || strstr(row->name, ", alone");
	}
	plot_block(plot, "rows",
		"sum in ns, 1 = a usual one for comparison, 1 = the first of its stream, part that is the cause, -1 = none");
	for (size_t i = 0; i < slowest.count; i++) {
		const struct slowest_row *row = &slowest.rows[i];
		double sum = 0;

		for (size_t j = 0; j < PARTS; j++)
			sum += row->parts[j];
		plot_row(plot, sum, row->is_usual, i && row->stream != slowest.rows[i - 1].stream, row->cause);
	}
	plot_text_block(plot, "names", "texts: the rows", slowest.rows[0].name, sizeof(slowest.rows[0]), slowest.count, PLOT_TEXT,
		false);
	plot_block(plot, "parts", "texts");
	for (size_t i = 0; i < PARTS; i++)
		plot_text_line(plot, slowest.is_traced ? parts[i].name : parts[i].untraced, PLOT_TEXT, false);
	plot_set_extent(plot, "x", &extent, NULL);
	if (slowest.is_traced)
		plot_note(plot, false, "Outlined and named: the part that is the most over its median%s.",
			has_alone ? " in the stream alone" : "");
	if (slowest.left_out)
		plot_note(plot, false, "%zu more are left out.", slowest.left_out);
	make_title(plot, "The slowest writes, and where their time went", mix);
	return DIAG_EXIT_OK;
}

/* --- tables of the simulated device: the template gets all rows, of each text the number of it in $words --- */

#define KIND_COLUMNS 15
#define KIND_ROWS_MAX 20000
#define WORDS_MAX 64

static const struct table_kind {
	const char *kind, *figures[3], *what;
	const char *columns[KIND_COLUMNS + 1]; /* of a text behind '='; ended by NULL */
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

struct words {
	size_t count;
	char list[WORDS_MAX][48];
};

/* From 1; 0 = there are too many of them. */
static size_t word_of(struct words *words, const char *text)
{
	size_t word = 0;
	char name[sizeof(words->list[0])];

	snprintf(name, sizeof(name), "%s", text);
	while (word < words->count && strcmp(words->list[word], name) != 0)
		word++;
	if (word == WORDS_MAX)
		return 0;
	if (word == words->count)
		memcpy(words->list[words->count++], name, sizeof(name));
	return word + 1;
}

/* The table of the first figure that is there; without rows when it is a host's, which has other columns. */
static void open_kind(const struct loaded *loaded, const struct table_kind *kind, struct table *table)
{
	const char *names[KIND_COLUMNS];
	size_t count = 0;

	*table = (struct table){.row = NULL};
	for (; kind->columns[count]; count++)
		names[count] = kind->columns[count] + (kind->columns[count][0] == '=');
	for (size_t i = 0; i < 3 && kind->figures[i] && !table->analysis; i++)
		(void)open_table(loaded, kind->figures[i], names, count, table);
	for (size_t i = 0; i < count && table->analysis; i++) {
		if (table->at[i] == TABLE_COLUMNS)
			table->row = NULL;
	}
}

int plot_table_extract(struct plot *plot)
{
	const struct table_kind *kind = plot_kind_row(plot, table_kinds, sizeof(table_kinds[0]));
	struct words *words = plot_keep(plot, 1, sizeof(*words));
	char mixes[PLOT_TABLE_REPORTS][MIX_BYTES] = {""}, figure[64];
	size_t rows = 0, left_out = 0;
	bool is_by_mix;

	if (!words)
		return plot_no_memory();
	plot_block(plot, "data", "number of the report, and the columns that plot/ssd.c names");
	for (size_t i = 0; i < plot->report_count; i++) {
		const char *fields[KIND_COLUMNS];
		struct table table;

		open_kind(plot->loaded[i], kind, &table);
		if (!table.row) {
			snprintf(figure, sizeof(figure), "%s of a simulated device", kind->figures[0]);
			return plot_refuse_report(plot, i, "ssd-workloads analyze", figure);
		}
		take_mix(&table, mixes[i]);
		while (next_row(&table, fields)) {
			double row[1 + KIND_COLUMNS] = {(double)i + 1};

			if (rows == KIND_ROWS_MAX) {
				left_out++;
				continue;
			}
			for (size_t j = 0; j < table.count; j++)
				row[1 + j] = kind->columns[j][0] == '=' ? (double)word_of(words, fields[j]) : number_of(fields[j]);
			plot_values(plot, row, 1 + table.count);
			rows++;
		}
	}
	make_title(plot, kind->what, plot->report_count == 1 ? mixes[0] : "");
	plot_text_block(plot, "words", "texts", words->list[0], sizeof(words->list[0]), words->count, PLOT_TEXT, false);
	is_by_mix = are_named_by_mix(plot, mixes);
	plot_block(plot, "names", "texts: the reports");
	for (size_t i = 0; i < plot->report_count; i++)
		plot_text_line(plot, is_by_mix ? mixes[i] : plot->names[i], plot_key_columns(plot), false);
	if (left_out)
		plot_note(plot, false, "%zu more rows are left out.", left_out);
	return DIAG_EXIT_OK;
}
