/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can honestly be computed of host records, as a table: tab-separated columns with a title line, in ns, bytes and
 * seconds since the measurement began; "-" is what cannot be known. A figure that is about the inside of a device says so
 * for host records, and that is all it says.
 */
#ifndef SSD_WORKLOADS_ANALYZE_FIGURE_H
#define SSD_WORKLOADS_ANALYZE_FIGURE_H

#include <stdio.h>

#include "schema/ssd.h"
#include "ssd-workloads/record/dump.h"

#define FIGURE_COLUMNS 16
#define FIGURE_WHY "needs the simulated device: records of a host do not see inside of a device"

struct figure_input {
	const struct dump *dump;
	const struct dump *alone[MIX_STREAMS]; /* of a run in which only this stream ran; NULL = none */
	uint64_t rows;            /* of fig4 each stream's, of fig11 in all, at most; 0 = all */
};

struct figure_table {
	const struct figure *figure;
	size_t row_count, row_room;
	char **rows;              /* a tab between two fields; owned */
	uint64_t every;           /* fig11: one of this number of writes is shown; else 1 */
	const char *mix;          /* of the records */
};

struct figure {
	const char *name;         /* "fig9" */
	const char *meaning;      /* one line */
	const char *columns[FIGURE_COLUMNS + 1]; /* ended by NULL */
	/* NULL: needs the simulated device. 0 or -ENOMEM, or -ENODATA and *why: the records cannot say. */
	int (*compute)(const struct figure_input *input, struct figure_table *table, const char **why);
};

/* fig4 (one that is as usual, and the slowest writes, by part) fig6 (response over the baseline's median) fig9 (tail of
 * the CDF) fig11 (where and when) interference (by stream: ratio to alone, stalls common to both or of one alone,
 * correlation with the other's in-flight); fig5 fig7 fig8 fig10 are the device's. Ended by a row without a name. */
extern const struct figure figures[];
const struct figure *figure_find(const char *name);

/* 0 or -ENOMEM. */
int figure_table_add(struct figure_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void figure_table_print(FILE *out, const struct figure_table *table);
/* path: of the records. Both are kept by reference. */
struct ssd_analysis_values figure_table_values(const char *path, const struct figure_table *table);
void figure_table_free(struct figure_table *table);

/* --- the writes of a dump as figures take them: completed in full, all workers of a stream in one list --- */

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

/* Those of figures[]. */
int figure_slowest(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_ratios(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_tail(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_places(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_interference(const struct figure_input *input, struct figure_table *table, const char **why);

/* "records" of figures[]: no table but all that is in the file, one line a record, by commas. */
#define FIGURE_RECORDS "records"
void figure_print_records(FILE *out, const struct dump *dump);

#endif
