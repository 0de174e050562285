/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subcommands of memtrace; each is defined in the file of its name. */
#ifndef MEMTRACE_COMMANDS_H
#define MEMTRACE_COMMANDS_H

#include "common/cli/command.h"
#include "common/cli/opt.h"
#include "common/run/frame.h"
#include "schema/memtrace.h"

extern const struct program memtrace_program;
extern const struct command memtrace_analyze;
extern const struct command memtrace_export;
extern const struct command memtrace_import;
extern const struct command memtrace_control; /* in control_command.c */
extern const struct command memtrace_mark;
extern const struct command memtrace_overhead;
extern const struct command memtrace_record;
extern const struct command memtrace_report;
extern const struct command memtrace_selfcheck;

/* Writes the report of a command's result, with its effective options. The frame has been started and has its reasons; series
 * NULL: there is none. Returns a diag_exit code, after an error message unless it is 0. */
int memtrace_publish(struct frame *frame, const char *xml_path, const void *options, struct opt_line *line,
	const struct mt_result_values *result, const struct mt_series_values *series);

#endif
