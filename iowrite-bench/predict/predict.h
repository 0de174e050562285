/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model says of a list of writes. */
#ifndef IOWRITE_BENCH_PREDICT_PREDICT_H
#define IOWRITE_BENCH_PREDICT_PREDICT_H

#include <stddef.h>

#include "iowrite-bench/model/model.h"
#include "iowrite-bench/model/stdio.h"

struct predict_setup {
	const struct model_kind *kind;
	struct model_setup model;
	const struct stdio_policy *policy; /* NULL = write(2); nothing to a model without a cache */
	uint64_t buffer_bytes;             /* of stdio, 0 = the libc's */
};

struct prediction {
	size_t count;
	struct model_cost *costs; /* of each write */
	double total_ns;          /* their sum */
	double close_ns;          /* of flushing the libc's buffer at the end */
	double drain_ns;          /* from then on until nothing is dirty */
};

/* 0, -ENOMEM, or -ENODATA and the name of the parameter that the system lacks. */
int predict(const struct system *system, const struct predict_setup *setup, const struct op *ops, size_t count,
	struct prediction *prediction, const char **missing);
void predict_free(struct prediction *prediction);

#endif
