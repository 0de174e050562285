/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to iowrite-bench/stage*.c. */
#ifndef IOWRITE_BENCH_STAGE_PRIVATE_H
#define IOWRITE_BENCH_STAGE_PRIVATE_H

#include <stdbool.h>

#include "common/undo.h"
#include "iowrite-bench/stage.h"

struct stage {
	struct undo *undo;
	bool has_warned;
};

#endif
