/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One panel an error over one another: a group of bars each scenario, the floor across it. */
#include "config.h"
#include "memstor/plot/iowrite/kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/diag.h"
#include "common/stats.h"
#include "memstor/plot/fact.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/style.h"
#include "memstor/plot/text.h"

#define FLOOR "#202020"
#define KEYS (PLOT_MODELS + 1)
#define BAR 0.11       /* half the width of a bar, in the distance of two scenarios */
#define STEP 0.26      /* between the bars of a scenario */
#define GAP 30.0       /* between panels: the title of the next */
#define SIZE_PANEL 12
#define NAME_MIN 26.0  /* a scenario that is narrower has no room for its name */
#define LEAST 0.1      /* percent: less is not told apart */

static double place_of(size_t scenario, size_t model)
{
	return (double)scenario + 1 + STEP * ((double)model - (PLOT_MODELS - 1) / 2.0);
}

static bool has_model(const struct plot_errors *errors, size_t model)
{
	for (size_t i = 0; i < errors->scenario_count; i++) {
		for (size_t j = 0; j < errors->panel_count; j++) {
			if (errors->scenarios[i].of[j][model].count)
				return true;
		}
	}
	return false;
}

static bool has_floor(const struct plot_errors *errors, size_t panel)
{
	for (size_t i = 0; i < errors->scenario_count && plot_errors_has_floor(errors->panels[panel]); i++) {
		if (isfinite(errors->scenarios[i].floor))
			return true;
	}
	return false;
}

static void write_model(FILE *out, const struct plot_errors *errors, size_t panel, size_t model)
{
	fprintf(out, "# place, median of the repetitions\n$median%zu_%zu << END\n", panel, model);
	for (size_t i = 0; i < errors->scenario_count; i++) {
		const struct plot_errors_values *values = &errors->scenarios[i].of[panel][model];
		double median;

		if (values->count && !stats_median(values->values, values->count, &median))
			fprintf(out, "%.6g %.10g\n", place_of(i, model), fmax(median, LEAST));
	}
	fprintf(out, "END\n# place, each repetition\n$each%zu_%zu << END\n", panel, model);
	for (size_t i = 0; i < errors->scenario_count; i++) {
		const struct plot_errors_values *values = &errors->scenarios[i].of[panel][model];

		for (size_t j = 0; j < values->count && values->count > 1; j++)
			fprintf(out, "%.6g %.10g\n", place_of(i, model), fmax(values->values[j], LEAST));
	}
	fprintf(out, "END\n");
}

static void write_data(FILE *out, const struct plot_errors *errors, size_t panel)
{
	for (size_t i = 0; i < PLOT_MODELS; i++)
		write_model(out, errors, panel, i);
	fprintf(out, "# place, floor\n$floor%zu << END\n", panel);
	for (size_t i = 0; i < errors->scenario_count && has_floor(errors, panel); i++) {
		if (isfinite(errors->scenarios[i].floor))
			fprintf(out, "%zu %.10g\n", i + 1, errors->scenarios[i].floor);
	}
	fprintf(out, "END\n");
}

static void fit_axis(const struct plot_errors *errors, size_t panel, struct plot_axis *y)
{
	struct plot_extent extent = PLOT_EXTENT_NONE;

	for (size_t i = 0; i < errors->scenario_count; i++) {
		for (size_t j = 0; j < PLOT_MODELS; j++) {
			const struct plot_errors_values *values = &errors->scenarios[i].of[panel][j];

			for (size_t k = 0; k < values->count; k++)
				plot_extent_add(&extent, fmax(values->values[k], LEAST));
		}
		if (has_floor(errors, panel))
			plot_extent_add(&extent, errors->scenarios[i].floor);
	}
	plot_axis_fit(y, &extent);
}

static void put_scenarios(struct plot_frame *frame, const struct plot_rect *rect, bool has_names)
{
	const struct plot_errors *errors = frame->plot->state;
	double step = (rect->right - rect->left) / (double)errors->scenario_count;
	FILE *out = frame->plot->script;

	fprintf(out, "set xrange [0.5:%zu.5] noextend\nunset xtics\n", errors->scenario_count);
	for (size_t i = 0; i < errors->scenario_count; i++) {
		double middle = rect->left + step * ((double)i + 0.5);
		char text[PLOT_TEXT];

		if (i)
			plot_frame_line(frame, middle - step / 2, rect->bottom, middle - step / 2, rect->top, 0.7, "solid",
				PLOT_GRID);
		if (!has_names)
			continue;
		plot_text_clean(errors->scenarios[i].id, sizeof(errors->scenarios[i].id) - 1, text, sizeof(text));
		plot_frame_text(frame, middle, rect->bottom - 14, PLOT_ANCHOR_CENTRE, SIZE_PANEL, PLOT_INK, text);
	}
	if (step < NAME_MIN)
		frame->plot->is_too_small = true;
}

static const char *put_medians(struct plot *plot, const struct plot_axis *y, size_t panel, size_t model, const char *glue)
{
	const char *colour = plot_model_colour((enum plot_model)model);

	plot_drawn(plot, plot_model_name((enum plot_model)model));
	/* On a log axis a bar has no honest begin: there the median is a stroke. */
	if (y->is_log)
		fprintf(plot->script, "%s$median%zu_%zu using ($1-%g):2:(%g):(0) with vectors nohead linewidth 4 linecolor rgb "
				      "\"%s\"", glue, panel, model, BAR, 2 * BAR, colour);
	else
		fprintf(plot->script, "%s$median%zu_%zu using 1:2:($1-%g):($1+%g):(0):2 with boxxyerror fillcolor rgb \"%s\" "
				      "fillstyle solid 0.75 border rgb \"%s\"", glue, panel, model, BAR, BAR, colour, colour);
	return ", \\\n\t";
}

static bool has_repetitions(const struct plot_errors *errors)
{
	for (size_t i = 0; i < errors->scenario_count; i++) {
		for (size_t j = 0; j < PLOT_MODELS; j++) {
			if (errors->scenarios[i].of[0][j].count > 1)
				return true;
		}
	}
	return false;
}

static void plot_panel(struct plot *plot, const struct plot_axis *y, size_t panel)
{
	const struct plot_errors *errors = plot->state;
	FILE *out = plot->script;
	const char *glue = "plot ";

	for (size_t i = 0; i < PLOT_MODELS; i++) {
		if (has_model(errors, i))
			glue = put_medians(plot, y, panel, i, glue);
	}
	for (size_t i = 0; i < PLOT_MODELS && has_repetitions(errors); i++) {
		if (!has_model(errors, i))
			continue;
		plot_drawn(plot, "repetitions");
		fprintf(out, "%s$each%zu_%zu using 1:2 with points pointtype 6 pointsize 0.45 linewidth 1 linecolor rgb \"%s\"",
			glue, panel, i, y->is_log ? plot_model_colour((enum plot_model)i) : PLOT_INK_STRONG);
		glue = ", \\\n\t";
	}
	if (has_floor(errors, panel)) {
		plot_drawn(plot, "floor");
		fprintf(out, "%s$floor%zu using ($1-0.42):2:(0.84):(0) with vectors nohead linewidth 1.4 dashtype %s linecolor "
			     "rgb \"" FLOOR "\"", glue, panel, plot_style_dash(2));
	}
	fprintf(out, "\n");
}

static size_t list_keys(const struct plot_errors *errors, struct plot_key *keys)
{
	bool is_floor = false;
	size_t count = 0;

	for (size_t i = 0; i < PLOT_MODELS; i++) {
		if (has_model(errors, i))
			keys[count++] = (struct plot_key){
				plot_model_name((enum plot_model)i), plot_model_colour((enum plot_model)i), "solid"};
	}
	for (size_t i = 0; i < errors->panel_count; i++)
		is_floor = is_floor || has_floor(errors, i);
	if (is_floor)
		keys[count++] = (struct plot_key){"floor: three costs, chosen knowing the result", FLOOR, plot_style_dash(2)};
	return count;
}

static void draw_panel(struct plot_frame *frame, const struct plot_rect *rect, size_t panel)
{
	struct plot *plot = frame->plot;
	const struct plot_errors *errors = plot->state;
	struct plot_axis y = {"y", "", PLOT_UNIT_PERCENT, plot->options->y != PLOT_SCALE_LINEAR, 0, 0};
	bool is_last = panel + 1 == errors->panel_count;

	fit_axis(errors, panel, &y);
	plot_frame_panel(frame, rect);
	plot_frame_text(frame, rect->left, rect->top + 12, PLOT_ANCHOR_LEFT, SIZE_PANEL, PLOT_INK_STRONG,
		plot_errors_title(errors->panels[panel]));
	put_scenarios(frame, rect, is_last);
	if (is_last)
		plot_frame_text(frame, (rect->left + rect->right) / 2, rect->bottom - 38, PLOT_ANCHOR_CENTRE, 13, PLOT_INK,
			"scenario");
	plot_frame_axis(frame, rect, &y);
	plot_panel(plot, &y, panel);
}

/* Repetitions are of one place, and goals of one report. */
static void note_reports(struct plot *plot)
{
	if (plot->report_count < 2)
		return;
	if (!plot_fact_is_common(plot->reports, plot->report_count, "slow-device"))
		plot_note(plot, true, "The reports are of different devices, and are put together here.");
	plot_note(plot, false, "The goals are those of the first report.");
}

int plot_errors_draw(struct plot *plot)
{
	const struct plot_errors *errors = plot->state;
	struct plot_key keys[KEYS];
	size_t key_count = list_keys(errors, keys);
	struct plot_frame frame;
	double top, height;

	if (has_repetitions(errors))
		plot_note(plot, false, "Medians of the repetitions; circles: each of them.");
	note_reports(plot);
	snprintf(plot->title, sizeof(plot->title), "Errors of the models by scenario");
	for (size_t i = 0; i < errors->panel_count; i++)
		write_data(plot->script, errors, i);
	/* One panel, too, has what multiplot sets. */
	plot_frame_begin(&frame, plot, errors->panel_count);
	top = frame.area.top - plot_frame_key_height(&frame.area, keys, key_count);
	height = (top - frame.area.bottom - PLOT_FRAME_BELOW + 8) / (double)errors->panel_count - GAP;
	plot_frame_key(&frame, &frame.area, top, keys, key_count);
	for (size_t i = 0; i < errors->panel_count; i++) {
		struct plot_rect rect = frame.area;

		rect.top = top - (double)i * (height + GAP) - GAP + 4;
		rect.bottom = rect.top - height;
		draw_panel(&frame, &rect, i);
	}
	plot_frame_end(&frame);
	return DIAG_EXIT_OK;
}
