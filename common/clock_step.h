/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How coarse a clock is that tells whole ns. */
#ifndef COMMON_CLOCK_STEP_H
#define COMMON_CLOCK_STEP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Its step in ns, which need not be a whole number, from differences between readings that follow each other at uneven
 * distances; they are sorted. 1 for a clock that really counts ns (or less than three: these look alike); the smallest
 * difference when there are too few kinds of differences to tell; 0 when there are none but 0.
 */
double clock_step_ns(uint64_t *differences, size_t count);

#endif
