/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What runs are compared by: the names of metrics, their values in the lists, and those that are shown without being asked
 * for. Every value with a direction is a metric by its own name, too.
 */
#ifndef SCHEMA_METRIC_H
#define SCHEMA_METRIC_H

#include "common/field.h"

/* Where the number is. */
enum metric_source { METRIC_VALUE, METRIC_MODEL, METRIC_MEAN, METRIC_MAX, METRIC_PERCENTILE };

struct metric_row {
	const char *name, *unit;
	enum field_better better;
	enum metric_source source;
	const char *value; /* of the run or subject, behind "MODEL." of a model's */
	const char *other; /* and as other tools call it; NULL = none does */
};

struct metric_usual {
	const char *tool, *names; /* NULL = all others */
};

extern const struct metric_row metric_rows[]; /* ends with a NULL name */
/* What may stand before a name: types and classes of histograms, models. Each ends with NULL. */
extern const char *const metric_types[], *const metric_classes[], *const metric_models[];
extern const char metric_allowed[]; /* of what is none of these */
extern const struct metric_usual metric_usual[];
extern const struct metric_usual metric_usual_of_subjects[]; /* of each subject that has them */

/* What is read of any report that has it, by what it means. */
extern const char schema_is_met[];       /* of an objective: whether it was reached */
extern const char schema_reached[];      /* and the latency that was */
extern const char schema_major_faults[]; /* of a phase */
extern const char schema_phase_begin[];  /* in seconds of the run */
extern const char schema_kernel_state[]; /* below the report: the kernel's counters at several moments */
extern const char *const schema_large[]; /* parts of a report that need not be read to show what it is; a NULL ends them */

#endif
