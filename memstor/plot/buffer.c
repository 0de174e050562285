/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The slowdown of a program in less memory, against the prediction of memtrace from a recording of it. */
#include "config.h"
#include "memstor/plot/plot.h"

#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"

#define LEAST_SHARE 0.1 /* of the largest excess: where the curve is flat, the size of a smaller one is chance */

/* Runs of a program with several memory sizes, and the miss ratios or the hot set of a recording of it; "--" separates
 * programs. */
struct buffer {
	size_t count, room;
	struct run {
		size_t side, report;
		double bytes, rate; /* the memory limit, INFINITY = none; operations per second */
	} *runs;
	struct curve { /* per program */
		bool is_hot_set;
		size_t count, room;
		double (*points)[2]; /* size, and miss ratio or accesses of a bucket */
	} curves[PLOT_COLOURS];
};

/* --- reports --- */

static const char *side_name(const struct curve *curve)
{
	return curve->is_hot_set ? "hotset" : "missratio";
}

static int take_curve(struct plot *plot, const struct loaded *loaded, const struct report_node *part, bool is_hot_set, size_t side)
{
	struct buffer *buffer = plot->state;
	struct curve *curve = &buffer->curves[side];
	const char *row = is_hot_set ? "size_step" : "curve_point";

	if (curve->count)
		return diag_usage("%s: a second recording of this program (give one); separate programs by --", loaded->path);
	curve->is_hot_set = is_hot_set;
	for (size_t i = 0; i < PLOT_COLOURS; i++) {
		if (buffer->curves[i].count && buffer->curves[i].is_hot_set != is_hot_set)
			return diag_usage("%s: a report of analyze %s, but another one is of %s; give reports of the same analysis",
				loaded->path, side_name(curve), side_name(&buffer->curves[i]));
	}
	for (const struct report_node *node = report_read_find(part, row); node; node = report_read_next(node)) {
		double *point;

		if (plot_grow(plot, &curve->points, &curve->room, curve->count, sizeof(*curve->points)))
			return plot_no_memory();
		point = curve->points[curve->count++];
		point[0] = report_read_number(node, is_hot_set ? "size_bytes" : "buffer_bytes");
		point[1] = report_read_number(node, is_hot_set ? "samples" : "miss_ratio");
	}
	return curve->count ? DIAG_EXIT_OK : diag_usage("%s: analyze %s found nothing", loaded->path, side_name(curve));
}

int plot_buffer_take(struct plot *plot, const struct loaded *loaded)
{
	struct buffer *buffer = plot_state(plot, sizeof(*buffer));
	const struct report_node *root = report_read_root(loaded->document), *part;
	size_t side = plot->reports[plot->report_count - 1].group;
	double limit, rate = loaded_rate(loaded->values, loaded->value_count);

	if (!buffer)
		return plot_no_memory();
	if (side >= PLOT_COLOURS)
		return diag_usage("too many programs: a picture has at most %d", PLOT_COLOURS);
	part = report_read_find(root, "report/result/miss_ratio_curve");
	if (part)
		return take_curve(plot, loaded, part, false, side);
	part = report_read_find(root, "report/result/hot_set");
	if (part)
		return take_curve(plot, loaded, part, true, side);
	if (!(rate > 0))
		return diag_usage("%s: must be the report of a run with a rate, or of memtrace analyze missratio or hotset",
			loaded->path);
	if (plot_grow(plot, &buffer->runs, &buffer->room, buffer->count, sizeof(*buffer->runs)))
		return plot_no_memory();
	limit = report_read_number(root, "report/machine_info/cgroup/limit_bytes");
	buffer->runs[buffer->count++] = (struct run){.side = side, .report = plot->report_count - 1, .rate = rate,
		.bytes = limit > 0 ? limit : INFINITY};
	return DIAG_EXIT_OK;
}

/* --- sizes --- */

/* The runs of one program in one size of memory. */
struct size {
	double bytes, median, least, most; /* of the slowdown; bytes INFINITY: no limit */
	size_t count;
};

struct side {
	size_t count;
	struct size *sizes; /* rising */
};

/* By program, then by size. */
static int compare_runs(const void *a, const void *b)
{
	const struct run *first = a, *second = b;

	if (first->side != second->side)
		return first->side < second->side ? -1 : 1;
	return (first->bytes > second->bytes) - (first->bytes < second->bytes);
}

/* runs: of one program, in rising sizes. Slowdowns are relative to the median of the largest size. */
static int make_sizes(struct plot *plot, const struct run *runs, size_t count, struct side *side)
{
	double *rates = plot_keep(plot, count, sizeof(*rates)), whole;

	side->sizes = plot_keep(plot, count, sizeof(*side->sizes));
	if (!rates || !side->sizes)
		return plot_no_memory();
	for (size_t begin = 0, end; begin < count; begin = end) {
		struct size *size = &side->sizes[side->count++];

		for (end = begin; end < count && runs[end].bytes == runs[begin].bytes; end++)
			rates[end - begin] = runs[end].rate;
		size->bytes = runs[begin].bytes;
		size->count = end - begin;
		/* Rates, until the largest size is known. */
		gsl_stats_minmax(&size->most, &size->least, rates, 1, size->count);
		if (stats_median(rates, size->count, &size->median))
			return plot_no_memory();
	}
	whole = side->sizes[side->count - 1].median;
	for (size_t i = 0; i < side->count; i++) {
		struct size *size = &side->sizes[i];

		size->median = whole / size->median;
		size->least = whole / size->least;
		size->most = whole / size->most;
	}
	return DIAG_EXIT_OK;
}

/* --- prediction and measurement --- */

/* The miss ratio of a buffer of this size; NAN below the curve's first point. */
static double value_at(const struct curve *curve, double bytes)
{
	size_t i = 0;

	while (i < curve->count && curve->points[i][0] < bytes)
		i++;
	if (i == curve->count)
		return curve->points[i - 1][1];
	if (i == 0)
		return curve->points[0][0] == bytes ? curve->points[0][1] : NAN;
	return curve->points[i - 1][1] + (curve->points[i][1] - curve->points[i - 1][1]) *
		(bytes - curve->points[i - 1][0]) / (curve->points[i][0] - curve->points[i - 1][0]);
}

/* The size from which on the miss ratio, which falls, is at most this. */
static double size_of(const struct curve *curve, double value)
{
	size_t i = 0;

	while (i < curve->count && curve->points[i][1] > value)
		i++;
	if (i == curve->count)
		return NAN;
	if (i == 0)
		return curve->points[0][0];
	return curve->points[i - 1][0] + (curve->points[i][0] - curve->points[i - 1][0]) *
		(curve->points[i - 1][1] - value) / (curve->points[i - 1][1] - curve->points[i][1]);
}

/* Notes how far apart in size measurement and prediction are, both scaled to their values in the least memory. */
static void note_distance(struct plot *plot, const struct side *side, const struct curve *curve, const char *name)
{
	const struct size *first = side->sizes;
	double excess = first->median - 1, ratio = value_at(curve, first->bytes), worst = 0, worst_size = NAN, worst_at = NAN;
	char who[64];

	plot_text_clean(name, 32, who, sizeof(who));
	if (!(excess > 0) || !(ratio > 0)) {
		plot_note(plot, false, "%s%sNo slowdown or no misses in the least memory: sizes are not compared.",
			who, who[0] ? ": " : "");
		return;
	}
	for (size_t i = 1; i < side->count && isfinite(first[i].bytes); i++) {
		double share = (first[i].median - 1) / excess, at = size_of(curve, share * ratio);
		double distance = fabs(log(at / first[i].bytes));

		/* A size with a run that is not slower is not compared. */
		if (share < LEAST_SHARE || first[i].least <= 1)
			continue;
		if (share <= 1 && distance > worst) {
			worst = distance;
			worst_size = first[i].bytes / 0x1p20;
			worst_at = at / 0x1p20;
		}
	}
	if (isnan(worst_size))
		plot_note(plot, false, "%s%sNo other size is clearly slower: sizes are not compared.", who,
			who[0] ? ": " : "");
	else
		plot_note(plot, false,
			"%s%sscaled to %.4g MiB (slowdown %.3g, miss ratio %.3g %%): at most %.0f %% apart in size, %.4g MiB "
			"measured and %.3g MiB predicted.",
			who, who[0] ? ": " : "", first->bytes / 0x1p20, first->median, 100 * ratio,
			100 * (exp(worst) - 1), worst_size, worst_at);
}

static void note_runs(struct plot *plot, const struct side *sides, size_t count)
{
	size_t fewest = SIZE_MAX, most = 0;
	char runs[64];

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < sides[i].count; j++) {
			fewest = sides[i].sizes[j].count < fewest ? sides[i].sizes[j].count : fewest;
			most = sides[i].sizes[j].count > most ? sides[i].sizes[j].count : most;
		}
	}
	snprintf(runs, sizeof(runs), fewest == most ? "%zu" : "%zu to %zu", fewest, most);
	if (most == 1)
		plot_note(plot, false, "Solid: one run per size, relative to the run in the most memory.");
	else
		plot_note(plot, false,
			"Solid: medians of %s runs per size, relative to the median in the most memory, with the smallest and "
			"largest.", runs);
}

/* --- the picture --- */

static void put_sides(struct plot *plot, const struct side *sides, size_t count)
{
	const struct buffer *buffer = plot->state;
	struct plot_extent x = PLOT_EXTENT_NONE, y = PLOT_EXTENT_NONE, curve = PLOT_EXTENT_NONE;
	double slowdown = NAN, ratio = NAN;

	plot_block(plot, "data", "an index for each program: memory, median of the slowdown, least, largest");
	for (size_t i = 0; i < count; i++) {
		plot_index(plot, i);
		for (size_t j = 0; j < sides[i].count; j++) {
			const struct size *size = &sides[i].sizes[j];

			if (!isfinite(size->bytes))
				continue;
			plot_row(plot, size->bytes, size->median, size->least, size->most);
			plot_extent_add(&x, size->bytes);
			plot_extent_add(&y, size->least);
			plot_extent_add(&y, size->most);
			slowdown = fmax(size->median, slowdown);
			ratio = fmax(value_at(&buffer->curves[i], size->bytes), ratio);
		}
	}
	plot_block_end(plot);
	plot_block(plot, "curves", "an index for each program: size of a buffer, miss ratio or accesses of a bucket");
	for (size_t i = 0; i < count; i++) {
		plot_index(plot, i);
		for (size_t j = 0; j < buffer->curves[i].count; j++) {
			plot_values(plot, buffer->curves[i].points[j], 2);
			plot_extent_add(&curve, buffer->curves[i].points[j][1]);
		}
	}
	plot_block_end(plot);
	plot_set_extent(plot, "x", &x, NULL);
	plot_set_extent(plot, "y", &y, NULL);
	plot_set_extent(plot, "curve", &curve, NULL);
	plot_set(plot, "slowdown_most", slowdown);
	plot_set(plot, "ratio_most", ratio);
	plot_set_count(plot, "is_hot_set", buffer->curves[0].is_hot_set);
}

int plot_buffer_extract(struct plot *plot)
{
	struct buffer *buffer = plot->state;
	size_t count = plot->reports[plot->report_count - 1].group + 1, begin = 0;
	struct side sides[PLOT_COLOURS] = {{0}};
	static char none[] = "";
	char *names[PLOT_COLOURS] = {NULL}; /* by the first run of each program */
	struct plot_groups groups = {0};
	int rc = plot_groups_make(plot, &groups);

	qsort(buffer->runs, buffer->count, sizeof(*buffer->runs), compare_runs);
	for (size_t i = 0, end; i < count && !rc; i++, begin = end) {
		for (end = begin; end < buffer->count && buffer->runs[end].side == i; end++)
			;
		if (begin == end || !buffer->curves[i].count) {
			rc = diag_usage("program %zu of %zu, separated by --: no report of %s", i + 1, count,
				begin == end ? "a run" : "memtrace analyze missratio or hotset");
		} else {
			names[i] = count > 1 ? groups.names[groups.of[buffer->runs[begin].report]] : none;
			rc = make_sizes(plot, buffer->runs + begin, end - begin, &sides[i]);
		}
	}
	if (!rc) {
		snprintf(plot->title, sizeof(plot->title), "Slowdown by memory, over %s of the recording",
			buffer->curves[0].is_hot_set ? "the access frequency" : "the miss ratio");
		note_runs(plot, sides, count);
		for (size_t i = 0; i < count && !buffer->curves[0].is_hot_set; i++)
			note_distance(plot, &sides[i], &buffer->curves[i], names[i]);
		put_sides(plot, sides, count);
		plot_texts(plot, "names", names, count);
	}
	return rc;
}
