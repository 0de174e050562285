/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bars of groups of runs, one panel per metric: the median of each group with its interval, and every run. */
#include "config.h"
#include "memstor/plot/plot.h"

#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"

#define ROUNDS 2000
#define SEED 1
#define LEVEL 0.95

#define METRICS_MAX 12
#define GROUPS_MAX 32
/* With at least this number of runs in every group, intervals are those of the median (95 %, bootstrap); otherwise they are
 * the extremes. */
#define BOOTSTRAP_RUNS 5
struct bars {
	size_t metric_count;
	struct metric metrics[METRICS_MAX];
	size_t run_count, room;
	struct metric_number (*runs)[METRICS_MAX]; /* per report; NAN = it has no such number */
	bool is_bootstrap;
	struct bar { /* of one group and one metric */
		size_t count; /* number of runs that have the metric; 0 = no bar */
		double *values;
		double median;
		double below; /* upper bound of the median, as metric_below; 0 = it is known */
		struct stats_interval interval;
	} bars[METRICS_MAX][GROUPS_MAX];
};

/* Of a report of many cells the first ones'. */
static int choose_defaults(struct plot *plot, const struct loaded *loaded, struct bars *bars)
{
	struct metric *own;
	size_t count;

	bars->metric_count = metric_defaults(loaded->tool, bars->metrics, METRICS_MAX);
	if (metric_subject_defaults(loaded, &own, &count))
		return plot_no_memory();
	for (size_t i = 0; i < count && bars->metric_count < METRICS_MAX; i++)
		bars->metrics[bars->metric_count++] = own[i];
	if (count > METRICS_MAX)
		plot_note(plot, false, "The first %d of %zu numbers: --metric chooses others.", METRICS_MAX, count);
	free(own);
	return DIAG_EXIT_OK;
}

int plot_bars_take(struct plot *plot, const struct loaded *loaded)
{
	struct bars *bars = plot_state(plot, sizeof(*bars));
	int rc = DIAG_EXIT_OK;

	if (!bars)
		return plot_no_memory();
	if (!bars->run_count)
		rc = plot->options->metrics.count
			     ? plot_metrics_choose(plot->options, bars->metrics, METRICS_MAX, &bars->metric_count)
			     : choose_defaults(plot, loaded, bars);
	if (rc)
		return rc;
	if (plot_grow(plot, &bars->runs, &bars->room, bars->run_count, sizeof(*bars->runs)))
		return plot_no_memory();
	for (size_t i = 0; i < bars->metric_count; i++)
		bars->runs[bars->run_count][i] = metric_number(&bars->metrics[i], loaded);
	bars->run_count++;
	return DIAG_EXIT_OK;
}

/* Medians of the groups, and their intervals: bootstrap if every bar has enough runs, else from the smallest to the largest. */
static int fill_bars(struct plot *plot, struct bars *bars, const struct plot_groups *groups)
{
	size_t count = bars->metric_count * groups->count;

	bars->is_bootstrap = true;
	for (size_t i = 0; i < count; i++) {
		size_t metric = i / groups->count, group = i % groups->count;
		struct bar *bar = &bars->bars[metric][group];

		bar->values = plot_keep(plot, bars->run_count, sizeof(*bar->values));
		if (!bar->values)
			return plot_no_memory();
		for (size_t j = 0; j < bars->run_count; j++) {
			const struct metric_number *number = &bars->runs[j][metric];

			if (groups->of[j] != group || !isfinite(number->value))
				continue;
			bar->values[bar->count++] = number->value;
			bar->below = fmax(bar->below, metric_below(number));
		}
		if (bar->count && stats_median(bar->values, bar->count, &bar->median))
			return plot_no_memory();
		if (bar->median > bar->below)
			bar->below = 0;
		bars->is_bootstrap = bars->is_bootstrap && (!bar->count || bar->count >= BOOTSTRAP_RUNS);
	}
	for (size_t i = 0; i < count; i++) {
		struct bar *bar = &bars->bars[i / groups->count][i % groups->count];

		if (!bar->count)
			continue;
		if (!bars->is_bootstrap)
			gsl_stats_minmax(&bar->interval.low, &bar->interval.high, bar->values, 1, bar->count);
		else if (stats_bootstrap_median(bar->values, bar->count, LEVEL, ROUNDS, SEED, &bar->interval))
			return plot_no_memory();
	}
	return DIAG_EXIT_OK;
}

/* Metrics that no run has are not drawn, unless they were asked for. */
static int drop_empty(const struct plot *plot, struct bars *bars)
{
	size_t kept = 0;

	for (size_t i = 0; i < bars->metric_count; i++) {
		bool has_value = false;

		for (size_t j = 0; j < bars->run_count; j++)
			has_value = has_value || isfinite(bars->runs[j][i].value);
		if (!has_value && plot->options->metrics.count)
			return diag_usage("--metric '%s': no report has such a number", bars->metrics[i].name);
		if (!has_value)
			continue;
		for (size_t j = 0; j < bars->run_count; j++)
			bars->runs[j][kept] = bars->runs[j][i];
		bars->metrics[kept++] = bars->metrics[i];
	}
	bars->metric_count = kept;
	if (kept)
		return DIAG_EXIT_OK;
	return diag_usage("the reports have no numbers to draw as bars");
}

static void put_panels(struct plot *plot)
{
	const struct bars *bars = plot->state;
	struct plot_parts subjects = {0};
	char text[PLOT_TEXT], subject[PLOT_TEXT];

	for (size_t i = 0; i < bars->metric_count; i++) {
		if (bars->metrics[i].subject[0])
			plot_parts_add(&subjects, bars->metrics[i].subject);
	}
	if (plot_parts_common(&subjects, text, sizeof(text))[0])
		plot_note(plot, false, "All cells are of %s.", text);
	plot_block(plot, "panels", "texts: the title of each panel");
	for (size_t i = 0; i < bars->metric_count; i++) {
		const struct metric *metric = &bars->metrics[i];
		size_t skipped = metric->subject[0] ? strlen(metric->subject) + 1 : 0;

		snprintf(text, sizeof(text), strcmp(metric->unit, "ns") ? "%s (%s)" : "%s", metric->name + skipped, metric->unit);
		plot_text_line(plot, text, PLOT_TEXT, false);
	}
	plot_block(plot, "subtitles", "texts");
	for (size_t i = 0; i < bars->metric_count; i++) {
		const struct metric *metric = &bars->metrics[i];

		subject[0] = '\0';
		if (metric->subject[0])
			plot_parts_own(&subjects, metric->subject, subject, sizeof(subject));
		snprintf(text, sizeof(text), "%.200s%s%s", subject, subject[0] ? ", " : "",
			metric->better == METRIC_LOWER ? "lower is better" : "higher is better");
		plot_text_line(plot, text, PLOT_TEXT, false);
	}
}

static void put_data(struct plot *plot, const struct plot_groups *groups)
{
	const struct bars *bars = plot->state;
	struct plot_extent extents[METRICS_MAX];

	plot_block(plot, "data", "panel, group, median, interval from, to, runs, the median is below this (0 = it is known)");
	for (size_t i = 0; i < bars->metric_count; i++) {
		extents[i] = PLOT_EXTENT_NONE;
		for (size_t j = 0; j < groups->count; j++) {
			const struct bar *bar = &bars->bars[i][j];

			if (!bar->count)
				continue;
			plot_row(plot, (double)i + 1, (double)j + 1, bar->median, bar->interval.low, bar->interval.high,
				(double)bar->count, bar->below);
			plot_extent_add(&extents[i], bar->interval.low);
			plot_extent_add(&extents[i], bar->interval.high);
		}
	}
	plot_block(plot, "runs", "panel, group, value, number in the group from 0 to 1");
	for (size_t i = 0; i < bars->metric_count * groups->count; i++) {
		size_t set = i / groups->count;
		const struct bar *bar = &bars->bars[set][i % groups->count];

		for (size_t j = 0; j < bar->count; j++) {
			plot_extent_add(&extents[set], bar->values[j]);
			if (bar->count > 1)
				plot_row(plot, 1 + (double)set, (double)(i % groups->count) + 1, bar->values[j],
					(double)j / (double)(bar->count - 1));
		}
	}
	plot_block(plot, "ranges", "of each panel: least above 0, highest, 1 = ns");
	for (size_t i = 0; i < bars->metric_count; i++)
		plot_row(plot, isfinite(extents[i].least) ? extents[i].least : 1, extents[i].high,
			!strcmp(bars->metrics[i].unit, "ns"));
}

static void note_intervals(struct plot *plot, const struct plot_groups *groups)
{
	const struct bars *bars = plot->state;
	size_t fewest = SIZE_MAX, most = 0;
	char runs[64];

	for (size_t i = 0; i < groups->count; i++) {
		size_t count = 0;

		for (size_t j = 0; j < bars->run_count; j++)
			count += groups->of[j] == i;
		fewest = count < fewest ? count : fewest;
		most = count > most ? count : most;
	}
	snprintf(runs, sizeof(runs), fewest == most ? "%zu" : "%zu to %zu", fewest, most);
	if (most == 1)
		plot_note(plot, false, "One run each: nothing is known of what differs from run to run.");
	else
		plot_note(plot, false, "Bars: medians of %s runs a group; points: the runs; lines: %s.", runs,
			bars->is_bootstrap ? "95 % intervals of the median (bootstrap)" : "from the smallest to the largest");
}

int plot_bars_extract(struct plot *plot)
{
	struct bars *bars = plot->state;
	struct plot_groups groups = {0};
	int rc = drop_empty(plot, bars);

	if (!rc)
		rc = plot_groups_make(plot, &groups);
	if (!rc && groups.count > GROUPS_MAX)
		rc = diag_usage("%zu groups: a picture has room for %d; group runs by -- between them, or --group-by",
			groups.count, GROUPS_MAX);
	if (!rc)
		rc = fill_bars(plot, bars, &groups);
	if (!rc) {
		put_panels(plot);
		put_data(plot, &groups);
		plot_texts(plot, "names", groups.names, groups.count);
		note_intervals(plot, &groups);
	}
	return rc;
}
