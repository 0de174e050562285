/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a cell that could not be measured to its end says: what failed, why, and the remedy. */
#ifndef IOWRITE_BENCH_RUN_FAILURE_H
#define IOWRITE_BENCH_RUN_FAILURE_H

#include <stddef.h>

#include "iowrite-bench/measure.h"

/* One line without the cell's name. */
void failure_text(const char *path, enum measure_stage stage, int error, char *text, size_t length);

#endif
