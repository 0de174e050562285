/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of options, reports and calibrations for the memory that the page cache gets. */
#ifndef IOWRITE_BENCH_MEMORY_H
#define IOWRITE_BENCH_MEMORY_H

#include "iowrite-bench/model/model.h"

#define MEMORY_NAMES "warm|cold|as-is" /* as the name of a value in a table of options */

/* By enum model_memory, ended by NULL. */
extern const char *const memory_names[];
const char *memory_name(enum model_memory memory);

#endif
