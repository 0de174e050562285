/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws from the standard normal distribution (Box and Muller, 1958). */
#ifndef TESTS_UNIT_NORMAL_H
#define TESTS_UNIT_NORMAL_H

#include <math.h>
#include "common/hot/rng.h"

static inline double normal(struct rng *rng)
{
	return sqrt(-2 * log(1 - rng_double(rng))) * cos(2 * M_PI * rng_double(rng));
}

#endif
