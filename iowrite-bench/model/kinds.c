/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/model/kinds.h"

#include <string.h>

#include "iowrite-bench/model/parts.h"

const struct model_kind *const model_kinds[MODEL_KINDS] = {
	[MODEL_NAIVE] = &naive_model, [MODEL_CAWL] = &cawl_model, [MODEL_KERNEL] = &kernel_model};

const struct model_kind *model_kind(const char *name)
{
	for (int i = 0; i < MODEL_KINDS; i++) {
		if (!strcmp(model_kinds[i]->name, name))
			return model_kinds[i];
	}
	return NULL;
}
