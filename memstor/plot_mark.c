/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot_mark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memstor/plot_style.h"
#include "memstor/plot_text.h"

#define SIZE 11
#define LEVELS 4         /* of texts below each other */
#define NEAR 15.0        /* units between two texts that run upward */

/* Where the value is, in units from the lower left; of a level mark from below. */
static double place(const struct plot_axis *axis, double value, double from, double to)
{
	double share = axis->is_log ? log(value / axis->low) / log(axis->high / axis->low)
				    : (value - axis->low) / (axis->high - axis->low);

	return from + share * (to - from);
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

static void put_line(struct plot_frame *frame, const struct plot_mark *mark, double x0, double y0, double x1, double y1)
{
	fprintf(frame->plot->script,
		"set arrow from screen %.5f,%.5f to screen %.5f,%.5f nohead front linewidth 1 dashtype %s linecolor rgb \"%s\"\n",
		x0 / frame->layout.width, y0 / frame->layout.height, x1 / frame->layout.width, y1 / frame->layout.height,
		mark->dash, mark->colour);
}

void plot_marks_upright(struct plot_frame *frame, const struct plot_rect *rect, const struct plot_axis *axis,
	struct plot_mark *marks, size_t count)
{
	double last[LEVELS], height = 0;

	for (size_t i = 0; i < LEVELS; i++)
		last[i] = -INFINITY;
	for (size_t i = 0; i < count; i++)
		height = fmax(height, plot_frame_width(plot_text_columns(marks[i].text), SIZE) + 8);
	qsort(marks, count, sizeof(*marks), compare);
	for (size_t i = 0; i < count; i++) {
		double x = place(axis, marks[i].value, rect->left, rect->right);
		size_t level = 0;

		if (!is_inside(axis, marks[i].value))
			continue;
		put_line(frame, &marks[i], x, rect->bottom, x, rect->top);
		while (level + 1 < LEVELS && x - last[level] < NEAR)
			level++;
		last[level] = x;
		plot_frame_text(frame, x - 6, rect->top - 3 - (double)level * height, PLOT_ANCHOR_UPWARD, SIZE, marks[i].colour,
			marks[i].text);
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
		put_line(frame, &marks[i], rect->left, y, rect->right, y);
		plot_frame_text(frame, is_right ? rect->right - 5 : rect->left + 5, y + 8,
			is_right ? PLOT_ANCHOR_RIGHT : PLOT_ANCHOR_LEFT, SIZE, marks[i].colour, marks[i].text);
	}
}
