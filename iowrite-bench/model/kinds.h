/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The models. */
#ifndef IOWRITE_BENCH_MODEL_KINDS_H
#define IOWRITE_BENCH_MODEL_KINDS_H

#include "iowrite-bench/model/kinds.h"
#include "iowrite-bench/model/model.h"

enum model_id { MODEL_NAIVE, MODEL_CAWL, MODEL_KERNEL, MODEL_KINDS };
extern const struct model_kind *const model_kinds[MODEL_KINDS];
const struct model_kind *model_kind(const char *name); /* NULL = none */

#endif
