/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writes of a dump as figures take them: those that were completed in full, all workers of a stream in one list. */
#ifndef SSD_WORKLOADS_ANALYZE_WRITES_H
#define SSD_WORKLOADS_ANALYZE_WRITES_H

#include "ssd-workloads/analyze/figure.h"

/* When it was due, or prep_ns: in a closed loop, and where the numbers of a file say what cannot be. */
uint64_t writes_due_ns(const struct dump_part *part, const struct record *record);

struct write {
	const struct record *record;
	const struct split *split;  /* NULL = no trace, or not joined */
	uint64_t late_ns;           /* prep - due in an open loop, else 0 */
	uint64_t response_ns;       /* reap - due, or reap - prep */
};

struct writes {
	size_t count;
	struct write *list;         /* by time of their beginning; owned */
};

/* 0 or -ENOMEM. No write is no error: count 0. */
int writes_of(const struct dump *dump, enum mix_stream stream, struct writes *writes);
void writes_free(struct writes *writes);
/* Response times, rising; count of them; the caller frees. NULL: out of memory. */
double *writes_sorted(const struct writes *writes);
/* Seconds since the measurement began. */
double writes_time_s(const struct dump *dump, const struct write *write);
/* The least that percent % of them do not exceed (nearest rank); count above 0. */
double writes_percentile(const double *sorted, size_t count, double percent);

/* Rows of a stream that has writes. 0 or -ENOMEM. */
typedef int writes_rows(const struct figure_input *input, enum mix_stream stream, const struct writes *writes,
	struct figure_table *table);
/* Of each stream in turn. As a figure's compute; -ENODATA when there was no row. */
int writes_each_stream(const struct figure_input *input, struct figure_table *table, writes_rows *rows, const char **why);

#endif
