/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One drawing function a kind, for pattern.c only; each is told by pattern.h. */
#ifndef COMMON_PATTERN_DRAW_H
#define COMMON_PATTERN_DRAW_H

#include "common/pattern.h"

uint64_t pattern_draw_uniform(struct pattern *self);
uint64_t pattern_draw_normal(struct pattern *self);
uint64_t pattern_draw_normal_ih(struct pattern *self);
uint64_t pattern_draw_linear(struct pattern *self);
uint64_t pattern_draw_pareto(struct pattern *self);
uint64_t pattern_draw_zipf(struct pattern *self);
uint64_t pattern_draw_hotset(struct pattern *self);
uint64_t pattern_draw_scattered(struct pattern *self);

/* Fills self->zipf; self->pages is set. */
void pattern_zipf_init(struct pattern *self, double exponent);

/* Why the shape is outside the kind's range for any number of pages; NULL when it is not. */
const char *pattern_shape_complaint(enum pattern_kind kind, double shape);

#endif
