/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of ssd-workloads analyze as points or lines: a colour each stream, or of several reports each report. */
#include "config.h"
#include "memstor/plot/ssd/kinds.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/kind.h"
#include "memstor/plot/mark.h"

#define STREAMS PLOT_STREAMS
#define KEY_TEXT 128

/* --- the table --- */

static int add_point(struct plot_points_of *of, double x, double y)
{
	if (of->count == of->room) {
		size_t room = of->room ? 2 * of->room : 256;
		double(*list)[2] = reallocarray(of->list, room, sizeof(*list));

		if (!list)
			return -ENOMEM;
		of->list = list;
		of->room = room;
	}
	of->list[of->count][0] = x;
	of->list[of->count++][1] = y;
	return 0;
}

static void take_head(struct plot *plot, const struct plot_table *table)
{
	struct plot_points *points = plot->state;

	plot_table_mix(table, points->mixes[plot->report_count - 1]);
	if (report_read_u64(table->analysis, "every", &points->every))
		points->every = 1;
}

/* Where the fourth field says "-", the row's step has no end, and no place: its y is kept apart. */
static int take_row(struct plot_points_of *of, const char *const fields[4], bool has_end)
{
	double x = plot_table_number(fields[1]), y = plot_table_number(fields[2]);

	if (isnan(x) || isnan(y))
		return 0;
	if (!has_end || strcmp(fields[3], "-") != 0)
		return add_point(of, x, y);
	of->beyond = y;
	return add_point(of, x, 0);
}

/* end: the column of a step's end; NULL = it has none. */
static int take(struct plot *plot, const struct loaded *loaded, const char *figure, const char *x, const char *y,
	const char *end)
{
	const char *const columns[] = {"stream", x, y, end};
	struct plot_points *points = plot->state;
	struct plot_points_of *of = points->of[plot->report_count - 1];
	struct plot_table table;
	const char *fields[4];
	int rc = 0;

	if (plot_table_open(loaded, figure, columns, end ? 4 : 3, &table)) {
		take_head(plot, &table);
		while (!rc && plot_table_next(&table, fields)) {
			size_t stream = plot_stream_of(fields[0]);

			if (stream < STREAMS)
				rc = take_row(&of[stream], fields, end != NULL);
		}
	}
	if (rc) {
		diag_error(rc, "cannot draw");
		return DIAG_EXIT_HOST;
	}
	if (of[0].count || of[1].count)
		return DIAG_EXIT_OK;
	diag_error(0, "%s: no report of ssd-workloads analyze %s, which is what %s draws", loaded->path, figure,
		plot->options->kind->name);
	return DIAG_EXIT_USAGE;
}

void plot_points_free(struct plot *plot)
{
	struct plot_points *points = plot->state;

	for (size_t i = 0; i < PLOT_POINTS_REPORTS * STREAMS; i++)
		free(points->of[i / STREAMS][i % STREAMS].list);
}

/* --- curves --- */

struct curves {
	size_t count;
	struct curve {
		const struct plot_points_of *of;
		size_t report, stream;
		const char *colour, *dash;
		char name[KEY_TEXT];
	} list[PLOT_POINTS_REPORTS * STREAMS];
};

static bool are_mixes_different(const struct plot *plot)
{
	const struct plot_points *points = plot->state;

	for (size_t i = 0; i < plot->report_count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (!strcmp(points->mixes[i], points->mixes[j]))
				return false;
		}
	}
	return true;
}

/* Of one report a curve is called by its stream, of several by the mix, or what else tells the reports apart. */
static int list_curves(struct plot *plot, struct curves *curves)
{
	const struct plot_points *points = plot->state;
	bool is_single = plot->report_count == 1;
	bool is_by_mix = !plot->options->legend.count && are_mixes_different(plot);
	char **names = plot_fact_names(plot->reports, plot->report_count, &plot->options->legend);

	if (!names) {
		diag_error(ENOMEM, "cannot draw");
		return DIAG_EXIT_HOST;
	}
	curves->count = 0;
	for (size_t i = 0; i < plot->report_count * STREAMS; i++) {
		size_t report = i / STREAMS, stream = i % STREAMS;
		struct curve *curve = &curves->list[curves->count];

		if (!points->of[report][stream].count)
			continue;
		*curve = (struct curve){&points->of[report][stream], report, stream,
			plot_style_colour(is_single ? stream : report), plot_style_dash(is_single ? 0 : stream), ""};
		snprintf(curve->name, sizeof(curve->name), "%.80s%s%s",
			is_single ? "" : is_by_mix ? points->mixes[report] : names[report], is_single ? "" : ", ",
			plot_stream_names[stream]);
		curves->count++;
	}
	plot_fact_names_free(names);
	return DIAG_EXIT_OK;
}

/* --- the picture --- */

/* Values that an axis has no place for are left out. */
static bool has_place(const struct plot_axis *axis, double value)
{
	return isfinite(value) && (!axis->is_log || value > 0);
}

static void write_data(struct plot *plot, const struct curves *curves, struct plot_axis *x, struct plot_axis *y)
{
	struct plot_extent along = PLOT_EXTENT_NONE, up = PLOT_EXTENT_NONE;
	FILE *out = plot->script;

	for (size_t i = 0; i < curves->count; i++) {
		const struct plot_points_of *of = curves->list[i].of;

		fprintf(out, "$points%zu << END\n", i);
		for (size_t j = 0; j < of->count; j++) {
			const double *point = of->list[j];

			if (!has_place(x, point[0]) || !has_place(y, point[1]))
				continue;
			fprintf(out, "%.10g %.10g\n", point[0], point[1]);
			plot_extent_add(&along, point[0]);
			plot_extent_add(&up, point[1]);
		}
		fprintf(out, "END\n");
	}
	plot_axis_fit(x, &along);
	plot_axis_fit(y, &up);
	/* From power to power of two is far for an area's end. */
	if (y->unit == PLOT_UNIT_BYTES && up.high > 0)
		y->high = up.high * 1.02;
}

struct look {
	const char *style; /* of gnuplot's plot */
	bool is_points;
	size_t mark_count;
	struct plot_mark *marks; /* upright */
};

static void put_curves(struct plot *plot, const struct curves *curves, const struct look *look)
{
	const char *glue = "plot ";

	for (size_t i = 0; i < curves->count; i++) {
		const struct curve *curve = &curves->list[i];

		plot_drawn(plot, curve->name);
		fprintf(plot->script, "%s$points%zu using 1:2 with %s", glue, i, look->style);
		if (!look->is_points)
			fprintf(plot->script, " dashtype %s", curve->dash);
		fprintf(plot->script, " linecolor rgb \"%s\"", curve->colour);
		glue = ", \\\n\t";
	}
	fprintf(plot->script, "\n");
}

static int draw(struct plot *plot, const char *what, struct plot_axis *x, struct plot_axis *y, const struct look *look)
{
	const struct plot_points *points = plot->state;
	struct plot_key keys[PLOT_POINTS_REPORTS * STREAMS];
	struct curves *curves = calloc(1, sizeof(*curves));
	struct plot_frame frame;
	struct plot_rect rect;
	double of_marks;
	int code = curves ? list_curves(plot, curves) : DIAG_EXIT_HOST;

	if (code) {
		free(curves);
		return code;
	}
	for (size_t i = 0; i < curves->count; i++)
		keys[i] = (struct plot_key){curves->list[i].name, curves->list[i].colour,
			look->is_points ? PLOT_KEY_POINTS : curves->list[i].dash};
	plot_ssd_title(plot, what, plot->report_count == 1 ? points->mixes[0] : "");
	write_data(plot, curves, x, y);
	plot_frame_begin(&frame, plot, 1);
	rect = frame.area;
	rect.left += PLOT_FRAME_LEFT - 86;
	rect.bottom += PLOT_FRAME_BELOW;
	of_marks = look->mark_count ? plot_marks_arrange(&rect, x, look->marks, look->mark_count) : 0;
	rect.top -= plot_frame_key_height(&rect, keys, curves->count) + of_marks;
	plot_frame_panel(&frame, &rect);
	plot_frame_key(&frame, &rect, rect.top + of_marks, keys, curves->count);
	if (look->mark_count)
		plot_marks_upright(&frame, &rect, x, look->marks, look->mark_count, true);
	plot_frame_axis(&frame, &rect, x);
	plot_frame_axis(&frame, &rect, y);
	put_curves(plot, curves, look);
	plot_frame_end(&frame);
	free(curves);
	return DIAG_EXIT_OK;
}

/* --- fig11 --- */

int plot_lba_take(struct plot *plot, const struct loaded *loaded)
{
	return take(plot, loaded, "fig11", "time_s", "offset", NULL);
}

int plot_lba_draw(struct plot *plot)
{
	const struct plot_points *points = plot->state;
	const struct look look = {.style = "points pointtype 7 pointsize 0.25", .is_points = true};
	struct plot_axis x = {"x", "time since the measurement began (s)", PLOT_UNIT_SECONDS, false, 0, 0};
	struct plot_axis y = {"y", "place in the target", PLOT_UNIT_BYTES, false, 0, 0};

	if (points->every > 1)
		plot_note(plot, false, "One of %llu writes is shown.", (unsigned long long)points->every);
	return draw(plot, "Where each write went", &x, &y, &look);
}

/* --- fig9: of a percentile the share that is above it --- */

int plot_tail_take(struct plot *plot, const struct loaded *loaded)
{
	struct plot_points *points = plot->state;
	int code = take(plot, loaded, "fig9", "response_ns", "percent", NULL);

	for (size_t i = 0; i < STREAMS && !code; i++) {
		struct plot_points_of *of = &points->of[plot->report_count - 1][i];

		for (size_t j = 0; j < of->count; j++)
			of->list[j][1] = 100 - of->list[j][1];
	}
	return code;
}

int plot_tail_draw(struct plot *plot)
{
	const struct look look = {.style = "lines linewidth 2"};
	struct plot_axis x = {"x", "response time of a write", PLOT_UNIT_NS, true, 0, 0};
	struct plot_axis y = {"y", "share of writes that took longer", PLOT_UNIT_PERCENT, true, 0, 0};

	return draw(plot, "The tail of the response times", &x, &y, &look);
}

/* --- fig6 --- */

/* A step is drawn from its left edge; what is beyond the last one has no end, and no step. */
int plot_ratios_take(struct plot *plot, const struct loaded *loaded)
{
	return take(plot, loaded, "fig6", "ratio_from", "percent", "ratio_to");
}

static void note_beyond(struct plot *plot, size_t report)
{
	const struct plot_points *points = plot->state;
	char text[128] = "";
	size_t used = 0;

	for (size_t i = 0; i < STREAMS; i++) {
		const struct plot_points_of *of = &points->of[report][i];

		if (of->count)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.3g %% of the %s", used ? ", " : "",
				of->beyond, plot_stream_names[i]);
	}
	if (plot->report_count == 1)
		plot_note(plot, false, "Beyond the axis: %s.", text);
	else
		plot_note(plot, false, "Beyond the axis, %s: %s.", points->mixes[report], text);
}

int plot_ratios_draw(struct plot *plot)
{
	struct plot_mark alone = {1, PLOT_INK_WEAK, plot_style_dash(2), "median of the stream alone", 0};
	const struct look look = {.style = "steps linewidth 2", .mark_count = 1, .marks = &alone};
	struct plot_axis x = {"x", "response time over the median of the stream alone", PLOT_UNIT_COUNT, false, 0, 0};
	struct plot_axis y = {"y", "share of writes in each step of 0.05", PLOT_UNIT_PERCENT, false, 0, 0};

	for (size_t i = 0; i < plot->report_count; i++)
		note_beyond(plot, i);
	return draw(plot, "Response times beside the other stream", &x, &y, &look);
}
