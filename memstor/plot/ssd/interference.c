/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A panel each stream and latency: by statistic the ratio of each report with its interval, and a line where nothing is
 * changed. */
#include "config.h"
#include "memstor/plot/ssd/kinds.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/ssd/table.h"
#include "memstor/plot/text.h"

#define PANELS PLOT_INTERFERENCE_PANELS
#define STATISTICS PLOT_INTERFERENCE_STATISTICS
#define GAP 30.0       /* between panels: the title of the next */
#define SIZE_PANEL 12
#define SPREAD 0.7     /* of a statistic's place, that its reports share */

static const struct {
	const char *stream, *prefix, *title;
} panels[PANELS] = {
	{"log", "", "log, response times"},
	{"log", "commit.", "log, until a commit is durable"},
	{"checkpoint", "", "checkpoint, response times"},
};
static const char *const statistics[STATISTICS] = {"mean", "p50", "p99", "p99.9"};

static struct plot_interference_ratio *find_ratio(struct plot_interference_ratio (*of)[STATISTICS], const char *stream,
	const char *statistic)
{
	char name[32];

	for (size_t i = 0; i < PANELS * STATISTICS; i++) {
		snprintf(name, sizeof(name), "%s%s", panels[i / STATISTICS].prefix, statistics[i % STATISTICS]);
		if (!strcmp(stream, panels[i / STATISTICS].stream) && !strcmp(statistic, name))
			return &of[i / STATISTICS][i % STATISTICS];
	}
	return NULL;
}

/* Of run --baselines. */
static size_t take_ratios(const struct report_node *baselines, struct plot_interference_ratio (*of)[STATISTICS],
	bool *has_intervals)
{
	const struct report_node *node = baselines ? report_read_find(baselines, "interference") : NULL;
	size_t taken = 0;

	for (; node; node = report_read_next(node)) {
		const char *stream = report_read_attribute(node, "stream"), *statistic = report_read_attribute(node, "statistic");
		struct plot_interference_ratio *ratio = stream && statistic ? find_ratio(of, stream, statistic) : NULL;
		double value = report_read_number(node, "value");

		if (!ratio || !(value > 0))
			continue;
		*ratio = (struct plot_interference_ratio){
			value, report_read_number(node, "low"), report_read_number(node, "high")};
		*has_intervals = *has_intervals || isfinite(ratio->low);
		taken++;
	}
	return taken;
}

/* Of analyze interference, where nothing was repeated. */
static size_t take_analysis(const struct loaded *loaded, struct plot_interference_ratio (*of)[STATISTICS], char mix[64])
{
	static const char *const columns[] = {"stream", "ratio_mean", "ratio_p50", "ratio_p99", "ratio_p999"};
	struct plot_table table;
	const char *fields[1 + STATISTICS];
	size_t taken = 0;

	if (!plot_table_open(loaded, "interference", columns, 1 + STATISTICS, &table))
		return 0;
	plot_table_mix(&table, mix);
	while (plot_table_next(&table, fields)) {
		for (size_t i = 0; i < STATISTICS; i++) {
			struct plot_interference_ratio *ratio = find_ratio(of, fields[0], statistics[i]);
			double value = plot_table_number(fields[1 + i]);

			if (!ratio || !(value > 0))
				continue;
			*ratio = (struct plot_interference_ratio){value, NAN, NAN};
			taken++;
		}
	}
	return taken;
}

int plot_interference_take(struct plot *plot, const struct loaded *loaded)
{
	struct plot_interference *interference = plot->state;
	const struct report_node *baselines =
		report_read_find(report_read_root(loaded->document), "report/result/baselines");
	struct plot_interference_ratio(*of)[STATISTICS];
	bool has_intervals = false;

	if (plot->report_count > PLOT_COLOURS) {
		diag_error(0, "interference: a picture tells at most %d reports apart; draw fewer", PLOT_COLOURS);
		return DIAG_EXIT_USAGE;
	}
	of = interference->of[plot->report_count - 1];
	for (size_t i = 0; i < PANELS * STATISTICS; i++)
		of[i / STATISTICS][i % STATISTICS] = (struct plot_interference_ratio){NAN, NAN, NAN};
	if (take_ratios(baselines, of, &has_intervals)) {
		interference->has_repetitions = interference->has_repetitions || has_intervals;
		interference->has_single = interference->has_single || !has_intervals;
		return DIAG_EXIT_OK;
	}
	interference->has_single = true;
	if (take_analysis(loaded, of, interference->mix))
		return DIAG_EXIT_OK;
	diag_error(0, "%s: no report of ssd-workloads run --baselines, or of analyze interference --alone, which is what "
		      "interference draws", loaded->path);
	return DIAG_EXIT_USAGE;
}

static double place_of(size_t statistic, size_t report, size_t reports)
{
	double step = SPREAD / (double)reports;

	return (double)statistic + 1 + step * ((double)report - (double)(reports - 1) / 2);
}

static bool has_panel(const struct plot *plot, size_t panel)
{
	const struct plot_interference *interference = plot->state;

	for (size_t i = 0; i < plot->report_count; i++) {
		for (size_t j = 0; j < STATISTICS; j++) {
			if (isfinite(interference->of[i][panel][j].value))
				return true;
		}
	}
	return false;
}

static size_t count_panels(const struct plot *plot)
{
	size_t count = 0;

	for (size_t i = 0; i < PANELS; i++)
		count += has_panel(plot, i);
	return count;
}

static void write_data(struct plot *plot, size_t panel, struct plot_axis *y)
{
	const struct plot_interference *interference = plot->state;
	struct plot_extent extent = PLOT_EXTENT_NONE;
	FILE *out = plot->script;

	plot_extent_add(&extent, 1);
	for (size_t i = 0; i < plot->report_count; i++) {
		fprintf(out, "# place, ratio, low, high\n$ratio%zu_%zu << END\n", panel, i);
		for (size_t j = 0; j < STATISTICS; j++) {
			const struct plot_interference_ratio *ratio = &interference->of[i][panel][j];
			double low = isfinite(ratio->low) ? ratio->low : ratio->value;
			double high = isfinite(ratio->high) ? ratio->high : ratio->value;

			if (!isfinite(ratio->value))
				continue;
			fprintf(out, "%.6g %.10g %.10g %.10g\n", place_of(j, i, plot->report_count), ratio->value, low, high);
			plot_extent_add(&extent, ratio->value);
			plot_extent_add(&extent, low);
			plot_extent_add(&extent, high);
		}
		fprintf(out, "END\n");
	}
	plot_axis_fit(y, &extent);
}

static void put_statistics(struct plot_frame *frame, const struct plot_rect *rect)
{
	double step = (rect->right - rect->left) / STATISTICS;

	fprintf(frame->plot->script, "set xrange [0.5:%d.5] noextend\nunset xtics\n", STATISTICS);
	for (size_t i = 0; i < STATISTICS; i++) {
		double middle = rect->left + step * ((double)i + 0.5);

		if (i)
			plot_frame_line(frame, middle - step / 2, rect->bottom, middle - step / 2, rect->top, 0.7, "solid",
				PLOT_GRID);
		plot_frame_text(frame, middle, rect->bottom - 14, PLOT_ANCHOR_CENTRE, SIZE_PANEL, PLOT_INK, statistics[i]);
	}
}

static void plot_panel(struct plot *plot, size_t panel, char **names)
{
	FILE *out = plot->script;

	plot_drawn(plot, "as alone");
	fprintf(out, "plot 1 with lines linewidth 1.2 dashtype %s linecolor rgb \"" PLOT_INK_WEAK "\"", plot_style_dash(1));
	for (size_t i = 0; i < plot->report_count; i++) {
		plot_drawn(plot, plot->report_count > 1 ? names[i] : panels[panel].stream);
		fprintf(out, ", \\\n\t$ratio%zu_%zu using 1:2:3:4 with yerrorbars pointtype 7 pointsize 0.9 linewidth 2 "
			     "linecolor rgb \"%s\"", panel, i, plot_style_colour(i));
	}
	fprintf(out, "\n");
}

static void draw_panel(struct plot_frame *frame, const struct plot_rect *rect, size_t panel, char **names)
{
	struct plot *plot = frame->plot;
	/* Three of the longer ones would run into each other. */
	const char *what = count_panels(plot) < PANELS ? "times as long as alone" : "times alone";
	struct plot_axis y = {"y", what, PLOT_UNIT_COUNT, plot->options->y == PLOT_SCALE_LOG, 0, 0};

	write_data(plot, panel, &y);
	plot_frame_panel(frame, rect);
	plot_frame_text(frame, rect->left, rect->top + 12, PLOT_ANCHOR_LEFT, SIZE_PANEL, PLOT_INK_STRONG,
		panels[panel].title);
	put_statistics(frame, rect);
	plot_frame_axis(frame, rect, &y);
	plot_panel(plot, panel, names);
}

static void draw_panels(struct plot *plot, char **names)
{
	struct plot_key keys[PLOT_COLOURS];
	size_t panel_count = count_panels(plot), key_count = plot->report_count > 1 ? plot->report_count : 0, drawn = 0;
	struct plot_frame frame;
	double top, height;

	for (size_t i = 0; i < key_count; i++)
		keys[i] = (struct plot_key){names[i], plot_style_colour(i), PLOT_KEY_POINTS};
	plot_frame_begin(&frame, plot, panel_count);
	top = frame.area.top - (key_count ? plot_frame_key_height(&frame.area, keys, key_count) : 0);
	height = (top - frame.area.bottom - PLOT_FRAME_BELOW / 2) / (double)panel_count - 2 * GAP + GAP / 2;
	if (key_count)
		plot_frame_key(&frame, &frame.area, top, keys, key_count);
	for (size_t i = 0; i < PANELS; i++) {
		struct plot_rect rect = frame.area;

		if (!has_panel(plot, i))
			continue;
		rect.top = top - (double)drawn * (height + 1.6 * GAP) - GAP + 4;
		rect.bottom = rect.top - height;
		draw_panel(&frame, &rect, i, names);
		drawn++;
	}
	plot_frame_end(&frame);
}

int plot_interference_draw(struct plot *plot)
{
	const struct plot_interference *interference = plot->state;
	char **names = plot_fact_names(plot->reports, plot->report_count, &plot->options->legend);

	if (!names) {
		diag_error(ENOMEM, "cannot draw");
		return DIAG_EXIT_HOST;
	}
	if (interference->has_repetitions)
		plot_note(plot, false, "Medians over the repetitions, beside the other stream over alone; bars: 95 %% intervals.");
	if (interference->has_single)
		plot_note(plot, false, "Without bars: of one run of the mix and one of each stream alone, nothing was repeated.");
	plot_ssd_title(plot, "What log and checkpoint cost each other", plot->report_count == 1 ? interference->mix : "");
	draw_panels(plot, names);
	plot_fact_names_free(names);
	return DIAG_EXIT_OK;
}
