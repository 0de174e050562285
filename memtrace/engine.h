/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engines: what each sees, misses and costs, and which of them this machine has. */
#ifndef MEMTRACE_ENGINE_H
#define MEMTRACE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/perf_memory.h"
#include "memtrace/sampler.h"
#include "memtrace/skid.h"

/* A period of time, which says nothing of the number of accesses in it. */
#define ENGINE_UNIT_TIME "ns of CPU time"

struct engine {
	const char *name, *title; /* "pebs", "Intel PEBS" */
	enum perf_memory source;
	const char *unit;         /* of the period: "loads or stores", ENGINE_UNIT_TIME */
	const char *sees, *misses, *cost; /* a sentence each, without a period at its end */
	bool has_frequency;       /* can be asked for samples per second */
	bool is_decoded;          /* its address is computed from the code and registers */
	bool pages_out, steps, scans; /* what memtrace/sampler.h does for it; its events, if any, are those of the source */
	/* What the build or machine lacks, beyond events that do not open: NULL = nothing. NULL = no such check. */
	const char *(*why_not)(const char *root);
};

/* Takes its samples itself, by memtrace/sampler.h. */
static inline bool engine_is_sampler(const struct engine *engine)
{
	return engine->pages_out || engine->steps || engine->scans;
}

/* In the order in which they are tried; those that page out, step or scan are taken only when they are asked for. */
const struct engine *engine_rows(size_t *count);
/* NULL = none. */
const struct engine *engine_find(const char *name);

struct engine_choice {
	const struct engine *engine;
	struct perf_memory_event events[PERF_MEMORY_EVENTS];
	unsigned count;
	bool sees_kernel, sees_user;
	struct skid skid;  /* of an engine that is decoded */
	struct sampler_rates rates; /* of an engine that pages out, steps or scans */
	char reason[512];  /* why it is this one: "asked for", "pebs: not on this machine; ..." */
};

/*
 * request: of an engine that pages out hz is pages per second, of one that scans scans per second, of one that only steps hz is
 * bursts per second and period the instructions of each. With neither privilege the engine's own choice: page faults of both as
 * far as that is allowed, else the user's accesses.
 * wanted: NULL = the first that this machine has. Each is tried by opening its events for this process, and closing them. 0;
 * -EINVAL: the engine that is wanted cannot do what the request says; -ENOTSUP: it, or every one, is not available. On errors
 * choice->reason is one line for people.
 */
int engine_choose(const char *root, const struct engine *wanted, const struct perf_memory_request *request,
	perf_memory_open_fn *open, struct engine_choice *choice);

#endif
