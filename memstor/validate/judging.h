/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by laws*.c only: a report that is held against its laws. */
#ifndef MEMSTOR_VALIDATE_JUDGING_H
#define MEMSTOR_VALIDATE_JUDGING_H

#include <stdbool.h>

#include "memstor/loaded/loaded.h"

struct judging {
	const struct loaded *loaded;
	const struct report_node *report;
	void (*found)(void *data, unsigned line, const char *text);
	void *data;
};

void laws_broken(const struct judging *judging, const struct report_node *node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Doubles are written so that they read back to the same; sums of many are not that exact. */
bool laws_is_near(double a, double b);
/* NULL = none. */
const struct loaded_histogram *laws_histogram(
	const struct loaded *loaded, const char *type, const char *class, const char *layout);

/* Of iowrite-bench: laws_cells.c, laws_evaluation.c. */
void laws_judge_split(const struct judging *judging, const struct report_node *parent);
void laws_judge_cells(const struct judging *judging);
void laws_judge_evaluation(const struct judging *judging);
void laws_judge_trace(const struct judging *judging);
/* Of ssd-workloads: laws_streams.c. */
void laws_judge_streams(const struct judging *judging);

#endif
