/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/bars.h"

#include <math.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/parts.h"
#include "memstor/plot/style.h"
#include "memstor/plot/text.h"

#define COLUMNS_MAX 4
#define BAR 0.36        /* half the width of a bar, in the distance of two */
#define SPREAD 0.2      /* half of where the points of runs are */
#define SIZE_PANEL 12
#define SIZE_BETTER 10
#define SIZE_VALUE 11
#define VALUE_COLUMNS 8 /* of a number above a bar */
#define ABOVE 32.0      /* a panel's title */
#define BELOW 14.0
#define LEFT 62.0       /* tics */
#define GAP 12.0        /* between two panels */
#define NAME_STEP 13.0  /* of names that run upward */
#define NAME_COLUMNS 30 /* of a group's name below its bar */
#define STEP_MAX 110.0  /* between two bars: few of them stand in the middle */

static enum plot_unit unit_of(const struct metric *metric)
{
	return !strcmp(metric->unit, "ns") ? PLOT_UNIT_NS : PLOT_UNIT_COUNT;
}

/* Few groups are colours with a legend, many have their names below. */
static bool has_legend(const struct plot_bars *bars)
{
	return bars->group_count <= PLOT_COLOURS;
}

static const char *colour_of(const struct plot_bars *bars, size_t group)
{
	return plot_style_colour(has_legend(bars) ? group : 0);
}

static void write_data(const struct plot *plot, size_t metric)
{
	const struct plot_bars *bars = plot->state;
	FILE *out = plot->script;

	fprintf(out, "# group, median, from, to, runs\n$bars%zu << END\n", metric);
	for (size_t i = 0; i < bars->group_count; i++) {
		const struct plot_bar *bar = &bars->bars[metric][i];

		if (bar->count)
			fprintf(out, "%zu %.10g %.10g %.10g %zu\n", i + 1, bar->median, bar->interval.low,
				bar->interval.high, bar->count);
	}
	fprintf(out, "END\n# place, value, group\n$runs%zu << END\n", metric);
	for (size_t i = 0; i < bars->group_count; i++) {
		const struct plot_bar *bar = &bars->bars[metric][i];

		for (size_t j = 0; j < bar->count && bar->count > 1; j++)
			fprintf(out, "%.6g %.10g %zu\n",
				(double)i + 1 - SPREAD + 2 * SPREAD * (double)j / (double)(bar->count - 1), bar->values[j],
				i + 1);
	}
	fprintf(out, "END\n");
}

static void fit_axis(const struct plot_bars *bars, size_t metric, struct plot_axis *y)
{
	struct plot_extent extent = PLOT_EXTENT_NONE;

	for (size_t i = 0; i < bars->group_count; i++) {
		const struct plot_bar *bar = &bars->bars[metric][i];

		for (size_t j = 0; j < bar->count; j++)
			plot_extent_add(&extent, bar->values[j]);
		if (bar->count) {
			plot_extent_add(&extent, bar->interval.low);
			plot_extent_add(&extent, bar->interval.high);
		}
	}
	/* Numbers stand above their bars. */
	plot_extent_add(&extent, extent.high * (y->is_log ? 1.2 : 1.13));
	plot_axis_fit(y, &extent);
}

/* The cells that the panels are of. */
static void find_subjects(struct plot *plot, struct plot_parts *subjects)
{
	const struct plot_bars *bars = plot->state;
	char common[PLOT_TEXT];

	for (size_t i = 0; i < bars->metric_count; i++) {
		if (bars->metrics[i].subject[0])
			plot_parts_add(subjects, bars->metrics[i].subject);
	}
	if (plot_parts_common(subjects, common, sizeof(common))[0])
		plot_note(plot, false, "All cells are of %s.", common);
}

/* What room there is: a line of a size from here to the next panel. */
static void put_line(struct plot_frame *frame, const struct plot_rect *rect, double y, unsigned size, const char *ink,
	const char *text)
{
	size_t columns = (size_t)((rect->right - rect->left + GAP) / plot_frame_width(1, size));
	char line[PLOT_TEXT];

	plot_text_clean(text, columns, line, sizeof(line));
	plot_frame_text(frame, rect->left, y, PLOT_ANCHOR_LEFT, size, ink, line);
}

static void put_panel_title(struct plot_frame *frame, const struct plot_rect *rect, const struct metric *metric,
	const struct plot_parts *subjects)
{
	size_t skipped = metric->subject[0] ? strlen(metric->subject) + 1 : 0;
	char text[PLOT_TEXT], subject[PLOT_TEXT] = "";

	snprintf(text, sizeof(text), unit_of(metric) == PLOT_UNIT_NS ? "%s" : "%s (%s)", metric->name + skipped, metric->unit);
	put_line(frame, rect, rect->top + ABOVE - SIZE_PANEL * 0.7, SIZE_PANEL, PLOT_INK_STRONG, text);
	if (skipped)
		plot_parts_own(subjects, metric->subject, subject, sizeof(subject));
	snprintf(text, sizeof(text), "%.200s%s%s", subject, subject[0] ? ", " : "",
		metric->better == METRIC_LOWER ? "lower is better" : "higher is better");
	put_line(frame, rect, rect->top + SIZE_BETTER * 0.8, SIZE_BETTER, PLOT_INK_WEAK, text);
}

static void put_values(struct plot_frame *frame, const struct plot_rect *rect, const struct plot_axis *x,
	const struct plot_axis *y, size_t metric)
{
	const struct plot_bars *bars = frame->plot->state;
	double step = (rect->right - rect->left) / (x->high - x->low);

	if (step < plot_frame_width(VALUE_COLUMNS, SIZE_VALUE))
		return;
	for (size_t i = 0; i < bars->group_count; i++) {
		const struct plot_bar *bar = &bars->bars[metric][i];
		double share, top = fmax(bar->median, bar->interval.high);
		char text[32];

		for (size_t j = 0; j < bar->count; j++)
			top = fmax(top, bar->values[j]);
		share = plot_axis_share(y, fmax(top, y->low));
		text[0] = '<';
		plot_axis_format_short(y->unit, bar->below > 0 ? bar->below : bar->median, text + (bar->below > 0),
			sizeof(text) - (bar->below > 0));
		if (bar->count)
			plot_frame_text(frame, rect->left + step * ((double)i + 1 - x->low),
				rect->bottom + share * (rect->top - rect->bottom) + 9, PLOT_ANCHOR_CENTRE, SIZE_VALUE,
				PLOT_INK, text);
	}
}

/* Where the first and the last bar's places end, in groups. */
static void fit_groups(const struct plot_bars *bars, const struct plot_rect *rect, struct plot_axis *x)
{
	double places = fmax((double)bars->group_count, (rect->right - rect->left) / STEP_MAX);

	x->low = ((double)bars->group_count + 1 - places) / 2;
	x->high = x->low + places;
}

static void put_groups(struct plot *plot, const struct plot_axis *x)
{
	const struct plot_bars *bars = plot->state;
	struct plot_texts *texts = &plot->texts;
	FILE *out = plot->script;

	fprintf(out, "set xrange [%.6g:%.6g] noextend\n", x->low, x->high);
	if (has_legend(bars)) {
		fprintf(out, "unset xtics\n");
		return;
	}
	fprintf(out, "set xtics scale 0 out nomirror textcolor rgb \"" PLOT_INK "\" rotate by 90 right font \",%d\" (",
		SIZE_VALUE);
	for (size_t i = 0; i < bars->group_count; i++) {
		char text[PLOT_TEXT];

		plot_text_clean(bars->names[i], NAME_COLUMNS, text, sizeof(text));
		fprintf(out, "%s", i ? ", " : "");
		plot_text_write(texts, out, text, true);
		fprintf(out, " %zu", i + 1);
	}
	fprintf(out, ")\n");
}

/* On a log axis a bar has no honest begin: there the median is a stroke. */
static const char *put_medians(struct plot *plot, const struct plot_axis *y, size_t metric)
{
	const struct plot_bars *bars = plot->state;
	FILE *out = plot->script;
	const char *glue = "plot ";

	for (size_t i = 0; i < bars->group_count; i++) {
		const char *colour = colour_of(bars, i);

		plot_drawn(plot, bars->names[i]);
		fprintf(out, "%s$bars%zu using ($1==%zu?$1-%g:NaN):", glue, metric, i + 1, BAR);
		if (y->is_log)
			fprintf(out, "2:(%g):(0) with vectors nohead linewidth 4 linecolor rgb \"%s\"", 2 * BAR, colour);
		else
			fprintf(out, "2:($1-%g):($1+%g):(0):2 with boxxyerror fillcolor rgb \"%s\" fillstyle solid 0.75 "
				     "border rgb \"%s\"", BAR, BAR, colour, colour);
		glue = ", \\\n\t";
	}
	return glue;
}

static void put_bars(struct plot *plot, const struct plot_axis *y, size_t metric)
{
	FILE *out = plot->script;
	const char *glue = put_medians(plot, y, metric);

	plot_drawn(plot, "intervals");
	fprintf(out, "%s$bars%zu using 1:3:(0):($4-$3) with vectors heads size screen 0.004,90 nofilled linewidth 1.5 "
		     "linecolor rgb \"" PLOT_INK_STRONG "\"", glue, metric);
	plot_drawn(plot, "runs");
	fprintf(out, "%s$runs%zu using 1:2 with points pointtype 7 pointsize 0.5 linecolor rgb \"#ffffff\"", glue, metric);
	plot_drawn(plot, "runs");
	fprintf(out,
		"%s$runs%zu using 1:2 with points pointtype 6 pointsize 0.5 linewidth 1 linecolor rgb \"" PLOT_INK_STRONG "\"\n",
		glue, metric);
}

/* Room for what stands below the bars. */
static double height_below(const struct plot_bars *bars)
{
	size_t longest = 0;

	for (size_t i = 0; i < bars->group_count && !has_legend(bars); i++) {
		size_t columns = plot_text_columns(bars->names[i]);

		longest = columns > longest ? columns : longest;
	}
	return BELOW + plot_frame_width(longest < NAME_COLUMNS ? longest : NAME_COLUMNS, SIZE_VALUE);
}

/* Panels beside each other: as many as leave names below bars room beside each other. */
static size_t count_columns(const struct plot_frame *frame, const struct plot_bars *bars)
{
	double width = frame->area.right - frame->area.left + PLOT_FRAME_LEFT;
	double needed = LEFT + GAP + (double)bars->group_count * NAME_STEP;
	size_t columns = has_legend(bars) ? COLUMNS_MAX : (size_t)(width / needed), rows;

	columns = columns < 1 ? 1 : columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
	rows = (bars->metric_count + columns - 1) / columns;
	return (bars->metric_count + rows - 1) / rows;
}

static void place_panel(const struct plot_frame *frame, const struct plot_bars *bars, size_t number, struct plot_rect *rect)
{
	size_t columns = count_columns(frame, bars), rows = (bars->metric_count + columns - 1) / columns;
	double width = (frame->area.right - frame->area.left + PLOT_FRAME_LEFT - GAP) / (double)columns;
	double height = (frame->area.top - frame->area.bottom) / (double)rows;
	size_t row = number / columns, column = number % columns;

	rect->left = GAP + width * (double)column + LEFT;
	rect->right = width * (double)(column + 1);
	rect->top = frame->area.top - height * (double)row - ABOVE;
	rect->bottom = frame->area.top - height * (double)(row + 1) + height_below(bars);
	if (!has_legend(bars) && (rect->right - rect->left) / (double)bars->group_count < NAME_STEP)
		frame->plot->is_too_small = true;
}

static void note_intervals(struct plot *plot)
{
	const struct plot_bars *bars = plot->state;
	size_t fewest = SIZE_MAX, most = 0;
	char runs[64];

	for (size_t i = 0; i < bars->group_count; i++) {
		size_t count = 0;

		for (size_t j = 0; j < bars->run_count; j++)
			count += bars->groups[j] == i;
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

int plot_bars_draw(struct plot *plot)
{
	struct plot_bars *bars = plot->state;
	struct plot_key keys[PLOT_COLOURS];
	size_t key_count;
	struct plot_parts subjects = {0};
	struct plot_frame frame;
	int rc = plot_bars_finish(plot);

	if (rc)
		return rc;
	find_subjects(plot, &subjects);
	note_intervals(plot);
	key_count = has_legend(bars) && bars->group_count > 1 ? bars->group_count : 0;
	for (size_t i = 0; i < bars->metric_count; i++)
		write_data(plot, i);
	for (size_t i = 0; i < key_count; i++)
		keys[i] = (struct plot_key){bars->names[i], colour_of(bars, i), "solid"};
	plot_frame_begin(&frame, plot, bars->metric_count);
	frame.area.top -= plot_frame_key_height(&frame.area, keys, key_count);
	plot_frame_key(&frame, &frame.area, frame.area.top, keys, key_count);
	for (size_t i = 0; i < bars->metric_count; i++) {
		struct plot_axis y = {"y", "", unit_of(&bars->metrics[i]), plot->options->y == PLOT_SCALE_LOG, 0, 0};
		struct plot_axis x = {.name = "x"};
		struct plot_rect rect;

		fit_axis(bars, i, &y);
		place_panel(&frame, bars, i, &rect);
		fit_groups(bars, &rect, &x);
		plot_frame_panel(&frame, &rect);
		put_panel_title(&frame, &rect, &bars->metrics[i], &subjects);
		put_groups(plot, &x);
		put_values(&frame, &rect, &x, &y, i);
		plot_frame_axis(&frame, &rect, &y);
		put_bars(plot, &y, i);
	}
	plot_frame_end(&frame);
	return DIAG_EXIT_OK;
}
