/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a value that was measured in blocks varies, in some words for who has to decide what to do about it. */
#ifndef IOWRITE_BENCH_CALIBRATE_WHY_H
#define IOWRITE_BENCH_CALIBRATE_WHY_H

#include <stdbool.h>
#include <stddef.h>

#include "iowrite-bench/estimate.h"

/* "too few blocks", "it rose in the course of time", "two modes", ...: the first of these that holds. blocks: at least one,
 * none empty, in the order of time, each sorted, values above 0 unless they are differences, which have no modes here.
 * 0 or -ENOMEM. */
int why_unstable(const struct estimate_block *blocks, size_t count, bool is_difference, char *text, size_t length);

/* How far the mean may be off, as a share, by what the blocks' means say of it (Student's t of their logarithms, 95 %). A
 * median may be stable and the mean not, which is what adds up. 0 = there is one block, or they are not above 0. */
double why_mean_off(const struct estimate_block *blocks, size_t count);

#endif
