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

/* The original's progress lines, byte for byte, printed outside the window, not with -q. */
struct text_progress {
	const struct pmbench_plan *plan;
	const struct control *control;
	const struct timebase *timebase;
};

void text_initializing(const struct text_progress *progress);
/* Prints initialisation, pages and generation overhead. */
void text_ready(const struct text_progress *progress);
/* Called before the warm-up: prints how long it will take. */
void text_warming(const struct text_progress *progress);
void text_warm(const struct text_progress *progress);
void text_start(const struct text_progress *progress);
void text_done(const struct text_progress *progress, bool is_interrupted);

#endif
