/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/frame.h"

#include <string.h>

#include "memstor/plot/phrase.h"
#include "memstor/plot/style.h"
#include "memstor/plot/text.h"

#define EM 0.55 /* how wide a character is on average, in its size */
#define SIZE_TITLE 16
#define SIZE_MACHINE 11
#define SIZE_NOTE 11
#define SIZE_KEY 13
#define SIZE_AXIS 13
#define TITLE_LINES 3
#define PANEL_MIN 50.0
#define KEY_ROW 18.0
#define KEY_SAMPLE 42.0 /* a line, and the room beside it */
#define KEY_GAP 24.0    /* between columns */

double plot_frame_width(size_t columns, unsigned size)
{
	return (double)columns * EM * size;
}

void plot_frame_text(struct plot_frame *frame, double x, double y, enum plot_anchor anchor, unsigned size,
	const char *colour, const char *text)
{
	static const char *const anchors[] = {"left", "right", "center", "center rotate by 90"};
	FILE *out = frame->plot->script;

	fprintf(out, "set label %u ", ++frame->label);
	plot_text_write(&frame->plot->texts, out, text, false);
	fprintf(out, " at screen %.5f,%.5f %s front font \",%u\" textcolor rgb \"%s\"\n", x / frame->layout.width,
		y / frame->layout.height, anchors[anchor], size, colour);
}

/* Not gnuplot's boxes around texts, which its SVG says twice. */
void plot_frame_text_over(struct plot_frame *frame, double x, double y, enum plot_anchor anchor, unsigned size,
	const char *colour, const char *text)
{
	double wide = plot_frame_width(plot_text_columns(text), size) + 4, high = size * 1.2;
	double left = anchor == PLOT_ANCHOR_LEFT ? x - 2 : anchor == PLOT_ANCHOR_RIGHT ? x + 2 - wide : x - wide / 2;

	fprintf(frame->plot->script,
		"set object rectangle from screen %.5f,%.5f to screen %.5f,%.5f front fillcolor rgb \"#ffffff\" fillstyle "
		"transparent solid 0.75 noborder\n",
		left / frame->layout.width, (y - high / 2) / frame->layout.height, (left + wide) / frame->layout.width,
		(y + high / 2) / frame->layout.height);
	plot_frame_text(frame, x, y, anchor, size, colour, text);
}

void plot_frame_line(struct plot_frame *frame, double x0, double y0, double x1, double y1, double width,
	const char *dash, const char *colour)
{
	/* gnuplot's svg keeps the dashes of the line before when neither colour nor width change. */
	width += ++frame->lines % 2 ? 0 : 0.01;
	fprintf(frame->plot->script,
		"set arrow from screen %.5f,%.5f to screen %.5f,%.5f nohead front linewidth %g dashtype %s linecolor rgb \"%s\"\n",
		x0 / frame->layout.width, y0 / frame->layout.height, x1 / frame->layout.width, y1 / frame->layout.height, width,
		dash, colour);
}

char *plot_frame_title(const struct plot *plot, char *text, size_t length)
{
	if (plot->options->title)
		plot_text_clean(plot->options->title, length, text, length);
	else if (plot->title[0])
		plot_text_clean(plot->title, length, text, length);
	else
		plot_phrase_title(plot->reports, plot->report_count, text, length);
	return text;
}

/* Lines of `size`, the first of them at the top; returns where the next would be. */
static double put_lines(struct plot_frame *frame, double top, unsigned size, const char *colour, const char *text)
{
	char clean[PLOT_TEXT], line[PLOT_TEXT];
	const char *rest = clean;
	double left = frame->area.left;
	size_t columns = (size_t)((frame->layout.width - left - PLOT_FRAME_RIGHT) / (EM * size));

	plot_text_clean(text, columns * TITLE_LINES, clean, sizeof(clean));
	while (rest && *rest) {
		size_t bytes;
		const char *next = plot_text_break(rest, columns, &bytes);

		snprintf(line, sizeof(line), "%.*s", (int)bytes, rest);
		plot_frame_text(frame, left, top - size * 0.5, PLOT_ANCHOR_LEFT, size, colour, line);
		top -= size * 1.35;
		rest = next;
	}
	return top;
}

static void put_notes(struct plot_frame *frame)
{
	struct plot *plot = frame->plot;

	for (size_t i = plot->note_count; i-- > 0;) {
		const struct plot_note *note = &plot->notes[i];
		char text[PLOT_TEXT];
		size_t columns = (size_t)((frame->layout.width - frame->area.left - PLOT_FRAME_RIGHT) / (EM * SIZE_NOTE));

		plot_text_clean(note->text, columns, text, sizeof(text));
		plot_frame_text(frame, frame->area.left, frame->area.bottom + SIZE_NOTE * 0.5, PLOT_ANCHOR_LEFT, SIZE_NOTE,
			note->is_warning ? PLOT_INK_WARNING : PLOT_INK_WEAK, text);
		frame->area.bottom += SIZE_NOTE * 1.4;
	}
}

static struct plot_layout layout_of(const struct plot *plot)
{
	return plot_format_layout(plot->options->format, plot->options->width, plot->options->height);
}

void plot_frame_begin(struct plot_frame *frame, struct plot *plot, size_t panels)
{
	char text[PLOT_TEXT];
	double top;

	*frame = (struct plot_frame){.plot = plot, .panels = panels};
	frame->layout = layout_of(plot);
	frame->area = (struct plot_rect){PLOT_FRAME_LEFT, frame->layout.width - PLOT_FRAME_RIGHT, 8, frame->layout.height - 14};
	if (panels > 1)
		fprintf(plot->script, "set multiplot\n");
	top = put_lines(frame, frame->area.top, SIZE_TITLE, PLOT_INK_STRONG, plot_frame_title(plot, text, sizeof(text)));
	top = put_lines(frame, top - 2, SIZE_MACHINE, PLOT_INK_WEAK,
		plot_phrase_machine(plot->reports, plot->report_count, text, sizeof(text)));
	frame->area.top = top - 6;
	put_notes(frame);
}

void plot_frame_panel(struct plot_frame *frame, const struct plot_rect *rect)
{
	FILE *out = frame->plot->script;
	double width = frame->layout.width, height = frame->layout.height;

	if (rect->right - rect->left < PANEL_MIN || rect->top - rect->bottom < PANEL_MIN)
		frame->plot->is_too_small = true;
	if (frame->begun++) {
		fprintf(out, "unset label\nunset arrow\nunset object\n");
		frame->label = 0;
	}
	fprintf(out, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", rect->left / width, rect->right / width);
	fprintf(out, "set bmargin at screen %.5f\nset tmargin at screen %.5f\n", rect->bottom / height, rect->top / height);
}

void plot_frame_axis(struct plot_frame *frame, const struct plot_rect *rect, const struct plot_axis *axis)
{
	double middle = (rect->bottom + rect->top) / 2;

	plot_axis_write(frame->plot->script, axis);
	if (!axis->title)
		return;
	if (!strcmp(axis->name, "x"))
		plot_frame_text(frame, (rect->left + rect->right) / 2, rect->bottom - 45, PLOT_ANCHOR_CENTRE, SIZE_AXIS, PLOT_INK,
			axis->title);
	else
		plot_frame_text(frame, !strcmp(axis->name, "y") ? rect->left - 74 : rect->right + 74, middle,
			PLOT_ANCHOR_UPWARD, SIZE_AXIS, PLOT_INK, axis->title);
}

size_t plot_frame_key_columns(const struct plot *plot)
{
	struct plot_layout layout = layout_of(plot);

	return (size_t)((layout.width - PLOT_FRAME_LEFT - PLOT_FRAME_RIGHT - KEY_SAMPLE - KEY_GAP) / (EM * SIZE_KEY));
}

static double key_width(const struct plot_key *keys, size_t count)
{
	size_t columns = 0;

	for (size_t i = 0; i < count; i++) {
		size_t these = plot_text_columns(keys[i].name);

		columns = these > columns ? these : columns;
	}
	return KEY_SAMPLE + KEY_GAP + plot_frame_width(columns, SIZE_KEY);
}

static size_t key_rows(const struct plot_rect *rect, const struct plot_key *keys, size_t count)
{
	size_t beside = (size_t)((rect->right - rect->left) / key_width(keys, count));

	if (beside < 1)
		beside = 1;
	return (count + beside - 1) / beside;
}

double plot_frame_key_height(const struct plot_rect *rect, const struct plot_key *keys, size_t count)
{
	return count ? (double)key_rows(rect, keys, count) * KEY_ROW + 8 : 0;
}

struct key_points { /* some where a line would be */
	const char *word;
	int type, count; /* gnuplot's pointtype */
	double size;
};

static const struct key_points *find_points(const char *dash)
{
	static const struct key_points points[] = {
		{PLOT_KEY_POINTS, 7, 3, 0.5}, {PLOT_KEY_MARKS, 13, 1, 1}, {PLOT_KEY_HOLLOW, 12, 1, 1}};

	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		if (!strcmp(points[i].word, dash))
			return &points[i];
	}
	return NULL;
}

static void put_points(struct plot_frame *frame, double x, double y, const struct key_points *points, const char *colour)
{
	for (int i = 0; i < points->count; i++)
		fprintf(frame->plot->script,
			"set label %u \"\" at screen %.5f,%.5f front point pointtype %d pointsize %g linecolor rgb \"%s\"\n",
			++frame->label, (x + (KEY_SAMPLE - 8) * (i + 0.5) / points->count) / frame->layout.width,
			y / frame->layout.height, points->type, points->size, colour);
}

void plot_frame_key(struct plot_frame *frame, const struct plot_rect *rect, double bottom, const struct plot_key *keys,
	size_t count)
{
	size_t rows = count ? key_rows(rect, keys, count) : 0;
	double width = key_width(keys, count);

	for (size_t i = 0; i < count; i++) {
		size_t column = i / rows;
		double x = rect->left + (double)column * width;
		double y = bottom + 8 + ((double)(rows - i % rows) - 0.5) * KEY_ROW;
		const struct key_points *points = find_points(keys[i].dash);

		if (points)
			put_points(frame, x, y, points, keys[i].colour);
		else
			plot_frame_line(frame, x, y, x + KEY_SAMPLE - 8, y, 2, keys[i].dash, keys[i].colour);
		plot_frame_text(frame, x + KEY_SAMPLE, y, PLOT_ANCHOR_LEFT, SIZE_KEY, PLOT_INK, keys[i].name);
	}
}

void plot_frame_end(struct plot_frame *frame)
{
	if (frame->panels > 1)
		fprintf(frame->plot->script, "unset multiplot\n");
}
