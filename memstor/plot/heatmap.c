/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heat maps: time by latency. Columns are intervals, or several of them together when there are more than fit; cells
 * are buckets. The colour is the count by the width of both, since intervals and buckets differ in width.
 */
#include "config.h"
#include "memstor/plot/kinds.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/diag.h"
#include "memstor/plot/axis.h"
#include "memstor/plot/curve.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/heatmap.h"
#include "memstor/plot/phrase.h"
#include "memstor/plot/style.h"
#include "memstor/plot/window.h"

#define COLUMNS_MAX 240
#define PANEL_GAP 10.0
#define SIZE_NAME 12
#define OVERLAP 0.5
#define RIGHT_OF_PANELS 126.0 /* the colours' box with its tics and title */
#define BOX_GAP 16.0
#define BOX_WIDTH 14.0

static size_t count_intervals(const struct plot *plot, const struct loaded *loaded)
{
	size_t count = 0;

	for (size_t i = 0; i < loaded->interval_count; i++)
		count += plot_window_has(plot->options, &loaded->intervals[i]);
	return count;
}

/* From `first` on, up to `together` of those inside the window. Returns the index behind the last. */
static size_t list_column(const struct plot *plot, const struct loaded *loaded, size_t first, size_t together,
	const struct loaded_histogram **list, size_t *count, struct plot_heat_column *column)
{
	size_t i = first, intervals = 0;

	*count = 0;
	for (; i < loaded->interval_count && intervals < together; i++) {
		const struct loaded_interval *interval = &loaded->intervals[i];

		if (!plot_window_has(plot->options, interval))
			continue;
		if (intervals++ == 0)
			column->begin = interval->time_s - interval->seconds;
		column->end = interval->time_s;
		if (interval->histogram)
			list[(*count)++] = interval->histogram;
	}
	return i;
}

static bool has_histograms(const struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->interval_count; i++) {
		if (loaded->intervals[i].histogram)
			return true;
	}
	return false;
}

int plot_heatmap_take(struct plot *plot, const struct loaded *loaded)
{
	struct plot_heatmap *map = plot->state;
	struct plot_heat *heat = &map->reports[plot->report_count - 1];
	size_t intervals = count_intervals(plot, loaded), next = 0;
	const struct loaded_histogram **list = reallocarray(NULL, intervals + 1, sizeof(void *));
	int rc = plot_window_check(plot, loaded);

	heat->intervals_together = (intervals + COLUMNS_MAX - 1) / COLUMNS_MAX;
	heat->granularity_ns = loaded_clock_step_ns(loaded);
	heat->columns = calloc(COLUMNS_MAX, sizeof(*heat->columns));
	if (!rc && (!list || !heat->columns)) {
		diag_error(ENOMEM, "cannot draw");
		rc = DIAG_EXIT_HOST;
	}
	if (!rc && !has_histograms(loaded)) {
		diag_error(0, "%s: its intervals have no histograms: series draws them", loaded->path);
		rc = DIAG_EXIT_USAGE;
	}
	for (size_t taken = 0; taken < intervals && !rc; taken += heat->intervals_together) {
		struct plot_heat_column *column = &heat->columns[heat->count];
		size_t count;

		next = list_column(plot, loaded, next, heat->intervals_together, list, &count, column);
		rc = plot_buckets_sum(&column->buckets, list, count, loaded->path);
		heat->count += !rc;
	}
	free(list);
	return rc;
}

void plot_heatmap_free(struct plot *plot)
{
	struct plot_heatmap *map = plot->state;

	for (size_t i = 0; i < plot->report_count; i++) {
		for (size_t j = 0; j < map->reports[i].count; j++)
			plot_buckets_free(&map->reports[i].columns[j].buckets);
		free(map->reports[i].columns);
	}
}

/* By second and doubling of latency; or as a share of what the column has, in percent, by sixteenth of a doubling. */
static double heat_of(const struct plot *plot, const struct plot_heat_column *column, const struct loaded_bucket *bucket)
{
	const struct loaded_histogram *histogram = &column->buckets.histogram;
	double count = (double)bucket->count / plot_bucket_octaves(histogram, bucket);

	if (plot->options->is_share)
		return count / (double)histogram->count * 100 / PLOT_BUCKET_PARTS;
	return count / (column->end - column->begin);
}

struct extents {
	struct plot_extent time, latency, heat;
};

static void measure(const struct plot *plot, const struct plot_heat *heat, struct extents *extents)
{
	for (size_t i = 0; i < heat->count; i++) {
		const struct plot_heat_column *column = &heat->columns[i];
		const struct loaded_histogram *histogram = &column->buckets.histogram;

		plot_extent_add(&extents->time, column->begin);
		plot_extent_add(&extents->time, column->end);
		for (size_t j = 0; j < histogram->bucket_count; j++) {
			double lo, hi;

			plot_bucket_edges(histogram, &histogram->buckets[j], &lo, &hi);
			plot_extent_add(&extents->latency, lo);
			plot_extent_add(&extents->latency, hi);
			plot_extent_add(&extents->heat, heat_of(plot, column, &histogram->buckets[j]));
		}
	}
}

static void write_cells(const struct plot *plot, const struct plot_heat *heat, size_t number)
{
	FILE *out = plot->script;

	fprintf(out, "# seconds from, to, latency in ns from, to, heat, count\n$heat%zu << END\n", number);
	for (size_t i = 0; i < heat->count; i++) {
		const struct plot_heat_column *column = &heat->columns[i];
		const struct loaded_histogram *histogram = &column->buckets.histogram;

		for (size_t j = 0; j < histogram->bucket_count; j++) {
			const struct loaded_bucket *bucket = &histogram->buckets[j];
			double lo, hi;

			plot_bucket_edges(histogram, bucket, &lo, &hi);
			fprintf(out, "%.10g %.10g %.10g %.10g %.6g %llu\n", column->begin, column->end, lo, hi,
				heat_of(plot, column, bucket), (unsigned long long)bucket->count);
		}
	}
	fprintf(out, "END\n");
}

static const char *heat_title(const struct plot *plot)
{
	if (plot->options->is_share)
		return plot_phrase_choose(plot->reports, plot->report_count, "share of accesses per 1/16 doubling of latency",
			"share of operations per 1/16 doubling of latency");
	return plot_phrase_choose(plot->reports, plot->report_count, "accesses per second and doubling of latency",
		"operations per second and doubling of latency");
}

/* Beside the panels, as high as all of them together. */
static void put_colour_box(struct plot_frame *frame, const struct plot_rect *rect, const struct plot_axis *heat)
{
	FILE *out = frame->plot->script;
	double width = frame->layout.width, height = frame->layout.height;
	struct plot_rect beside = *rect;

	fprintf(out, "set style fill solid noborder\n");
	plot_style_palette(out);
	fprintf(out, "set colorbox vertical user origin screen %.5f,%.5f size screen %.5f,%.5f noborder\n",
		(rect->right + BOX_GAP) / width, rect->bottom / height, BOX_WIDTH / width, (rect->top - rect->bottom) / height);
	beside.right += BOX_GAP + BOX_WIDTH;
	plot_frame_axis(frame, &beside, heat);
}

/* Each cell reaches half a unit under those right of it and above, which are drawn later: between two that only touch
 * the ground shines through. */
static void put_cells(const struct plot_frame *frame, const struct plot_rect *rect, const struct plot_axis *x,
	const struct plot_axis *y, size_t number)
{
	struct plot *plot = frame->plot;
	double right = (x->high - x->low) / (rect->right - rect->left) * OVERLAP;
	double up = OVERLAP / (rect->top - rect->bottom);

	fprintf(plot->script, "plot $heat%zu using (0.5*($1+$2)):(sqrt($3*$4)):1:($2+%.6g):3:", number, right);
	if (y->is_log)
		fprintf(plot->script, "($4*%.8g):5", pow(y->high / y->low, up));
	else
		fprintf(plot->script, "($4+%.6g):5", (y->high - y->low) * up);
	fprintf(plot->script, " with boxxyerror fillcolor palette fillstyle solid noborder\n");
}

static void draw_panels(struct plot *plot, const struct extents *extents, char **names)
{
	struct plot_axis x = {"x", NULL, PLOT_UNIT_SECONDS, false, extents->time.low, extents->time.high};
	struct plot_axis y = {"y", plot_phrase_latency(plot->reports, plot->report_count), PLOT_UNIT_NS,
		plot->options->y != PLOT_SCALE_LINEAR, 0, 0};
	struct plot_axis heat = {"cb", heat_title(plot), plot->options->is_share ? PLOT_UNIT_PERCENT : PLOT_UNIT_COUNT, true,
		0, 0};
	double above = plot->report_count > 1 ? SIZE_NAME * 1.6 : 6, high;
	struct plot_frame frame;
	struct plot_rect all;

	plot_axis_fit(&y, &extents->latency);
	plot_axis_fit(&heat, &extents->heat);
	if (plot->options->y_range.is_given) {
		y.low = plot->options->y_range.low_ns;
		y.high = plot->options->y_range.high_ns;
	}
	plot_frame_begin(&frame, plot, plot->report_count);
	all = frame.area;
	all.right -= RIGHT_OF_PANELS - PLOT_FRAME_RIGHT;
	all.bottom += PLOT_FRAME_BELOW;
	all.top -= above;
	high = (all.top - all.bottom - (double)(plot->report_count - 1) * (above + PANEL_GAP)) / (double)plot->report_count;
	for (size_t i = 0; i < plot->report_count; i++) {
		struct plot_rect rect = all;

		rect.top -= (double)i * (high + above + PANEL_GAP);
		rect.bottom = rect.top - high;
		x.title = i + 1 == plot->report_count ? "time since the run began (s)" : NULL;
		plot_frame_panel(&frame, &rect);
		if (i == 0)
			put_colour_box(&frame, &all, &heat);
		else
			fprintf(plot->script, "unset colorbox\n");
		if (plot->report_count > 1)
			plot_frame_text(&frame, rect.left, rect.top + SIZE_NAME * 0.7, PLOT_ANCHOR_LEFT, SIZE_NAME, PLOT_INK,
				names[i]);
		plot_frame_axis(&frame, &rect, &x);
		plot_frame_axis(&frame, &rect, &y);
		plot_drawn(plot, plot->report_count > 1 ? names[i] : "accesses");
		put_cells(&frame, &rect, &x, &y, i);
	}
	plot_frame_end(&frame);
}

static void note_columns(struct plot *plot, const struct plot_heat *heat)
{
	const struct plot_heat_column *first = heat->columns;

	if (heat->intervals_together > 1)
		plot_note(plot, false, "Each column is %zu intervals, %.3g s.", heat->intervals_together,
			first->end - first->begin);
	for (size_t i = 0; i < heat->count; i++) {
		const struct loaded_histogram *histogram = &heat->columns[i].buckets.histogram;

		if (plot_bucket_is_wide_lowest(histogram))
			plot_note(plot, false, "All accesses below %.0f ns are in one bucket.", histogram->buckets[0].hi_ns);
	}
}

int plot_heatmap_draw(struct plot *plot)
{
	struct plot_heatmap *map = plot->state;
	struct extents extents = {PLOT_EXTENT_NONE, PLOT_EXTENT_NONE, PLOT_EXTENT_NONE};
	char **names = plot_fact_names(plot->reports, plot->report_count, &plot->options->legend);

	if (!names) {
		diag_error(ENOMEM, "cannot draw");
		return DIAG_EXIT_HOST;
	}
	plot_window_note(plot);
	for (size_t i = 0; i < plot->report_count; i++) {
		struct plot_heat *heat = &map->reports[i];

		note_columns(plot, heat);
		for (size_t j = 0; j < heat->count; j++)
			plot_buckets_coarsen(&heat->columns[j].buckets, heat->granularity_ns);
		measure(plot, heat, &extents);
		write_cells(plot, heat, i);
	}
	draw_panels(plot, &extents, names);
	plot_fact_names_free(names);
	return DIAG_EXIT_OK;
}
