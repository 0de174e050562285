/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of iowrite-bench trace. */
#ifndef IOWRITE_BENCH_TRACE_OPTIONS_H
#define IOWRITE_BENCH_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/command.h"
#include "common/report_common.h"
#include "iowrite-bench/model/model.h"
#include "iowrite-bench/scenario.h"

#define TRACE_LABELS 32
#define TRACE_SHOWN 10

enum trace_thresholds {
	TRACE_SMALL, /* the scenario's; those of a table of writes stay as they are */
	TRACE_KEEP,
	TRACE_OWN    /* background_bytes, dirty_bytes */
};

struct trace_options {
	const struct scenario *scenario; /* or */
	const char *writes_path;         /* ops.csv */
	const char *system_path;         /* NULL = no model beside */
	const char *directory;
	enum trace_thresholds thresholds;
	uint64_t background_bytes, dirty_bytes;
	uint64_t slow_bytes_per_second, slow_size_bytes; /* 0 = no slow device; as large as is needed */
	enum model_memory memory;
	bool is_dry_run;
	const char *xml_path, *json_path; /* NULL = none, "-" = stdout */
	size_t label_count;
	struct report_option labels[TRACE_LABELS];
	char *label_copies[TRACE_LABELS];
	/* As the report's signature shows them. */
	const char *thresholds_text, *memory_text, *slow_text, *slow_size_text;
	size_t shown_count;
	struct report_option shown[TRACE_SHOWN];
};

extern const struct argp_option trace_option_table[];

/* 0 or a diag_exit code after one line. */
int trace_options_parse(const struct command *command, int argc, char **argv, struct trace_options *options);
void trace_options_free(struct trace_options *options);
/* A report goes to stdout: nothing else may. */
bool trace_options_take_stdout(const struct trace_options *options);

#endif
