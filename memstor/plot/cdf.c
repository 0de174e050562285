/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cumulated distributions: shares by latency, and latencies by share as HdrHistogram plots them. */
#include "config.h"
#include "memstor/plot/kinds.h"

#include <math.h>

#include "memstor/plot/axis.h"
#include "memstor/plot/overlay.h"
#include "memstor/plot/phrase.h"

#define POINTS_A_DECADE 40 /* of a percentile plot's x axis */

static double clamp(double value, const struct loaded_histogram *histogram)
{
	return fmin(fmax(value, histogram->min_ns), histogram->max_ns);
}

/* The share up to here, or beyond, in percent; one that has no place on a log axis is on its floor. */
static double share_of(const struct loaded_histogram *histogram, uint64_t below, const struct plot_axis *y)
{
	uint64_t count = y->is_log ? histogram->count - below : below;

	return fmax(100.0 * (double)count / (double)histogram->count, y->low);
}

/* The share is known at the edges of buckets only; between them it is drawn straight, as percentiles are computed. */
static void write_cdf(const struct plot *plot, struct plot_curve *curve, const struct plot_axis *y)
{
	const struct loaded_histogram *histogram = &curve->buckets.histogram;
	FILE *out = plot->script;
	uint64_t below = 0;
	double before = NAN;

	fprintf(out, "# latency in ns, share in percent, count\n%s << END\n", curve->data);
	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct loaded_bucket *bucket = &histogram->buckets[i];
		double lo, hi;

		plot_bucket_edges(histogram, bucket, &lo, &hi);
		lo = clamp(lo, histogram);
		hi = clamp(hi, histogram);
		if (lo != before)
			fprintf(out, "%.10g %.10g 0\n", lo, share_of(histogram, below, y));
		below += bucket->count;
		fprintf(out, "%.10g %.10g %llu\n", hi, share_of(histogram, below, y), (unsigned long long)bucket->count);
		before = hi;
	}
	fprintf(out, "END\n");
}

/* One sample of the largest histogram must still be seen. */
static double smallest_share(const struct plot_curves *curves)
{
	uint64_t count = 1;

	for (size_t i = 0; i < curves->count; i++) {
		if (curves->items[i].buckets.histogram.count > count)
			count = curves->items[i].buckets.histogram.count;
	}
	return 100.0 / (double)count;
}

static const char *share_title(const struct plot *plot, bool is_log)
{
	if (is_log)
		return plot_phrase_choose(plot->reports, plot->report_count, "share of accesses that took longer",
			"share of operations that took longer");
	return plot_phrase_choose(plot->reports, plot->report_count, "share of accesses that took at most so long",
		"share of operations that took at most so long");
}

int plot_cdf_draw(struct plot *plot)
{
	struct plot_curves *curves = plot->state;
	bool is_log = plot->options->y == PLOT_SCALE_LOG;
	struct plot_axis x = {"x", plot_phrase_latency(plot->reports, plot->report_count), PLOT_UNIT_NS, true, 0, 0};
	struct plot_axis y = {"y", share_title(plot, is_log),
		PLOT_UNIT_PERCENT, is_log, 0, 100};
	int rc = plot_curves_finish(plot, curves);

	if (rc)
		return rc;
	if (is_log)
		y.low = fmin(smallest_share(curves) / 2, 50);
	plot_overlay_latencies(plot, curves, &x);
	for (size_t i = 0; i < curves->count; i++)
		write_cdf(plot, &curves->items[i], &y);
	plot_overlay_panel(plot, curves, &x, &y, true);
	plot_overlay_lines(plot, curves, "plot ");
	return 0;
}

/* Up to the last sample, which stands for the share of all but one. */
static void write_percentiles(const struct plot *plot, struct plot_curve *curve, struct plot_extent *extent)
{
	const struct loaded_histogram *histogram = &curve->buckets.histogram;
	double samples = (double)histogram->count;
	FILE *out = plot->script;

	fprintf(out, "# 1 / (1 - p), latency in ns\n%s << END\n", curve->data);
	for (int i = 0; histogram->count; i++) {
		double nines = fmin(pow(10, (double)i / POINTS_A_DECADE), samples);
		double value = loaded_percentile(histogram, 100 - 100 / nines);

		/* Of the lowest bucket the begin may not be known. */
		value = fmax(value, 0.5);
		fprintf(out, "%.10g %.10g\n", nines, value);
		plot_extent_add(extent, value);
		if (nines >= samples)
			break;
	}
	if (histogram->count)
		fprintf(out, "%.10g %.10g\n", samples, loaded_percentile(histogram, 100));
	plot_extent_add(extent, loaded_percentile(histogram, 100));
	fprintf(out, "END\n");
}

int plot_percentile_draw(struct plot *plot)
{
	struct plot_curves *curves = plot->state;
	const struct plot_range *range = &plot->options->y_range;
	struct plot_axis x = {"x", "percentile", PLOT_UNIT_NINES, true, 1, 0};
	struct plot_axis y = {"y", plot_phrase_latency(plot->reports, plot->report_count), PLOT_UNIT_NS,
		plot->options->y != PLOT_SCALE_LINEAR, 0, 0};
	struct plot_extent extent = PLOT_EXTENT_NONE;
	int rc = plot_curves_finish(plot, curves);

	if (rc)
		return rc;
	for (size_t i = 0; i < curves->count; i++)
		write_percentiles(plot, &curves->items[i], &extent);
	plot_axis_fit(&y, &extent);
	if (range->is_given) {
		y.low = range->low_ns;
		y.high = range->high_ns;
	}
	x.high = fmax(100 / smallest_share(curves), 10) * 1.2;
	plot_overlay_panel(plot, curves, &x, &y, false);
	plot_overlay_lines(plot, curves, "plot ");
	return 0;
}
