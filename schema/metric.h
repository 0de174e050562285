/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Metrics of memstor compare: their names, their values in the lists, and the metrics that are shown by default. Every value
 * with a direction is also a metric with the value's own name.
 */
#ifndef SCHEMA_METRIC_H
#define SCHEMA_METRIC_H

#include "common/field.h"

/* The source of a metric. */
enum metric_source { METRIC_VALUE, METRIC_MODEL, METRIC_MEAN, METRIC_MAX, METRIC_PERCENTILE };

struct metric_row {
	const char *name, *unit;
	enum field_better better;
	enum metric_source source;
	const char *value; /* name of a value of the run or subject; after "MODEL." for a model */
	const char *other; /* its name in other tools; NULL = none */
};

struct metric_usual {
	const char *tool, *names; /* tool NULL = all other tools */
};

extern const struct metric_row metric_rows[]; /* ends with a NULL name */
/* Possible prefixes of a name: types and classes of histograms, models. Each array ends with NULL. */
extern const char *const metric_types[], *const metric_classes[], *const metric_models[];
extern const char metric_allowed[]; /* the text of a usage error that lists the allowed names */
extern const struct metric_usual metric_usual[];
extern const struct metric_usual metric_usual_of_subjects[]; /* of each subject that has them */

/* Names of elements that memstor reads from any report that has them. */
extern const char schema_is_met[];       /* whether an objective is met */
extern const char schema_reached[];      /* the latency reached by an objective */
extern const char schema_major_faults[]; /* major faults of a phase */
extern const char schema_phase_begin[];  /* start of a phase, in seconds of the run */
extern const char schema_kernel_state[]; /* child of the report: snapshots of the kernel's counters */
extern const char *const schema_large[]; /* parts of a report that an overview need not read; ends with NULL */

#endif
