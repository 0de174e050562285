/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures: results that records support, as tables of tab-separated columns with a title line, in ns, bytes and seconds since the
 * measurement began; "-" means not known. A figure about the inside of a device reports for records of a host only that it needs
 * the simulated device.
 */
#ifndef SSD_WORKLOADS_ANALYZE_FIGURE_H
#define SSD_WORKLOADS_ANALYZE_FIGURE_H

#include <stdio.h>

#include "schema/ssd.h"
#include "ssd-workloads/analyze/device_table.h"

#define FIGURE_COLUMNS 16
#define FIGURE_WHY "needs the simulated device: records of a host do not show the inside of a device"

struct figure_records { /* of a run */
	const struct dump *dump;           /* NULL = none */
	const struct device_table *device; /* NULL = records of a host, or not needed */
};

struct figure_input {
	const struct dump *dump;
	const struct device_table *device; /* of this dump; NULL unless the figure needs it */
	struct figure_records alone[MIX_STREAMS]; /* runs in which only this stream ran */
	uint64_t rows;            /* maximum of rows: of fig4 per stream, of fig11 in total; 0 = all */
	bool has_command;
	uint32_t command;         /* the number of the command */
};

struct figure_table {
	const struct figure *figure;
	size_t row_count, row_capacity;
	char **rows;              /* fields separated by tabs; owned */
	uint64_t every;           /* fig11: one of `every` writes is shown; else 1 */
	const char *mix;          /* of the records */
};

enum figure_source { FIGURE_ANY, FIGURE_HOST, FIGURE_DEVICE };
enum figure_option { FIGURE_TAKES_ALONE = 1, FIGURE_TAKES_COMMAND = 2, FIGURE_TAKES_ASSERT = 4 };

struct figure {
	const char *name;         /* "fig9" */
	const char *meaning;      /* one line */
	const char *columns[FIGURE_COLUMNS + 1]; /* ended by NULL */
	enum figure_source source; /* if two rows have one name, one is for records of a host and one for those of the device */
	/* Returns 0, -ENOMEM, or -ENODATA and in *why what the records lack. */
	int (*compute)(const struct figure_input *input, struct figure_table *table, const char **why);
	unsigned options;         /* enum figure_option */
	uint64_t rows;            /* default of --rows; 0 = --rows does not apply */
};

/* The last row has no name. */
extern const struct figure figures[];
const struct figure *figure_find(const char *name);
/* Returns the row of the same name for records of the device, or for those of a host; NULL = there is none. */
const struct figure *figure_of(const struct figure *figure, bool is_device);
/* Lists the names of figures with such an option, as "fig4, fig6 and interference", where last separates the last name; option
 * 0: those with rows; FIGURE_ALL: all. Returns text. */
#define FIGURE_ALL (~0u)
char *figure_names(unsigned option, const char *last, char *text, size_t length);
/* Returns whether the figure uses the option; option 0: whether it uses --rows. */
bool figure_takes(const struct figure *figure, unsigned option);

/* Appends a row. Returns 0 or -ENOMEM. */
int figure_table_add(struct figure_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Formats value / of with this number of decimals, or "-" if of is not above 0. Returns text. */
#define FIGURE_NUMBER 32
const char *figure_quotient(char text[FIGURE_NUMBER], int decimals, double value, double of);
void figure_table_print(FILE *out, const struct figure_table *table);
/* Returns the table as values of a report; path is that of the records. Both are kept by reference. */
struct ssd_analysis_values figure_table_values(const char *path, const struct figure_table *table);
void figure_table_free(struct figure_table *table);

/* --- the completed writes, or syncs, of a dump, all workers of a stream in one list --- */

/* Returns the time when a write was due; prep_ns of a sync, in a closed loop, or if the numbers of a file are inconsistent. */
uint64_t writes_due_ns(const struct dump_part *part, const struct record *record);

struct write {
	const struct record *record;
	const struct split *split;  /* NULL = no trace, or not joined */
	uint64_t late_ns;           /* prep - due in an open loop, else 0 */
	uint64_t response_ns;       /* reap - due, or reap - prep */
};

struct writes {
	size_t count;
	struct write *list;         /* sorted by begin; owned */
};

/* Lists a stream's writes; count 0 is not an error. Returns 0 or -ENOMEM. */
int writes_of(const struct dump *dump, enum mix_stream stream, struct writes *writes);
int syncs_of(const struct dump *dump, enum mix_stream stream, struct writes *syncs);
void writes_free(struct writes *writes);
/* Returns the `count` response times, rising, or NULL if there is no memory. The caller frees the list. */
double *writes_sorted(const struct writes *writes);
/* Converts a time to seconds since the measurement began. */
static inline double dump_time_s(const struct dump *dump, uint64_t t_ns)
{
	return ((double)t_ns - (double)dump->head.begin_ns) / 1e9;
}
/* Returns the least value that percent % of the values do not exceed (nearest rank); count is above 0. */
double writes_percentile(const double *sorted, size_t count, double percent);
struct writes_summary { double mean, median, p99, p999; }; /* of response times in ns; 0 without writes */
/* Return 0 or -ENOMEM. */
int writes_summarize(const struct writes *writes, struct writes_summary *summary);
int writes_summary_of(const struct dump *dump, enum mix_stream stream, struct writes_summary *summary);

/* Adds the rows of a stream that has writes. Returns 0 or -ENOMEM. */
typedef int writes_rows(const struct figure_input *input, enum mix_stream stream, const struct writes *writes,
	struct figure_table *table);
/* Calls rows for each stream with writes. Returns as a figure's compute; -ENODATA if there is no row. */
int writes_each_stream(const struct figure_input *input, struct figure_table *table, writes_rows *rows, const char **why);

/* The compute functions of figures[]. */
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

/* "records" of figures[] is not a table: all records of the file, one line each, separated by commas. */
#define FIGURE_RECORDS "records"
void figure_print_records(FILE *out, const struct dump *dump);

#endif
