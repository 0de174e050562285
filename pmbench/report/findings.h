/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PMBENCH_REPORT_FINDINGS_H
#define PMBENCH_REPORT_FINDINGS_H

#include <stdio.h>
#include "pmbench/run/result.h"

/* Writes the second part of the text: classes, rates, clock, phases, findings. */
void findings_print(FILE *out, const struct pmbench_result *result);
/* Writes the text of --brief: classes, rates and verdict in about twelve lines. */
void findings_brief(FILE *out, const struct pmbench_result *result);

#endif
