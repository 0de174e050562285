/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/iowrite/threshold.h"

#include <math.h>
#include <stdio.h>

#include "memstor/plot/iowrite/write.h"
#include "memstor/plot/style.h"
#include "memstor/plot/text.h"

#define SIZE 11
#define APART 14.0  /* between two names, one above the other */
#define BESIDE 12.0 /* and side by side */

struct plot_thresholds plot_thresholds_of(const struct report_node *node)
{
	return (struct plot_thresholds){report_read_number(node, "background_bytes"),
		report_read_number(node, "freerun_bytes"), report_read_number(node, "limit_bytes")};
}

void plot_thresholds_extend(const struct plot_thresholds *thresholds, struct plot_extent *extent)
{
	plot_extent_add(extent, thresholds->limit * 1.05);
}

struct placed { /* a name */
	double left, right, y;
};

/* Names of lines that are close stand beside each other. */
static void find_room(struct placed *placed, size_t count, double wide)
{
	struct placed *name = &placed[count];

	for (size_t i = 0; i < count; i++) {
		if (fabs(placed[i].y - name->y) >= APART || placed[i].left - BESIDE >= name->right)
			continue;
		name->right = placed[i].left - BESIDE;
		i = (size_t)-1; /* there may be another */
	}
	name->left = name->right - wide;
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
	struct placed placed[sizeof(rows) / sizeof(rows[0])];
	size_t placed_count = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double y = rect->bottom + plot_axis_share(axis, rows[i].bytes) * (rect->top - rect->bottom);
		struct placed *name = &placed[placed_count];
		char size[32], text[64];

		if (!(rows[i].bytes >= axis->low && rows[i].bytes <= axis->high))
			continue;
		plot_frame_line(frame, rect->left, y, rect->right, y, 1, plot_style_dash(2), PLOT_INK_WEAK);
		plot_axis_format(PLOT_UNIT_BYTES, rows[i].bytes, size, sizeof(size));
		snprintf(text, sizeof(text), "%s %s", rows[i].name, size);
		*name = (struct placed){.right = rect->right - 5, .y = y + rows[i].aside};
		find_room(placed, placed_count++, plot_frame_width(plot_text_columns(text), SIZE));
		plot_frame_text_over(frame, name->right, name->y, PLOT_ANCHOR_RIGHT, SIZE, PLOT_INK_WEAK, text);
	}
}
