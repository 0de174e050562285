/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/perf/engine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/kernel/perf.h"
#include "memtrace/active/burst.h"
#include "memtrace/code/instruction.h"

#define NEVER_RUN "its accuracy is unknown: it has never been run on such hardware"
/* The smallest and the largest part in the first table of the file. */
#define PUBLISHED(least, most) \
	"in results/memtrace-accuracy.md, measured on another machine, it finds " least " to " most \
	" of the most popular 1 % of the pages"

static const struct engine rows[] = {
	{"pebs", "Intel PEBS", PERF_MEMORY_PEBS, "loads or stores",
		"sampled loads of 3 cycles and more and sampled stores, with byte address, instruction and data source",
		"prefetches, page walks and the kernel's accesses; slow loads are over-represented",
		"a record of some 100 bytes by the processor, an interrupt for each full buffer", NEVER_RUN,
		.has_frequency = true},
	{"ibs", "AMD IBS", PERF_MEMORY_IBS, "micro-operations",
		"sampled loads and stores among sampled micro-operations, with byte address, instruction, data source and latency",
		"micro-operations that access no memory are sampled, too, and dropped", "an interrupt for each sample",
		NEVER_RUN, .has_frequency = true},
	{"spe", "ARM SPE", PERF_MEMORY_SPE, "operations",
		"sampled loads and stores, with byte address, instruction and latency",
		"operations that collide with one being sampled", "a record by the processor, an interrupt for each half buffer",
		NEVER_RUN, .has_frequency = false},
	{"burst", "single-stepped bursts", PERF_MEMORY_SOURCES, "bursts",
		"every load and store of some hundred consecutive instructions at random moments, with address and instruction",
		"what follows a system call within the same burst, the kernel's accesses",
		"20 to 100 us for each instruction of a burst, in which its thread waits", PUBLISHED("0.48", "0.64"),
		.has_frequency = true, .steps = true},
	{"cpu-clock", "CPU clock, decoded", PERF_MEMORY_CLOCK, ENGINE_UNIT_TIME,
		"loads and stores on which the program stalls, with byte address and instruction",
		"accesses that hit a cache mostly, code without a table of functions or a perf map, thread-local storage, the "
		"kernel's accesses",
		"an interrupt for each sample, 13 to 23 us on a virtual machine: 2 % at 1 kHz", PUBLISHED("0.01", "0.26"),
		.has_frequency = true, .is_decoded = true},
	{"page-faults", "page faults", PERF_MEMORY_FAULTS, "faults",
		"every page fault: the first access to each page and each access to a page that was swapped out",
		"all other accesses", "0.3 to 0.6 us for each fault",
		"it records each fault, and no access to memory that is resident", .has_frequency = false},
	{"refault", "pages paged out and waited for", PERF_MEMORY_FAULTS, "faults",
		"for a uniform sample of the resident anonymous pages the time until each is accessed",
		"addresses within a page, memory of files, shared memory, and differences between pages accessed more than some "
		"10000 times per second",
		"a page fault for each page, some 15 us with zram, and 30 to 40 us of memtrace on another CPU",
		.has_frequency = true, .pages_out = true, .is_on_request = true},
	{"popularity", "refault and burst together", PERF_MEMORY_FAULTS, "faults",
		"accesses by burst, and by refault how soon pages are accessed that bursts have not met",
		"memory of files and shared memory, except in bursts", "those of refault and of burst",
		.has_frequency = true, .pages_out = true, .steps = true, .is_on_request = true},
};

const struct engine *engine_rows(size_t *count)
{
	*count = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

const struct engine *engine_find(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}

/* Returns 0 or -errno. */
static int open_once(const char *root, const struct engine *engine, const struct perf_memory_request *request,
	perf_memory_open_fn *open, struct engine_choice *choice)
{
	int fds[PERF_MEMORY_EVENTS], err = perf_memory_events(root, engine->source, request, choice->events, &choice->count);

	if (err)
		return err;
	err = perf_memory_open(choice->events, choice->count, 0, -1, open, fds);
	/* Some units sample only a whole CPU, as IBS before Linux 6.2. */
	if (err == -EINVAL || err == -EOPNOTSUPP)
		err = request->is_system ? perf_memory_open(choice->events, choice->count, -1, 0, open, fds) : -EOPNOTSUPP;
	for (unsigned i = 0; !err && i < choice->count; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	choice->sees_kernel = request->with_kernel;
	choice->sees_user = request->with_user;
	return err;
}

/* Takes the rates from the request; the rest is for events. Returns 0 or -EINVAL. */
static int set_rates(const struct engine *engine, struct perf_memory_request *request, struct engine_choice *choice)
{
	if (request->period > (engine->pages_out ? 0 : BURST_STEPS_MAX))
		return -EINVAL;
	choice->rates = (struct sampler_rates){.steps = request->period ? (unsigned)request->period : SAMPLER_STEPS,
		.most = SAMPLER_MOST};
	if (engine->pages_out)
		choice->rates.pages_hz = request->hz ? request->hz : SAMPLER_PAGES_HZ;
	if (engine->steps)
		choice->rates.bursts_hz = request->hz && !engine->pages_out ? request->hz : SAMPLER_BURSTS_HZ;
	request->hz = request->period = 0;
	return 0;
}

/* Returns why an engine that was not requested is not used; NULL = it may be. */
static const char *why_not_unasked(const struct engine *engine, const struct perf_memory_request *request)
{
	if (!engine->steps)
		return NULL;
	if (request->is_system)
		return "needs a command or --pid";
	/* The rate is of bursts, which would stop the program nearly all the time. */
	if (request->hz || request->period)
		return "its rate is of bursts, not of samples";
	return burst_why_not();
}

/* Returns 0, or -errno and the missing requirement in why. */
static int try_engine(const char *root, const struct engine *engine, const struct perf_memory_request *asked,
	perf_memory_open_fn *open, struct engine_choice *choice, char *why, size_t length)
{
	struct perf_memory_request request = *asked;
	bool is_default = !request.with_kernel && !request.with_user;
	const char *missing = NULL;
	int err;

	if (engine->is_decoded || engine->steps)
		missing = instruction_why_not();
	if (!missing && engine->pages_out)
		missing = sampler_pages_why_not(root);
	if (missing) {
		snprintf(why, length, "%s", missing);
		return -ENOTSUP;
	}
	if (request.hz && !engine->has_frequency) {
		snprintf(why, length, "takes a period, not a frequency");
		return -EINVAL;
	}
	if (engine_is_sampler(engine)) {
		err = set_rates(engine, &request, choice);
		if (err) {
			snprintf(why, length, "not with this period");
			return err;
		}
	}
	if ((engine->is_decoded || engine->steps) && request.with_kernel) {
		snprintf(why, length, "records accesses in user mode only");
		return -EINVAL;
	}
	/* A page that was paged out may come back by a fault of either privilege. */
	request.with_begins = engine->pages_out;
	if (is_default || engine->pages_out) {
		request.with_user = true;
		request.with_kernel = engine->source == PERF_MEMORY_FAULTS;
	}
	if (engine->source == PERF_MEMORY_SOURCES) {
		choice->count = 0;
		choice->sees_user = true;
		choice->sees_kernel = false;
		return 0;
	}
	err = open_once(root, engine, &request, open, choice);
	if (err == -EACCES && is_default && !engine->pages_out && request.with_kernel) {
		request.with_kernel = false;
		err = open_once(root, engine, &request, open, choice);
	}
	if (err == -ENOENT)
		snprintf(why, length, "not on this machine");
	else if (err == -EINVAL)
		snprintf(why, length, "not with this period");
	else if (err == -EOPNOTSUPP)
		snprintf(why, length, "the kernel refuses it for one process (record --all may have it)");
	else if (err)
		perf_open_reason(root, err, request.is_system ? 0 : request.with_kernel ? 1 : 2, why, length);
	return err;
}

int engine_choose(const char *root, const struct engine *wanted, const struct perf_memory_request *request,
	perf_memory_open_fn *open, struct engine_choice *choice)
{
	size_t at = 0;
	int err;

	choice->skid = (struct skid){.instructions = 1};
	choice->rates = (struct sampler_rates){0};
	choice->reason[0] = '\0';
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct engine *engine = &rows[i];
		const char *unasked;
		char why[256];

		if (wanted ? engine != wanted : engine->is_on_request)
			continue;
		unasked = wanted ? NULL : why_not_unasked(engine, request);
		if (unasked)
			snprintf(why, sizeof(why), "%s", unasked);
		err = unasked ? -ENOTSUP : try_engine(root, engine, request, open, choice, why, sizeof(why));
		if (!err) {
			choice->engine = engine;
			if (wanted)
				snprintf(choice->reason, sizeof(choice->reason), "asked for");
			else if (!at)
				snprintf(choice->reason, sizeof(choice->reason), "the first available one of the list");
			if (engine->is_decoded && skid_calibrate(&choice->skid))
				choice->skid = (struct skid){.instructions = 1};
			return 0;
		}
		if (at < sizeof(choice->reason))
			at += (size_t)snprintf(choice->reason + at, sizeof(choice->reason) - at, "%s%s: %s", at ? "; " : "",
				engine->name, why);
		if (wanted)
			return err == -EINVAL ? -EINVAL : -ENOTSUP;
	}
	return -ENOTSUP;
}
