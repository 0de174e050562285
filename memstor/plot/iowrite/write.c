/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/iowrite/write.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/plot/style.h"

static const struct {
	const char *name, *attribute;
	size_t colour, dash; /* of style.h */
} models[PLOT_MODELS] = {
	[PLOT_MODEL_KERNEL] = {"kernel", "kernel_ns", 0, 0},
	[PLOT_MODEL_CAWL] = {"cawl", "cawl_ns", 1, 1},
	[PLOT_MODEL_NAIVE] = {"naive", "naive_ns", 4, 3},
};

const char *plot_model_name(enum plot_model model)
{
	return models[model].name;
}

const char *plot_model_colour(enum plot_model model)
{
	return plot_style_colour(models[model].colour);
}

const char *plot_model_dash(enum plot_model model)
{
	return plot_style_dash(models[model].dash);
}

bool plot_model_is_wanted(const struct plot_options *options, enum plot_model model)
{
	for (size_t i = 0; i < options->models.count; i++) {
		if (!strcmp(options->models.items[i], models[model].name))
			return true;
	}
	return options->models.count == 0;
}

const struct report_node *plot_model_node(const struct report_node *scenario, enum plot_model model)
{
	const struct report_node *node = report_read_find(scenario, "model");

	for (; node; node = report_read_next(node)) {
		const char *name = report_read_attribute(node, "name");

		if (name && !strcmp(name, models[model].name))
			break;
	}
	return node;
}

static struct plot_write take_write(const struct report_node *node)
{
	struct plot_write write = {
		.time_s = report_read_attribute_number(node, "time_s"),
		.size = report_read_attribute_number(node, "size"),
		.measured_ns = report_read_attribute_number(node, "measured_ns"),
		.low_ns = report_read_attribute_number(node, "low_ns"),
		.high_ns = report_read_attribute_number(node, "high_ns"),
		.dirty = report_read_attribute_number(node, "dirty_bytes"),
		.predicted_dirty = report_read_attribute_number(node, "predicted_dirty_bytes"),
		.cawl_dirty = report_read_attribute_number(node, "cawl_dirty_bytes"),
	};
	double writeback = report_read_attribute_number(node, "writeback_bytes");
	double predicted = report_read_attribute_number(node, "predicted_writeback_bytes");

	write.cached = write.dirty + (isnan(writeback) ? 0 : writeback);
	write.predicted_cached = write.predicted_dirty + (isnan(predicted) ? 0 : predicted);
	for (size_t i = 0; i < PLOT_MODELS; i++)
		write.predicted_ns[i] = report_read_attribute_number(node, models[i].attribute);
	return write;
}

int plot_writes_take(const struct report_node *parent, struct plot_writes *writes)
{
	const struct report_node *first = report_read_find(parent, "write");
	size_t count = 0;

	for (const struct report_node *node = first; node; node = report_read_next(node))
		count++;
	writes->count = 0;
	writes->items = calloc(count + 1, sizeof(*writes->items));
	if (!writes->items) {
		diag_error(ENOMEM, "cannot draw");
		return DIAG_EXIT_HOST;
	}
	for (const struct report_node *node = first; node; node = report_read_next(node))
		writes->items[writes->count++] = take_write(node);
	return DIAG_EXIT_OK;
}

const struct report_node *plot_iowrite_part(
	const struct loaded *loaded, const char *kind, const char *command, const char *part)
{
	const struct report_node *result = report_read_find(report_read_root(loaded->document), "report/result");
	const struct report_node *node = result ? report_read_find(result, part) : NULL;

	if (!node)
		diag_error(0, "%s: no report of iowrite-bench %s, which is what %s draws", loaded->path, command, kind);
	return node;
}
