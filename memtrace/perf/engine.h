/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engines: their abilities, limits and costs, and which of them this machine supports. */
#ifndef MEMTRACE_PERF_ENGINE_H
#define MEMTRACE_PERF_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/kernel/perf_memory.h"
#include "memtrace/active/sampler.h"
#include "memtrace/code/skid.h"

/* Unit of a period of time, which is independent of the number of accesses in it. */
#define ENGINE_UNIT_TIME "ns of CPU time"

struct engine {
	const char *name, *title; /* "pebs", "Intel PEBS" */
	enum perf_memory source;
	const char *unit;         /* unit of the period: "loads or stores", ENGINE_UNIT_TIME */
	const char *sees, *misses, *cost; /* a sentence each, without a period at its end */
	const char *accuracy;     /* published accuracy with its source, not measured on this machine; NULL = none */
	bool has_frequency;       /* supports a rate in samples per second */
	bool is_decoded;          /* addresses are computed from the code and the registers */
	bool is_on_request;       /* only tried if it is requested */
	bool pages_out, steps; /* modes of memtrace/active/sampler.h; events, if any, are those of source */
};

/* Tells whether the engine takes its samples through memtrace/active/sampler.h. */
static inline bool engine_is_sampler(const struct engine *engine)
{
	return engine->pages_out || engine->steps;
}

/* Returns the engines in the order in which they are tried: the most accurate first. */
const struct engine *engine_rows(size_t *count);
/* Returns the engine of this name, or NULL if there is none. */
const struct engine *engine_find(const char *name);

struct engine_choice {
	const struct engine *engine;
	struct perf_memory_event events[PERF_MEMORY_EVENTS];
	unsigned count;
	bool sees_kernel, sees_user;
	struct skid skid;  /* for a decoding engine */
	struct sampler_rates rates; /* for an engine that pages out or steps */
	char reason[512];  /* reason of the choice */
};

/*
 * Chooses an engine. wanted NULL selects the first that this machine supports. Each engine is tried by opening its events for this
 * process, and closing them.
 *
 * request: hz is pages per second for an engine that pages out, and bursts per second for one that only steps; for that one
 * period is the number of instructions of a burst. If neither privilege is requested the engine's default applies: page faults of
 * both privileges as far as that is allowed, else accesses of the user.
 *
 * Returns 0; -EINVAL if the wanted engine does not support the request; -ENOTSUP if it, or every engine, is not available. On
 * errors choice->reason is a message of one line.
 */
int engine_choose(const char *root, const struct engine *wanted, const struct perf_memory_request *request,
	perf_memory_open_fn *open, struct engine_choice *choice);

#endif
