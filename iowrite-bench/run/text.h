/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result on one screen: a row a combination, then what there is to say about them. */
#ifndef IOWRITE_BENCH_RUN_TEXT_H
#define IOWRITE_BENCH_RUN_TEXT_H

#include <stdio.h>

#include "iowrite-bench/run/result.h"

void run_text(FILE *out, const struct run_result *result);

#endif
