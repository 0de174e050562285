/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Distributions of latencies: overlaid curves, one per group of reports, type and class; or a heat map over time.
 *
 * Buckets differ in width, also on a logarithmic axis, so their counts are not comparable. The drawn value is the count
 * divided by the width in doublings of latency, so that the visible area under a curve is the number of accesses.
 */
#include "config.h"
#include "memstor/plot/plot.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/units.h"

#define POINTS_A_DECADE 40  /* of a percentile plot's x axis */
#define USUAL_MARKS_MAX 2   /* curves: lines of more would cover each other */
#define KEY_ROWS 6          /* of a legend, about */
#define COLUMNS_MAX 240     /* of a heat map */

struct curves {
	size_t count, room;
	struct curve {
		size_t group;
		char type[24], class[METRIC_SUBJECT];
		struct plot_buckets buckets; /* the sum over the group */
		double step_ns;              /* of the clock; NAN = unknown */
		size_t colour, dash;
		double marks[PLOT_LIST_MAX]; /* percentiles of the whole, by mark_percents */
	} *items;
	size_t group_count, group_room, *groups; /* groups: per report */
	size_t classes, types, mark_count;
	double mark_percents[PLOT_LIST_MAX];
	bool is_split; /* the legend shows the types separately */
};

struct heatmap {
	struct heat {
		size_t count, intervals_together;
		double step_ns;
		struct column {
			double begin, end;           /* seconds */
			struct plot_buckets buckets; /* sum over its intervals */
		} *columns;
	} reports[PLOT_HEATMAP_REPORTS];
};

/* --- which histograms --- */

static struct curve *find_curve(struct plot *plot, const struct loaded *loaded, const char *type, const char *class)
{
	struct curves *curves = plot->state;
	size_t group = curves->groups[plot->report_count - 1];
	struct curve curve = {.group = group, .step_ns = loaded_clock_step_ns(loaded)};

	plot_text_clean(type, sizeof(curve.type) - 1, curve.type, sizeof(curve.type));
	plot_text_clean(class, sizeof(curve.class) - 1, curve.class, sizeof(curve.class));
	for (size_t i = 0; i < curves->count; i++) {
		struct curve *other = &curves->items[i];

		if (other->group != group || strcmp(other->type, curve.type) || strcmp(other->class, curve.class))
			continue;
		other->step_ns = fmax(other->step_ns, curve.step_ns);
		return other;
	}
	if (plot_grow(plot, &curves->items, &curves->room, curves->count, sizeof(curve)))
		return NULL;
	curves->items[curves->count] = curve;
	return &curves->items[curves->count++];
}

/* With what an earlier report of the group has. */
static int add_to_curve(struct curve *curve, const struct loaded_histogram **list, size_t count, const char *path)
{
	list[count] = &curve->buckets.histogram;
	return plot_buckets_sum(&curve->buckets, list, count + (curve->buckets.items != NULL), path);
}

static bool has_type(const struct plot_options *options, const struct loaded *loaded, const struct loaded_histogram *histogram)
{
	/* Of streams the writes, once: response and service are of the same, and a sync is none. */
	bool is_usual = strcmp(report_read_root(loaded->document)->name, "ssdworkloads") != 0 ||
			!strcmp(histogram->type, "response");

	return strcmp(options->type, "both") ? !strcmp(options->type, histogram->type) : is_usual;
}

/* Cells may be asked for with the wildcards of a shell. Of each type the first one, which is the finest. */
static int take_class(struct plot *plot, const struct loaded *loaded, const char *class, size_t *taken)
{
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i], *list[2] = {histogram};
		struct curve *curve;
		int rc;

		if (strcmp(histogram->class, class) && !(loaded->subject_count && !fnmatch(class, histogram->class, 0)))
			continue;
		if (!has_type(plot->options, loaded, histogram) ||
			loaded_histogram(loaded, histogram->type, histogram->class) != histogram)
			continue;
		curve = find_curve(plot, loaded, histogram->type, histogram->class);
		rc = curve ? add_to_curve(curve, list, 1, loaded->path) : plot_no_memory();
		if (rc)
			return rc;
		(*taken)++;
	}
	return DIAG_EXIT_OK;
}

static int refuse_class(const struct plot_options *options, const struct loaded *loaded, const char *class)
{
	char text[256] = "none";
	size_t used = 0;

	for (size_t i = 0; i < loaded->histogram_count && used < sizeof(text); i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		if (loaded_histogram(loaded, histogram->type, histogram->class) == histogram)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.20s %.60s", used ? ", " : "",
				histogram->type, histogram->class);
	}
	return diag_usage("%s: has no histogram of type %s, class %s; it has: %s", loaded->path,
		strcmp(options->type, "both") ? options->type : "(any)", class, text);
}

/* Intervals have one histogram, of all types and classes together. */
static int take_window(struct plot *plot, const struct loaded *loaded)
{
	const struct plot_options *options = plot->options;
	const struct loaded_histogram **list;
	struct curve *curve;
	size_t count = 0;
	int rc = plot_window_check(plot, loaded);

	if (rc)
		return rc;
	if (strcmp(options->type, "both") || options->classes.count)
		return diag_usage(
			"--%s with --from or --to: intervals have one histogram of all accesses; leave one of them out",
			options->classes.count ? "class" : "type");
	curve = find_curve(plot, loaded, "both", "all");
	list = reallocarray(NULL, loaded->interval_count + 1, sizeof(*list));
	for (size_t i = 0; i < loaded->interval_count && list; i++) {
		if (plot_window_has(options, &loaded->intervals[i]) && loaded->intervals[i].histogram)
			list[count++] = loaded->intervals[i].histogram;
	}
	rc = curve && list ? add_to_curve(curve, list, count, loaded->path) : plot_no_memory();
	free(list);
	return rc;
}

int plot_curves_take(struct plot *plot, const struct loaded *loaded)
{
	static const struct plot_list all = {1, {"all"}}, cells = {1, {"*"}};
	const struct plot_list *usual = loaded->subject_count ? &cells : &all;
	const struct plot_list *classes = plot->options->classes.count ? &plot->options->classes : usual;
	struct curves *curves = plot_state(plot, sizeof(*curves));
	size_t report = plot->report_count - 1;

	if (!curves)
		return plot_no_memory();
	if (plot_grow(plot, &curves->groups, &curves->group_room, report, sizeof(*curves->groups)))
		return plot_no_memory();
	curves->groups[report] = plot_group_of(plot, curves->groups, curves->group_count, report);
	curves->group_count += curves->groups[report] == curves->group_count;
	if (plot->options->has_window)
		return take_window(plot, loaded);
	for (size_t i = 0; i < classes->count; i++) {
		size_t taken = 0;
		int rc = take_class(plot, loaded, classes->items[i], &taken);

		if (rc || !taken)
			return rc ? rc : refuse_class(plot->options, loaded, classes->items[i]);
	}
	return DIAG_EXIT_OK;
}

void plot_curves_free(struct plot *plot)
{
	struct curves *curves = plot->state;

	for (size_t i = 0; i < curves->count; i++)
		plot_buckets_free(&curves->items[i].buckets);
}

/* --- names and notes --- */

/* The number of this text among the first ones of their kind, which it joins when it is new. */
static size_t number_of(const char *text, const char **firsts, size_t *count)
{
	size_t i = 0;

	while (i < *count && strcmp(firsts[i], text))
		i++;
	if (i == *count)
		firsts[(*count)++] = text;
	return i;
}

/* Colours distinguish groups and classes, dashes types; of a single group and class both distinguish types. */
static int choose_styles(const struct plot *plot, struct curves *curves)
{
	bool is_grouped = plot->options->group_by || plot->options->files.has_groups;
	const char **firsts = calloc(2 * curves->count + 1, sizeof(*firsts));
	size_t classes = 0, types = 0;

	for (size_t i = 0; i < curves->count && firsts; i++) {
		curves->items[i].colour = number_of(curves->items[i].class, firsts, &classes);
		curves->items[i].dash = number_of(curves->items[i].type, firsts + curves->count, &types);
	}
	if (!firsts)
		return plot_no_memory();
	free(firsts);
	for (size_t i = 0; i < curves->count; i++) {
		struct curve *curve = &curves->items[i];

		curve->colour = curves->group_count * classes == 1 ? curve->dash : curve->group * classes + curve->colour;
	}
	curves->classes = classes;
	curves->types = types;
	if (curves->group_count * classes <= PLOT_COLOURS && types <= PLOT_DASHES)
		return DIAG_EXIT_OK;
	return diag_usage("%zu %s of %zu class%s and %zu type%s: a picture distinguishes at most %d and %d; draw fewer%s",
		curves->group_count, is_grouped ? "groups" : "reports", classes, classes == 1 ? "" : "es", types,
		types == 1 ? "" : "s", PLOT_COLOURS, PLOT_DASHES,
		!is_grouped && curves->group_count > 1 ? ", or pool runs by --group-by" : "");
}

/* "zipf, read major: p50 1 us": of a long name the front is cut. */
static void put_name(struct plot *plot, const struct curves *curves, const struct curve *curve,
	const struct plot_groups *groups, const struct plot_parts *parts, size_t columns)
{
	bool has_class = curves->classes > 1 || strcmp(curve->class, "all") != 0;
	char kind[PLOT_TEXT] = "", class[PLOT_TEXT], text[4 * PLOT_TEXT] = "";
	size_t used;

	if (strcmp(curve->type, "both") && !curves->is_split)
		plot_append(kind, sizeof(kind), " ", curve->type);
	if (has_class)
		plot_append(kind, sizeof(kind), " ", plot_parts_own(parts, curve->class, class, sizeof(class)));
	used = plot_text_columns(kind) + 2 + 18 * curves->mark_count;
	if (groups->count > 1)
		plot_text_clean(groups->names[curve->group], columns > used + 8 ? columns - used : 8, text, PLOT_TEXT);
	plot_append(text, sizeof(text), ", ", kind);
	plot_append(text, sizeof(text), "", text[0] ? "" : "all accesses");
	for (size_t i = 0; i < curves->mark_count; i++) {
		char value[UNITS_TEXT], mark[64];

		if (isnan(curve->marks[i]))
			continue;
		snprintf(mark, sizeof(mark), "p%.10g %s", curves->mark_percents[i],
			units_format_duration(curve->marks[i], value, sizeof(value)));
		plot_append(text, sizeof(text), i ? ", " : ": ", mark);
	}
	plot_text_line(plot, text, plot_key_columns(plot), false);
}

/* Where a few colours have many types, only the first curve of each colour is named, without its type, and a note says
 * which dashes are which type. */
static void put_names(struct plot *plot, const struct curves *curves, const struct plot_groups *groups,
	const struct plot_parts *parts)
{
	size_t entries = curves->is_split ? curves->group_count * curves->classes : curves->count;
	size_t rows = entries > KEY_ROWS ? (entries + KEY_ROWS - 1) / KEY_ROWS : 1, columns = plot_key_columns(plot) / rows;
	const char *types[PLOT_DASHES];

	plot_block(plot, "names", "texts");
	for (size_t i = 0; i < curves->count; i++) {
		bool is_named = true;

		for (size_t j = 0; j < i && curves->is_split; j++)
			is_named = is_named && curves->items[j].colour != curves->items[i].colour;
		if (is_named)
			put_name(plot, curves, &curves->items[i], groups, parts, columns);
		else
			plot_text_line(plot, "", 1, false);
	}
	for (size_t dash = 0; dash < curves->types && curves->is_split; dash++) {
		size_t i = 0;

		while (curves->items[i].dash != dash)
			i++;
		types[dash] = curves->items[i].type;
	}
	plot_dashes_note(plot, types, curves->is_split ? curves->types : 0);
}

static void put_notes(struct plot *plot, const struct curves *curves, const struct plot_groups *groups,
	const struct plot_parts *parts)
{
	size_t counted = 0, wide = 0;
	double edge = 0;
	char text[PLOT_TEXT];

	if (groups->count < plot->report_count)
		plot_note(plot, false, "Each curve is the sum of its group's runs, %zu in all.", plot->report_count);
	if (plot_parts_common(parts, text, sizeof(text))[0])
		plot_note(plot, false, "All cells are of %s.", text);
	for (size_t i = 0; i < curves->count; i++) {
		const struct curve *curve = &curves->items[i];
		const struct loaded_histogram *histogram = &curve->buckets.histogram;
		const struct loaded_bucket *last = histogram->buckets + histogram->bucket_count - 1;
		char class[PLOT_TEXT], name[2 * PLOT_TEXT] = "";

		plot_append(name, sizeof(name), "", groups->count > 1 ? groups->names[curve->group] : "");
		plot_append(name, sizeof(name), ", ", strcmp(curve->type, "both") ? curve->type : "");
		plot_append(name, sizeof(name), strcmp(curve->type, "both") ? " " : ", ", curves->classes > 1 ||
				strcmp(curve->class, "all")
			? plot_parts_own(parts, curve->class, class, sizeof(class)) : "");
		plot_append(name, sizeof(name), "", name[0] ? "" : "all accesses");
		counted += histogram->count > 0;
		if (histogram->count == 0)
			plot_note(plot, false, "%s: not one access.", name);
		else if (isinf(last->hi_ns))
			plot_note(plot, true, "%s: %llu accesses took %.4g s or longer: where the histogram ends.", name,
				(unsigned long long)last->count, last->lo_ns / 1e9);
		if (!plot_bucket_is_wide_lowest(histogram))
			continue;
		edge = fmax(edge, histogram->buckets[0].hi_ns);
		wide++;
	}
	if (wide)
		plot_note(plot, false, "%sll accesses below %.0f ns are in one bucket.",
			wide == counted ? "A" : "Of some curves a", edge);
	plot_window_note(plot);
}

static void choose_marks(const struct plot_options *options, struct curves *curves)
{
	static const double usual[] = {50, 99};

	curves->mark_count = options->has_marks ? options->marks.count : curves->count > USUAL_MARKS_MAX ? 0 : 2;
	for (size_t i = 0; i < curves->mark_count; i++)
		curves->mark_percents[i] = options->has_marks ? options->mark_percents[i] : usual[i];
	for (size_t i = 0; i < curves->count; i++) {
		for (size_t j = 0; j < curves->mark_count; j++)
			curves->items[i].marks[j] =
				loaded_percentile(&curves->items[i].buckets.histogram, curves->mark_percents[j]);
	}
}

/* All but the data; zeros are drawn at zero, a quarter of the least that is above. */
static int begin_extract(struct plot *plot, bool has_marks)
{
	struct curves *curves = plot->state;
	struct plot_groups groups = {0};
	struct plot_parts parts = {0};
	int rc = choose_styles(plot, curves);

	if (!rc)
		rc = plot_groups_make(plot, &groups);
	if (!rc && has_marks)
		choose_marks(plot->options, curves);
	curves->is_split = curves->types > 1 && curves->group_count * curves->classes > 2 && !curves->mark_count;
	for (size_t i = 0; i < curves->count; i++)
		plot_parts_add(&parts, curves->items[i].class);
	if (!rc) {
		put_names(plot, curves, &groups, &parts);
		put_notes(plot, curves, &groups, &parts);
		plot_block(plot, "styles", "colour, dash of each curve");
		for (size_t i = 0; i < curves->count; i++)
			plot_row(plot, (double)curves->items[i].colour, (double)curves->items[i].dash);
		plot_block(plot, "marks", "latency in ns, colour, dash");
		for (size_t i = 0; i < curves->count * curves->mark_count; i++) {
			const struct curve *curve = &curves->items[i / curves->mark_count];

			if (!isnan(curve->marks[i % curves->mark_count]))
				plot_row(plot, curve->marks[i % curves->mark_count], (double)curve->colour, (double)curve->dash);
		}
	}
	return rc;
}

/* --- histogram and cdf --- */

/* A bucket of zeros alone has no place on a log axis: it is drawn a doubling wide, below all others. */
static void edges_of(const struct loaded_histogram *histogram, const struct loaded_bucket *bucket, double zero, double *lo,
	double *hi)
{
	plot_bucket_edges(histogram, bucket, lo, hi);
	if (*hi <= 1) {
		*lo = zero / 2;
		*hi = zero;
	}
}

/* Adds the edges above zero; returns whether there are zeros. */
static bool measure(const struct plot_buckets *buckets, struct plot_extent *extent)
{
	bool has_zeros = false;

	for (size_t i = 0; i < buckets->histogram.bucket_count; i++) {
		double lo, hi;

		plot_bucket_edges(&buckets->histogram, &buckets->items[i], &lo, &hi);
		has_zeros = has_zeros || hi <= 1;
		plot_extent_add(extent, hi <= 1 ? NAN : lo);
		plot_extent_add(extent, hi <= 1 ? NAN : hi);
	}
	return has_zeros;
}

/* Writes the extent with what is drawn of zeros: from zero / 2 to zero, a quarter of the least above. Returns zero, 0 = none. */
static double put_latencies(struct plot *plot, const char *axis, struct plot_extent *extent, bool has_zeros,
	const struct plot_range *range)
{
	double zero = has_zeros ? (isfinite(extent->least) ? extent->least : 1) / 4 : 0;

	if (has_zeros) {
		plot_extent_add(extent, zero / 2);
		plot_extent_add(extent, zero);
	}
	plot_set_extent(plot, axis, extent, range);
	plot_set(plot, "zero", zero);
	return zero;
}

static double put_x(struct plot *plot)
{
	const struct curves *curves = plot->state;
	struct plot_extent extent = PLOT_EXTENT_NONE;
	bool has_zeros = false;

	for (size_t i = 0; i < curves->count; i++)
		has_zeros |= measure(&curves->items[i].buckets, &extent);
	return put_latencies(plot, "x", &extent, has_zeros, &plot->options->x_range);
}

/* What a count of 1 by doubling is. Shares are by sixteenth, about as wide as a bucket: more than 100 % in one place is a
 * not understood. */
static double unit_of(const struct plot *plot, const struct loaded_histogram *histogram)
{
	return plot->options->is_share && histogram->count ? 100.0 / PLOT_BUCKET_PARTS / (double)histogram->count : 1;
}

/* Two rows per bucket, its count in the first; gaps are 0 high. */
static void put_steps(struct plot *plot, const struct loaded_histogram *histogram, double zero, struct plot_extent *extent)
{
	double before = NAN;

	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct loaded_bucket *bucket = &histogram->buckets[i];
		double lo, hi, height;

		edges_of(histogram, bucket, zero, &lo, &hi);
		height = (double)bucket->count * unit_of(plot, histogram) / log2(hi / lo);
		plot_extent_add(extent, height);
		if (lo != before && i)
			plot_row(plot, before, 0, 0);
		if (lo != before)
			plot_row(plot, lo, 0, 0);
		plot_row(plot, lo, height, (double)bucket->count);
		plot_row(plot, hi, height, 0);
		before = hi;
	}
	plot_row(plot, before, 0, 0);
}

int plot_histogram_extract(struct plot *plot)
{
	struct curves *curves = plot->state;
	struct plot_extent heights = PLOT_EXTENT_NONE;
	double zero;
	int rc = begin_extract(plot, true);

	for (size_t i = 0; i < curves->count && !rc; i++) {
		struct curve *curve = &curves->items[i];
		size_t before = curve->buckets.histogram.bucket_count;

		plot_buckets_coarsen(&curve->buckets, curve->step_ns);
		if (curve->step_ns > PLOT_BUCKET_FINE_NS && curve->buckets.histogram.bucket_count < before)
			plot_note(plot, false, "The clock's steps are %.3g ns: finer is not drawn.", curve->step_ns);
	}
	if (rc)
		return rc;
	zero = put_x(plot);
	plot_block(plot, "data", "latency in ns, height, count");
	for (size_t i = 0; i < curves->count; i++) {
		plot_index(plot, i);
		put_steps(plot, &curves->items[i].buckets.histogram, zero, &heights);
	}
	plot_set_extent(plot, "y", &heights, NULL);
	return DIAG_EXIT_OK;
}

/* The share is known at the edges of buckets only; between them it is drawn straight, as percentiles are computed. */
static void put_shares(struct plot *plot, const struct loaded_histogram *histogram, double zero)
{
	double count = (double)histogram->count, before = NAN;
	uint64_t below = 0;

	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct loaded_bucket *bucket = &histogram->buckets[i];
		double lo, hi;

		edges_of(histogram, bucket, zero, &lo, &hi);
		if (bucket->hi_ns > 1) {
			lo = fmin(fmax(lo, histogram->min_ns), histogram->max_ns);
			hi = fmin(fmax(hi, histogram->min_ns), histogram->max_ns);
		}
		if (lo != before)
			plot_row(plot, lo, 100 * (double)below / count, 100 * (double)(histogram->count - below) / count, 0);
		below += bucket->count;
		plot_row(plot, hi, 100 * (double)below / count, 100 * (double)(histogram->count - below) / count,
			(double)bucket->count);
		before = hi;
	}
	if (!histogram->bucket_count)
		plot_row(plot, NAN, NAN, NAN, 0);
}

/* One sample of the largest histogram must still be seen. */
static double most_samples(const struct curves *curves)
{
	double most = 1;

	for (size_t i = 0; i < curves->count; i++)
		most = fmax(most, (double)curves->items[i].buckets.histogram.count);
	return most;
}

int plot_cdf_extract(struct plot *plot)
{
	struct curves *curves = plot->state;
	double zero;
	int rc = begin_extract(plot, true);

	if (rc)
		return rc;
	zero = put_x(plot);
	plot_set(plot, "samples", most_samples(curves));
	plot_block(plot, "data", "latency in ns, percent up to it, percent beyond, count");
	for (size_t i = 0; i < curves->count; i++) {
		plot_index(plot, i);
		put_shares(plot, &curves->items[i].buckets.histogram, zero);
	}
	return DIAG_EXIT_OK;
}

/* --- percentile --- */

/* As HdrHistogram plots them, up to the last sample, which stands for the share of all but one. */
int plot_percentile_extract(struct plot *plot)
{
	struct curves *curves = plot->state;
	struct plot_extent extent = PLOT_EXTENT_NONE;
	bool has_zeros = false;
	int rc = begin_extract(plot, false);

	if (rc)
		return rc;
	plot_set(plot, "samples", most_samples(curves));
	plot_block(plot, "data", "1 / (1 - p), latency in ns");
	for (size_t i = 0; i < curves->count; i++) {
		const struct loaded_histogram *histogram = &curves->items[i].buckets.histogram;
		double samples = (double)histogram->count, nines = 1;

		plot_index(plot, i);
		for (int j = 1; histogram->count; j++) {
			double value = loaded_percentile(histogram, nines < samples ? 100 - 100 / nines : 100);

			/* Of a latency in the bucket [0, 1) nothing is known but that the clock did not move. */
			value = value < 1 ? 0 : value;
			has_zeros = has_zeros || value == 0;
			plot_row(plot, nines, value);
			plot_extent_add(&extent, value > 0 ? value : NAN);
			if (nines >= samples)
				break;
			nines = fmin(pow(10, (double)j / POINTS_A_DECADE), samples);
		}
		if (!histogram->count)
			plot_row(plot, NAN, NAN);
	}
	plot_set(plot, "zero", has_zeros ? (isfinite(extent.least) ? extent.least : 1) / 4 : 0);
	plot_set_extent(plot, "y", &extent, &plot->options->y_range);
	return DIAG_EXIT_OK;
}

/* --- heatmap: columns are intervals, or several of them together when there are more than fit --- */

static int take_column(struct heat *heat, const struct plot *plot, const struct loaded *loaded, size_t *next,
	const struct loaded_histogram **list)
{
	struct column *column = &heat->columns[heat->count];
	size_t intervals = 0, count = 0;

	for (; *next < loaded->interval_count && intervals < heat->intervals_together; (*next)++) {
		const struct loaded_interval *interval = &loaded->intervals[*next];

		if (!plot_window_has(plot->options, interval))
			continue;
		if (intervals++ == 0)
			column->begin = interval->time_s - interval->seconds;
		column->end = interval->time_s;
		if (interval->histogram)
			list[count++] = interval->histogram;
	}
	if (!intervals)
		return DIAG_EXIT_OK;
	heat->count++;
	return plot_buckets_sum(&column->buckets, list, count, loaded->path);
}

int plot_heatmap_take(struct plot *plot, const struct loaded *loaded)
{
	struct heatmap *map = plot_state(plot, sizeof(*map));
	const struct loaded_histogram **list;
	struct heat *heat;
	size_t intervals = 0, next = 0;
	bool has_histograms = false;
	int rc = plot_window_check(plot, loaded);

	if (!map)
		return plot_no_memory();
	heat = &map->reports[plot->report_count - 1];
	for (size_t i = 0; i < loaded->interval_count; i++) {
		intervals += plot_window_has(plot->options, &loaded->intervals[i]);
		has_histograms = has_histograms || loaded->intervals[i].histogram;
	}
	heat->intervals_together = (intervals + COLUMNS_MAX - 1) / COLUMNS_MAX;
	heat->step_ns = loaded_clock_step_ns(loaded);
	heat->columns = plot_keep(plot, COLUMNS_MAX + 1, sizeof(*heat->columns));
	list = reallocarray(NULL, loaded->interval_count + 1, sizeof(*list));
	if (!list || !heat->columns)
		rc = plot_no_memory();
	if (!rc && !has_histograms)
		rc = diag_usage("%s: its intervals have no histograms: series draws them", loaded->path);
	while (list && next < loaded->interval_count && !rc)
		rc = take_column(heat, plot, loaded, &next, list);
	free(list);
	return rc;
}

void plot_heatmap_free(struct plot *plot)
{
	struct heatmap *map = plot->state;

	for (size_t i = 0; i < plot->report_count; i++) {
		for (size_t j = 0; j < map->reports[i].count; j++)
			plot_buckets_free(&map->reports[i].columns[j].buckets);
	}
}

/* By second and doubling of latency; or as a share of what the column has, in percent, by sixteenth of a doubling. */
static void put_column(struct plot *plot, const struct column *column, double zero, struct plot_extent *heat)
{
	const struct loaded_histogram *histogram = &column->buckets.histogram;
	double unit = plot->options->is_share ? unit_of(plot, histogram) : 1 / (column->end - column->begin);

	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct loaded_bucket *bucket = &histogram->buckets[i];
		double lo, hi, value;

		edges_of(histogram, bucket, zero, &lo, &hi);
		value = (double)bucket->count * unit / log2(hi / lo);
		plot_row(plot, column->begin, column->end, lo, hi, value, (double)bucket->count);
		plot_extent_add(heat, value);
	}
}

int plot_heatmap_extract(struct plot *plot)
{
	struct heatmap *map = plot->state;
	struct plot_extent time = PLOT_EXTENT_NONE, latency = PLOT_EXTENT_NONE, value = PLOT_EXTENT_NONE;
	bool has_zeros = false;
	double zero;

	plot_window_note(plot);
	for (size_t i = 0; i < plot->report_count; i++) {
		struct heat *heat = &map->reports[i];

		if (heat->intervals_together > 1)
			plot_note(plot, false, "Each column is %zu intervals, %.3g s.", heat->intervals_together,
				heat->columns[0].end - heat->columns[0].begin);
		for (size_t j = 0; j < heat->count; j++) {
			struct column *column = &heat->columns[j];
			const struct loaded_histogram *histogram = &column->buckets.histogram;

			if (plot_bucket_is_wide_lowest(histogram))
				plot_note(plot, false, "All accesses below %.0f ns are in one bucket.",
						histogram->buckets[0].hi_ns);
			plot_buckets_coarsen(&column->buckets, heat->step_ns);
			has_zeros |= measure(&column->buckets, &latency);
			plot_extent_add(&time, column->begin);
			plot_extent_add(&time, column->end);
		}
	}
	zero = put_latencies(plot, "y", &latency, has_zeros, &plot->options->y_range);
	plot_set_extent(plot, "x", &time, NULL);
	plot_texts(plot, "names", plot->names, plot->report_count);
	plot_block(plot, "data", "seconds from, to, latency in ns from, to, heat, count");
	for (size_t i = 0; i < plot->report_count; i++) {
		plot_index(plot, i);
		for (size_t j = 0; j < map->reports[i].count; j++)
			put_column(plot, &map->reports[i].columns[j], zero, &value);
	}
	plot_set_extent(plot, "heat", &value, NULL);
	return DIAG_EXIT_OK;
}
