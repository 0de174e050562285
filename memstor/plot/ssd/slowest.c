/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fig4 of ssd-workloads analyze: a bar a write, cut into its parts; what is to blame is outlined. */
#include "config.h"
#include "memstor/plot/ssd/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/text.h"

#define PARTS PLOT_SLOWEST_PARTS
#define NAMES_WIDTH 170.0 /* left of the bars */
#define VALUES_WIDTH 96.0 /* right of the longest */
#define SIZE_NAME 10
#define BAR 0.36          /* half of its height, of a row's */
#define ROW_MIN 11.0

static const struct {
	const char *column, *name, *untraced;
} parts[PARTS] = {
	{"late_ns", "late", "late"}, {"batching_ns", "batching", ""}, {"submit_ns", "submit", ""},
	{"queue_ns", "queue", "before the system call"}, {"device_ns", "device", "device or below"}, {"reap_ns", "reap", ""},
};

/* --- the table --- */

enum { FIELD_STREAM, FIELD_KIND, FIELD_SEQUENCE, FIELD_TIME, FIELD_JOINED, FIELD_CAUSE, FIELD_PARTS,
	FIELDS = FIELD_PARTS + PARTS };

static void take_row(struct plot_slowest *slowest, const char *const fields[FIELDS])
{
	struct plot_slowest_row *row = &slowest->rows[slowest->count];
	const char *stream = fields[FIELD_STREAM], *kind = fields[FIELD_KIND];

	if (plot_stream_of(stream) == PLOT_STREAMS)
		return;
	if (slowest->count == PLOT_SLOWEST_ROWS) {
		slowest->left_out++;
		return;
	}
	*row = (struct plot_slowest_row){.stream = plot_stream_of(stream), .is_usual = strcmp(kind, "slow") != 0,
		.is_merged = !strcmp(fields[FIELD_JOINED], "merged")};
	if (row->is_usual)
		snprintf(row->name, sizeof(row->name), "%.20s, %s", stream, !strcmp(kind, "alone") ? "alone" : "typical");
	else
		snprintf(row->name, sizeof(row->name), "%.20s at %.3f s", stream, plot_table_number(fields[FIELD_TIME]));
	snprintf(row->cause, sizeof(row->cause), "%s", strcmp(fields[FIELD_CAUSE], "-") != 0 ? fields[FIELD_CAUSE] : "");
	for (size_t i = 0; i < PARTS; i++) {
		double value = plot_table_number(fields[FIELD_PARTS + i]);

		row->parts[i] = value > 0 ? value : 0;
	}
	slowest->is_traced = slowest->is_traced || strcmp(fields[FIELD_JOINED], "no") != 0;
	slowest->count++;
}

int plot_slowest_take(struct plot *plot, const struct loaded *loaded)
{
	struct plot_slowest *slowest = plot->state;
	const char *columns[FIELDS] = {"stream", "kind", "sequence", "time_s", "joined", "largest_excess"};
	const char *fields[FIELDS];
	struct plot_table table;

	for (size_t i = 0; i < PARTS; i++)
		columns[FIELD_PARTS + i] = parts[i].column;
	if (plot_table_open(loaded, "fig4", columns, FIELDS, &table)) {
		plot_table_mix(&table, slowest->mix);
		while (plot_table_next(&table, fields))
			take_row(slowest, fields);
	}
	if (slowest->count)
		return DIAG_EXIT_OK;
	diag_error(0, "%s: no report of ssd-workloads analyze fig4, which is what slowest draws", loaded->path);
	return DIAG_EXIT_USAGE;
}

/* --- the picture --- */

static double sum_of(const struct plot_slowest_row *row)
{
	double sum = 0;

	for (size_t i = 0; i < PARTS; i++)
		sum += row->parts[i];
	return sum;
}

static bool has_part(const struct plot_slowest *slowest, size_t part)
{
	for (size_t i = 0; i < slowest->count; i++) {
		if (slowest->rows[i].parts[part] > 0)
			return true;
	}
	return false;
}

static bool is_cause(const struct plot_slowest_row *row, size_t part)
{
	return !strcmp(row->cause, parts[part].name);
}

/* The first row is at the top. */
static double level_of(const struct plot_slowest *slowest, size_t row)
{
	return (double)(slowest->count - row);
}

static void write_box(FILE *out, double level, double from, double to)
{
	fprintf(out, "%.10g %.6g %.10g %.10g %.6g %.6g\n", (from + to) / 2, level, from, to, level - BAR, level + BAR);
}

/* Block i has part i of all rows, or, when it is only_causes, of those that it is to blame for. */
static void write_part(FILE *out, const struct plot_slowest *slowest, size_t part, bool only_causes)
{
	fprintf(out, "$%s%zu << END\n", only_causes ? "cause" : "part", part);
	for (size_t i = 0; i < slowest->count; i++) {
		const struct plot_slowest_row *row = &slowest->rows[i];
		double from = 0;

		for (size_t j = 0; j < part; j++)
			from += row->parts[j];
		if (row->parts[part] > 0 && (!only_causes || is_cause(row, part)))
			write_box(out, level_of(slowest, i), from, from + row->parts[part]);
	}
	fprintf(out, "END\n");
}

static bool has_cause(const struct plot_slowest *slowest, size_t part)
{
	for (size_t i = 0; i < slowest->count; i++) {
		if (is_cause(&slowest->rows[i], part))
			return true;
	}
	return false;
}

static void put_texts(struct plot_frame *frame, const struct plot_rect *rect, const struct plot_axis *x)
{
	const struct plot_slowest *slowest = frame->plot->state;
	double height = (rect->top - rect->bottom) / (double)slowest->count;

	if (height < ROW_MIN)
		frame->plot->is_too_small = true;
	for (size_t i = 0; i < slowest->count; i++) {
		const struct plot_slowest_row *row = &slowest->rows[i];
		double y = rect->top - height * ((double)i + 0.5), sum = sum_of(row);
		double end = rect->left + plot_axis_share(x, sum) * (rect->right - rect->left);
		char value[32], text[64];

		plot_axis_format_short(PLOT_UNIT_NS, sum, value, sizeof(value));
		snprintf(text, sizeof(text), "%s%s%s", value, row->cause[0] ? ", " : "", row->cause);
		plot_frame_text(frame, rect->left - 8, y, PLOT_ANCHOR_RIGHT, SIZE_NAME, row->is_usual ? PLOT_INK_WEAK : PLOT_INK,
			row->name);
		plot_frame_text(frame, end + 6, y, PLOT_ANCHOR_LEFT, SIZE_NAME, row->is_usual ? PLOT_INK_WEAK : PLOT_INK, text);
		/* Between the streams. */
		if (i && row->stream != slowest->rows[i - 1].stream)
			plot_frame_line(frame, rect->left - NAMES_WIDTH + 20, rect->top - height * (double)i, rect->right,
				rect->top - height * (double)i, 0.7, "solid", PLOT_INK_WEAK);
	}
}

static void put_bars(struct plot *plot)
{
	const struct plot_slowest *slowest = plot->state;
	FILE *out = plot->script;
	const char *glue = "plot ";

	for (size_t i = 0; i < PARTS; i++) {
		if (!has_part(slowest, i))
			continue;
		plot_drawn(plot, parts[i].name);
		fprintf(out, "%s$part%zu using 1:2:3:4:5:6 with boxxyerror fillcolor rgb \"%s\" fillstyle solid 0.85 noborder",
			glue, i, plot_style_colour(i));
		glue = ", \\\n\t";
	}
	for (size_t i = 0; i < PARTS; i++) {
		if (!has_cause(slowest, i))
			continue;
		plot_drawn(plot, "to blame");
		fprintf(out, "%s$cause%zu using 1:2:3:4:5:6 with boxxyerror linewidth 2 linecolor rgb \"" PLOT_INK_WARNING
			     "\" fillstyle empty border rgb \"" PLOT_INK_WARNING "\"", glue, i);
	}
	fprintf(out, "\n");
}

static size_t list_keys(const struct plot_slowest *slowest, struct plot_key keys[PARTS])
{
	size_t count = 0;

	for (size_t i = 0; i < PARTS; i++) {
		if (has_part(slowest, i))
			keys[count++] = (struct plot_key){slowest->is_traced ? parts[i].name : parts[i].untraced,
				plot_style_colour(i), "solid"};
	}
	return count;
}

static void write_data(struct plot *plot, struct plot_axis *x)
{
	const struct plot_slowest *slowest = plot->state;
	struct plot_extent extent = PLOT_EXTENT_NONE;

	for (size_t i = 0; i < slowest->count; i++)
		plot_extent_add(&extent, sum_of(&slowest->rows[i]));
	for (size_t i = 0; i < PARTS; i++) {
		if (has_part(slowest, i))
			write_part(plot->script, slowest, i, false);
		if (has_cause(slowest, i))
			write_part(plot->script, slowest, i, true);
	}
	plot_axis_fit(x, &extent);
	x->high = extent.high > 0 ? extent.high : x->high;
}

static void put_notes(struct plot *plot)
{
	const struct plot_slowest *slowest = plot->state;
	bool has_alone = false;

	for (size_t i = 0; i < slowest->count; i++)
		has_alone = has_alone || strstr(slowest->rows[i].name, ", alone");
	if (slowest->is_traced)
		plot_note(plot, false, "Outlined and named: the part that is the most over its median%s.",
			has_alone ? " in the stream alone" : "");
	if (slowest->left_out)
		plot_note(plot, false, "%zu more are left out.", slowest->left_out);
}

int plot_slowest_draw(struct plot *plot)
{
	const struct plot_slowest *slowest = plot->state;
	struct plot_axis x = {"x", "response time of a write", PLOT_UNIT_NS, false, 0, 0};
	struct plot_key keys[PARTS];
	size_t key_count = list_keys(slowest, keys);
	struct plot_frame frame;
	struct plot_rect rect;

	put_notes(plot);
	plot_ssd_title(plot, "The slowest writes, and where their time went", slowest->mix);
	write_data(plot, &x);
	plot_frame_begin(&frame, plot, 1);
	rect = frame.area;
	rect.top -= plot_frame_key_height(&rect, keys, key_count);
	rect.bottom += PLOT_FRAME_BELOW;
	rect.left += NAMES_WIDTH - PLOT_FRAME_LEFT;
	rect.right -= VALUES_WIDTH - PLOT_FRAME_RIGHT;
	plot_frame_panel(&frame, &rect);
	plot_frame_key(&frame, &frame.area, rect.top, keys, key_count);
	fprintf(plot->script, "set yrange [0.5:%zu.5] noextend\nunset ytics\n", slowest->count);
	plot_frame_axis(&frame, &rect, &x);
	put_texts(&frame, &rect, &x);
	put_bars(plot);
	plot_frame_end(&frame);
	return DIAG_EXIT_OK;
}
