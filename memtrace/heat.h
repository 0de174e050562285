/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map of an access pattern as text. */
#ifndef MEMTRACE_HEAT_H
#define MEMTRACE_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "schema/memtrace.h"

/* The highest addresses at the top, time to the right; a denser mark for more samples. width: of a line. 0 or
 * -ENOMEM. */
int heat_print(FILE *out, const struct mt_pattern_values *pattern, size_t width, bool is_coloured);

#endif
