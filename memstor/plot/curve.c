/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/curve.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/parts.h"
#include "memstor/plot/style.h"
#include "memstor/plot/text.h"
#include "memstor/plot/window.h"

#define USUAL_MARKS_MAX 2 /* curves */

static int no_memory(void)
{
	diag_error(ENOMEM, "cannot draw");
	return DIAG_EXIT_HOST;
}

/* Of the last report. NULL = no memory. */
static struct plot_curve *new_curve(struct plot *plot, const struct loaded *loaded, struct plot_curves *curves,
	const char *type, const char *class)
{
	struct plot_curve *curve;

	if (curves->count == curves->room) {
		size_t room = curves->room ? 2 * curves->room : 8;
		struct plot_curve *items = realloc(curves->items, room * sizeof(*items));

		if (!items)
			return NULL;
		curves->items = items;
		curves->room = room;
	}
	curve = &curves->items[curves->count++];
	*curve = (struct plot_curve){.report = plot->report_count - 1};
	curve->granularity_ns = loaded_clock_step_ns(loaded);
	plot_text_clean(type, sizeof(curve->type) - 1, curve->type, sizeof(curve->type));
	plot_text_clean(class, sizeof(curve->class) - 1, curve->class, sizeof(curve->class));
	return curve;
}

static bool has_type(const struct plot_options *options, const struct loaded *loaded, const struct loaded_histogram *histogram)
{
	/* Of streams the writes, once: response and service are of the same, and a sync is none. */
	bool is_usual = strcmp(report_read_root(loaded->document)->name, "ssdworkloads") != 0 ||
			!strcmp(histogram->type, "response");

	return strcmp(options->type, "both") ? !strcmp(options->type, histogram->type) : is_usual;
}

/* Cells may be asked for with the wildcards of a shell. */
static bool has_class(const struct loaded *loaded, const struct loaded_histogram *histogram, const char *class)
{
	return !strcmp(histogram->class, class) || (loaded->subject_count && !fnmatch(class, histogram->class, 0));
}

/* Of each type the first one, which is the finest. */
static int take_class(struct plot *plot, const struct loaded *loaded, const char *class, struct plot_curves *curves,
	size_t *taken)
{
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];
		struct plot_curve *curve;
		int rc;

		if (!has_class(loaded, histogram, class) || !has_type(plot->options, loaded, histogram) ||
			loaded_histogram(loaded, histogram->type, histogram->class) != histogram)
			continue;
		curve = new_curve(plot, loaded, curves, histogram->type, histogram->class);
		rc = curve ? plot_buckets_sum(&curve->buckets, &histogram, 1, loaded->path) : no_memory();
		if (rc)
			return rc;
		(*taken)++;
	}
	return DIAG_EXIT_OK;
}

/* What the report has: "read all, read hit, ...". */
static void list_histograms(const struct loaded *loaded, char *text, size_t length)
{
	size_t used = 0;

	snprintf(text, length, "none");
	for (size_t i = 0; i < loaded->histogram_count && used < length; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		if (loaded_histogram(loaded, histogram->type, histogram->class) == histogram)
			used += (size_t)snprintf(text + used, length - used, "%s%.20s %.60s", used ? ", " : "",
				histogram->type, histogram->class);
	}
}

static int take_whole(struct plot *plot, const struct loaded *loaded, struct plot_curves *curves)
{
	static const struct plot_list all = {1, {"all"}}, cells = {1, {"*"}};
	const struct plot_list *usual = loaded->subject_count ? &cells : &all;
	const struct plot_list *classes = plot->options->classes.count ? &plot->options->classes : usual;
	char text[256];

	for (size_t i = 0; i < classes->count; i++) {
		size_t taken = 0;
		int rc = take_class(plot, loaded, classes->items[i], curves, &taken);

		if (rc)
			return rc;
		if (taken)
			continue;
		list_histograms(loaded, text, sizeof(text));
		diag_error(0, "%s: has no histogram of type %s, class %s; it has: %s", loaded->path,
			strcmp(plot->options->type, "both") ? plot->options->type : "(any)", classes->items[i], text);
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

/* Intervals have one histogram, of all types and classes together. */
static int take_window(struct plot *plot, const struct loaded *loaded, struct plot_curves *curves)
{
	const struct plot_options *options = plot->options;
	const struct loaded_histogram **list = NULL;
	struct plot_curve *curve;
	size_t count = 0;
	int rc = plot_window_check(plot, loaded);

	if (rc)
		return rc;
	if (strcmp(options->type, "both") || options->classes.count) {
		diag_error(0, "--%s with --from or --to: intervals have one histogram of all accesses; leave one of them out",
			options->classes.count ? "class" : "type");
		return DIAG_EXIT_USAGE;
	}
	curve = new_curve(plot, loaded, curves, "both", "all");
	list = reallocarray(NULL, loaded->interval_count, sizeof(void *));
	if (!curve || !list) {
		free(list);
		return no_memory();
	}
	for (size_t i = 0; i < loaded->interval_count; i++) {
		if (plot_window_has(options, &loaded->intervals[i]) && loaded->intervals[i].histogram)
			list[count++] = loaded->intervals[i].histogram;
	}
	rc = plot_buckets_sum(&curve->buckets, list, count, loaded->path);
	free(list);
	return rc;
}

int plot_curves_take(struct plot *plot, const struct loaded *loaded, struct plot_curves *curves)
{
	return plot->options->has_window ? take_window(plot, loaded, curves) : take_whole(plot, loaded, curves);
}

/* The number of this text among those seen so far. */
static size_t number_of(const char *text, const char *(*of)(const struct plot_curve *), const struct plot_curves *curves)
{
	size_t number = 0;

	for (size_t i = 0; i < curves->count; i++) {
		const char *other = of(&curves->items[i]);
		bool is_first = true;

		if (!strcmp(other, text))
			return number;
		for (size_t j = 0; j < i && is_first; j++)
			is_first = strcmp(of(&curves->items[j]), other) != 0;
		number += is_first;
	}
	return number;
}

static const char *type_of(const struct plot_curve *curve)
{
	return curve->type;
}

static const char *class_of(const struct plot_curve *curve)
{
	return curve->class;
}

static size_t count_distinct(const char *(*of)(const struct plot_curve *), const struct plot_curves *curves)
{
	/* No type or class is that: they are clean. */
	return number_of("\n", of, curves);
}

/* Colours tell reports and classes apart, dashes types; of a single report and class both tell types apart. */
static int choose_styles(const struct plot *plot, struct plot_curves *curves)
{
	size_t classes = count_distinct(class_of, curves);
	size_t kinds = plot->report_count * classes;

	if (kinds > PLOT_COLOURS || count_distinct(type_of, curves) > PLOT_DASHES) {
		diag_error(0, "%zu reports of %zu class%s and %zu type%s: a picture tells at most %d and %d apart; draw fewer",
			plot->report_count, classes, classes == 1 ? "" : "es", count_distinct(type_of, curves),
			count_distinct(type_of, curves) == 1 ? "" : "s", PLOT_COLOURS, PLOT_DASHES);
		return DIAG_EXIT_USAGE;
	}
	for (size_t i = 0; i < curves->count; i++) {
		struct plot_curve *curve = &curves->items[i];
		size_t type = number_of(curve->type, type_of, curves);

		curve->dash = type;
		curve->colour = kinds == 1 ? type : curve->report * classes + number_of(curve->class, class_of, curves);
	}
	return DIAG_EXIT_OK;
}

/* The cells that classes are. */
static void find_parts(struct plot *plot, const struct plot_curves *curves, struct plot_parts *parts)
{
	char common[PLOT_TEXT];

	for (size_t i = 0; i < curves->count; i++)
		plot_parts_add(parts, curves->items[i].class);
	if (plot_parts_common(parts, common, sizeof(common))[0])
		plot_note(plot, false, "All cells are of %s.", common);
}

/* "zipf, read major": of a long name the front is cut. A class that is not all must be seen. */
static bool name_curve(const struct plot *plot, const struct plot_curves *curves, const struct plot_parts *parts,
	struct plot_curve *curve, char **names)
{
	bool has_class = count_distinct(class_of, curves) > 1 || strcmp(curve->class, "all") != 0;
	bool has_type = strcmp(curve->type, "both") != 0;
	size_t columns = plot_frame_key_columns(plot), used;
	char kind[sizeof(curve->type) + PLOT_TEXT + 2], text[3 * PLOT_TEXT] = "", class[PLOT_TEXT];

	snprintf(kind, sizeof(kind), "%s%s%s", has_type ? curve->type : "", has_type && has_class ? " " : "",
		has_class ? plot_parts_own(parts, curve->class, class, sizeof(class)) : "");
	used = plot_text_columns(kind) + 2;
	if (plot->report_count > 1)
		plot_text_clean(names[curve->report], columns > used + 8 ? columns - used : 8, text, PLOT_TEXT);
	used = strlen(text);
	snprintf(text + used, sizeof(text) - used, "%s%s", used && kind[0] ? ", " : "", kind);
	curve->name = strdup(text[0] ? text : "all accesses");
	return curve->name != NULL;
}

static void note_ends(struct plot *plot, const struct plot_curve *curve)
{
	const struct loaded_histogram *histogram = &curve->buckets.histogram;
	const struct loaded_bucket *last = histogram->buckets + histogram->bucket_count - 1;

	if (histogram->count == 0)
		plot_note(plot, false, "%s: not one access.", curve->name);
	else if (isinf(last->hi_ns))
		plot_note(plot, true, "%s: %llu accesses took %.4g s or longer: where the histogram ends.", curve->name,
			(unsigned long long)last->count, last->lo_ns / 1e9);
}

/* The widest lowest bucket, of all curves or of some. */
static void note_lowest(struct plot *plot, const struct plot_curves *curves)
{
	size_t counted = 0, wide = 0;
	double edge = 0;

	for (size_t i = 0; i < curves->count; i++) {
		const struct loaded_histogram *histogram = &curves->items[i].buckets.histogram;

		counted += histogram->count > 0;
		if (!plot_bucket_is_wide_lowest(histogram))
			continue;
		edge = fmax(edge, histogram->buckets[0].hi_ns);
		wide++;
	}
	if (wide)
		plot_note(plot, false, "%sll accesses below %.0f ns are in one bucket.",
			wide == counted ? "A" : "Of some curves a", edge);
}

/* Few curves have the usual two; lines of many would cover each other. */
static void choose_marks(const struct plot_options *options, struct plot_curves *curves)
{
	static const double usual[] = {50, 99};

	curves->mark_count = options->has_marks ? options->marks.count : curves->count > USUAL_MARKS_MAX ? 0 : 2;
	for (size_t i = 0; i < curves->mark_count; i++)
		curves->mark_percents[i] = options->has_marks ? options->mark_percents[i] : usual[i];
}

static void finish_curve(struct plot_curves *curves, size_t i)
{
	struct plot_curve *curve = &curves->items[i];

	snprintf(curve->data, sizeof(curve->data), "$curve%zu", i);
	for (size_t j = 0; j < curves->mark_count; j++)
		curve->marks[j] = loaded_percentile(&curve->buckets.histogram, curves->mark_percents[j]);
}

int plot_curves_finish(struct plot *plot, struct plot_curves *curves)
{
	char **names = plot_fact_names(plot->reports, plot->report_count, &plot->options->legend);
	struct plot_parts parts = {0};
	bool is_done = names != NULL;
	int rc;

	choose_marks(plot->options, curves);
	find_parts(plot, curves, &parts);
	for (size_t i = 0; i < curves->count && is_done; i++) {
		is_done = name_curve(plot, curves, &parts, &curves->items[i], names);
		if (is_done)
			finish_curve(curves, i);
	}
	plot_fact_names_free(names);
	if (!is_done)
		return no_memory();
	rc = choose_styles(plot, curves);
	for (size_t i = 0; i < curves->count && !rc; i++)
		note_ends(plot, &curves->items[i]);
	note_lowest(plot, curves);
	plot_window_note(plot);
	return rc;
}

void plot_curves_free(struct plot_curves *curves)
{
	for (size_t i = 0; i < curves->count; i++) {
		plot_buckets_free(&curves->items[i].buckets);
		free(curves->items[i].name);
	}
	free(curves->items);
}
