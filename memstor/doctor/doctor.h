/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the probes of this host (common/probe.h) mean to each tool, and what would spoil a measurement now. */
#ifndef MEMSTOR_DOCTOR_DOCTOR_H
#define MEMSTOR_DOCTOR_DOCTOR_H

#include <stdio.h>

#include "common/probe.h"

#define DOCTOR_PATHS 16
#define DOCTOR_FINDINGS 64
#define DOCTOR_CHECKS 24
#define DOCTOR_FORMAT "2.0" /* of the JSON; docs/doctor.md */

enum doctor_group {
	DOCTOR_GROUP_MACHINE,
	DOCTOR_GROUP_PRESSURE,
	DOCTOR_GROUP_STORAGE,
	DOCTOR_GROUP_TRACING,
	DOCTOR_GROUP_PICTURES,
	DOCTOR_GROUPS,
};

/* Bits; the order of the table of tools. */
enum doctor_tool_bit {
	DOCTOR_PMBENCH = 1,
	DOCTOR_WITH_PRESSURE = 2,
	DOCTOR_IOWRITE = 4,
	DOCTOR_SSD = 8,
	DOCTOR_MEMTRACE = 16,
	DOCTOR_MEMSTOR = 32,
	DOCTOR_ALL = 63,
};

struct doctor_row {
	const char *code; /* of the probe; stable: programs read it */
	enum doctor_group group;
	unsigned tools; /* doctor_tool_bits: whom it matters to */
	const char *note, *limited, *missing; /* what follows, unless the probe says it */
	const char *fix;                      /* a command of the suite; NULL = the probe's */
};

struct doctor_finding {
	const struct doctor_row *row;
	struct probe_answer answer;
};

/* A tool can do its main job when of each code that it needs a finding is not missing. */
struct doctor_tool {
	const char *name;
	enum doctor_tool_bit bit;
	bool is_built; /* of this version; others are planned */
	const char *job;
	const char *needs[4]; /* codes of rows; a NULL ends them */
};

struct doctor_result {
	const struct machine *machine;
	size_t finding_count, check_count;
	struct doctor_finding findings[DOCTOR_FINDINGS];
	struct machine_check checks[DOCTOR_CHECKS]; /* what would spoil a measurement now */
};

/* Of the facts alone, when not NULL. */
struct doctor_output {
	const char *columns;
	bool has_no_headings, is_json, is_coloured;
	size_t width; /* of the terminal; 0 = find out */
};

const struct doctor_row *doctor_rows(size_t *count);
const struct doctor_tool *doctor_tools(size_t *count);
const char *doctor_group_name(enum doctor_group group); /* "machine" */

/* Runs every probe; takes about half a second, through hooks->pause. */
void doctor_examine(const struct probe_host *host, const char *const *paths, size_t path_count,
	struct doctor_result *result);
/* OK, LIMITED (something that matters to it is limited or missing) or MISSING. needs: which of its codes are missing, a
 * NULL behind. */
enum probe_status doctor_decide(const struct doctor_result *result, const struct doctor_tool *tool, const char *needs[5]);
/* DIAG_EXIT_OK, or DIAG_EXIT_HOST when a tool that is built cannot do its main job. */
int doctor_exit_code(const struct doctor_result *result);

/* 0, or -EINVAL and in why what is wrong with the columns. */
int doctor_check_columns(const char *columns, char *why, size_t length);
/* 0 or -ENOMEM. */
int doctor_print(FILE *out, const struct doctor_result *result, const struct doctor_output *output);

#endif
