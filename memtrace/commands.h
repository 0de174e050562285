/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subcommands of memtrace; each is defined in the file of its name. */
#ifndef MEMTRACE_COMMANDS_H
#define MEMTRACE_COMMANDS_H

#include "common/command.h"

extern const struct program memtrace_program;
extern const struct command memtrace_analyze;
extern const struct command memtrace_columns;
extern const struct command memtrace_export;
extern const struct command memtrace_import;
extern const struct command memtrace_control; /* in control_command.c */
extern const struct command memtrace_mark;
extern const struct command memtrace_overhead;
extern const struct command memtrace_record;
extern const struct command memtrace_report;
extern const struct command memtrace_selfcheck;

#endif
