/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of a scenario whose writes differ in size: what was measured, and what each model said of each size. */
#include "config.h"
#include "memstor/plot/iowrite/kinds.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/diag.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/style.h"

#define MEASURED "#202020"
#define KEYS (PLOT_MODELS + 1)

struct of_size { /* means of the writes that have the number */
	double sum[PLOT_MODELS], low, high, size;
	size_t count[PLOT_MODELS], bands;
};

static int compare_sizes(const void *a, const void *b)
{
	double one = ((const struct plot_write *)a)->size, other = ((const struct plot_write *)b)->size;

	return (one > other) - (one < other);
}

static void add(struct of_size *size, const struct plot_write *write)
{
	for (size_t i = 0; i < PLOT_MODELS; i++) {
		if (!isfinite(write->predicted_ns[i]))
			continue;
		size->sum[i] += write->predicted_ns[i];
		size->count[i]++;
	}
	if (!isfinite(write->low_ns) || !isfinite(write->high_ns))
		return;
	size->low += write->low_ns;
	size->high += write->high_ns;
	size->bands++;
}

/* The writes are sorted. Returns how many sizes there are; sizes has room for all writes. */
static size_t gather(const struct plot_writes *writes, struct of_size *sizes)
{
	size_t count = 0;

	for (size_t i = 0; i < writes->count; i++) {
		const struct plot_write *write = &writes->items[i];

		if (!(write->size > 0))
			continue;
		if (!count || sizes[count - 1].size != write->size)
			sizes[count++] = (struct of_size){.size = write->size};
		add(&sizes[count - 1], write);
	}
	return count;
}

static void write_mean(FILE *out, double sum, size_t count)
{
	if (count)
		fprintf(out, " %.10g", sum / (double)count);
	else
		fputs(" NaN", out);
}

static void write_data(FILE *out, const struct plot_writes *writes, const struct of_size *sizes, size_t count)
{
	fprintf(out, "# size, measured ns\n$measured << END\n");
	for (size_t i = 0; i < writes->count; i++)
		fprintf(out, "%.10g %.10g\n", writes->items[i].size, writes->items[i].measured_ns);
	fprintf(out, "END\n# size, means: kernel, cawl, naive, low, high\n$sizes << END\n");
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "%.10g", sizes[i].size);
		for (size_t j = 0; j < PLOT_MODELS; j++)
			write_mean(out, sizes[i].sum[j], sizes[i].count[j]);
		write_mean(out, sizes[i].low, sizes[i].bands);
		write_mean(out, sizes[i].high, sizes[i].bands);
		fputc('\n', out);
	}
	fprintf(out, "END\n");
}

static bool is_drawn(const struct plot *plot, const struct of_size *sizes, size_t count, enum plot_model model)
{
	size_t predicted = 0;

	for (size_t i = 0; i < count; i++)
		predicted += sizes[i].count[model];
	return predicted && plot_model_is_wanted(plot->options, model);
}

static bool has_band(const struct of_size *sizes, size_t count)
{
	size_t bands = 0;

	for (size_t i = 0; i < count; i++)
		bands += sizes[i].bands;
	return bands > 0;
}

static void fit_axes(const struct plot *plot, const struct of_size *sizes, size_t count, struct plot_axis *x,
	struct plot_axis *y)
{
	const struct plot_prediction *prediction = plot->state;
	struct plot_extent extent = PLOT_EXTENT_NONE, of_sizes = PLOT_EXTENT_NONE;

	for (size_t i = 0; i < prediction->writes.count; i++)
		plot_extent_add(&extent, prediction->writes.items[i].measured_ns);
	for (size_t i = 0; i < count; i++) {
		plot_extent_add(&of_sizes, sizes[i].size);
		for (size_t j = 0; j < PLOT_MODELS; j++) {
			if (sizes[i].count[j] && plot_model_is_wanted(plot->options, (enum plot_model)j))
				plot_extent_add(&extent, sizes[i].sum[j] / (double)sizes[i].count[j]);
		}
	}
	plot_axis_fit(y, &extent);
	plot_axis_fit(x, &of_sizes);
}

static void plot_lines(struct plot *plot, const struct of_size *sizes, size_t count)
{
	FILE *out = plot->script;
	const char *glue = "plot ";

	if (is_drawn(plot, sizes, count, PLOT_MODEL_KERNEL) && has_band(sizes, count)) {
		plot_drawn(plot, "10 to 90 % by the kernel's model");
		fprintf(out, "%s$sizes using 1:5:6 with filledcurves fillcolor rgb \"%s\"", glue,
			plot_model_colour(PLOT_MODEL_KERNEL));
		glue = ", \\\n\t";
	}
	plot_drawn(plot, "measured");
	fprintf(out, "%s$measured using 1:2 with points pointtype 7 pointsize 0.35 linecolor rgb \"" MEASURED "\"", glue);
	for (size_t i = PLOT_MODELS; i-- > 0;) {
		if (!is_drawn(plot, sizes, count, (enum plot_model)i))
			continue;
		plot_drawn(plot, plot_model_name((enum plot_model)i));
		fprintf(out, ", \\\n\t$sizes using 1:%zu with lines linewidth 1.6 dashtype %s linecolor rgb \"%s\"", 2 + i,
			plot_model_dash((enum plot_model)i), plot_model_colour((enum plot_model)i));
	}
	fprintf(out, "\n");
}

static void draw(struct plot *plot, const struct of_size *sizes, size_t count)
{
	const struct plot_prediction *prediction = plot->state;
	struct plot_axis x = {"x", "size of a write", PLOT_UNIT_BYTES, true, 0, 0};
	struct plot_axis y = {"y", "cost of a write", PLOT_UNIT_NS, plot->options->y != PLOT_SCALE_LINEAR, 0, 0};
	struct plot_key keys[KEYS] = {{"measured", MEASURED, PLOT_KEY_POINTS}};
	size_t key_count = 1;
	struct plot_frame frame;
	struct plot_rect rect;

	for (size_t i = 0; i < PLOT_MODELS; i++) {
		if (is_drawn(plot, sizes, count, (enum plot_model)i))
			keys[key_count++] = (struct plot_key){i == PLOT_MODEL_KERNEL && has_band(sizes, count)
								      ? "kernel, and where 10 to 90 % lie"
								      : plot_model_name((enum plot_model)i),
				plot_model_colour((enum plot_model)i), plot_model_dash((enum plot_model)i)};
	}
	fit_axes(plot, sizes, count, &x, &y);
	write_data(plot->script, &prediction->writes, sizes, count);
	plot_frame_begin(&frame, plot, 1);
	rect = frame.area;
	rect.bottom += PLOT_FRAME_BELOW;
	rect.top -= plot_frame_key_height(&rect, keys, key_count);
	plot_frame_panel(&frame, &rect);
	plot_frame_key(&frame, &rect, rect.top, keys, key_count);
	plot_frame_axis(&frame, &rect, &x);
	plot_frame_axis(&frame, &rect, &y);
	plot_lines(plot, sizes, count);
	plot_frame_end(&frame);
}

int plot_prediction_draw_sizes(struct plot *plot)
{
	struct plot_prediction *prediction = plot->state;
	struct of_size *sizes = calloc(prediction->writes.count + 1, sizeof(*sizes));

	if (!sizes) {
		diag_error(ENOMEM, "cannot draw");
		return DIAG_EXIT_HOST;
	}
	qsort(prediction->writes.items, prediction->writes.count, sizeof(*prediction->writes.items), compare_sizes);
	draw(plot, sizes, gather(&prediction->writes, sizes));
	free(sizes);
	return DIAG_EXIT_OK;
}
