/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/memory.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

const char *const memory_names[] = {[MODEL_WARM] = "warm", [MODEL_COLD] = "cold", [MODEL_AS_IS] = "as-is", NULL};

const char *memory_name(enum model_memory memory)
{
	return memory_names[memory];
}

int memory_of(const char *name, enum model_memory *memory)
{
	for (size_t i = 0; memory_names[i]; i++) {
		if (strcmp(memory_names[i], name) != 0)
			continue;
		*memory = (enum model_memory)i;
		return 0;
	}
	return -EINVAL;
}
