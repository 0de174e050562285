/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `perf script --header` prints of a perf.data, line by line, with at least the fields pid,tid,time,event,addr and in
 * perf's order: [command] pid/tid [cpu] time: [period] event: addr [data_src] [weight] [ip]. Lines of mappings, names, forks,
 * ends and losses are those of --show-mmap-events, --show-task-events and --show-lost-events. The formats are those of
 * tools/perf/builtin-script.c and util/event.c of Linux 6.1.
 */
#ifndef MEMTRACE_PERF_TEXT_H
#define MEMTRACE_PERF_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "memtrace/engine.h"
#include "memtrace/sample.h"

#define PERF_TEXT_LINE 8192 /* of a line, its NUL included */
#define PERF_TEXT_VALUE 256

/* Of the events of a perf.data, and the machine. Zeroed: no line was read. */
struct perf_text_header {
	char command[PERF_TEXT_VALUE], host[PERF_TEXT_VALUE], kernel[PERF_TEXT_VALUE], arch[PERF_TEXT_VALUE];
	char event[PERF_TEXT_VALUE]; /* the first event, or the first one without what `lacks` names */
	const char *lacks;           /* "ADDR": which of TID, TIME and ADDR an event has not; NULL = each has all */
	const struct engine *engine; /* the one that samples these events; NULL = none, or several */
	unsigned events;
	bool has_source, has_weight; /* all events have a data source, a weight */
	bool is_aux;                 /* samples are to be decoded from an AUX area (ARM SPE) */
	bool is_frequency;
	uint64_t period;             /* of all events, or samples per second; 0 = they differ */
};

enum perf_text_kind { PERF_TEXT_NOTHING, PERF_TEXT_SAMPLE, PERF_TEXT_EVENT, PERF_TEXT_LOST, PERF_TEXT_WRONG };

struct perf_text {
	struct sample_fields fields; /* SAMPLE; a field that was not printed is 0 */
	const char *name;            /* SAMPLE: of the event; in the line */
	struct trace_event event;    /* EVENT; its text is in the line */
	uint64_t lost;               /* LOST: samples */
	bool is_total;               /* LOST: at the end of the file, all losses of an event again */
};

/* The next line without its line feed and a carriage return before it; a NUL in it becomes '?'. 1; 0 at the end; -E2BIG: longer
 * than PERF_TEXT_LINE; -errno. */
int perf_text_read(FILE *in, char line[PERF_TEXT_LINE]);
/* Takes a line that begins with '#'. */
void perf_text_header(struct perf_text_header *header, const char *line);
/* Any other line, which it cuts into pieces. NOTHING: empty, or a record that says nothing of memory. */
enum perf_text_kind perf_text_parse(char *line, struct perf_text *parsed);
/* TRACE_LOSSES = sample is filled, all but its cpu; or why it is none. perf's event page-faults does not tell which kind a fault
 * is of: its samples are TRACE_ACCESS. */
enum trace_loss perf_text_sample(const struct perf_text *parsed, struct trace_sample *sample);

#endif
