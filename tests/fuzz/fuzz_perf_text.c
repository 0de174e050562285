/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as the text of perf script: each line is read, and what comes out lies in the line and in its bounds. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "memtrace/exchange/perf_text.h"

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

static bool is_in(const char *text, const char line[PERF_TEXT_LINE])
{
	return !*text || (text >= line && text + strlen(text) < line + PERF_TEXT_LINE);
}

static void check_line(char line[PERF_TEXT_LINE])
{
	struct perf_text parsed;
	struct trace_sample sample;
	enum perf_text_kind kind = perf_text_parse(line, &parsed);

	check(is_in(parsed.name, line) && is_in(parsed.event.text, line));
	if (kind == PERF_TEXT_EVENT)
		check(parsed.event.type == TRACE_MAP || parsed.event.type == TRACE_COMM || parsed.event.type == TRACE_FORK ||
			parsed.event.type == TRACE_EXIT);
	if (kind == PERF_TEXT_SAMPLE && perf_text_sample(&parsed, &sample) == TRACE_LOSSES)
		check(sample.kind < TRACE_KINDS && sample.address && sample.tid && !sample.cpu);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_text_header header = {0};
	char line[PERF_TEXT_LINE];
	FILE *in = size ? fmemopen((void *)data, size, "r") : NULL;
	int got = 0;

	while (in && (got = perf_text_read(in, line)) == 1) {
		check(strlen(line) < PERF_TEXT_LINE);
		if (*line == '#')
			perf_text_header(&header, line);
		else
			check_line(line);
	}
	check(got == 0 || got == -E2BIG);
	check(strlen(header.event) < PERF_TEXT_VALUE && strlen(header.command) < PERF_TEXT_VALUE);
	if (in)
		fclose(in);
	return 0;
}
