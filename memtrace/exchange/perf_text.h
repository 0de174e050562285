/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parser of the output of `perf script --header` for a perf.data, line by line, with at least the fields pid,tid,time,event,addr in
 * perf's order: [command] pid/tid [cpu] time: [period] event: addr [data_src] [weight] [ip]. Lines of mappings, names, forks, exits
 * and losses are those of --show-mmap-events, --show-task-events and --show-lost-events. The formats are those of
 * tools/perf/builtin-script.c and util/event.c of Linux 6.1.
 */
#ifndef MEMTRACE_EXCHANGE_PERF_TEXT_H
#define MEMTRACE_EXCHANGE_PERF_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "memtrace/file/sample.h"
#include "memtrace/perf/engine.h"

#define PERF_TEXT_LINE 8192 /* bytes of a line, NUL included */
#define PERF_TEXT_VALUE 256

/* The events of a perf.data, and the machine. Zeroed: no line was read. */
struct perf_text_header {
	char command[PERF_TEXT_VALUE], host[PERF_TEXT_VALUE], kernel[PERF_TEXT_VALUE], arch[PERF_TEXT_VALUE];
	char event[PERF_TEXT_VALUE]; /* the first event, or the first one that lacks a field */
	const char *lacks;           /* the field of TID, TIME and ADDR that an event lacks, "ADDR"; NULL = none */
	const struct engine *engine; /* the engine of these events; NULL = none, or several */
	unsigned events;
	bool has_source, has_weight; /* every event has a data source, a weight */
	bool is_aux;                 /* samples must be decoded from an AUX area (ARM SPE) */
	bool is_frequency;
	uint64_t period;             /* period of all events, or samples per second; 0 = they differ */
};

enum perf_text_kind { PERF_TEXT_NOTHING, PERF_TEXT_SAMPLE, PERF_TEXT_EVENT, PERF_TEXT_LOST, PERF_TEXT_WRONG };

struct perf_text {
	struct sample_fields fields; /* SAMPLE; a field that was not printed is 0 */
	const char *name;            /* SAMPLE: of the event; in the line */
	struct trace_event event;    /* EVENT; its text is in the line */
	uint64_t lost;               /* LOST: samples */
	bool is_total;               /* LOST: the line at the end of the file that repeats the total of an event */
};

/* Reads the next line, without its line feed and a carriage return before it; a NUL in it becomes '?'. Returns 1, 0 at the end,
 * -E2BIG if the line is longer than PERF_TEXT_LINE, or -errno. */
int perf_text_read(FILE *in, char line[PERF_TEXT_LINE]);
/* Parses a line that begins with '#'. */
void perf_text_header(struct perf_text_header *header, const char *line);
/* Parses any other line, which it modifies. PERF_TEXT_NOTHING: an empty line, or a record without memory information. */
enum perf_text_kind perf_text_parse(char *line, struct perf_text *parsed);
/* Fills sample, except for its cpu. Returns TRACE_LOSSES, or the reason why there is no sample. perf's event page-faults does
 * not distinguish minor from major faults: its samples are TRACE_ACCESS. */
enum trace_loss perf_text_sample(const struct perf_text *parsed, struct trace_sample *sample);

#endif
