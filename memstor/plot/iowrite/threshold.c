/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/iowrite/threshold.h"

#include <math.h>
#include <stdio.h>

#include "memstor/plot/iowrite/write.h"
#include "memstor/plot/style.h"

#define SIZE 11
#define APART 14.0 /* between two names */

struct plot_thresholds plot_thresholds_of(const struct report_node *node)
{
	return (struct plot_thresholds){plot_child_number(node, "background_bytes"),
		plot_child_number(node, "freerun_bytes"), plot_child_number(node, "limit_bytes")};
}

void plot_thresholds_extend(const struct plot_thresholds *thresholds, struct plot_extent *extent)
{
	plot_extent_add(extent, thresholds->limit * 1.05);
}

void plot_thresholds_put(struct plot_frame *frame, const struct plot_rect *rect, const struct plot_axis *axis,
	const struct plot_thresholds *thresholds)
{
	/* What is throttled hovers above where throttling begins: that name is below its line. */
	const struct {
		const char *name;
		double bytes, aside;
	} rows[] = {{"background", thresholds->background, 8}, {"throttling begins", thresholds->freerun, -8},
		{"limit", thresholds->limit, 8}};
	double last = -INFINITY;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double y = rect->bottom + plot_axis_share(axis, rows[i].bytes) * (rect->top - rect->bottom);
		char size[32], text[64];

		if (!(rows[i].bytes >= axis->low && rows[i].bytes <= axis->high))
			continue;
		plot_frame_line(frame, rect->left, y, rect->right, y, 1, plot_style_dash(2), PLOT_INK_WEAK);
		if (y + rows[i].aside - last < APART)
			continue;
		last = y + rows[i].aside;
		plot_axis_format(PLOT_UNIT_BYTES, rows[i].bytes, size, sizeof(size));
		snprintf(text, sizeof(text), "%s %s", rows[i].name, size);
		plot_frame_text(frame, rect->right - 5, y + rows[i].aside, PLOT_ANCHOR_RIGHT, SIZE, PLOT_INK_WEAK, text);
	}
}
