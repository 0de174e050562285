/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines across a panel, with their texts where they do not cover each other. */
#ifndef MEMSTOR_PLOT_MARK_H
#define MEMSTOR_PLOT_MARK_H

#include <stdbool.h>
#include <stddef.h>

#include "memstor/plot/axis.h"
#include "memstor/plot/frame.h"

#define PLOT_MARK_TEXT 64

struct plot_mark {
	double value;       /* on the axis it crosses */
	const char *colour, *dash;
	char text[PLOT_MARK_TEXT];
	size_t row; /* of upright lines' texts, 0 the lowest */
};

/* Upright lines at values of the x axis have their texts above the panel, in as many rows as keep them apart. Orders
 * the marks by value and gives each its row; of the rectangle left and right are looked at. Returns the height of all
 * rows. Those outside the axis are left out. */
double plot_marks_arrange(const struct plot_rect *rect, const struct plot_axis *axis, struct plot_mark *marks,
	size_t count);
void plot_marks_upright(struct plot_frame *frame, const struct plot_rect *rect, const struct plot_axis *axis,
	const struct plot_mark *marks, size_t count, bool has_texts);
/* Level lines at values of an axis on the left or right side, with the text above each at that side. */
void plot_marks_level(struct plot_frame *frame, const struct plot_rect *rect, const struct plot_axis *axis,
	const struct plot_mark *marks, size_t count);

#endif
