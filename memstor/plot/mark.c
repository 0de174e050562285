/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/mark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memstor/plot/style.h"
#include "memstor/plot/text.h"

#define SIZE 11
#define ROWS 8          /* of texts above each other */
#define ROW_HEIGHT 14.0
#define APART 3.0       /* half of what is between two texts */

/* Where the value is, in units from the lower left; of a level mark from below. */
static double place(const struct plot_axis *axis, double value, double from, double to)
{
	return from + plot_axis_share(axis, value) * (to - from);
}

static bool is_inside(const struct plot_axis *axis, double value)
{
	return isfinite(value) && value >= axis->low && value <= axis->high;
}

static int compare(const void *a, const void *b)
{
	double one = ((const struct plot_mark *)a)->value, other = ((const struct plot_mark *)b)->value;

	return (one > other) - (one < other);
}

/* Where the middle of the text is: over its line, but not beyond the panel. */
static double text_place(const struct plot_rect *rect, const struct plot_axis *axis, const struct plot_mark *mark,
	double *half)
{
	double x = place(axis, mark->value, rect->left, rect->right);

	*half = plot_frame_width(plot_text_columns(mark->text), SIZE) / 2 + APART;
	return fmax(rect->left + *half - APART, fmin(x, rect->right - *half + APART));
}

double plot_marks_arrange(const struct plot_rect *rect, const struct plot_axis *axis, struct plot_mark *marks,
	size_t count)
{
	double end[ROWS];
	size_t rows = 0;

	qsort(marks, count, sizeof(*marks), compare);
	for (size_t i = 0; i < count; i++) {
		double half, x = text_place(rect, axis, &marks[i], &half);
		size_t row = 0;

		if (!is_inside(axis, marks[i].value))
			continue;
		while (row < rows && end[row] > x - half && row + 1 < ROWS)
			row++;
		rows = row == rows ? rows + 1 : rows;
		end[row] = x + half;
		marks[i].row = row;
	}
	return (double)rows * ROW_HEIGHT;
}

void plot_marks_upright(struct plot_frame *frame, const struct plot_rect *rect, const struct plot_axis *axis,
	const struct plot_mark *marks, size_t count, bool has_texts)
{
	for (size_t i = 0; i < count; i++) {
		double x = place(axis, marks[i].value, rect->left, rect->right);
		double half, middle = text_place(rect, axis, &marks[i], &half);
		double y = rect->top + ((double)marks[i].row + 0.5) * ROW_HEIGHT;

		if (!is_inside(axis, marks[i].value))
			continue;
		plot_frame_line(frame, x, rect->bottom, x, rect->top, 1, marks[i].dash, marks[i].colour);
		if (has_texts)
			plot_frame_text(frame, middle, y, PLOT_ANCHOR_CENTRE, SIZE, marks[i].colour, marks[i].text);
	}
}

void plot_marks_level(struct plot_frame *frame, const struct plot_rect *rect, const struct plot_axis *axis,
	const struct plot_mark *marks, size_t count)
{
	bool is_right = !strcmp(axis->name, "y2");

	for (size_t i = 0; i < count; i++) {
		double y = place(axis, marks[i].value, rect->bottom, rect->top);

		if (!is_inside(axis, marks[i].value))
			continue;
		plot_frame_line(frame, rect->left, y, rect->right, y, 1, marks[i].dash, marks[i].colour);
		plot_frame_text(frame, is_right ? rect->right - 5 : rect->left + 5, y + 8,
			is_right ? PLOT_ANCHOR_RIGHT : PLOT_ANCHOR_LEFT, SIZE, marks[i].colour, marks[i].text);
	}
}
