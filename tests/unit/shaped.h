/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pattern with a shape of its own. */
#ifndef TESTS_UNIT_SHAPED_H
#define TESTS_UNIT_SHAPED_H

#include "common/stats/pattern.h"

static inline struct pattern_spec shaped(enum pattern_kind kind, double shape)
{
	return (struct pattern_spec){.kind = kind, .has_shape = true, .shape = shape};
}

#endif
