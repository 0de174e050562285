/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map of an access pattern as text. */
#ifndef MEMTRACE_ANALYZE_HEAT_H
#define MEMTRACE_ANALYZE_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "schema/memtrace.h"

/* Prints the map in lines of `width` columns: the highest addresses at the top, time to the right, a denser character for more
 * samples. Returns 0 or -ENOMEM. */
int heat_print(FILE *out, const struct mt_pattern_values *pattern, size_t width, bool is_coloured);

#endif
