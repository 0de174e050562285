/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/overlay.h"

#include <math.h>
#include <stdlib.h>

#include "common/units.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/kinds.h"
#include "memstor/plot/mark.h"
#include "memstor/plot/style.h"

#define MARKS_MAX 64

int plot_overlay_take(struct plot *plot, const struct loaded *loaded)
{
	return plot_curves_take(plot, loaded, plot->state);
}

void plot_overlay_free(struct plot *plot)
{
	plot_curves_free(plot->state);
}

void plot_overlay_latencies(const struct plot *plot, const struct plot_curves *curves, struct plot_axis *x)
{
	const struct plot_range *range = &plot->options->x_range;
	struct plot_extent extent = PLOT_EXTENT_NONE;

	for (size_t i = 0; i < curves->count; i++) {
		const struct loaded_histogram *histogram = &curves->items[i].buckets.histogram;
		double lo, hi;

		for (size_t j = 0; j < histogram->bucket_count; j++) {
			plot_bucket_edges(histogram, &histogram->buckets[j], &lo, &hi);
			plot_extent_add(&extent, lo);
			plot_extent_add(&extent, hi);
		}
	}
	plot_axis_fit(x, &extent);
	if (range->is_given) {
		x->low = range->low_ns;
		x->high = range->high_ns;
	}
}

static size_t list_marks(const struct plot_curves *curves, struct plot_mark *marks)
{
	size_t count = 0;

	for (size_t i = 0; i < curves->count; i++) {
		const struct plot_curve *curve = &curves->items[i];

		for (size_t j = 0; j < curves->mark_count && count < MARKS_MAX; j++) {
			struct plot_mark *mark = &marks[count];
			char value[UNITS_TEXT];

			if (isnan(curve->marks[j]))
				continue;
			*mark = (struct plot_mark){.value = curve->marks[j], .colour = plot_style_colour(curve->colour),
				.dash = plot_style_dash(curve->dash)};
			snprintf(mark->text, sizeof(mark->text), "p%.10g %s", curves->mark_percents[j],
				units_format_duration(curve->marks[j], value, sizeof(value)));
			count++;
		}
	}
	return count;
}

void plot_overlay_panel(struct plot *plot, const struct plot_curves *curves, const struct plot_axis *x,
	const struct plot_axis *y, bool has_marks)
{
	struct plot_mark marks[MARKS_MAX];
	struct plot_key keys[PLOT_COLOURS * PLOT_DASHES];
	size_t count = has_marks ? list_marks(curves, marks) : 0;
	struct plot_frame frame;
	struct plot_rect rect;
	double above;

	for (size_t i = 0; i < curves->count; i++)
		keys[i] = (struct plot_key){curves->items[i].name, plot_style_colour(curves->items[i].colour),
			plot_style_dash(curves->items[i].dash)};
	plot_frame_begin(&frame, plot, 1);
	rect = frame.area;
	rect.bottom += PLOT_FRAME_BELOW;
	above = plot_marks_arrange(&rect, x, marks, count);
	rect.top -= above + plot_frame_key_height(&rect, keys, curves->count);
	plot_frame_panel(&frame, &rect);
	plot_marks_upright(&frame, &rect, x, marks, count, true);
	plot_frame_key(&frame, &rect, rect.top + above, keys, curves->count);
	plot_frame_axis(&frame, &rect, x);
	plot_frame_axis(&frame, &rect, y);
	plot_frame_end(&frame);
}

void plot_overlay_lines(struct plot *plot, const struct plot_curves *curves, const char *glue)
{
	for (size_t i = 0; i < curves->count; i++) {
		const struct plot_curve *curve = &curves->items[i];

		plot_drawn(plot, curve->name);
		fprintf(plot->script, "%s%s using 1:2 with lines linewidth 1.6 dashtype %s linecolor rgb \"%s\"", glue,
			curve->data, plot_style_dash(curve->dash), plot_style_colour(curve->colour));
		glue = ", \\\n\t";
	}
	fprintf(plot->script, "\n");
}
