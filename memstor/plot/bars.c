/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/bars.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"

#define ROUNDS 2000
#define SEED 1
#define LEVEL 0.95

static int no_memory(void)
{
	diag_error(ENOMEM, "cannot draw");
	return DIAG_EXIT_HOST;
}

/* Of a report of many cells the first ones'. */
static int choose_defaults(struct plot *plot, const struct loaded *loaded, struct plot_bars *bars)
{
	struct metric *own;
	size_t count;

	bars->metric_count = metric_defaults(loaded->tool, bars->metrics, PLOT_BARS_METRICS);
	if (metric_subject_defaults(loaded, &own, &count))
		return no_memory();
	for (size_t i = 0; i < count && bars->metric_count < PLOT_BARS_METRICS; i++)
		bars->metrics[bars->metric_count++] = own[i];
	if (count > PLOT_BARS_METRICS)
		plot_note(plot, false, "The first %d of %zu numbers: --metric chooses others.", PLOT_BARS_METRICS, count);
	free(own);
	return DIAG_EXIT_OK;
}

static int choose_metrics(struct plot *plot, const struct loaded *loaded, struct plot_bars *bars)
{
	const struct plot_list *wanted = &plot->options->metrics;
	const char *why;

	if (wanted->count == 0)
		return choose_defaults(plot, loaded, bars);
	if (wanted->count > PLOT_BARS_METRICS) {
		diag_error(0, "--metric: a picture has room for %d, these are %zu", PLOT_BARS_METRICS, wanted->count);
		return DIAG_EXIT_USAGE;
	}
	for (size_t i = 0; i < wanted->count; i++) {
		if (metric_parse(wanted->items[i], &bars->metrics[i], &why)) {
			diag_error(0, "--metric '%s': %s", wanted->items[i], why);
			return DIAG_EXIT_USAGE;
		}
	}
	bars->metric_count = wanted->count;
	return DIAG_EXIT_OK;
}

int plot_bars_take(struct plot *plot, const struct loaded *loaded)
{
	struct plot_bars *bars = plot->state;
	int rc = bars->run_count ? DIAG_EXIT_OK : choose_metrics(plot, loaded, bars);

	if (rc)
		return rc;
	if (bars->run_count == bars->room) {
		size_t room = bars->room ? 2 * bars->room : 16;
		struct metric_number(*runs)[PLOT_BARS_METRICS] = reallocarray(bars->runs, room, sizeof(*runs));

		if (!runs)
			return no_memory();
		bars->runs = runs;
		bars->room = room;
	}
	for (size_t i = 0; i < bars->metric_count; i++)
		bars->runs[bars->run_count][i] = metric_number(&bars->metrics[i], loaded);
	bars->run_count++;
	return DIAG_EXIT_OK;
}

static bool is_same_text(const char *one, const char *other)
{
	return one && other ? !strcmp(one, other) : one == other;
}

/* The group of an earlier run that belongs with this one, or a new one. Numbers of two tools are not of one thing. */
static size_t group_of(const struct plot *plot, const struct plot_bars *bars, size_t run)
{
	const struct plot_options *options = plot->options;
	const struct plot_facts *reports = plot->reports, *one = &reports[run];

	for (size_t i = 0; i < run && (options->group_by || options->files.has_groups); i++) {
		if (reports[i].group != one->group || strcmp(reports[i].tool, one->tool))
			continue;
		if (!options->group_by ||
			is_same_text(plot_fact(&reports[i], options->group_by), plot_fact(one, options->group_by)))
			return bars->groups[i];
	}
	return bars->group_count;
}

static int find_groups(const struct plot *plot, struct plot_bars *bars)
{
	bool is_known = !plot->options->group_by;

	bars->groups = calloc(bars->run_count + 1, sizeof(*bars->groups));
	if (!bars->groups)
		return no_memory();
	for (size_t i = 0; i < bars->run_count; i++) {
		bars->groups[i] = group_of(plot, bars, i);
		bars->group_count += bars->groups[i] == bars->group_count;
		is_known = is_known || plot_fact(&plot->reports[i], plot->options->group_by);
	}
	if (!is_known) {
		diag_error(0, "--group-by '%s': no report has such a label, option or fact", plot->options->group_by);
		return DIAG_EXIT_USAGE;
	}
	if (bars->group_count > PLOT_BARS_GROUPS) {
		diag_error(0, "%zu groups: a picture has room for %d; group runs by -- between them, or --group-by",
			bars->group_count, PLOT_BARS_GROUPS);
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

/* What stands between two "--": the folder that only these reports are in, or "FIRST and N more". */
static void name_side(const struct plot *plot, size_t side, char *text, size_t length)
{
	const char *first = "";
	size_t count = 0, folder = 0;
	bool is_folder = true;

	for (size_t i = 0; i < plot->report_count; i++) {
		if (plot->reports[i].group != side)
			continue;
		if (count++ == 0) {
			first = plot->reports[i].path;
			folder = folder_length(first);
		}
	}
	for (size_t i = 0; i < plot->report_count; i++) {
		const char *path = plot->reports[i].path;
		bool is_in = folder_length(path) == folder && !strncmp(path, first, folder);

		is_folder = is_folder && is_in == (plot->reports[i].group == side);
	}
	if (is_folder && folder && count > 1)
		snprintf(text, length, "%.*s", (int)folder, first);
	else if (count > 1)
		snprintf(text, length, "%s and %zu more", first, count - 1);
	else
		snprintf(text, length, "%s", first);
}

/* What all runs of a group have in common, as if of one report, and as the last fact its side of "--". The facts
 * are the first run's, but for the array and the side. */
static bool take_common(const struct plot *plot, struct plot_bars *bars, size_t group, struct plot_facts *common)
{
	const struct plot_facts *first;
	size_t run = 0;

	while (bars->groups[run] != group)
		run++;
	first = &plot->reports[run];
	*common = *first;
	common->count = 0;
	common->facts = calloc(first->count + 1, sizeof(*common->facts));
	if (plot->options->files.has_groups) {
		char side[PLOT_TEXT];

		name_side(plot, first->group, side, sizeof(side));
		common->path = arena_text(&bars->arena, side, strlen(side));
	}
	for (size_t j = 0; j < first->count && common->facts; j++) {
		bool is_common = true;

		for (size_t i = 0; i < bars->run_count && is_common; i++)
			is_common = bars->groups[i] != group ||
				    is_same_text(plot_fact(&plot->reports[i], first->facts[j].name), first->facts[j].value);
		if (is_common)
			common->facts[common->count++] = first->facts[j];
	}
	if (common->facts && common->path)
		common->facts[common->count++] = (struct plot_fact){PLOT_FACT_REPORT, PLOT_FACT_SIDE, common->path};
	return common->facts && common->path;
}

static int name_groups(const struct plot *plot, struct plot_bars *bars)
{
	struct plot_list by = {1, {plot->options->group_by}};
	struct plot_facts *commons = calloc(bars->group_count + 1, sizeof(*commons));
	bool is_done = commons != NULL;

	for (size_t i = 0; i < bars->group_count && is_done; i++)
		is_done = take_common(plot, bars, i, &commons[i]);
	if (is_done && plot->options->group_by && strcmp(plot->options->group_by, "tool") &&
		!plot_fact_is_common(plot->reports, plot->report_count, "tool"))
		by.items[by.count++] = "tool";
	if (plot->options->files.has_groups)
		by.items[by.count++] = PLOT_FACT_SIDE;
	if (is_done)
		bars->names = plot_fact_names(commons, bars->group_count,
			plot->options->group_by && !plot->options->legend.count ? &by : &plot->options->legend);
	for (size_t i = 0; commons && i < bars->group_count; i++)
		free(commons[i].facts);
	free(commons);
	return bars->names ? DIAG_EXIT_OK : no_memory();
}

static int fill_bar(const struct plot_bars *bars, size_t metric, size_t group, struct plot_bar *bar)
{
	int err;

	bar->values = calloc(bars->run_count + 1, sizeof(*bar->values));
	if (!bar->values)
		return -ENOMEM;
	for (size_t i = 0; i < bars->run_count; i++) {
		const struct metric_number *number = &bars->runs[i][metric];

		if (bars->groups[i] != group || !isfinite(number->value))
			continue;
		bar->values[bar->count++] = number->value;
		bar->below = fmax(bar->below, metric_below(number));
	}
	err = bar->count ? stats_median(bar->values, bar->count, &bar->median) : 0;
	if (bar->median > bar->below)
		bar->below = 0;
	return err;
}

static int find_interval(const struct plot_bars *bars, struct plot_bar *bar)
{
	if (bar->count == 0)
		return 0;
	if (bars->is_bootstrap)
		return stats_bootstrap_median(bar->values, bar->count, LEVEL, ROUNDS, SEED, &bar->interval);
	bar->interval = (struct stats_interval){bar->values[0], bar->values[0]};
	for (size_t i = 1; i < bar->count; i++) {
		bar->interval.low = fmin(bar->interval.low, bar->values[i]);
		bar->interval.high = fmax(bar->interval.high, bar->values[i]);
	}
	return 0;
}

static int fill_bars(struct plot_bars *bars)
{
	int err = 0;

	bars->is_bootstrap = true;
	for (size_t i = 0; i < bars->metric_count; i++) {
		for (size_t j = 0; j < bars->group_count && !err; j++) {
			err = fill_bar(bars, i, j, &bars->bars[i][j]);
			bars->is_bootstrap = bars->is_bootstrap &&
					     (!bars->bars[i][j].count || bars->bars[i][j].count >= PLOT_BARS_RUNS);
		}
	}
	for (size_t i = 0; i < bars->metric_count; i++) {
		for (size_t j = 0; j < bars->group_count && !err; j++)
			err = find_interval(bars, &bars->bars[i][j]);
	}
	return err ? no_memory() : DIAG_EXIT_OK;
}

/* Metrics that no run has are not drawn, unless they were asked for. */
static int drop_empty(const struct plot *plot, struct plot_bars *bars)
{
	size_t kept = 0;

	for (size_t i = 0; i < bars->metric_count; i++) {
		bool has_value = false;

		for (size_t j = 0; j < bars->run_count; j++)
			has_value = has_value || isfinite(bars->runs[j][i].value);
		if (!has_value && plot->options->metrics.count) {
			diag_error(0, "--metric '%s': no report has such a number", bars->metrics[i].name);
			return DIAG_EXIT_USAGE;
		}
		if (!has_value)
			continue;
		for (size_t j = 0; j < bars->run_count; j++)
			bars->runs[j][kept] = bars->runs[j][i];
		bars->metrics[kept++] = bars->metrics[i];
	}
	bars->metric_count = kept;
	if (kept)
		return DIAG_EXIT_OK;
	diag_error(0, "the reports have no numbers to draw as bars");
	return DIAG_EXIT_USAGE;
}

int plot_bars_finish(struct plot *plot)
{
	struct plot_bars *bars = plot->state;
	int rc = drop_empty(plot, bars);

	if (!rc)
		rc = find_groups(plot, bars);
	if (!rc)
		rc = name_groups(plot, bars);
	return rc ? rc : fill_bars(bars);
}

void plot_bars_free(struct plot *plot)
{
	struct plot_bars *bars = plot->state;

	for (size_t i = 0; i < PLOT_BARS_METRICS; i++) {
		for (size_t j = 0; j < PLOT_BARS_GROUPS; j++)
			free(bars->bars[i][j].values);
	}
	plot_fact_names_free(bars->names);
	arena_free(&bars->arena);
	free(bars->groups);
	free(bars->runs);
}
