/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a table of writes: refused with one line, or writes within the bounds of the header. */
#include "config.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "iowrite-bench/predict/predict.h"

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_file trace;
	char why[TRACE_WHY] = "";
	/* fmemopen takes no empty buffer. */
	FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : fopen("/dev/null", "r");
	int err;

	if (!in)
		return 0;
	err = trace_file_parse(in, "f", &trace, why);
	fclose(in);
	if (err) {
		check(err == -EINVAL && !strncmp(why, "f:", 2) && !strchr(why, '\n'));
		return 0;
	}
	check(trace.count > 0 && trace.count <= TRACE_WRITES_MAX && trace.ops);
	for (size_t i = 0; i < trace.count; i++) {
		const struct op *op = &trace.ops[i];

		check(op->size > 0 && op->size <= TRACE_SIZE_MAX && op->offset + op->size <= TRACE_END_MAX &&
			op->delay_ns <= TRACE_DELAY_MAX);
		check(!trace.measured_ns || trace.measured_ns[i] >= 0);
	}
	trace_file_free(&trace);
	return 0;
}
