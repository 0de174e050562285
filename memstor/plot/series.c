/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Series of reports. Two panels, one above the other, share the time axis: rates, with the kernel's counters on a second
 * axis, and latencies. A panel without data is left out.
 */
#include "config.h"
#include "memstor/plot/plot.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/diag.h"
#include "common/units.h"
#include "schema/metric.h"

#define LINES_MAX 24
#define NAMES_MAX 6 /* of a panel's lines that are all named; of more, reports and numbers are named once each */
#define MARKS_MAX 32

enum place { RATE, LATENCY, COUNTER, PLACES };

struct series {
	size_t count, room;
	struct line {
		size_t report, subject; /* subject: number of the report and cell, in the order of the lines */
		size_t index;           /* number among the lines of the same subject and place */
		enum place place;
		bool is_level;             /* values at a time; otherwise means of the interval that ends then */
		char what[64];             /* "accesses per second", "p99", "vmstat.pswpin" */
		char cell[METRIC_SUBJECT]; /* its cell; "" = the report has no cells */
		char measurement[METRIC_SUBJECT + 24]; /* repetition and cell of the last point */
		size_t count;
		double *times, *values;    /* at the ends of intervals; NAN = a gap begins */
		double begin, begin_value; /* begin of the first interval, and the value of a level then */
	} *lines;
	size_t subject_count, in_panel[2]; /* in_panel: number of lines in the panels of rates and of latencies */
	size_t mark_count;
	struct mark { /* a phase of the first report */
		double time;
		char text[64];
	} marks[MARKS_MAX];
	bool has_counter;
	enum plot_counter_kind counter_kind; /* of all counters */
};

/* --- counters: levels or events, and the unit in which they are drawn --- */

/* The first row whose begin and end fit. */
static const struct counter_row {
	const char *begin, *end;
	enum plot_counter_kind kind;
} rows[] = {
	{"meminfo.HugePages", "", PLOT_COUNTER_NUMBER},
	{"meminfo.", "", PLOT_COUNTER_BYTES},
	{"psi.", ".total", PLOT_COUNTER_STALLED},
	{"cgroup.psi.", ".total", PLOT_COUNTER_STALLED},
	{"stat.ctxt", "", PLOT_COUNTER_EVENTS},
	{"stat.processes", "", PLOT_COUNTER_EVENTS},
	{"stat.", "", PLOT_COUNTER_CPU},
	{"interrupts.", "", PLOT_COUNTER_EVENTS},
	{"vmstat.nr_dirtied", "", PLOT_COUNTER_EVENTS},
	{"vmstat.nr_written", "", PLOT_COUNTER_EVENTS},
	{"vmstat.nr_throttled_written", "", PLOT_COUNTER_EVENTS},
	{"vmstat.nr_vmscan_", "", PLOT_COUNTER_EVENTS},
	{"vmstat.nr_foll_pin_", "", PLOT_COUNTER_EVENTS},
	{"vmstat.nr_", "", PLOT_COUNTER_NUMBER},
	{"vmstat.workingset_nodes", "", PLOT_COUNTER_NUMBER},
	{"vmstat.", "", PLOT_COUNTER_EVENTS},
	/* memory.stat: what is not an event is in bytes. */
	{"cgroup.events.", "", PLOT_COUNTER_EVENTS},
	{"cgroup.failcnt", "", PLOT_COUNTER_EVENTS},
	{"cgroup.pg", "", PLOT_COUNTER_EVENTS},
	{"cgroup.total_pg", "", PLOT_COUNTER_EVENTS},
	{"cgroup.workingset_", "", PLOT_COUNTER_EVENTS},
	{"cgroup.total_workingset_", "", PLOT_COUNTER_EVENTS},
	{"cgroup.thp_", "", PLOT_COUNTER_EVENTS},
	{"cgroup.numa_", "", PLOT_COUNTER_EVENTS},
	{"cgroup.zswp", "", PLOT_COUNTER_EVENTS},
	{"cgroup.swp", "", PLOT_COUNTER_EVENTS},
	{"cgroup.", "", PLOT_COUNTER_BYTES},
	{"", "", PLOT_COUNTER_EVENTS},
};

static const struct {
	const char *title, *unit;
	bool is_level;
} kinds[] = {
	[PLOT_COUNTER_BYTES] = {"memory", "B", true},
	[PLOT_COUNTER_NUMBER] = {"number", "", true},
	[PLOT_COUNTER_EVENTS] = {"events per second", "", false},
	[PLOT_COUNTER_STALLED] = {"share of the time", "%", false},
	[PLOT_COUNTER_CPU] = {"share of all CPUs' time", "%", false},
};

enum plot_counter_kind plot_counter_kind(const char *name)
{
	size_t length = strlen(name);
	const struct counter_row *row = rows;

	for (;; row++) {
		size_t end = strlen(row->end);

		if (!strncmp(name, row->begin, strlen(row->begin)) && length >= end && !strcmp(name + length - end, row->end))
			return row->kind;
	}
}

int plot_counter_begin(const struct loaded *loaded, const char *name, double *value)
{
	const struct report_node *item = report_read_find(report_read_root(loaded->document), schema_kernel_state), *counter;

	for (; item; item = report_read_next(item)) {
		const char *when = report_read_attribute(item, "name");

		if (when && !strcmp(when, "pre-run"))
			break;
	}
	for (counter = item ? report_read_find(item, "counters/counter") : NULL; counter;
		counter = report_read_next(counter)) {
		const char *own = report_read_attribute(counter, "name");
		const char *text = report_read_attribute(counter, "value");

		if (own && text && !strcmp(own, name))
			return units_parse_double(text, -DBL_MAX, DBL_MAX, value);
	}
	return -ENOENT;
}

/* A counter that is not listed has not changed. */
static double change_of(const struct loaded_interval *interval, const char *name)
{
	double change = loaded_value_of(interval->counters, interval->counter_count, name);

	return isnan(change) ? 0 : change;
}

double plot_counter_value(enum plot_counter_kind kind, const struct loaded_interval *interval, const char *name)
{
	double change = change_of(interval, name);
	double ticks;

	switch (kind) {
	case PLOT_COUNTER_EVENTS:
		return change / interval->seconds;
	case PLOT_COUNTER_STALLED:
		return change / (interval->seconds * 1e6) * 100;
	case PLOT_COUNTER_CPU:
		ticks = change_of(interval, "stat.total");
		return ticks > 0 ? change / ticks * 100 : NAN;
	case PLOT_COUNTER_BYTES:
	case PLOT_COUNTER_NUMBER:
		break;
	}
	return change;
}

/* --- lines --- */

/* What is drawn per second under the name of a metric (schema/metric.h), in words; "accesses_per_second" is by itself. */
static const struct value_alias {
	const char *name, *value, *what;
} aliases[] = {
	{"throughput", "accesses_per_second", "accesses per second"},
	{"throughput", "operations_per_second", "writes per second"},
	{"operations_per_second", "operations_per_second", "writes per second"},
	{"operations", "operations", "writes per second"},
	{"bandwidth", "bytes_per_second", "bytes per second"},
	{"accesses_per_second", "accesses_per_second", "accesses per second"},
	{"mean", "mean_ns", "mean"},
};

/* With space for the values of all intervals. NULL = no memory. */
static struct line *new_line(struct plot *plot, const struct loaded *loaded, enum place place, const char *what, const char *cell)
{
	struct series *series = plot->state;
	struct line *line;

	if (plot_grow(plot, &series->lines, &series->room, series->count, sizeof(*series->lines)))
		return NULL;
	line = &series->lines[series->count++];
	*line = (struct line){.report = plot->report_count - 1, .subject = series->subject_count, .place = place};
	snprintf(line->cell, sizeof(line->cell), "%s", cell);
	plot_text_clean(what, sizeof(line->what) - 1, line->what, sizeof(line->what));
	for (const struct line *other = series->lines; other < line; other++) {
		if (other->report != line->report || strcmp(other->cell, line->cell))
			continue;
		line->subject = other->subject;
		line->index += other->place == place;
	}
	series->subject_count += line->subject == series->subject_count;
	series->in_panel[place == LATENCY]++;
	/* Before each there may be a gap. */
	line->times = plot_keep(plot, 2 * loaded->interval_count + 1, sizeof(*line->times));
	line->values = plot_keep(plot, 2 * loaded->interval_count + 1, sizeof(*line->values));
	return line->times && line->values ? line : NULL;
}

static void add_point(struct line *line, const struct loaded_interval *interval, double value)
{
	double begin = interval->time_s - interval->seconds;
	char measurement[sizeof(line->measurement)] = "";

	/* Between two repetitions, or two cells of one, nothing is measured. */
	if (interval->repetition[0])
		snprintf(measurement, sizeof(measurement), "%s %s", interval->repetition, interval->cell);
	if (line->count == 0)
		line->begin = begin;
	/* Its time begins anew or continues after others. */
	if (line->count && strcmp(line->measurement, measurement) != 0) {
		line->times[line->count] = begin;
		line->values[line->count++] = NAN;
	}
	snprintf(line->measurement, sizeof(line->measurement), "%s", measurement);
	line->times[line->count] = interval->time_s;
	line->values[line->count++] = value;
}

static double value_of(const struct loaded_interval *interval, const char *name)
{
	return loaded_value_of(interval->values, interval->value_count, name);
}

static bool ends_in(const char *name, const char *end)
{
	size_t length = strlen(name), size = strlen(end);

	return length > size && !strcmp(name + length - size, end);
}

struct wanted { /* one metric */
	const char *name, *value;
	char what[64];
	enum place place;
	bool is_percentile, is_counted;
	double percent;
};

static void find_wanted(const struct loaded *loaded, const char *name, struct wanted *wanted)
{
	const struct loaded_interval *first = &loaded->intervals[0];
	const struct field_record *record = field_at(report_read_root(loaded->document)->name, "report/series/interval");
	const struct field *field = record ? field_find(record, name) : NULL;

	*wanted = (struct wanted){.name = name, .value = name};
	/* "p99" or "p99.9" */
	wanted->is_percentile = name[0] == 'p' && !units_parse_double(name + 1, 0, 100, &wanted->percent);
	/* What is a count in the list of intervals is drawn per second, by its own name in words. */
	wanted->is_counted = field && field->type == FIELD_count && !field->unit[0] && !isnan(value_of(first, name));
	snprintf(wanted->what, sizeof(wanted->what), wanted->is_counted ? "%.40s per second" : "%s", name);
	for (char *at = wanted->what; wanted->is_counted && *at; at++)
		*at = *at == '_' ? ' ' : *at;
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (strcmp(name, aliases[i].name) || isnan(value_of(first, aliases[i].value)))
			continue;
		wanted->value = aliases[i].value;
		snprintf(wanted->what, sizeof(wanted->what), "%s", aliases[i].what);
	}
	wanted->place = wanted->is_percentile || ends_in(wanted->value, "_ns") ? LATENCY
			: ends_in(wanted->value, "_bytes") ? COUNTER : RATE;
}

static double wanted_value(const struct wanted *wanted, const struct loaded_interval *interval)
{
	char own[64];
	double value;

	if (!wanted->is_percentile) {
		value = value_of(interval, wanted->value);
		return wanted->is_counted ? value / interval->seconds : value;
	}
	/* The report's own percentile knows the maximum that the interval's histogram does not. */
	snprintf(own, sizeof(own), "%s_ns", wanted->name);
	value = value_of(interval, own);
	return isnan(value) && interval->histogram ? loaded_percentile(interval->histogram, wanted->percent) : value;
}

/* Returns 0, or DIAG_EXIT_USAGE after one line if counters of another kind are on the axis. */
static int claim_axis(struct series *series, enum plot_counter_kind kind, const char *name)
{
	if (series->has_counter && series->counter_kind != kind)
		return diag_usage(
			"--counter '%s': is drawn as %s, the one before it as %s; one axis has one unit, draw two pictures", name,
			kinds[kind].title, kinds[series->counter_kind].title);
	series->has_counter = true;
	series->counter_kind = kind;
	return DIAG_EXIT_OK;
}

/* Of one cell, "" where there are none. */
static int take_of_cell(struct plot *plot, const struct loaded *loaded, const struct wanted *wanted, const char *cell)
{
	struct line *line = new_line(plot, loaded, wanted->place, wanted->what, cell);
	bool is_there = false;

	if (!line)
		return plot_no_memory();
	line->is_level = line->place == COUNTER;
	if (line->is_level && claim_axis(plot->state, PLOT_COUNTER_BYTES, wanted->name))
		return DIAG_EXIT_USAGE;
	for (size_t i = 0; i < loaded->interval_count; i++) {
		const struct loaded_interval *interval = &loaded->intervals[i];
		double value;

		if (!plot_window_has(plot->options, interval) || strcmp(interval->cell, cell))
			continue;
		value = wanted_value(wanted, interval);
		is_there = is_there || !isnan(value);
		add_point(line, interval, value);
	}
	line->begin_value = line->count ? line->values[0] : NAN;
	if (is_there)
		return DIAG_EXIT_OK;
	return diag_usage("%s: no interval has '%s': must be throughput, mean, p50, p99 (any pN), or an element of the series "
		      "as major_faults", loaded->path, wanted->name);
}

static int take_metric(struct plot *plot, const struct loaded *loaded, const char *name)
{
	struct wanted wanted;
	bool is_taken = false;
	int rc = DIAG_EXIT_OK;

	find_wanted(loaded, name, &wanted);
	if (!loaded->subject_count && plot->options->classes.count)
		return diag_usage(
			"--class: of a series it chooses cells of iowrite-bench or streams, and %s has none", loaded->path);
	if (!loaded->subject_count)
		return take_of_cell(plot, loaded, &wanted, "");
	for (size_t i = 0; i < loaded->subject_count && !rc; i++) {
		const char *cell = loaded->subjects[i].id;
		bool is_there = false;

		for (size_t j = 0; j < loaded->interval_count && !is_there; j++)
			is_there = plot_window_has(plot->options, &loaded->intervals[j]) &&
				   !strcmp(loaded->intervals[j].cell, cell);
		if (!is_there || !plot_class_is_wanted(plot->options, cell))
			continue;
		rc = take_of_cell(plot, loaded, &wanted, cell);
		is_taken = true;
	}
	if (rc || is_taken)
		return rc;
	return diag_usage("%s: no cell of --class has intervals", loaded->path);
}

/* Streams share the time of their intervals, and the machine's counters in it. */
static bool is_same_time(const struct loaded_interval *a, const struct loaded_interval *b)
{
	return a->repetition[0] && a->time_s == b->time_s && !strcmp(a->repetition, b->repetition);
}

/* Whether an interval is the first of its time, and a stream of that time is drawn. */
static bool has_counters_to_draw(const struct plot_options *options, const struct loaded *loaded, size_t i)
{
	const struct loaded_interval *first = &loaded->intervals[i];
	bool is_wanted = !first->repetition[0];

	if (i && is_same_time(first - 1, first))
		return false;
	for (; i < loaded->interval_count && !is_wanted && is_same_time(first, &loaded->intervals[i]); i++)
		is_wanted = plot_class_is_wanted(options, loaded->intervals[i].cell);
	return is_wanted;
}

static int take_counter(struct plot *plot, const struct loaded *loaded, const char *name)
{
	enum plot_counter_kind kind = plot_counter_kind(name);
	double level = 0;
	bool is_there = !plot_counter_begin(loaded, name, &level);
	struct line *line;

	/* A report without the machine's counters at its begin has some of its own in the intervals: what changed. */
	for (size_t i = 0; i < loaded->interval_count && !is_there && !kinds[kind].is_level; i++)
		is_there = !isnan(loaded_value_of(loaded->intervals[i].counters, loaded->intervals[i].counter_count, name));
	if (!is_there)
		return diag_usage("%s: has no counter '%s': the names are in its sys_mem_info, as vmstat.pswpin or "
			"meminfo.Dirty, or of ssd-workloads in its series, as disk.flush_ios", loaded->path, name);
	if (claim_axis(plot->state, kind, name))
		return DIAG_EXIT_USAGE;
	line = new_line(plot, loaded, COUNTER, name, "");
	if (!line)
		return plot_no_memory();
	line->is_level = kinds[kind].is_level;
	line->begin_value = level;
	/* Levels are summed up from the begin of the run, whatever part of it is shown. */
	for (size_t i = 0; i < loaded->interval_count; i++) {
		const struct loaded_interval *interval = &loaded->intervals[i];
		double before = level;

		if (line->is_level)
			level += change_of(interval, name);
		if (!plot_window_has(plot->options, interval) || !has_counters_to_draw(plot->options, loaded, i))
			continue;
		if (line->count == 0)
			line->begin_value = before;
		add_point(line, interval, line->is_level ? level : plot_counter_value(kind, interval, name));
	}
	return DIAG_EXIT_OK;
}

/* Phases of a pmbench run: where each begins. */
static void take_marks(struct series *series, const struct loaded *loaded)
{
	const struct report_node *node = report_read_find(report_read_root(loaded->document), "report/result/phases/phase");

	/* A single one is the whole run. */
	if (!node || !report_read_next(node))
		return;
	for (; node && series->mark_count < MARKS_MAX; node = report_read_next(node)) {
		struct mark *mark = &series->marks[series->mark_count];

		if (report_read_double(node, schema_phase_begin, &mark->time))
			continue;
		plot_text_clean(report_read_text(node, "pattern"), sizeof(mark->text) - 1, mark->text, sizeof(mark->text));
		series->mark_count++;
	}
}

int plot_series_take(struct plot *plot, const struct loaded *loaded)
{
	static const struct plot_list usual = {3, {"throughput", "p50", "p99"}};
	const struct plot_list *metrics = plot->options->metrics.count ? &plot->options->metrics : &usual;
	int rc = plot_window_check(plot, loaded);

	if (!rc && !plot_state(plot, sizeof(struct series)))
		rc = plot_no_memory();
	for (size_t i = 0; i < metrics->count && !rc; i++)
		rc = take_metric(plot, loaded, metrics->items[i]);
	for (size_t i = 0; i < plot->options->counters.count && !rc; i++)
		rc = take_counter(plot, loaded, plot->options->counters.items[i]);
	if (!rc && plot->report_count == 1)
		take_marks(plot->state, loaded);
	return rc;
}

/* --- what the template draws --- */

/* The place that a threshold is drawn at, -1 = nowhere: a bare number is on the axis of counters when there is one. */
static int place_of_threshold(const struct series *series, const struct plot_threshold *threshold)
{
	static const int places[] = {[PLOT_THRESHOLD_RATE] = RATE, [PLOT_THRESHOLD_NS] = LATENCY,
		[PLOT_THRESHOLD_BYTES] = COUNTER};
	int place = threshold->unit != PLOT_THRESHOLD_COUNT ? places[threshold->unit]
		    : series->has_counter ? COUNTER : RATE;

	for (size_t i = 0; i < series->count; i++) {
		if ((int)series->lines[i].place == place)
			return place;
	}
	return -1;
}

/* Reports and cells are colours and numbers of one are dashes; of a single one numbers are colours. Where a panel has many
 * lines, the first of each colour is named without its number, and a note says which dashes are which number. */
static void put_lines(struct plot *plot)
{
	const struct series *series = plot->state;
	const char *types[PLOT_DASHES];
	size_t type_count = 0;

	plot_block(plot, "lines", "0 rate, 1 latency, 2 counter; colour, dash");
	for (size_t i = 0; i < series->count; i++) {
		const struct line *line = &series->lines[i];
		size_t behind = line->place == COUNTER ? 2 : 0;

		if (series->subject_count > 1)
			plot_row(plot, line->place, (double)(line->subject % PLOT_COLOURS),
					(double)((line->index + behind) % PLOT_DASHES));
		else
			plot_row(plot, line->place, (double)(i % PLOT_COLOURS), behind ? 1 + (double)(line->index % 3) : 0);
	}
	plot_block(plot, "names", "texts");
	for (size_t i = 0; i < series->count; i++) {
		const struct line *line = &series->lines[i];
		bool is_split = series->subject_count > 1 && series->in_panel[line->place == LATENCY] > NAMES_MAX;
		bool is_named = !is_split || line->index == 0 || line->place == COUNTER;
		char text[3 * PLOT_TEXT];

		snprintf(text, sizeof(text), "%s%s%s%s%s%s", plot->report_count > 1 ? plot->names[line->report] : "",
			plot->report_count > 1 && (line->cell[0] || !is_split) ? ", " : "", line->cell,
			line->cell[0] && !is_split ? ", " : "", is_split && is_named && line->place != COUNTER
				? "" : line->what, line->place == COUNTER ? " (right)" : "");
		plot_text_line(plot, is_named ? text : "", plot_key_columns(plot), false);
	}
	for (size_t i = 0; i < series->count && series->subject_count > 1 && series->in_panel[true] > NAMES_MAX; i++) {
		const struct line *line = &series->lines[i];

		if (line->report == 0 && line->place == LATENCY && !strcmp(line->cell, series->lines[0].cell) &&
			type_count < PLOT_DASHES)
			types[type_count++] = line->what;
	}
	plot_dashes_note(plot, types, type_count);
}

/* A mean holds from the end of the interval before it to the end of its own. */
static void put_data(struct plot *plot)
{
	const struct series *series = plot->state;
	struct plot_extent time = PLOT_EXTENT_NONE, places[PLACES] = {PLOT_EXTENT_NONE, PLOT_EXTENT_NONE, PLOT_EXTENT_NONE};
	static const char *const names[] = {"rate", "latency", "counter"};

	plot_block(plot, "data", "seconds, value");
	for (size_t i = 0; i < series->count; i++) {
		const struct line *line = &series->lines[i];
		double from = line->begin;

		plot_index(plot, i);
		if (line->is_level)
			plot_row(plot, line->begin, line->begin_value);
		plot_extent_add(&places[line->place], line->is_level ? line->begin_value : NAN);
		plot_extent_add(&time, line->begin);
		for (size_t j = 0; j < line->count; j++) {
			if (!line->is_level && !isnan(line->values[j]))
				plot_row(plot, from, line->values[j]);
			plot_row(plot, line->times[j], line->values[j]);
			from = line->times[j];
			plot_extent_add(&places[line->place], line->values[j]);
			plot_extent_add(&time, line->times[j]);
		}
	}
	for (size_t i = 0; i < plot->options->threshold_count; i++) {
		int place = place_of_threshold(series, &plot->options->thresholds[i]);

		if (place >= 0)
			plot_extent_add(&places[place], plot->options->thresholds[i].value);
	}
	plot_set_extent(plot, "x", &time, NULL);
	for (size_t i = 0; i < PLACES; i++)
		plot_set_extent(plot, names[i], &places[i], i == LATENCY ? &plot->options->y_range : NULL);
	plot_set_count(plot, "has_rate", series->in_panel[false] > 0);
	plot_set_count(plot, "has_latency", series->in_panel[true] > 0);
	plot_set_count(plot, "has_counter", series->has_counter);
}

static void put_marks(struct plot *plot)
{
	const struct series *series = plot->state;
	const struct plot_options *options = plot->options;

	plot_block(plot, "marks", "seconds");
	for (size_t i = 0; i < series->mark_count; i++)
		plot_row(plot, series->marks[i].time);
	plot_text_block(plot, "mark_names", "texts", series->marks[0].text, sizeof(series->marks[0]), series->mark_count, PLOT_TEXT,
		false);
	plot_block(plot, "thresholds", "0 rate, 1 latency, 2 counter; value");
	for (size_t i = 0; i < options->threshold_count; i++)
		plot_row(plot, place_of_threshold(series, &options->thresholds[i]), options->thresholds[i].value);
	plot_block(plot, "threshold_names", "texts, empty = the value");
	for (size_t i = 0; i < options->threshold_count; i++)
		plot_text_line(plot, options->thresholds[i].label, 60, false);
}

static const char *rate_title(const struct series *series)
{
	const char *what = "per second";

	for (size_t i = 0, found = 0; i < series->count; i++) {
		if (series->lines[i].place != RATE)
			continue;
		if (found++ && strcmp(what, series->lines[i].what))
			return "per second";
		what = series->lines[i].what;
	}
	return what;
}

int plot_series_extract(struct plot *plot)
{
	const struct series *series = plot->state;
	const struct plot_options *options = plot->options;
	const char *title = rate_title(series);
	bool has_cells = series->lines[0].cell[0], is_of_streams = true;

	if (series->count > LINES_MAX || plot->report_count > PLOT_COLOURS)
		return diag_usage("%zu lines of %zu reports: a picture distinguishes at most %d and %d; draw fewer",
			series->count, plot->report_count, LINES_MAX, PLOT_COLOURS);
	for (size_t i = 0; i < options->threshold_count; i++) {
		if (options->thresholds[i].unit == PLOT_THRESHOLD_BYTES &&
			(!series->has_counter || series->counter_kind != PLOT_COUNTER_BYTES))
			return diag_usage("--threshold: a size needs a --counter of memory, as meminfo.Dirty");
	}
	for (size_t i = 0; i < plot->report_count; i++)
		is_of_streams = is_of_streams && !strcmp(plot->reports[i].tool, "ssd-workloads");
	put_lines(plot);
	plot_window_note(plot);
	put_data(plot);
	put_marks(plot);
	plot_texts(plot, "rate_title", (char *const[]){(char *)title}, 1);
	plot_set_word(plot, "latency_title", is_of_streams ? "response time of a write"
		      : has_cells ? "latency of an operation" : "latency of an access");
	plot_set_word(plot, "time_title", is_of_streams ? "time since the first measurement began (s)"
		      : has_cells ? "time since the first write of the cell (s)" : "time since the run began (s)");
	plot_set_word(plot, "counter_title", kinds[series->counter_kind].title);
	plot_set_word(plot, "counter_unit", kinds[series->counter_kind].unit);
	return DIAG_EXIT_OK;
}
