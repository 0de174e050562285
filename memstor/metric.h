/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What runs are compared by: the one table of metrics. A metric is a number of a report with a unit and a better
 * side. Names: "throughput", "p99", or with type and class of a histogram "write.p99", "read.major.p50".
 */
#ifndef MEMSTOR_METRIC_H
#define MEMSTOR_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "memstor/loaded.h"

enum metric_better { METRIC_LOWER, METRIC_HIGHER };

struct metric {
	char name[48];            /* as parsed, canonical */
	char type[16], class[16]; /* "" = all of them together */
	const char *unit;         /* "ns", "1/s", ... */
	enum metric_better better;
	const struct metric_row *row;
};

/* 0, or -EINVAL and in why what is allowed. */
int metric_parse(const char *text, struct metric *metric, const char **why);
/* NAN when the report has no such number. */
double metric_value(const struct metric *metric, const struct loaded *loaded);
/* The metrics of a tool that are shown without being asked for, in order; returns how many. */
size_t metric_defaults(const char *tool, struct metric *metrics, size_t max);

#endif
