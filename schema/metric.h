/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Metrics of memstor compare: their names, their values in the lists, and the metrics that are shown by default. Every value
 * with a direction is also a metric with the value's own name.
 */
#ifndef SCHEMA_METRIC_H
#define SCHEMA_METRIC_H

#include "common/report/field.h"

/* The source of a metric; those behind METRIC_PERCENTILE are only in schema.json. */
enum metric_source {
	METRIC_VALUE,
	METRIC_MODEL,
	METRIC_MEAN,
	METRIC_MAX,
	METRIC_PERCENTILE,
	METRIC_SHARE, /* of the class in all operations, in percent */
	METRIC_RATIO, /* of value to other */
	METRIC_SUM,   /* of value and other */
};

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
extern const struct metric_usual metric_usual[];
extern const struct metric_usual metric_usual_of_subjects[]; /* of each subject that has them */

#endif
