/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/predict/predict.h"

#include <errno.h>
#include <stdlib.h>

static int write_all(const struct predict_setup *setup, void *model, struct stdio *stdio, const struct op *ops,
	struct prediction *prediction)
{
	int rc = 0;

	for (size_t i = 0; i < prediction->count && !rc; i++) {
		struct model_cost *cost = &prediction->costs[i];

		rc = stdio ? stdio_write(stdio, &ops[i], cost) : setup->kind->write(model, &ops[i], cost);
		prediction->total_ns += cost->ns;
	}
	if (!rc && stdio) {
		struct model_cost last = {0};

		rc = stdio_flush(stdio, &last);
		prediction->close_ns = last.ns;
	}
	return rc;
}

int predict(const struct system *system, const struct predict_setup *setup, const struct op *ops, size_t count,
	struct prediction *prediction, const char **missing)
{
	struct prediction made = {.count = count, .costs = calloc(count ? count : 1, sizeof(*made.costs))};
	const struct stdio_policy *policy = setup->kind->has_cache ? setup->policy : NULL;
	struct stdio stdio;
	void *model;
	int rc;

	if (!made.costs)
		return -ENOMEM;
	rc = setup->kind->create(system, &setup->model, &model, missing);
	if (!rc) {
		if (policy)
			rc = stdio_init(&stdio, policy, setup->buffer_bytes, system, setup->kind, model, missing);
		if (!rc)
			rc = write_all(setup, model, policy ? &stdio : NULL, ops, &made);
		if (!rc)
			made.drain_ns = setup->kind->drain(model);
		setup->kind->free(model);
	}
	if (rc)
		free(made.costs);
	else
		*prediction = made;
	return rc;
}

void predict_free(struct prediction *prediction)
{
	free(prediction->costs);
	*prediction = (struct prediction){0};
}
