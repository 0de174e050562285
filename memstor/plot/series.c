/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/series.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/units.h"
#include "memstor/plot/text.h"
#include "memstor/plot/window.h"

/* Values of intervals under other names; the one that the report has. A tool adds its rows. */
static const struct value_alias {
	const char *name, *value, *what;
	bool is_counted; /* in the interval: drawn per second */
} aliases[] = {
	{"throughput", "accesses_per_second", "accesses per second", false},
	{"throughput", "operations_per_second", "writes per second", false},
	{"operations_per_second", "operations_per_second", "writes per second", false},
	{"operations", "operations", "writes per second", true},
	{"bandwidth", "bytes_per_second", "bytes per second", false},
	{"accesses_per_second", "accesses_per_second", "accesses per second", false},
	{"accesses", "accesses", "accesses per second", true},
	{"minor_faults", "minor_faults", "minor faults per second", true},
	{"major_faults", "major_faults", "major faults per second", true},
	{"mean", "mean_ns", "mean", false},
};

static int no_memory(void)
{
	diag_error(ENOMEM, "cannot draw");
	return DIAG_EXIT_HOST;
}

/* Room for the values of all intervals. NULL = no memory. */
static struct plot_series_line *new_line(
	struct plot *plot, const struct loaded *loaded, enum plot_series_place place, const char *what)
{
	struct plot_series *series = plot->state;
	struct plot_series_line *line;

	if (series->line_count == series->room) {
		size_t room = series->room ? 2 * series->room : 8;
		struct plot_series_line *lines = realloc(series->lines, room * sizeof(*lines));

		if (!lines)
			return NULL;
		series->lines = lines;
		series->room = room;
	}
	line = &series->lines[series->line_count];
	*line = (struct plot_series_line){.report = plot->report_count - 1, .place = place};
	for (size_t i = 0; i < series->line_count; i++)
		line->index += series->lines[i].report == line->report && series->lines[i].place == place;
	plot_text_clean(what, sizeof(line->what) - 1, line->what, sizeof(line->what));
	/* Before each there may be a gap. */
	line->times = calloc(2 * loaded->interval_count + 1, sizeof(*line->times));
	line->values = calloc(2 * loaded->interval_count + 1, sizeof(*line->values));
	series->line_count++;
	return line->times && line->values ? line : NULL;
}

/* Between two repetitions, or two cells of one, nothing is measured. "" = of another kind of report. */
static void name_stretch(const struct loaded_interval *interval, char name[METRIC_SUBJECT + 24])
{
	name[0] = '\0';
	if (interval->repetition[0])
		snprintf(name, METRIC_SUBJECT + 24, "%s %s", interval->repetition, interval->cell);
}

static void add_point(struct plot_series_line *line, const struct loaded_interval *interval, double value)
{
	double begin = interval->time_s - interval->seconds;
	char stretch[sizeof(line->stretch)];

	name_stretch(interval, stretch);
	if (line->count == 0)
		line->begin = begin;
	/* Whether its time begins anew or goes on after others. */
	if (line->count && strcmp(line->stretch, stretch) != 0) {
		line->times[line->count] = begin;
		line->values[line->count++] = NAN;
	}
	snprintf(line->stretch, sizeof(line->stretch), "%s", stretch);
	line->times[line->count] = interval->time_s;
	line->values[line->count++] = value;
}

static double value_of(const struct loaded_interval *interval, const char *name)
{
	for (size_t i = 0; i < interval->value_count; i++) {
		if (!strcmp(interval->values[i].name, name))
			return interval->values[i].value;
	}
	return NAN;
}

/* "p99" or "p99.9": the number behind the p. */
static bool is_percentile(const char *name, double *percent)
{
	return name[0] == 'p' && !units_parse_double(name + 1, 0, 100, percent);
}

static bool is_latency(const char *name)
{
	size_t length = strlen(name);

	return length > 3 && !strcmp(name + length - 3, "_ns");
}

/* The report's own percentile knows the maximum that the interval's histogram does not. */
static double percentile_of(const struct loaded_interval *interval, const char *name, double percent)
{
	char own[64];
	double value;

	snprintf(own, sizeof(own), "%s_ns", name);
	value = value_of(interval, own);
	return isnan(value) && interval->histogram ? loaded_percentile(interval->histogram, percent) : value;
}

struct wanted { /* one metric */
	const char *name, *value, *what;
	bool is_percentile, is_counted;
	double percent;
};

static struct wanted wanted_of(const struct loaded *loaded, const char *name)
{
	struct wanted wanted = {name, name, name, false, false, 0};

	wanted.is_percentile = is_percentile(name, &wanted.percent);
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (strcmp(name, aliases[i].name) || isnan(value_of(&loaded->intervals[0], aliases[i].value)))
			continue;
		wanted.value = aliases[i].value;
		wanted.what = aliases[i].what;
		wanted.is_counted = aliases[i].is_counted;
	}
	return wanted;
}

static double wanted_value(const struct wanted *wanted, const struct loaded_interval *interval)
{
	double value;

	if (wanted->is_percentile)
		return percentile_of(interval, wanted->name, wanted->percent);
	value = value_of(interval, wanted->value);
	return wanted->is_counted ? value / interval->seconds : value;
}

static bool is_bytes(const char *name)
{
	size_t length = strlen(name);

	return length > 6 && !strcmp(name + length - 6, "_bytes");
}

static enum plot_series_place place_of(const struct wanted *wanted)
{
	if (wanted->is_percentile || is_latency(wanted->value))
		return PLOT_SERIES_LATENCY;
	return is_bytes(wanted->value) ? PLOT_SERIES_COUNTER : PLOT_SERIES_RATE;
}

static int refuse_unit(enum plot_counter_kind kind, const char *name, const struct plot_series *series)
{
	diag_error(0, "--counter '%s': is drawn as %s, the one before it as %s; one axis has one unit, draw two pictures", name,
		plot_counter_title(kind), plot_counter_title(series->counter_kind));
	return DIAG_EXIT_USAGE;
}

/* Of one cell, "" where there are none. */
static int take_of_cell(struct plot *plot, const struct loaded *loaded, const struct wanted *wanted, const char *cell)
{
	struct plot_series *series = plot->state;
	struct plot_series_line *line = new_line(plot, loaded, place_of(wanted), wanted->what);
	bool is_there = false;

	if (!line)
		return no_memory();
	snprintf(line->cell, sizeof(line->cell), "%s", cell);
	line->is_level = line->place == PLOT_SERIES_COUNTER;
	if (line->is_level && series->has_counter && series->counter_kind != PLOT_COUNTER_BYTES)
		return refuse_unit(PLOT_COUNTER_BYTES, wanted->name, series);
	if (line->is_level) {
		series->has_counter = true;
		series->counter_kind = PLOT_COUNTER_BYTES;
	}
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
	diag_error(0, "%s: no interval has '%s': must be throughput, mean, p50, p99 (any pN), or an element of the series "
		      "as major_faults", loaded->path, wanted->name);
	return DIAG_EXIT_USAGE;
}

/* --class, with the wildcards of a shell. */
bool plot_class_is_wanted(const struct plot_options *options, const char *id)
{
	for (size_t i = 0; i < options->classes.count; i++) {
		if (!fnmatch(options->classes.items[i], id, 0))
			return true;
	}
	return options->classes.count == 0;
}

static int take_metric(struct plot *plot, const struct loaded *loaded, const char *name)
{
	struct wanted wanted = wanted_of(loaded, name);
	size_t taken = 0;
	int rc = DIAG_EXIT_OK;

	if (!loaded->subject_count && plot->options->classes.count) {
		diag_error(0, "--class: of a series it chooses cells of iowrite-bench or streams, and %s has none", loaded->path);
		return DIAG_EXIT_USAGE;
	}
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
		taken++;
	}
	if (rc || taken)
		return rc;
	diag_error(0, "%s: no cell of --class has intervals", loaded->path);
	return DIAG_EXIT_USAGE;
}

/* Streams share their intervals' time, and what the machine did in it: told with the first of them. */
static bool is_same_time(const struct loaded_interval *a, const struct loaded_interval *b)
{
	return a->repetition[0] && a->time_s == b->time_s && !strcmp(a->repetition, b->repetition);
}

/* Of the time of streams that are not drawn the machine's counters are not, either. */
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

/* Levels are summed up from the begin of the run, whatever part of it is shown. */
static void take_points(struct plot *plot, const struct loaded *loaded, enum plot_counter_kind kind, const char *name,
	struct plot_series_line *line)
{
	double level = line->begin_value;

	for (size_t i = 0; i < loaded->interval_count; i++) {
		const struct loaded_interval *interval = &loaded->intervals[i];
		double before = level;

		if (line->is_level)
			level += plot_counter_change(interval, name);
		if (!plot_window_has(plot->options, interval) || !has_counters_to_draw(plot->options, loaded, i))
			continue;
		if (line->count == 0)
			line->begin_value = before;
		add_point(line, interval, line->is_level ? level : plot_counter_value(kind, interval, name));
	}
}

/* A report without the machine's counters at its begin has some of its own in the intervals: what changed. */
static int find_begin(const struct loaded *loaded, enum plot_counter_kind kind, const char *name, double *begin)
{
	*begin = 0;
	if (!plot_counter_begin(loaded, name, begin))
		return 0;
	for (size_t i = 0; i < loaded->interval_count && !plot_counter_is_level(kind); i++) {
		for (size_t j = 0; j < loaded->intervals[i].counter_count; j++) {
			if (!strcmp(loaded->intervals[i].counters[j].name, name))
				return 0;
		}
	}
	return -ENOENT;
}

static int take_counter(struct plot *plot, const struct loaded *loaded, const char *name)
{
	struct plot_series *series = plot->state;
	enum plot_counter_kind kind = plot_counter_kind(name);
	struct plot_series_line *line;
	double begin;

	if (find_begin(loaded, kind, name, &begin)) {
		diag_error(0, "%s: has no counter '%s': the names are in its sys_mem_info, as vmstat.pswpin or meminfo.Dirty, "
			      "or of ssd-workloads in its series, as disk.flush_ios", loaded->path, name);
		return DIAG_EXIT_USAGE;
	}
	if (series->has_counter && series->counter_kind != kind)
		return refuse_unit(kind, name, series);
	series->has_counter = true;
	series->counter_kind = kind;
	line = new_line(plot, loaded, PLOT_SERIES_COUNTER, name);
	if (!line)
		return no_memory();
	line->is_level = plot_counter_is_level(kind);
	line->begin_value = begin;
	take_points(plot, loaded, kind, name, line);
	return DIAG_EXIT_OK;
}

int plot_series_take(struct plot *plot, const struct loaded *loaded)
{
	static const struct plot_list usual = {3, {"throughput", "p50", "p99"}};
	const struct plot_list *metrics = plot->options->metrics.count ? &plot->options->metrics : &usual;
	int rc = plot_window_check(plot, loaded);

	for (size_t i = 0; i < metrics->count && !rc; i++)
		rc = take_metric(plot, loaded, metrics->items[i]);
	for (size_t i = 0; i < plot->options->counters.count && !rc; i++)
		rc = take_counter(plot, loaded, plot->options->counters.items[i]);
	if (!rc && plot->report_count == 1)
		plot_series_take_marks(plot->state, loaded);
	return rc;
}

void plot_series_free(struct plot *plot)
{
	struct plot_series *series = plot->state;

	for (size_t i = 0; i < series->line_count; i++) {
		free(series->lines[i].name);
		free(series->lines[i].times);
		free(series->lines[i].values);
	}
	free(series->lines);
}
