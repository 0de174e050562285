/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PMBENCH_REPORT_TEXT_H
#define PMBENCH_REPORT_TEXT_H

#include <stdio.h>
#include "pmbench/run/result.h"

/* Writes the text output: the original's lines byte for byte, then additional tables. The C locale must be in use, which
 * is the default of a program. */
void text_result(FILE *out, const struct pmbench_result *result);

#endif
