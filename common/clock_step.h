/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How coarse a clock is, whatever it counts in: ns or ticks. */
#ifndef COMMON_CLOCK_STEP_H
#define COMMON_CLOCK_STEP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Its step in its own unit, which need not be a whole number (a hypervisor scales a counter that moves in steps): the
 * period of the histogram of differences between readings that follow each other at uneven distances; they are sorted.
 * Differences that are rare or many times the smallest were interrupted, and do not matter. 1 for a clock that really
 * counts its unit (or less than three: these look alike); the smallest difference when there are too few kinds of
 * differences to tell; 0 when there are none but 0.
 */
double clock_step(uint64_t *differences, size_t count);

#endif
