/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PMBENCH_TEXT_H
#define PMBENCH_TEXT_H

#include <stdio.h>
#include "pmbench/control.h"
#include "pmbench/result.h"

/* Writes the text output: the original's lines byte for byte, then additional tables. The C locale must be in use, which
 * is the default of a program. */
void text_result(FILE *out, const struct pmbench_result *result);

/* Writes the second part of the text: classes, rates, clock, phases, findings. */
void text_findings(FILE *out, const struct pmbench_result *result);
/* Writes the text of --brief: classes, rates and verdict in about twelve lines. */
void text_brief(FILE *out, const struct pmbench_result *result);

enum text_stage { TEXT_INITIALIZING, TEXT_READY, TEXT_WARMING, TEXT_WARM, TEXT_DONE };
/* Prints the original's lines of a stage of the run, byte for byte, unless -q, --brief or a report on stdout excludes them. It
 * is called outside the window. Of the result the plan, the timebase and is_interrupted are used. */
void text_progress(enum text_stage stage, const struct control *control, const struct pmbench_result *result);

#endif
