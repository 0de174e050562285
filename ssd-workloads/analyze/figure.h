/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can honestly be computed of records, as a table: tab-separated columns with a title line, in ns, bytes and seconds
 * since the measurement began; "-" is what cannot be known. A figure that is about the inside of a device says so for records
 * of a host, and that is all it says of them.
 */
#ifndef SSD_WORKLOADS_ANALYZE_FIGURE_H
#define SSD_WORKLOADS_ANALYZE_FIGURE_H

#include <stdio.h>

#include "schema/ssd.h"
#include "ssd-workloads/analyze/device_table.h"

#define FIGURE_COLUMNS 16
#define FIGURE_MIXES 3    /* that --check compares with */
#define FIGURE_WHY "needs the simulated device: records of a host do not show the inside of a device"

struct figure_records { /* of a run */
	const struct dump *dump;           /* NULL = none */
	const struct device_table *device; /* NULL = records of a host, or not needed */
};

struct figure_input {
	const struct dump *dump;
	const struct device_table *device; /* of it; NULL unless the figure or its check needs it */
	struct figure_records alone[MIX_STREAMS]; /* of a run in which only this stream ran */
	struct figure_records mixes[FIGURE_MIXES]; /* of other mixes, for a check */
	uint64_t rows;            /* of fig4 each stream's, of fig11 in all, at most; 0 = all */
	bool has_command;
	uint32_t command;         /* its number */
};

struct figure_table {
	const struct figure *figure;
	size_t row_count, row_room;
	char **rows;              /* a tab between two fields; owned */
	uint64_t every;           /* fig11: one of this number of writes is shown; else 1 */
	const char *mix;          /* of the records */
};

enum figure_source { FIGURE_ANY, FIGURE_HOST, FIGURE_DEVICE };
enum figure_option { FIGURE_TAKES_ALONE = 1, FIGURE_TAKES_COMMAND = 2, FIGURE_TAKES_ASSERT = 4, FIGURE_TAKES_OTHER = 8 };

/* What is expected of a mix is known of the simulated device alone. 0; -EPROTO and in why one line that says what does not
 * hold; -ENOMEM; -ENODATA: the records do not say. */
typedef int figure_check(const struct figure_input *input, char *why, size_t length);

struct figure {
	const char *name;         /* "fig9" */
	const char *meaning;      /* one line */
	const char *columns[FIGURE_COLUMNS + 1]; /* ended by NULL */
	enum figure_source source; /* of two rows of one name one is of a host's records, and one of the device's */
	/* 0 or -ENOMEM, or -ENODATA and *why: the records cannot say. */
	int (*compute)(const struct figure_input *input, struct figure_table *table, const char **why);
	figure_check *check;      /* NULL = nothing is expected */
	unsigned options;         /* enum figure_option */
	uint64_t rows;            /* that --rows is without it; 0 = it takes none */
};

/* Ended by a row without a name. */
extern const struct figure figures[];
const struct figure *figure_find(const char *name);
/* The row of this name that is of such records, NULL = it needs others. */
const struct figure *figure_of(const struct figure *figure, bool is_device);
/* "fig4, fig6 and interference": those with such an option, 0: with rows; FIGURE_ALL: all. Returns text. */
#define FIGURE_ALL (~0u)
char *figure_names(unsigned option, const char *last, char *text, size_t length);
/* Of one name one takes it. */
bool figure_takes(const struct figure *figure, unsigned option);

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

/* Bytes per second that a stream wrote, and wrote alone; 0 = not known. 0 or -ENOMEM. */
int writes_rates(const struct figure_input *input, enum mix_stream stream, double *rate, double *alone);

/* Rows of a stream that has writes. 0 or -ENOMEM. */
typedef int writes_rows(const struct figure_input *input, enum mix_stream stream, const struct writes *writes,
	struct figure_table *table);
/* Of each stream in turn. As a figure's compute; -ENODATA when there was no row. */
int writes_each_stream(const struct figure_input *input, struct figure_table *table, writes_rows *rows, const char **why);

/* Those of figures[]. */
int figure_segments(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_collections(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_copies(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_gantt(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_scheduled(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_delayed(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_counters(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_window(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_bandwidth(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_attribution(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_slowest(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_ratios(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_tail(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_places(const struct figure_input *input, struct figure_table *table, const char **why);
int figure_interference(const struct figure_input *input, struct figure_table *table, const char **why);

/* "records" of figures[]: no table but all that is in the file, one line a record, by commas. */
#define FIGURE_RECORDS "records"
void figure_print_records(FILE *out, const struct dump *dump);

#endif
