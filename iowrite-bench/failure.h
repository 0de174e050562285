/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a measurement that could not be made to its end says: what failed, why, and the remedy. */
#ifndef IOWRITE_BENCH_FAILURE_H
#define IOWRITE_BENCH_FAILURE_H

#include <stddef.h>

#include "iowrite-bench/measure.h"

#define FAILURE_TEXT 320

/* One line without the name of what was measured. */
void failure_text(const char *path, enum measure_stage stage, int error, char *text, size_t length);

#endif
