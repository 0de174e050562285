/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C(s) = s / B_w, as a simulator of storage without a page cache predicts: the same digits as SimGrid's Disk::write. */
#include "config.h"
#include "iowrite-bench/model/parts.h"

#include <errno.h>
#include <stdlib.h>

static int naive_create(const struct system *system, const struct model_setup *setup, void **model, const char **missing)
{
	static const enum system_parameter needs[] = {SYSTEM_BW_DEV};
	double *ns_per_byte;

	(void)setup;
	if (model_needs(system, needs, 1, missing))
		return -ENODATA;
	ns_per_byte = malloc(sizeof(*ns_per_byte));
	if (!ns_per_byte)
		return -ENOMEM;
	*ns_per_byte = 1e9 / system_get(system, SYSTEM_BW_DEV);
	*model = ns_per_byte;
	return 0;
}

static int naive_write(void *model, const struct op *op, struct model_cost *cost)
{
	double ns = (double)op->size * *(const double *)model;

	*cost = (struct model_cost){.ns = ns, .typical_ns = ns, .low_ns = ns, .high_ns = ns, .device_ns = ns,
		.state = MODEL_DEVICE};
	return 0;
}

static double naive_drain(void *model)
{
	(void)model;
	return 0;
}

static void naive_free(void *model)
{
	free(model);
}

const struct model_kind naive_model = {
	.name = "naive",
	.create = naive_create,
	.write = naive_write,
	.drain = naive_drain,
	.free = naive_free,
};
