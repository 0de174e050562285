/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors of the models of iowrite-bench evaluate, over scenarios, repetitions and reports. */
#include "config.h"
#include "memstor/plot/plot.h"

#include <math.h>
#include <string.h>

#include "common/diag.h"

#define MODELS PLOT_MODELS

#define SCENARIOS_MAX 64
#define PANELS_MAX 3
struct errors {
	size_t panel_count, panels[PANELS_MAX]; /* of error_rows */
	size_t scenario_count;
	struct scenario {
		char id[48];
		double floor; /* the minimum over the repetitions, NAN = unknown */
		struct values {
			size_t count, room;
			double *values;
		} of[PANELS_MAX][MODELS];
	} scenarios[SCENARIOS_MAX];
};

static const struct error_row {
	const char *name, *element, *title;
	bool has_floor, is_usual;
} error_rows[] = {
	{"per-write-error", "per_write_error_percent", "error per write", true, true},
	{"total-error", "total_error_percent", "error of the total", false, true},
	{"mean-write-error", "mean_write_error_percent", "error of the mean of each size", false, false},
	{"curve-gap", "curve_gap_percent", "gap between the sums", false, false},
};
#define ROWS (sizeof(error_rows) / sizeof(error_rows[0]))

static int choose_errors(const struct plot_options *options, struct errors *errors)
{
	errors->panel_count = 0;
	for (size_t i = 0; i < ROWS && !options->metrics.count; i++) {
		if (error_rows[i].is_usual)
			errors->panels[errors->panel_count++] = i;
	}
	for (size_t i = 0; i < options->metrics.count; i++) {
		size_t row = 0;

		while (row < ROWS && strcmp(error_rows[row].name, options->metrics.items[i]))
			row++;
		if (row == ROWS || errors->panel_count == PANELS_MAX)
			return diag_usage(
				"--metric '%s': must be up to %d of per-write-error, total-error, mean-write-error and "
				      "curve-gap",
				options->metrics.items[i], PANELS_MAX);
		errors->panels[errors->panel_count++] = row;
	}
	return DIAG_EXIT_OK;
}

static int take_scenario(struct plot *plot, const struct loaded *loaded, const struct report_node *node)
{
	struct errors *errors = plot->state;
	const char *id = report_read_attribute(node, "id");
	struct scenario *scenario = errors->scenarios;
	size_t at = 0;

	while (at < errors->scenario_count && strncmp(scenario[at].id, id ? id : "", sizeof(scenario->id) - 1))
		at++;
	if (at == SCENARIOS_MAX)
		return diag_usage("%s: more than %d scenarios: a picture has no room for them", loaded->path, SCENARIOS_MAX);
	scenario += at;
	if (at == errors->scenario_count) {
		errors->scenario_count++;
		snprintf(scenario->id, sizeof(scenario->id), "%s", id ? id : "");
		scenario->floor = NAN;
	}
	scenario->floor = fmin(scenario->floor, report_read_number(node, "floor_percent"));
	for (size_t i = 0; i < MODELS; i++) {
		const struct report_node *model = plot_model_find(node, i);

		if (!model || !plot_model_is_wanted(plot, i))
			continue;
		for (size_t j = 0; j < errors->panel_count; j++) {
			struct values *values = &scenario->of[j][i];
			double value = report_read_number(model, error_rows[errors->panels[j]].element);

			if (!isfinite(value))
				continue;
			if (plot_grow(plot, &values->values, &values->room, values->count, sizeof(*values->values)))
				return plot_no_memory();
			/* Of totals the side is not shown. */
			values->values[values->count++] = fabs(value);
		}
	}
	return DIAG_EXIT_OK;
}

#define GOALS_LINE 110 /* characters, from which on a new line begins */

struct goals { /* in words, as many as fit into a line */
	const char *before;
	bool is_warning;
	char text[160];
};

static void flush_goals(struct plot *plot, struct goals *goals)
{
	if (goals->text[0])
		plot_note(plot, goals->is_warning, "%s %s.", goals->before, goals->text);
	goals->text[0] = '\0';
}

/* Goals of sets one by one; those that a scenario has against cawl as a number. */
static void note_goals(struct plot *plot, const struct report_node *evaluation)
{
	const struct report_node *node = report_read_find(evaluation, "goal");
	struct goals goals[2] = {{"Goals that are met:", false, ""}, {"Goals that are missed:", true, ""}};
	size_t against = 0, better = 0;

	for (; node; node = report_read_next(node)) {
		const char *set = report_read_attribute(node, "set"), *error = report_read_attribute(node, "error");
		const struct report_node *is_met = report_read_find(node, "is_met");
		bool is_missed = is_met && !strcmp(is_met->text, "false");
		struct goals *line;
		double reached;
		size_t used;

		if (!set || !error)
			continue;
		if (!strncmp(error, "cawl-", 5)) {
			against++;
			better += !is_missed;
			continue;
		}
		line = &goals[is_missed];
		if (strlen(line->text) > GOALS_LINE)
			flush_goals(plot, line);
		used = strlen(line->text);
		reached = report_read_number(node, "reached_percent");
		snprintf(line->text + used, sizeof(line->text) - used, "%s%.20s %.20s %.*f (%.3g) %%", used ? ", " : "", set,
			error, reached < 100, reached, report_read_number(node, "limit_percent"));
	}
	flush_goals(plot, &goals[1]);
	flush_goals(plot, &goals[0]);
	if (against)
		plot_note(plot, false, "kernel is no worse than cawl in %zu of %zu errors of a scenario.", better, against);
}

int plot_errors_take(struct plot *plot, const struct loaded *loaded)
{
	struct errors *errors = plot_state(plot, sizeof(*errors));
	const struct report_node *evaluation = plot_result_part(plot, plot->report_count - 1, "evaluation", "iowrite-bench",
		"evaluate");
	const struct report_node *node = evaluation ? report_read_find(evaluation, "scenario") : NULL;
	int rc;

	if (!evaluation)
		return DIAG_EXIT_USAGE;
	if (!errors)
		return plot_no_memory();
	rc = choose_errors(plot->options, errors);
	for (; node && !rc; node = report_read_next(node))
		rc = take_scenario(plot, loaded, node);
	if (rc)
		return rc;
	if (errors->scenario_count == 0)
		return diag_usage("%s: no scenario was measured", loaded->path);
	if (plot->report_count == 1)
		note_goals(plot, evaluation);
	return DIAG_EXIT_OK;
}

/* Rows of a scenario, panel and model, in this order. */
static void put_errors(struct plot *plot, bool is_each, struct plot_extent *extents, bool *has_repetitions)
{
	const struct errors *errors = plot->state;

	for (size_t i = 0; i < errors->scenario_count * errors->panel_count * MODELS; i++) {
		size_t scenario = i / MODELS / errors->panel_count, panel = i / MODELS % errors->panel_count, model = i % MODELS;
		const struct values *values = &errors->scenarios[scenario].of[panel][model];
		double median;

		if (!values->count || stats_median(values->values, values->count, &median))
			continue;
		if (!is_each)
			plot_row(plot, (double)panel + 1, (double)model, (double)scenario + 1, median);
		for (size_t j = 0; j < values->count; j++) {
			plot_extent_add(&extents[panel], values->values[j]);
			if (is_each && values->count > 1)
				plot_row(plot, (double)panel + 1, (double)model, (double)scenario + 1, values->values[j]);
		}
		*has_repetitions |= values->count > 1;
	}
}

int plot_errors_extract(struct plot *plot)
{
	const struct errors *errors = plot->state;
	struct plot_extent extents[PANELS_MAX] = {PLOT_EXTENT_NONE, PLOT_EXTENT_NONE, PLOT_EXTENT_NONE};
	bool has_repetitions = false;

	snprintf(plot->title, sizeof(plot->title), "Errors of the models by scenario");
	plot_block(plot, "data", "panel, model (0 kernel, 1 cawl, 2 naive), scenario, median of the repetitions in percent");
	put_errors(plot, false, extents, &has_repetitions);
	plot_block(plot, "each", "panel, model, scenario, each repetition");
	put_errors(plot, true, extents, &has_repetitions);
	plot_block(plot, "floor", "panel, scenario, floor");
	for (size_t i = 0; i < errors->panel_count * errors->scenario_count; i++) {
		size_t panel = i / errors->scenario_count, scenario = i % errors->scenario_count;
		double floor = errors->scenarios[scenario].floor;

		if (!error_rows[errors->panels[panel]].has_floor || !isfinite(floor))
			continue;
		plot_row(plot, (double)panel + 1, (double)scenario + 1, floor);
		plot_extent_add(&extents[panel], floor);
	}
	plot_block(plot, "ranges", "of each panel: least above 0, highest");
	for (size_t i = 0; i < errors->panel_count; i++)
		plot_row(plot, isfinite(extents[i].least) ? extents[i].least : 1, extents[i].high);
	plot_block(plot, "panels", "texts");
	for (size_t i = 0; i < errors->panel_count; i++)
		plot_text_line(plot, error_rows[errors->panels[i]].title, PLOT_TEXT, false);
	plot_text_block(plot, "tics", "texts: scenarios, as formats", errors->scenarios[0].id, sizeof(errors->scenarios[0]),
		errors->scenario_count, sizeof(errors->scenarios[0].id), true);
	plot_set_count(plot, "has_repetitions", has_repetitions);
	if (has_repetitions)
		plot_note(plot, false, "Medians of the repetitions; circles: each of them.");
	if (plot->report_count > 1) {
		if (!plot_fact_is_common(plot->reports, plot->report_count, "slow-device"))
			plot_note(plot, true, "The reports are of different devices, and are put together here.");
		plot_note(plot, false, "The goals are those of the first report.");
	}
	return DIAG_EXIT_OK;
}
