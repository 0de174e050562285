/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/plot.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/input.h"
#include "common/report_read.h"
#include "common/sysfs.h"
#include "memstor/commands.h"
#include "memstor/inputs.h"

/* Of reports one by one into a state; or of all of them at once. */
#define TAKEN(word, first)                                                                                           \
	.template = embedded_plot_##word, .take = plot_##first##_take, .extract = plot_##word##_extract
#define CURVES(word) TAKEN(word, curves), .free = plot_curves_free
#define KEPT(word, from, reports)                                                                                    \
	.template = embedded_plot_##word, .extract = plot_##from##_extract, .reports_max = (reports)

const struct plot_kind plot_kind_table[] = {
	{.name = "histogram", .summary = "Histogram of latencies",
		.takes = "type class from to y legend group-by -- mark x-range share", CURVES(histogram)},
	{.name = "cdf", .summary = "Cumulative distribution of latencies",
		.takes = "type class from to y legend group-by -- mark x-range", CURVES(cdf)},
	{.name = "percentile", .summary = "Latencies by percentile",
		.takes = "type class from to y legend group-by -- y-range", CURVES(percentile)},
	{.name = "series", .summary = "Rates, latencies and the kernel's counters in time",
		.takes = "metric counter threshold from to class y-range y legend", .needs_series = true,
		TAKEN(series, series)},
	{.name = "heatmap", .summary = "Latencies in time", .takes = "from to y-range y share legend",
		.needs_series = true, .reports_max = PLOT_HEATMAP_REPORTS, TAKEN(heatmap, heatmap),
		.free = plot_heatmap_free},
	{.name = "bars", .summary = "Groups of runs side by side", .takes = "metric group-by -- y legend", TAKEN(bars, bars)},
	{.name = "prediction", .summary = "A scenario of iowrite-bench evaluate: cost of each write, measured and predicted",
		.takes = "scenario model y", KEPT(prediction, prediction, 1)},
	{.name = "kernel-trace", .summary = "The kernel's view of iowrite-bench trace and the model's", .takes = "y",
		KEPT(trace, trace, 1)},
	{.name = "errors", .summary = "Errors of the models of iowrite-bench evaluate by scenario", .takes = "metric model y",
		TAKEN(errors, errors)},
	{.name = "cost", .summary = "Cost of a write of iowrite-bench run, by size or by cell",
		.takes = "metric class y legend", TAKEN(cost, cost)},
	{.name = "interference", .summary = "Mutual cost of log and checkpoint of ssd-workloads run --baselines",
		.takes = "y legend", KEPT(interference, interference, 0)},
	{.name = "lba", .summary = "Address and time of the writes of ssd-workloads analyze fig11", KEPT(lba, points, 1)},
	{.name = "tail", .summary = "The tail of the response times of ssd-workloads analyze fig9", .takes = "legend",
		KEPT(tail, points, PLOT_POINTS_REPORTS)},
	{.name = "ratios", .summary = "Response times over those of the stream alone, of ssd-workloads analyze fig6",
		.takes = "legend", KEPT(ratios, points, PLOT_POINTS_REPORTS)},
	{.name = "slowest", .summary = "The slowest writes by part, of ssd-workloads analyze fig4", KEPT(slowest, slowest, 1)},
	{.name = "segments", .summary = "A simulated device's writes by step, of ssd-workloads analyze fig4", .takes = "legend",
		KEPT(segments, table, PLOT_TABLE_REPORTS)},
	{.name = "collections", .summary = "Garbage collections by their copies, of ssd-workloads analyze fig5",
		KEPT(collections, table, 1)},
	{.name = "gantt", .summary = "The ways of a write, of ssd-workloads analyze gantt, fig7 or fig8", KEPT(gantt, table, 1)},
	{.name = "copies", .summary = "Writes by the valid pages copied for them, of ssd-workloads analyze fig10",
		.takes = "legend", KEPT(copies, table, PLOT_TABLE_REPORTS)},
	{.name = "attribution", .summary = "Causes of the time of writes, of ssd-workloads analyze attribution",
		KEPT(attribution, table, 1)},
	{.name = "counters", .summary = "A simulated device's counters in time, of ssd-workloads analyze counters",
		KEPT(counters, table, 1)},
	{.name = "window", .summary = "Time span of the records, of ssd-workloads analyze window", .takes = "legend",
		KEPT(window, table, PLOT_TABLE_REPORTS)},
	{.name = "bandwidth", .summary = "Bandwidth in the mix and alone, of ssd-workloads analyze bandwidth",
		.takes = "legend", KEPT(bandwidth, table, PLOT_TABLE_REPORTS)},
	{.name = "access-pattern", .summary = "Accesses by time and address, of memtrace analyze pattern",
		KEPT(access_map, access_map, 1)},
	{.name = "access-count", .summary = "Accesses by address, of memtrace analyze count", .takes = "y legend",
		KEPT(access_count, access, PLOT_ACCESS_REPORTS)},
	{.name = "hot-set", .summary = "Size of memory by access frequency, of memtrace analyze hotset", .takes = "y legend",
		KEPT(hot_set, access, PLOT_ACCESS_REPORTS)},
	{.name = "miss-ratio", .summary = "Miss ratio of an LRU buffer by its size, of memtrace analyze missratio",
		.takes = "legend", KEPT(miss_ratio, access, PLOT_ACCESS_REPORTS)},
	{.name = "popularity", .summary = "Accesses by rank, of memtrace analyze skew", .takes = "legend",
		KEPT(popularity, access, PLOT_ACCESS_REPORTS)},
	{.name = "reuse-distance", .summary = "Reuse distances, of memtrace analyze reuse", .takes = "legend",
		KEPT(reuse_distance, access, PLOT_ACCESS_REPORTS)},
	{.name = "stride", .summary = "Distances of successive accesses, of memtrace analyze stride", .takes = "legend",
		KEPT(stride, access, PLOT_ACCESS_REPORTS)},
	{.name = "accessed-volume", .summary = "Accessed volume before and after, of memtrace analyze partition",
		KEPT(volume, volume, 1)},
	{.name = "buffer", .summary = "Slowdown by memory, over the miss ratios or the hot set of a recording",
		.takes = "-- y legend", TAKEN(buffer, buffer)},
	{.name = NULL},
};

const struct plot_kind *plot_kind_find(const char *name)
{
	for (const struct plot_kind *kind = plot_kind_table; kind->name; kind++) {
		if (!strcmp(kind->name, name))
			return kind;
	}
	return NULL;
}

const char *plot_kind_name(size_t i)
{
	return i < sizeof(plot_kind_table) / sizeof(plot_kind_table[0]) ? plot_kind_table[i].name : NULL;
}

static bool names_option(const struct plot_kind *kind, const char *option)
{
	return kind->takes && sysfs_has_word(kind->takes, " ", option);
}

bool plot_kind_takes(const struct plot_kind *kind, const char *option)
{
	bool is_named = false;

	for (const struct plot_kind *other = plot_kind_table; other->name && !is_named; other++)
		is_named = names_option(other, option);
	return !is_named || names_option(kind, option);
}

char *plot_kind_names(const char *option, char *text, size_t length)
{
	const struct plot_kind *last = plot_kind_table;
	size_t used = 0;

	for (const struct plot_kind *kind = plot_kind_table; kind->name; kind++)
		last = !option || names_option(kind, option) ? kind : last;
	text[0] = '\0';
	for (const struct plot_kind *kind = plot_kind_table; kind->name && used < length; kind++) {
		if (!option || names_option(kind, option))
			used += (size_t)snprintf(text + used, length - used, "%s%s",
				!used ? "" : kind == last ? " or " : ", ", kind->name);
	}
	return text;
}

/* --- for kinds --- */

void plot_note(struct plot *plot, bool is_warning, const char *format, ...)
{
	struct plot_note note = {.is_warning = is_warning};
	va_list arguments;
	size_t at = 0;

	va_start(arguments, format);
	vsnprintf(note.text, sizeof(note.text), format, arguments);
	va_end(arguments);
	for (size_t i = 0; i < plot->note_count; i++) {
		if (!strcmp(plot->notes[i].text, note.text))
			return;
	}
	while (is_warning && at < plot->note_count && plot->notes[at].is_warning)
		at++;
	if (!is_warning)
		at = plot->note_count;
	if (at == PLOT_NOTES_MAX)
		return;
	if (plot->note_count == PLOT_NOTES_MAX)
		plot->note_count--;
	memmove(&plot->notes[at + 1], &plot->notes[at], (plot->note_count - at) * sizeof(note));
	plot->notes[at] = note;
	plot->note_count++;
}

void plot_dashes_note(struct plot *plot, const char *const *names, size_t count)
{
	static const char *const dashes[PLOT_DASHES] = {"Solid lines", "dashed", "dotted", "dash-dotted"};
	char text[PLOT_TEXT] = "";
	size_t used = 0;

	for (size_t i = 0; i < count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s: %s", i ? ", " : "", dashes[i], names[i]);
	if (count)
		plot_note(plot, false, "%s.", text);
}

int plot_no_memory(void)
{
	return diag_host(ENOMEM, "cannot draw");
}

int plot_refuse_report(const struct plot *plot, size_t report, const char *tool, const char *command)
{
	return diag_usage("%s: no report of %s %s, which is what %s draws", plot->reports[report].path, tool, command,
		plot->options->kind->name);
}

const struct report_node *plot_result_part(const struct plot *plot, size_t report, const char *part, const char *tool,
	const char *command)
{
	const struct report_node *result = report_read_find(report_read_root(plot->loaded[report]->document), "report/result");
	const struct report_node *node = result ? report_read_find(result, part) : NULL;

	if (!node)
		plot_refuse_report(plot, report, tool, command);
	return node;
}

const void *plot_kind_row(const struct plot *plot, const void *rows, size_t size)
{
	const char *row = rows, *name;

	for (;; row += size) {
		memcpy(&name, row, sizeof(name));
		if (!strcmp(name, plot->options->kind->name))
			return row;
	}
}

void *plot_keep(struct plot *plot, size_t count, size_t size)
{
	size_t bytes;
	void *memory = __builtin_mul_overflow(count, size, &bytes) ? NULL : arena_allocate(&plot->arena, bytes ? bytes : 1);

	return memory ? memset(memory, 0, bytes) : NULL;
}

void *plot_state(struct plot *plot, size_t size)
{
	if (!plot->state)
		plot->state = plot_keep(plot, 1, size);
	return plot->state;
}

int plot_grow(struct plot *plot, void *array, size_t *room, size_t count, size_t size)
{
	size_t wanted = *room ? 2 * *room : 16;
	void *list, *grown;

	if (count < *room)
		return 0;
	memcpy(&list, array, sizeof(list));
	grown = plot_keep(plot, wanted, size);
	if (!grown)
		return -ENOMEM;
	if (count)
		memcpy(grown, list, count * size);
	memcpy(array, &grown, sizeof(grown));
	*room = wanted;
	return 0;
}

int plot_metrics_choose(const struct plot_options *options, struct metric *metrics, size_t max, size_t *count)
{
	const char *why;

	*count = options->metrics.count;
	if (*count > max)
		return diag_usage("--metric: a picture has room for %zu, these are %zu", max, *count);
	for (size_t i = 0; i < *count; i++) {
		if (metric_parse(options->metrics.items[i], &metrics[i], &why))
			return diag_usage("--metric '%s': %s", options->metrics.items[i], why);
	}
	return DIAG_EXIT_OK;
}

bool plot_class_is_wanted(const struct plot_options *options, const char *id)
{
	for (size_t i = 0; i < options->classes.count; i++) {
		if (!fnmatch(options->classes.items[i], id, 0))
			return true;
	}
	return options->classes.count == 0;
}

bool plot_list_has(const struct plot_list *list, const char *word)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!strcmp(list->items[i], word))
			return true;
	}
	return false;
}

bool plot_window_has(const struct plot_options *options, const struct loaded_interval *interval)
{
	double middle = interval->time_s - interval->seconds / 2;

	return interval->seconds > 0 && isfinite(middle) && middle >= options->from_s && middle < options->to_s;
}

int plot_window_check(const struct plot *plot, const struct loaded *loaded)
{
	if (loaded->interval_count == 0)
		return diag_usage("%s: the report has no series", loaded->path);
	for (size_t i = 0; i < loaded->interval_count; i++) {
		if (plot_window_has(plot->options, &loaded->intervals[i]))
			return DIAG_EXIT_OK;
	}
	return diag_usage("%s: no interval lies between --from and --to; the run ended after %.6g s, in intervals of %.6g s",
		loaded->path, loaded->intervals[loaded->interval_count - 1].time_s, loaded->interval_s);
}

void plot_window_note(struct plot *plot)
{
	const struct plot_options *options = plot->options;

	if (options->has_window && isinf(options->to_s))
		plot_note(plot, false, "Only what was measured from %.6g s on.", options->from_s);
	else if (options->has_window)
		plot_note(plot, false, "Only what was measured from %.6g s to %.6g s.", options->from_s, options->to_s);
}

/* --- the script --- */

static void put_value(FILE *out, double value)
{
	/* Counts are exact. */
	if (isfinite(value))
		fprintf(out, value == floor(value) && fabs(value) < 0x1p53 ? "%.0f" : "%.10g", value);
	else
		fputs("NaN", out);
}

/* A number without a point would be an integer, whose division cuts. */
void plot_set(struct plot *plot, const char *name, double value)
{
	plot_block_end(plot);
	fprintf(plot->script, "%s = 1. * ", name);
	put_value(plot->script, value);
	fputc('\n', plot->script);
}

void plot_set_count(struct plot *plot, const char *name, size_t value)
{
	plot_block_end(plot);
	fprintf(plot->script, "%s = %zu\n", name, value);
}

void plot_set_word(struct plot *plot, const char *name, const char *text)
{
	plot_block_end(plot);
	fprintf(plot->script, "%s = \"%s\"\n", name, text);
}

void plot_extent_add(struct plot_extent *extent, double value)
{
	if (!isfinite(value))
		return;
	extent->low = fmin(extent->low, value);
	extent->high = fmax(extent->high, value);
	if (value > 0)
		extent->least = fmin(extent->least, value);
}

void plot_set_extent(struct plot *plot, const char *axis, const struct plot_extent *extent,
	const struct plot_range *given)
{
	bool is_given = given && given->is_given, is_empty = extent->low > extent->high;
	bool has_least = isfinite(extent->least);
	char name[64];

	snprintf(name, sizeof(name), "%s_low", axis);
	plot_set(plot, name, is_given ? given->low_ns : is_empty ? 1 : extent->low);
	snprintf(name, sizeof(name), "%s_least", axis);
	plot_set(plot, name, is_given ? given->low_ns : has_least ? extent->least : 1);
	snprintf(name, sizeof(name), "%s_high", axis);
	plot_set(plot, name, is_given ? given->high_ns : is_empty ? 10 : extent->high);
	snprintf(name, sizeof(name), "%s_given", axis);
	plot_set_count(plot, name, is_given);
}

void plot_block(struct plot *plot, const char *name, const char *columns)
{
	plot_block_end(plot);
	fprintf(plot->script, "# %s\n$%s << END\n", columns, name);
	plot->is_in_block = true;
}

void plot_values(struct plot *plot, const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc(' ', plot->script);
		put_value(plot->script, values[i]);
	}
	fputc('\n', plot->script);
}

void plot_index(struct plot *plot, size_t i)
{
	fputs(i ? "\n\n" : "", plot->script);
}

void plot_block_end(struct plot *plot)
{
	fputs(plot->is_in_block ? "END\n" : "", plot->script);
	plot->is_in_block = false;
}

void plot_text_line(struct plot *plot, const char *text, size_t columns, bool is_tic)
{
	char clean[PLOT_TEXT];

	plot_text_clean(text, columns, clean, sizeof(clean));
	fputc(' ', plot->script);
	for (const char *at = clean; *at; at++)
		fprintf(plot->script, "%s%c", is_tic && *at == '%' ? "%" : "", *at);
	fputc('\n', plot->script);
}

/* Of a PNG more pixels are a finer picture, not a larger one; texts that are smaller cannot be read. */
static double scale_of(const struct plot_options *options)
{
	return strcmp(options->format, "png") ? 1 : fmax(fmin(options->width / 960., options->height / 600.), 0.8);
}

size_t plot_key_columns(const struct plot *plot)
{
	return (size_t)((plot->options->width / scale_of(plot->options) - 190) / 9.1);
}

void plot_text_block(struct plot *plot, const char *name, const char *columns, const char *first, size_t stride, size_t count,
	size_t width, bool is_tic)
{
	plot_block(plot, name, columns);
	for (size_t i = 0; i < count; i++)
		plot_text_line(plot, first + i * stride, width, is_tic);
}

void plot_texts(struct plot *plot, const char *name, char *const *texts, size_t count)
{
	plot_block(plot, name, "texts");
	for (size_t i = 0; i < count; i++)
		plot_text_line(plot, texts[i], plot_key_columns(plot), false);
}

/* --- reports --- */

/* What the picture shows of a run that did not go well must be read with that in mind. */
static void note_status(struct plot *plot, const struct plot_facts *facts)
{
	char name[PLOT_TEXT];

	if (!strcmp(facts->status, "ok"))
		return;
	plot_text_clean(facts->file, 60, name, sizeof(name));
	plot_note(plot, true, "%s is %s%s%s.", name, !strcmp(facts->status, "interrupted") ? "of an interrupted run"
			  : "not to be trusted", facts->reasons[0] ? ": " : "", facts->reasons);
}

static int take_report(struct plot *plot, const char *path, size_t group)
{
	const struct plot_options *options = plot->options;
	bool wants_series = options->kind->needs_series || options->has_window;
	struct loaded *loaded;
	int rc = loaded_read(path, wants_series ? LOADED_SERIES : 0, &loaded);

	if (rc)
		return rc;
	if (plot_facts_take(loaded, group, &plot->reports[plot->report_count])) {
		rc = plot_no_memory();
	} else {
		note_status(plot, &plot->reports[plot->report_count++]);
		plot->loaded[plot->report_count - 1] = loaded;
		if (!options->kind->take)
			return DIAG_EXIT_OK;
		rc = options->kind->take(plot, loaded);
		plot->loaded[plot->report_count - 1] = NULL;
	}
	loaded_free(loaded);
	return rc;
}

static int take_all(struct plot *plot)
{
	const struct plot_files *files = &plot->options->files;
	const struct plot_kind *kind = plot->options->kind;
	size_t *ends = plot_keep(plot, files->count, sizeof(*ends)), argument = 0; /* ends: reports up to each argument */
	struct inputs inputs = {0};
	int rc = ends ? DIAG_EXIT_OK : plot_no_memory();

	for (size_t i = 0; i < files->count && !rc; i++) {
		rc = inputs_add(&inputs, files->items[i].text);
		ends[i] = inputs.count;
	}
	if (!rc && kind->reports_max && inputs.count > kind->reports_max)
		rc = diag_usage("%s draws at most %zu report%s, these are %zu", kind->name, kind->reports_max,
			kind->reports_max == 1 ? "" : "s", inputs.count);
	if (!rc) {
		plot->reports = plot_keep(plot, inputs.count, sizeof(*plot->reports));
		plot->loaded = plot_keep(plot, inputs.count, sizeof(struct loaded *));
		rc = plot->reports && plot->loaded ? 0 : plot_no_memory();
	}
	for (size_t i = 0; i < inputs.count && !rc; i++) {
		while (ends[argument] <= i)
			argument++;
		rc = take_report(plot, inputs.paths[i], files->items[argument].group);
	}
	if (!rc && !plot_kind_takes(kind, "--")) {
		plot->names = plot_fact_names(plot->reports, plot->report_count, &plot->options->legend, &plot->arena);
		rc = plot->names ? 0 : plot_no_memory();
	}
	inputs_free(&inputs);
	return rc;
}

char *plot_title(const struct plot *plot, char *text, size_t length)
{
	if (plot->options->title)
		plot_text_clean(plot->options->title, length, text, length);
	else if (plot->title[0])
		plot_text_clean(plot->title, length, text, length);
	else
		plot_phrase_title(plot->reports, plot->report_count, text, length);
	return text;
}

/* Up to three lines. */
static void put_lines(struct plot *plot, const char *block, const char *text, size_t columns)
{
	char clean[PLOT_TEXT], line[PLOT_TEXT];
	const char *rest = clean;

	plot_text_clean(text, 3 * columns, clean, sizeof(clean));
	plot_block(plot, block, "texts");
	while (rest && *rest) {
		size_t bytes;
		const char *next = plot_text_break(rest, columns, &bytes);

		snprintf(line, sizeof(line), "%.*s", (int)bytes, rest);
		plot_text_line(plot, line, PLOT_TEXT, false);
		rest = next;
	}
}

/* What every template finds: the picture's size and format, what was asked for, the texts around the data. */
static void put_head(struct plot *plot)
{
	const struct plot_options *options = plot->options;
	double scale = scale_of(options), columns = (options->width / scale - 110) / 0.55; /* of a font of one unit */
	size_t warnings = 0;
	char text[PLOT_TEXT];

	fprintf(plot->script, "# A picture by memstor " PACKAGE_VERSION ": gnuplot THIS-FILE >picture.%s\n", options->format);
	plot_set_word(plot, "format", options->format);
	plot_set_count(plot, "width", options->width);
	plot_set_count(plot, "height", options->height);
	plot_set(plot, "scale", scale);
	plot_set_word(plot, "scale_y", options->y == PLOT_SCALE_LOG ? "log" : options->y == PLOT_SCALE_LINEAR ? "linear" : "");
	plot_set_count(plot, "share", options->is_share);
	plot_set_word(plot, "what", plot_phrase_what(plot->reports, plot->report_count));
	put_lines(plot, "title", plot_title(plot, text, sizeof(text)), (size_t)(columns / 16));
	put_lines(plot, "machine", plot_phrase_machine(plot->reports, plot->report_count, text, sizeof(text)),
		(size_t)(columns / 11));
	plot_block(plot, "notes", "texts");
	for (size_t i = 0; i < plot->note_count; i++) {
		warnings += plot->notes[i].is_warning;
		plot_text_line(plot, plot->notes[i].text, (size_t)(columns / 11), false);
	}
	plot_set_count(plot, "warnings", warnings);
}

static int put_template(struct plot *plot)
{
	struct embedded common = embedded_plot_common(), own = plot->options->kind->template();
	char *bytes = NULL, why[512];
	size_t size = 0;
	int err;

	fwrite(common.text, 1, common.size, plot->script);
	if (!plot->options->template) {
		fwrite(own.text, 1, own.size, plot->script);
		return DIAG_EXIT_OK;
	}
	err = report_read_bytes(plot->options->template, &bytes, &size, why, sizeof(why));
	if (err)
		return diag_usage("--template %s: cannot be read: %s", plot->options->template,
			err == -EINVAL ? why : input_error(err));
	fwrite(bytes, 1, size, plot->script);
	free(bytes);
	return DIAG_EXIT_OK;
}

int plot_make(struct plot *plot, char **script, size_t *size)
{
	char *data = NULL, *text = NULL;
	size_t data_size = 0;
	int rc = take_all(plot);

	if (rc)
		return rc;
	/* The notes, which stand first, are complete when the data are. */
	plot->script = open_memstream(&data, &data_size);
	if (!plot->script)
		return plot_no_memory();
	rc = plot->options->kind->extract(plot);
	plot_block_end(plot);
	if (fclose(plot->script) && !rc)
		rc = plot_no_memory();
	plot->script = NULL;
	if (!rc) {
		plot->script = open_memstream(&text, size);
		if (!plot->script)
			rc = plot_no_memory();
	}
	if (!rc) {
		put_head(plot);
		fwrite(data, 1, data_size, plot->script);
		rc = put_template(plot);
		/* cppcheck-suppress doubleFree ; another stream */
		if (fclose(plot->script) && !rc)
			rc = plot_no_memory();
		plot->script = NULL;
	}
	free(data);
	if (rc)
		free(text);
	else
		*script = text;
	return rc;
}

void plot_free(struct plot *plot)
{
	if (plot->state && plot->options->kind->free)
		plot->options->kind->free(plot);
	for (size_t i = 0; i < plot->report_count; i++) {
		loaded_free(plot->loaded[i]);
		plot_facts_free(&plot->reports[i]);
	}
	arena_free(&plot->arena);
}

/* --- the command --- */

static int run(const struct command *command, int argc, char **argv)
{
	static const struct plot_gnuplot_limits limits = {.timeout_ms = 300000, .bytes_max = 256u << 20};
	struct plot_options options;
	struct plot plot = {.options = &options};
	char *script = NULL, *picture = NULL;
	size_t script_size = 0, size = 0;
	int rc = plot_options_parse(command, argc, argv, &options);

	if (!rc)
		rc = plot_picture_check(&options);
	if (!rc)
		rc = plot_make(&plot, &script, &script_size);
	if (!rc)
		rc = plot_picture_write_script(&options, script, script_size);
	if (!rc)
		rc = plot_gnuplot_run(script, script_size, &limits, &picture, &size);
	if (!rc)
		rc = plot_picture_finish(&plot, &picture, &size);
	if (!rc)
		rc = plot_picture_write(&options, picture, size);
	free(script);
	free(picture);
	plot_free(&plot);
	plot_options_free(&options);
	return rc;
}

const struct command command_plot = {
	.program = &memstor_program,
	.name = "plot",
	.arguments = "KIND FILE...",
	.summary = "draw reports",
	.doc = "Draws reports as a picture, with gnuplot. KIND is histogram, cdf, percentile, series, heatmap or bars; of "
	       "iowrite-bench also cost (run), prediction and errors (evaluate) or kernel-trace (trace), of "
	       "ssd-workloads interference, lba, tail, ratios and slowest, of its simulated device segments, collections, gantt, "
	       "copies, attribution, counters, window and bandwidth, of memtrace analyze access-pattern, access-count, "
	       "hot-set, miss-ratio, popularity, reuse-distance, stride and accessed-volume, and of runs in little memory "
	       "with one of its reports buffer. FILE is a report, or a folder of "
	       "reports.",
	.examples = "  memstor plot histogram run.xml -o run.svg\n"
		    "  memstor plot percentile zram.xml file.xml -o swap.pdf\n"
		    "  memstor plot series run.xml --counter vmstat.pswpin -o run.png\n"
		    "  memstor plot bars old/*.xml -- new/*.xml --metric p50,p99 -o bars.svg\n"
		    "  memstor plot prediction evaluate.xml --scenario c2 -o c2.svg\n",
	.notes = "The manual, memstor(1), says which options each KIND has.",
	.options = plot_option_rows,
	.flags = COMMAND_GROUPS,
	.take = plot_options_take,
	.check = plot_options_check,
	.run = run,
};
