/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/analyze/figure.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"

/* --- figures and their tables --- */

#define GANTT                                                                                                       \
	{                                                                                                           \
		"command", "stream", "origin", "work", "by", "page", "channel", "way", "queued_ns", "begin_ns", "end_ns", "gc" \
	}

/* Figures of the paper come first, by name. */
const struct figure figures[] = {
	{FIGURE_RECORDS, "every record, as CSV", {NULL}, FIGURE_ANY, NULL, 0, 0},
	{"fig4", "the slowest writes and syncs, by part",
		{"stream", "kind", "worker", "sequence", "time_s", "response_ns", "late_ns", "batching_ns", "submit_ns", "queue_ns",
			"device_ns", "flush_ns", "reap_ns", "joined", "largest_excess"},
		FIGURE_HOST, figure_slowest, FIGURE_TAKES_ALONE, 10},
	{"fig4", "a write of each kind and the slowest ones, by segment in the device",
		{"stream", "kind", "command", "time_s", "latency_ns", "over_flash_write", "fetch_ns", "ftl_wait_ns", "ftl_ns",
			"build_ns", "way_wait_ns", "flash_ns", "lls_wait_ns", "dma_ns", "completion_ns", "largest_excess"},
		FIGURE_DEVICE, figure_segments, FIGURE_TAKES_ALONE, 10},
	{"fig5", "garbage collections and their copies",
		{"kind", "gc", "command", "stream", "time_s", "copies", "total_ns", "wait_ns", "read_ns", "program_ns", "erase_ns",
			"over_erase", "slope", "r2"},
		FIGURE_DEVICE, figure_collections, 0, 0},
	{"fig6", "response times over the median of the stream alone",
		{"stream", "ratio_from", "ratio_to", "writes", "percent"}, FIGURE_HOST, figure_ratios, FIGURE_TAKES_ALONE, 0},
	{"fig6", "response times over a flash write, or the median of the stream alone",
		{"stream", "ratio_from", "ratio_to", "writes", "percent", "over"}, FIGURE_DEVICE, figure_ratios,
		FIGURE_TAKES_ALONE, 0},
	{"fig7", "ways and channels of a write that did not wait", GANTT, FIGURE_DEVICE, figure_scheduled,
		FIGURE_TAKES_COMMAND, 0},
	{"fig8", "a checkpoint write of which one page waited for an erase of the log", GANTT, FIGURE_DEVICE, figure_delayed,
		FIGURE_TAKES_COMMAND, 0},
	{"fig9", "the tail of the response times", {"stream", "percent", "response_ns", "writes_above"}, FIGURE_ANY, figure_tail,
		0, 0},
	{"fig10", "writes by the valid copies that they triggered",
		{"stream", "copies_from", "copies_to", "writes", "percent"}, FIGURE_DEVICE, figure_copies, 0, 0},
	{"fig11", "address and time of each write",
		{"stream", "worker", "time_s", "offset", "bytes", "pass", "response_ns"}, FIGURE_ANY, figure_places, 0, 20000},
	{"interference", "mutual cost of the streams",
		{"stream", "writes", "mean_ns", "p50_ns", "p99_ns", "p999_ns", "ratio_mean", "ratio_p50", "ratio_p99",
			"ratio_p999", "stall_from_ns", "stalls", "stalls_common", "stalled_percent", "correlation"},
		FIGURE_ANY, figure_interference, FIGURE_TAKES_ALONE, 0},
	{"bandwidth", "bandwidth that a stream loses against running alone",
		{"stream", "writes", "bytes", "seconds", "bytes_per_second", "alone_bytes_per_second", "loss_percent"},
		FIGURE_ANY, figure_bandwidth, FIGURE_TAKES_ALONE, 0},
	{"attribution", "time of the writes, by cause and origin of the work",
		{"stream", "cause", "origin", "mean_ns", "percent", "tail_mean_ns", "tail_percent", "largest"},
		FIGURE_DEVICE, figure_attribution, FIGURE_TAKES_ASSERT, 0},
	{"gantt", "operations on the ways of a command", GANTT, FIGURE_DEVICE, figure_gantt, FIGURE_TAKES_COMMAND, 0},
	{"counters", "the device's counters between two performance indices",
		{"time_s", "channel", "seconds", "commands", "hits", "rmw", "programs", "reads", "erases", "way_busy_percent",
			"bus_busy_percent", "flash_bytes", "host_bytes", "wait_ns", "queued", "least_free"},
		FIGURE_DEVICE, figure_counters, 0, 0},
	{"window", "time span of the records",
		{"records", "units", "percent", "first_s", "last_s", "seconds", "units_per_second"},
		FIGURE_DEVICE, figure_window, 0, 0},
	{0},
};

const struct figure *figure_find(const char *name)
{
	for (const struct figure *figure = figures; figure->name; figure++) {
		if (!strcmp(figure->name, name))
			return figure;
	}
	return NULL;
}

const struct figure *figure_of(const struct figure *figure, bool is_device)
{
	const char *name = figure->name;

	for (; figure->name; figure++) {
		if (!strcmp(figure->name, name) && figure->source != (is_device ? FIGURE_HOST : FIGURE_DEVICE))
			return figure;
	}
	return NULL;
}

bool figure_takes(const struct figure *figure, unsigned option)
{
	return option ? figure->options & option : figure->rows > 0;
}

char *figure_names(unsigned option, const char *last, char *text, size_t length)
{
	size_t count = 0, shown = 0, used = 0;

	text[0] = '\0';
	for (int pass = 0; pass < 2; pass++) {
		for (const struct figure *figure = figures; figure->name && used < length; figure++) {
			if (figure_find(figure->name) != figure || (option != FIGURE_ALL && !figure_takes(figure, option)))
				continue;
			if (!pass) {
				count++;
				continue;
			}
			used += (size_t)snprintf(text + used, length - used, "%s%s", !shown ? "" : shown + 1 == count ? last : ", ",
				figure->name);
			shown++;
		}
	}
	return text;
}

int figure_table_add(struct figure_table *table, const char *format, ...)
{
	va_list arguments;
	char *row;
	int length, rc = arena_grow(&table->rows, &table->row_capacity, table->row_count, sizeof(*table->rows));

	if (rc)
		return rc;
	va_start(arguments, format);
	length = vasprintf(&row, format, arguments);
	va_end(arguments);
	if (length < 0)
		return -ENOMEM;
	table->rows[table->row_count++] = row;
	return 0;
}

const char *figure_quotient(char text[FIGURE_NUMBER], int decimals, double value, double of)
{
	if (of > 0)
		snprintf(text, FIGURE_NUMBER, "%.*f", decimals, value / of);
	else
		snprintf(text, FIGURE_NUMBER, "-");
	return text;
}

void figure_table_print(FILE *out, const struct figure_table *table)
{
	for (size_t i = 0; table->figure->columns[i]; i++)
		fprintf(out, "%s%s", i ? "\t" : "", table->figure->columns[i]);
	fputc('\n', out);
	for (size_t i = 0; i < table->row_count; i++)
		fprintf(out, "%s\n", table->rows[i]);
}

static void write_fields(struct report *report, const struct field *field, const void *from)
{
	for (const char *at = from;; at++) {
		size_t length = strcspn(at, "\t");
		char text[64];

		snprintf(text, sizeof(text), "%.*s", (int)length, at);
		FIELD_ROW(report, field, text_item, text);
		at += length;
		if (!*at)
			break;
	}
}

static void write_rows(struct report *report, const struct field *field, const void *from)
{
	const struct figure_table *table = from;

	for (size_t i = 0; i < table->row_count; i++)
		FIELD_ROW(report, field, ssd_figure_row, FIELD_BY(write_fields, table->rows[i]));
}

static void write_columns(struct report *report, const struct field *field, const void *from)
{
	const struct figure_table *table = from;

	for (size_t i = 0; table->figure->columns[i]; i++)
		FIELD_ROW(report, field, text_item, table->figure->columns[i]);
}

struct ssd_analysis_values figure_table_values(const char *path, const struct figure_table *table)
{
	return (struct ssd_analysis_values){
		.figure = table->figure->name,
		.records_file = path,
		.mix = table->mix,
		.every = table->every > 1 ? table->every : FIELD_NO_COUNT,
		.column = FIELD_BY(write_columns, table),
		.row = FIELD_BY(write_rows, table),
	};
}

void figure_table_free(struct figure_table *table)
{
	for (size_t i = 0; i < table->row_count; i++)
		free(table->rows[i]);
	free(table->rows);
	table->rows = NULL;
	table->row_count = table->row_capacity = 0;
}

/* --- writes of a dump --- */

uint64_t writes_due_ns(const struct dump_part *part, const struct record *record)
{
	unsigned __int128 after;

	if (!part->period_den || record->sequence < part->first_due_sequence || record_is_sync(record))
		return record->prep_ns;
	after = (unsigned __int128)(record->sequence - part->first_due_sequence) * part->period_num / part->period_den;
	if (part->first_due_ns > record->prep_ns || after > record->prep_ns - part->first_due_ns)
		return record->prep_ns;
	return part->first_due_ns + (uint64_t)after;
}

static int compare_begin(const void *a, const void *b)
{
	const struct write *x = a, *y = b;

	if (x->record->prep_ns != y->record->prep_ns)
		return x->record->prep_ns < y->record->prep_ns ? -1 : 1;
	return (x->record > y->record) - (x->record < y->record);
}

static int list_of(const struct dump *dump, enum mix_stream stream, bool is_sync, struct writes *writes)
{
	size_t capacity = 1;

	for (size_t i = 0; i < dump->head.segment_count; i++)
		capacity += dump->segments[i].part.stream == stream ? dump->segments[i].part.count : 0;
	*writes = (struct writes){.list = reallocarray(NULL, capacity, sizeof(*writes->list))};
	if (!writes->list)
		return -ENOMEM;
	for (size_t i = 0; i < dump->head.segment_count; i++) {
		const struct dump_segment *segment = &dump->segments[i];

		for (uint64_t k = 0; segment->part.stream == stream && k < segment->part.count; k++) {
			const struct record *record = &segment->records[k];
			const struct split *split = segment->splits ? &segment->splits[k] : NULL;
			uint64_t due = writes_due_ns(&segment->part, record);

			if (record->result < 0 || (uint32_t)record->result != record->length ||
				record_is_sync(record) != is_sync)
				continue;
			writes->list[writes->count++] = (struct write){.record = record,
				.split = split && split->state != SPLIT_NONE ? split : NULL, .late_ns = record->prep_ns - due,
				.response_ns = record->reap_ns - due};
		}
	}
	qsort(writes->list, writes->count, sizeof(*writes->list), compare_begin);
	return 0;
}

int writes_of(const struct dump *dump, enum mix_stream stream, struct writes *writes)
{
	return list_of(dump, stream, false, writes);
}

int syncs_of(const struct dump *dump, enum mix_stream stream, struct writes *syncs)
{
	return list_of(dump, stream, true, syncs);
}

void writes_free(struct writes *writes)
{
	free(writes->list);
	*writes = (struct writes){0};
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double *writes_sorted(const struct writes *writes)
{
	double *sorted = reallocarray(NULL, writes->count + 1, sizeof(*sorted));

	if (!sorted)
		return NULL;
	for (size_t i = 0; i < writes->count; i++)
		sorted[i] = (double)writes->list[i].response_ns;
	qsort(sorted, writes->count, sizeof(*sorted), compare_doubles);
	return sorted;
}

double writes_percentile(const double *sorted, size_t count, double percent)
{
	/* The epsilon keeps 99.9 % of 1000 at rank 999 although the product is rounded. */
	double rank = ceil(percent / 100 * (double)count - 1e-9 * (double)count);

	return sorted[rank < 1 ? 0 : (size_t)rank - 1];
}

int writes_summarize(const struct writes *writes, struct writes_summary *summary)
{
	double *sorted = writes_sorted(writes);

	*summary = (struct writes_summary){.mean = 0};
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < writes->count; i++)
		summary->mean += sorted[i];
	if (writes->count) {
		summary->mean /= (double)writes->count;
		summary->median = writes_percentile(sorted, writes->count, 50);
		summary->p99 = writes_percentile(sorted, writes->count, 99);
		summary->p999 = writes_percentile(sorted, writes->count, 99.9);
	}
	free(sorted);
	return 0;
}

int writes_summary_of(const struct dump *dump, enum mix_stream stream, struct writes_summary *summary)
{
	struct writes writes;
	int rc = writes_of(dump, stream, &writes);

	if (!rc)
		rc = writes_summarize(&writes, summary);
	writes_free(&writes);
	return rc;
}

int writes_each_stream(const struct figure_input *input, struct figure_table *table, writes_rows *rows, const char **why)
{
	int rc = 0;

	for (int stream = 0; stream < MIX_STREAMS && !rc; stream++) {
		struct writes writes;

		rc = writes_of(input->dump, (enum mix_stream)stream, &writes);
		if (!rc && writes.count)
			rc = rows(input, (enum mix_stream)stream, &writes, table);
		writes_free(&writes);
	}
	*why = "holds no write that was completed";
	return rc || table->row_count ? rc : -ENODATA;
}
