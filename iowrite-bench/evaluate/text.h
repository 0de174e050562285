/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table for people: as section by section of the CAWL paper's evaluation, one row a trial. */
#ifndef IOWRITE_BENCH_EVALUATE_TEXT_H
#define IOWRITE_BENCH_EVALUATE_TEXT_H

#include <stdio.h>

#include "iowrite-bench/evaluate/result.h"

void evaluate_text(FILE *out, const struct evaluate_result *result);

#endif
