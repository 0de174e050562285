/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/explain.h"

#include <stddef.h>
#include <string.h>

#define MODEL "kernel"

/* The model of the libc has one buffer, and each file has its own. */
bool explain_can(const struct run_cell *cell, unsigned threads, unsigned files)
{
	if (files > 1 && !strcmp(cell->method->name, "fwrite"))
		return false;
	return threads == 1 && cell->mode == OP_BUFFERED && !cell->method->is_mapped && !cell->sync->sync &&
	       !cell->sync->rwf_flags;
}

void explain_init(struct explain *explain, const struct system *system, const struct run_cell *cell,
	enum model_memory memory)
{
	*explain = (struct explain){.system = system, .cell = cell, .memory = memory,
		.is_stdio = !strcmp(cell->method->name, "fwrite")};
}

/* One that setvbuf(3) was given is only another size to the libc: glibc's first write goes past it as past its own. */
static const struct stdio_policy *policy_of(const struct run_cell *cell)
{
	return cell->buffer.buffering == METHOD_UNBUFFERED ? stdio_policy("unbuffered") : stdio_policy_here();
}

static int begin_round(struct explain *explain, const struct dirty_state *before)
{
	const struct model_kind *kind = model_kind(MODEL);
	int rc;

	explain->setup = (struct model_setup){
		.mode = explain->cell->mode,
		.regime = explain->cell->regime,
		.memory = explain->memory,
		.is_cached = explain->cell->regime == OP_OVERWRITE,
		.is_stdio = explain->is_stdio,
		.dirty_bytes = before->dirty,
		.writeback_bytes = before->writeback,
	};
	rc = kind->create(explain->system, &explain->setup, &explain->model, &explain->missing);
	if (rc) {
		explain->model = NULL;
		return rc;
	}
	if (!explain->is_stdio)
		return 0;
	return stdio_init(&explain->stdio, policy_of(explain->cell), explain->cell->buffer.bytes, explain->system, kind,
		explain->model, &explain->missing);
}

static void add_cost(struct model_cost *sum, const struct model_cost *cost)
{
	sum->ns += cost->ns;
	sum->syscall_ns += cost->syscall_ns;
	sum->copy_ns += cost->copy_ns;
	sum->throttle_ns += cost->throttle_ns;
	sum->device_ns += cost->device_ns;
}

void explain_add(struct explain *explain, const struct dirty_state *before, const struct record *records, size_t count)
{
	if (!explain->system || explain->is_spoiled)
		return;
	explain->is_spoiled = !explain->model && begin_round(explain, before);
	for (size_t i = 0; i < count && !explain->is_spoiled; i++) {
		const struct op op = {records[i].delay_ns, records[i].offset, records[i].size};
		struct model_cost cost;

		explain->is_spoiled = explain->is_stdio ? stdio_write(&explain->stdio, &op, &cost)
							: model_kind(MODEL)->write(explain->model, &op, &cost);
		if (explain->is_spoiled)
			break;
		add_cost(&explain->sum, &cost);
		explain->measured_ns += (double)records[i].write_ns;
	}
}

void explain_end_round(struct explain *explain)
{
	if (explain->model)
		model_kind(MODEL)->free(explain->model);
	explain->model = NULL;
}

bool explain_split(const struct explain *explain, struct split *split)
{
	struct model_cost sum = explain->sum;
	const struct prediction whole = {.count = 1, .costs = &sum, .total_ns = sum.ns};

	if (!explain->system || explain->is_spoiled || explain->measured_ns <= 0)
		return false;
	split_make(&whole, MODEL, explain->measured_ns, split);
	return true;
}
