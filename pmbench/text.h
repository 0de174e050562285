/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PMBENCH_TEXT_H
#define PMBENCH_TEXT_H

#include <stdio.h>
#include "pmbench/control.h"
#include "pmbench/result.h"

/* The text for people, on `out` (stdout): the original's lines byte for byte, then our tables. The C locale must
 * be set, as it is unless a program asks for another. */
void text_result(FILE *out, const struct pmbench_result *result);

/* Its second half: classes, rates, clock, phases, findings. */
void text_findings(FILE *out, const struct pmbench_result *result);
/* --brief: classes, rates and verdict on a dozen lines. */
void text_brief(FILE *out, const struct pmbench_result *result);

/* The original's progress lines (report-format: byte for byte), printed outside the window unless -q. */
struct text_progress {
	const struct pmbench_plan *plan;
	const struct control *control;
	const struct timebase *timebase;
};

void text_initializing(const struct text_progress *progress);
/* Initialisation, pages, generation overhead. */
void text_ready(const struct text_progress *progress);
/* Before the warm-up: how long it will take. */
void text_warming(const struct text_progress *progress);
void text_warm(const struct text_progress *progress);
void text_start(const struct text_progress *progress);
void text_done(const struct text_progress *progress, bool is_interrupted);

#endif
