/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes of a report of iowrite-bench: measured, and what each model said of them. */
#ifndef MEMSTOR_PLOT_IOWRITE_WRITE_H
#define MEMSTOR_PLOT_IOWRITE_WRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "memstor/loaded/loaded.h"
#include "memstor/plot/options.h"

enum plot_model { PLOT_MODEL_KERNEL, PLOT_MODEL_CAWL, PLOT_MODEL_NAIVE, PLOT_MODELS };

/* "kernel", ...: the same colour and dashes in every picture. */
const char *plot_model_name(enum plot_model model);
const char *plot_model_colour(enum plot_model model);
const char *plot_model_dash(enum plot_model model);
/* Whether --model has it, or there is none. */
bool plot_model_is_wanted(const struct plot_options *options, enum plot_model model);
/* Of these children of a scenario, NULL = none. */
const struct report_node *plot_model_node(const struct report_node *scenario, enum plot_model model);

struct plot_write { /* NAN = the report does not say */
	double time_s, size, measured_ns;
	double predicted_ns[PLOT_MODELS], low_ns, high_ns;
	double cached, predicted_cached; /* dirty and being written back; bytes */
	double dirty, predicted_dirty;   /* of it, what is dirty */
	double cawl_dirty;               /* by the cawl model, which does not know what is being written back */
};

struct plot_writes {
	size_t count;
	struct plot_write *items; /* freed by the caller */
};

/* The <write> children. 0, or a diag_exit code after one line. */
int plot_writes_take(const struct report_node *parent, struct plot_writes *writes);

/* The part of <result> that a kind draws, NULL after one line: "prediction draws what iowrite-bench evaluate reports". */
const struct report_node *plot_iowrite_part(
	const struct loaded *loaded, const char *kind, const char *command, const char *part);

#endif
