/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/memory.h"

#include <stddef.h>

const char *const memory_names[] = {[MODEL_WARM] = "warm", [MODEL_COLD] = "cold", [MODEL_AS_IS] = "as-is", NULL};

const char *memory_name(enum model_memory memory)
{
	return memory_names[memory];
}
