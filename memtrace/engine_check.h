/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Results of memtrace selfcheck for an engine on this machine, copied from its report to the header of a recording and read from
 * there. The header has the lines selfcheck (the date), selfcheck_machine, selfcheck_kernel, and selfcheck_0, selfcheck_1 ... for
 * the patterns; a recording without them was made without --selfcheck.
 */
#ifndef MEMTRACE_ENGINE_CHECK_H
#define MEMTRACE_ENGINE_CHECK_H

#include <stddef.h>
#include <stdio.h>

#include "common/json.h"
#include "common/machine.h"
#include "memtrace/quality.h"
#include "memtrace/trace_file.h"
#include "schema/memtrace.h"

#define ENGINE_CHECK_PATTERNS 16
#define ENGINE_CHECK_TEXT 512 /* bytes of engine_check_line */

struct engine_check { /* about 12 KiB: not for a stack */
	char date[64], model[MACHINE_TEXT], kernel[MACHINE_TEXT];
	size_t count;
	struct mt_engine_check_values rows[ENGINE_CHECK_PATTERNS]; /* NAN = the check does not have this number */
	struct mt_rank_group_values groups[ENGINE_CHECK_PATTERNS][QUALITY_GROUPS];
	char patterns[ENGINE_CHECK_PATTERNS][64];
};

/* Reads the check of an engine from a report of memtrace selfcheck, for a machine of this CPU model and kernel. Returns 0, or
 * -errno and a message of one line in why: -EBADMSG if the file is not such a report, -ENOENT if it has no check of the engine,
 * -EXDEV if it is of another CPU model or kernel. */
int engine_check_read(const char *path, const char *engine, const char *model, const char *kernel, struct engine_check *check,
	char *why, size_t length);
/* Writes the check as lines of a recording's header. */
void engine_check_write(const struct engine_check *check, FILE *header);
/* Reads the check from a recording's header. Returns 0, or -ENOENT if the header has no check or it cannot be read. */
int engine_check_of(const struct trace_reader *reader, struct engine_check *check);
/* Formats the index-th pattern as one line of text without a line feed. */
void engine_check_line(const struct engine_check *check, size_t index, char text[ENGINE_CHECK_TEXT]);
/* Writes the member "selfcheck". */
void engine_check_json(const struct engine_check *check, struct json *json);

#endif
