/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/model/stdio.h"

#include <errno.h>
#include <string.h>

#include "iowrite-bench/model/parts.h"

static const struct stdio_policy policies[] = {
	{"glibc", true, true, false, true},
	{"musl", true, false, true, true},
	{"unbuffered", false, false, false, true},
	{"paper", true, false, false, false}, /* Algorithm 2 as printed */
	{0},
};

const struct stdio_policy *stdio_policy(const char *name)
{
	for (const struct stdio_policy *policy = policies; policy->name; policy++) {
		if (!strcmp(policy->name, name))
			return policy;
	}
	return NULL;
}

const struct stdio_policy *stdio_policy_here(void)
{
	return stdio_policy(STDIO_HERE);
}

int stdio_init(struct stdio *stdio, const struct stdio_policy *policy, uint64_t buffer, const struct system *system,
	const struct model_kind *kind, void *model, const char **missing)
{
	const enum system_parameter needs[] = {SYSTEM_BW_MEM, policy->has_call_cost ? SYSTEM_LIB_METACOST : SYSTEM_BW_MEM,
		SYSTEM_LIB_BUFFER};

	if (model_needs(system, needs, buffer ? 2 : 3, missing))
		return -ENODATA;
	*stdio = (struct stdio){
		.policy = policy,
		.kind = kind,
		.model = model,
		.copy_rate = system_get(system, SYSTEM_BW_MEM),
		.call_ns = policy->has_call_cost ? system_get(system, SYSTEM_LIB_METACOST) : 0,
		/* The calibrated behaviour of the libc overrides its policy. */
		.has_first_rule = policy->has_first_rule && system_get(system, SYSTEM_LIB_FIRST) != 0,
		.buffer = buffer ? buffer : (uint64_t)system_get(system, SYSTEM_LIB_BUFFER),
	};
	return 0;
}

/* Adds time that the libc takes. */
static void spend(struct stdio *stdio, double ns, double *part, struct model_cost *cost)
{
	cost->ns += ns;
	cost->typical_ns += ns;
	cost->low_ns += ns;
	cost->high_ns += ns;
	*part += ns;
	stdio->since_ns += ns;
}

static void copy(struct stdio *stdio, uint64_t bytes, struct model_cost *cost)
{
	spend(stdio, (double)bytes / stdio->copy_rate * 1e9, &cost->copy_ns, cost);
}

/* Makes a write(2) of the libc and adds its cost to that of the fwrite(3). */
static int call(struct stdio *stdio, uint64_t offset, uint64_t size, struct model_cost *cost)
{
	struct op op = {(uint64_t)stdio->since_ns, offset, size};
	struct model_cost part;
	int rc = stdio->kind->write(stdio->model, &op, &part);

	stdio->since_ns = 0;
	if (rc)
		return rc;
	cost->ns += part.ns;
	cost->typical_ns += part.typical_ns;
	cost->low_ns += part.low_ns;
	cost->high_ns += part.high_ns;
	cost->syscall_ns += part.syscall_ns;
	cost->copy_ns += part.copy_ns;
	cost->throttle_ns += part.throttle_ns;
	cost->device_ns += part.device_ns;
	cost->dirty_bytes = stdio->dirty_bytes = part.dirty_bytes;
	cost->writeback_bytes = stdio->writeback_bytes = part.writeback_bytes;
	if (part.state > cost->state)
		cost->state = part.state;
	return 0;
}

int stdio_flush(struct stdio *stdio, struct model_cost *cost)
{
	uint64_t held = stdio->held;

	stdio->held = 0;
	return held ? call(stdio, stdio->begin, held, cost) : 0;
}

/* Writes the whole blocks past the buffer and copies the rest into it. */
static int write_past(struct stdio *stdio, uint64_t offset, uint64_t size, struct model_cost *cost)
{
	uint64_t rest = size % stdio->buffer, whole = size - rest;
	int rc = whole ? call(stdio, offset, whole, cost) : 0;

	copy(stdio, rest, cost);
	stdio->begin = offset + whole;
	stdio->held = rest;
	return rc;
}

/* Writes data that does not fit into the buffer. */
static int write_through(struct stdio *stdio, const struct op *op, struct model_cost *cost)
{
	uint64_t left = stdio->buffer - stdio->held, held = stdio->held;
	int rc;

	if (stdio->has_first_rule && !stdio->is_allocated)
		return write_past(stdio, op->offset, op->size, cost);
	if (stdio->policy->gathers) {
		stdio->held = 0;
		return call(stdio, held ? stdio->begin : op->offset, held + op->size, cost);
	}
	copy(stdio, left, cost);
	stdio->begin = held ? stdio->begin : op->offset;
	stdio->held = stdio->buffer;
	rc = stdio_flush(stdio, cost);
	return rc ? rc : write_past(stdio, op->offset + left, op->size - left, cost);
}

int stdio_write(struct stdio *stdio, const struct op *op, struct model_cost *cost)
{
	int rc = 0;

	/* A write that stays in the buffer does not change the page cache. */
	*cost = (struct model_cost){.dirty_bytes = stdio->dirty_bytes, .writeback_bytes = stdio->writeback_bytes};
	stdio->since_ns += (double)op->delay_ns;
	spend(stdio, stdio->call_ns, &cost->syscall_ns, cost);
	if (!stdio->policy->is_buffered)
		return call(stdio, op->offset, op->size, cost);
	/* fseek(3) writes the buffer. */
	if (stdio->held && op->offset != stdio->begin + stdio->held)
		rc = stdio_flush(stdio, cost);
	if (rc)
		return rc;
	if (op->size > stdio->buffer - stdio->held ||
		(stdio->has_first_rule && !stdio->is_allocated && op->size >= stdio->buffer)) {
		rc = write_through(stdio, op, cost);
	} else {
		copy(stdio, op->size, cost);
		if (!stdio->held)
			stdio->begin = op->offset;
		stdio->held += op->size;
	}
	stdio->is_allocated = true;
	return rc;
}
