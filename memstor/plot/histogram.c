/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histograms. Buckets differ in width, also as seen on a log axis, so that their counts cannot be compared: what is
 * drawn is the count divided by the width in doublings of latency. The area under a curve, as one sees it, is then the
 * number of accesses, whatever the buckets.
 */
#include "config.h"
#include "memstor/plot/kinds.h"

#include <math.h>

#include "memstor/plot/axis.h"
#include "memstor/plot/curve.h"
#include "memstor/plot/overlay.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/phrase.h"
#include "memstor/plot/style.h"

#define FILLED_MAX 2 /* more areas over one another are mud */

/* What a count of 1 by doubling is on the y axis. Shares are by sixteenth, about as wide as a bucket: more than 100 %
 * in one place is a riddle. */
static double unit_of(const struct plot *plot, const struct plot_curve *curve)
{
	uint64_t count = curve->buckets.histogram.count;

	return plot->options->is_share && count ? 100.0 / PLOT_BUCKET_PARTS / (double)count : 1;
}

static void measure(const struct plot *plot, const struct plot_curves *curves, struct plot_axis *y)
{
	struct plot_extent extent = PLOT_EXTENT_NONE;

	for (size_t i = 0; i < curves->count; i++) {
		const struct loaded_histogram *histogram = &curves->items[i].buckets.histogram;

		for (size_t j = 0; j < histogram->bucket_count; j++)
			plot_extent_add(&extent,
				(double)histogram->buckets[j].count * unit_of(plot, &curves->items[i]) /
					plot_bucket_octaves(histogram, &histogram->buckets[j]));
	}
	y->is_log = plot->options->y != PLOT_SCALE_LINEAR;
	/* The lowest stands out from the floor, too; and few that are alike do not look different. */
	if (y->is_log)
		plot_extent_add(&extent, fmin(extent.low / 2, extent.high / 10));
	plot_axis_fit(y, &extent);
}

/* Two rows a bucket, its count in the first; gaps are on the floor. */
static void write_data(const struct plot *plot, const struct plot_curve *curve, double floor)
{
	const struct loaded_histogram *histogram = &curve->buckets.histogram;
	FILE *out = plot->script;
	double before = NAN;

	fprintf(out, "# latency in ns, height, count\n%s << END\n", curve->data);
	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct loaded_bucket *bucket = &histogram->buckets[i];
		double height = (double)bucket->count * unit_of(plot, curve) / plot_bucket_octaves(histogram, bucket);
		double lo, hi;

		plot_bucket_edges(histogram, bucket, &lo, &hi);
		if (lo != before && i)
			fprintf(out, "%.10g %.10g 0\n", before, floor);
		if (lo != before)
			fprintf(out, "%.10g %.10g 0\n", lo, floor);
		fprintf(out, "%.10g %.10g %llu\n%.10g %.10g 0\n", lo, height, (unsigned long long)bucket->count, hi, height);
		before = hi;
	}
	if (histogram->bucket_count)
		fprintf(out, "%.10g %.10g 0\n", before, floor);
	fprintf(out, "END\n");
}

static void write_plot(struct plot *plot, const struct plot_curves *curves, double floor)
{
	const char *glue = "plot ";

	for (size_t i = 0; i < curves->count && curves->count <= FILLED_MAX; i++) {
		plot_drawn(plot, curves->items[i].name);
		fprintf(plot->script, "%s%s using 1:2 with filledcurves y=%.10g fillcolor rgb \"%s\"", glue,
			curves->items[i].data, floor, plot_style_colour(curves->items[i].colour));
		glue = ", \\\n\t";
	}
	plot_overlay_lines(plot, curves, glue);
}

static void coarsen(struct plot *plot, struct plot_curve *curve)
{
	size_t before = curve->buckets.histogram.bucket_count;

	plot_buckets_coarsen(&curve->buckets, curve->granularity_ns);
	if (curve->granularity_ns > PLOT_BUCKET_FINE_NS && curve->buckets.histogram.bucket_count < before)
		plot_note(plot, false, "The clock's steps are %.3g ns: finer is not drawn.", curve->granularity_ns);
}

static const char *title_of(const struct plot *plot)
{
	if (plot->options->is_share)
		return plot_phrase_choose(plot->reports, plot->report_count, "share of accesses per 1/16 doubling of latency",
			"share of operations per 1/16 doubling of latency");
	return plot_phrase_choose(plot->reports, plot->report_count, "accesses per doubling of latency",
		"operations per doubling of latency");
}

int plot_histogram_draw(struct plot *plot)
{
	struct plot_curves *curves = plot->state;
	struct plot_axis x = {"x", plot_phrase_latency(plot->reports, plot->report_count), PLOT_UNIT_NS, true, 0, 0};
	struct plot_axis y = {"y", title_of(plot), plot->options->is_share ? PLOT_UNIT_PERCENT : PLOT_UNIT_COUNT, false, 0, 0};
	int rc = plot_curves_finish(plot, curves);

	if (rc)
		return rc;
	for (size_t i = 0; i < curves->count; i++)
		coarsen(plot, &curves->items[i]);
	measure(plot, curves, &y);
	plot_overlay_latencies(plot, curves, &x);
	for (size_t i = 0; i < curves->count; i++)
		write_data(plot, &curves->items[i], y.low);
	plot_overlay_panel(plot, curves, &x, &y, true);
	write_plot(plot, curves, y.low);
	return 0;
}
