/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The meaning of the probes of this host (common/probe/probe.h) for each tool, and the conditions that would disturb a
 * measurement now. */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include <stdio.h>

#include "common/probe/probe.h"

#define DOCTOR_PATHS 16
#define DOCTOR_FINDINGS 64
#define DOCTOR_CHECKS 24
#define DOCTOR_FORMAT "2.0" /* version of the JSON output; docs/doctor.md */

enum doctor_group {
	DOCTOR_GROUP_MACHINE,
	DOCTOR_GROUP_PRESSURE,
	DOCTOR_GROUP_STORAGE,
	DOCTOR_GROUP_TRACING,
	DOCTOR_GROUPS,
};

/* Bits, in the order of the table of tools. */
enum doctor_tool_bit {
	DOCTOR_PMBENCH = 1,
	DOCTOR_WITH_PRESSURE = 2,
	DOCTOR_IOWRITE = 4,
	DOCTOR_SSD = 8,
	DOCTOR_MEMTRACE = 16,
	DOCTOR_ALL = 31,
};

struct doctor_row {
	const char *code; /* of the probe; stable, since programs read it */
	enum doctor_group group;
	unsigned tools; /* doctor_tool_bits of the tools that it affects */
	const char *note, *limited, *missing; /* consequence by status, unless the probe has its own */
	const char *fix;                      /* a command of the suite that fixes it; NULL = that of the probe */
};

struct doctor_finding {
	const struct doctor_row *row;
	struct probe_answer answer;
};

/* A tool can do its main job if, for each code that it needs, at least one finding is not missing. */
struct doctor_tool {
	const char *name;
	enum doctor_tool_bit bit;
	bool is_built; /* part of this version; others are planned */
	const char *job;
	const char *needs[4]; /* codes of rows, terminated by NULL */
};

struct doctor_result {
	const struct machine *machine;
	size_t finding_count, check_count;
	struct doctor_finding findings[DOCTOR_FINDINGS];
	struct machine_check checks[DOCTOR_CHECKS]; /* conditions that would disturb a measurement now */
};

struct doctor_output {
	const char *columns; /* print the facts alone, with these columns; NULL = everything */
	bool has_no_headings, is_json, is_coloured;
	size_t width; /* of the terminal, in columns; 0 = ask the terminal */
};

/* The tables of probes and of tools. */
const struct doctor_row *doctor_rows(size_t *count);
const struct doctor_tool *doctor_tools(size_t *count);

/* Runs every probe and the checks. It takes about half a second, waiting in hooks->pause. */
void doctor_examine(const struct probe_host *host, const char *const *paths, size_t path_count,
	struct doctor_result *result);
/* Returns the status of a tool: OK, LIMITED (a probe that affects it is limited or missing) or MISSING. needs receives
 * the missing ones of the codes that the tool needs, terminated by NULL. */
enum probe_status doctor_decide(const struct doctor_result *result, const struct doctor_tool *tool, const char *needs[5]);
/* Returns DIAG_EXIT_OK, or DIAG_EXIT_HOST if a tool that is built cannot do its main job. */
int doctor_exit_code(const struct doctor_result *result);

/* Returns 0, or -EINVAL and in why what is wrong with the columns. */
int doctor_check_columns(const char *columns, char *why, size_t length);
/* Prints the result. Returns 0 or -ENOMEM. */
int doctor_print(FILE *out, const struct doctor_result *result, const struct doctor_output *output);

#endif
