/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PMBENCH_TEXT_H
#define PMBENCH_TEXT_H

#include <stdio.h>
#include "pmbench/result.h"

/* The text for people, on `out` (stdout): the original's lines byte for byte, then our tables. The C locale must
 * be set, as it is unless a program asks for another. */
void text_result(FILE *out, const struct pmbench_result *result);

/* Its second half: classes, rates, clock, phases, findings. */
void text_findings(FILE *out, const struct pmbench_result *result);
/* --brief: classes, rates and verdict on a dozen lines. */
void text_brief(FILE *out, const struct pmbench_result *result);

#endif
