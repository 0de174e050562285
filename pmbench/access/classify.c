/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/access/classify.h"

#include <errno.h>
#include <time.h>
#include <stdlib.h>
#include "pmbench/memory/scratch.h"

#define CALIBRATE_READS 64
#define CALIBRATE_ROUNDS 16
#define CALIBRATE_PAUSE_NS 5000000l
#define AUDIT_FIRST 64u
#define AUDIT_EVERY 64u

static void kernel_usage(struct fault_counts *faults)
{
	faults_read(faults);
}

/* Stores the shortest of one round of reads of fresh pages, in ticks. Returns 0 or -errno. */
static int fastest_fault(enum ticks_method method, uint64_t *fastest)
{
	uint64_t ticks[CALIBRATE_READS] = {0};
	struct scratch scratch;
	struct fault_counts before, after;
	int err = scratch_open(&scratch, CALIBRATE_READS);

	if (err)
		return err;
	kernel_usage(&before);
	scratch_read(&scratch, method, 0, CALIBRATE_READS, ticks);
	kernel_usage(&after);
	scratch_close(&scratch);
	if (after.minor - before.minor < CALIBRATE_READS)
		return -ENODATA;
	for (int i = 0; i < CALIBRATE_READS; i++)
		if (ticks[i] < *fastest)
			*fastest = ticks[i];
	return 0;
}

int classify_calibrate(const struct timebase *timebase, uint64_t *slow_ticks)
{
	const struct timespec pause = {.tv_nsec = CALIBRATE_PAUSE_NS};
	uint64_t fastest = UINT64_MAX;
	int err = fastest_fault(timebase->method, &fastest);

	/* A guest may be slow for a whole round; a threshold from that round alone would classify faults as hits. */
	for (int round = 1; !err && round < CALIBRATE_ROUNDS; round++) {
		nanosleep(&pause, NULL);
		err = fastest_fault(timebase->method, &fastest);
	}
	if (err)
		return err;
	/* The clock is too coarse: a threshold of 0 excludes nothing. */
	if (fastest * 7 / 10 == 0)
		return -ENODATA;
	*slow_ticks = fastest * 7 / 10;
	return 0;
}

/* Returns the increase since the last call, and accounts for it. */
static struct fault_counts account(struct access_slow *slow, struct fault_counts now)
{
	struct fault_counts rise = {now.minor - slow->minor_faults, now.major - slow->major_faults};

	keep_add(&slow->minor_faults, rise.minor);
	keep_add(&slow->major_faults, rise.major);
	return rise;
}

static struct fault_counts ask_kernel(struct classify_state *state)
{
	struct fault_counts now;

	state->usage(&now);
	return account(state->slow, now);
}

static void record(const struct access_thread *thread, enum access_class class, enum access_direction direction,
	uint64_t ticks)
{
	const struct classify_state *state = thread->slow_state;
	struct access_half *half = &state->page[class]->half[direction];
	uint64_t ns = ticks_to_ns(ticks, thread->mult);

	keep_add(&half->count[bucket_log16(ns)], 1);
	keep_add(&half->sum_ticks, ticks);
	half->sum_squares += (double)ticks * (double)ticks;
	if (ticks < half->min_ticks)
		half->min_ticks = ticks;
	if (ticks > half->max_ticks)
		half->max_ticks = ticks;
	if (state->hdr[class])
		keep_add(&state->hdr[class]->count[direction][bucket_hdr(ns)], 1);
}

static void note_hit(struct access_half *half, uint64_t ticks)
{
	if (ticks > half->max_hit_ticks)
		half->max_hit_ticks = ticks;
}

/* The class is that of the most severe fault; other faults are extra. An access without faults is a hit. */
static void record_faults(const struct access_thread *thread, enum access_direction direction, uint64_t ticks,
	struct fault_counts faults)
{
	const struct classify_state *state = thread->slow_state;
	struct access_slow *slow = state->slow;

	if (faults.minor + faults.major == 0) {
		note_hit(&thread->all->half[direction], ticks);
		return;
	}
	if (faults.minor + faults.major > 1) {
		keep_add(&slow->multiple, 1);
		keep_add(&slow->extra_minor, faults.major ? faults.minor : faults.minor - 1);
		keep_add(&slow->extra_major, faults.major ? faults.major - 1 : 0);
	}
	record(thread, faults.major ? ACCESS_MAJOR : ACCESS_MINOR, direction, ticks);
	if (state->split && faults.minor + faults.major == 1)
		kernel_split_take(state->split, faults.major ? KERNEL_SPLIT_MAJOR : KERNEL_SPLIT_MINOR,
			thread->slow_stop_ticks - ticks, thread->slow_stop_ticks);
}

static void mark(const struct access_thread *thread, enum access_direction direction, uint64_t ticks,
	const void *address)
{
	const struct classify_state *state = thread->slow_state;

	keep_add(&state->slow->over_threshold, 1);
	if (state->marker)
		trace_marker_write(state->marker, ticks_to_ns(ticks, thread->mult), (uintptr_t)address, direction,
			state->number);
}

static bool is_audited(uint64_t checks)
{
	return checks <= AUDIT_FIRST || checks % AUDIT_EVERY == 0;
}

/* Returns the faults of the access. An access below fault_ticks cannot have faulted: the kernel's new faults are then stray ones,
 * which are accounted for but are in no class. */
static struct fault_counts find_faults(const struct access_thread *thread, bool may_fault)
{
	struct classify_state *state = thread->slow_state;
	struct fault_counts faults = {0};

	if (thread->asks_kernel)
		faults = account(state->slow, thread->asked);
	else if (may_fault)
		faults = ask_kernel(state);
	return may_fault ? faults : (struct fault_counts){0};
}

static bool classify_slow(struct access_thread *thread, enum access_direction direction, uint64_t ticks,
	const void *address)
{
	struct classify_state *state = thread->slow_state;
	struct access_slow *slow = state->slow;
	bool is_backwards = (int64_t)ticks < 0;
	bool may_fault = state->asks_kernel && ticks > state->fault_ticks;
	/* A clock that ran backwards must not leave faults to the next access. */
	struct fault_counts faults = find_faults(thread, may_fault);

	if (may_fault)
		keep_add(&slow->checks, 1);
	if (is_backwards)
		keep_add(&slow->backwards, 1);
	else
		record_faults(thread, direction, ticks, faults);
	if (!is_backwards && state->over_ticks && ticks > state->over_ticks)
		mark(thread, direction, ticks, address);
	if (may_fault && is_audited(slow->checks))
		(void)ask_kernel(state);
	thread->known = (struct fault_counts){slow->minor_faults, slow->major_faults};
	return !is_backwards;
}

/* Adds 0 to each page, so that the window's first write to it is no fault: memory that a fork shares is mapped in the child only
 * when it is touched there. */
static void touch(void *memory, size_t bytes)
{
	for (size_t offset = 0; memory && offset < bytes; offset += KEEP_PAGE_BYTES)
		keep_add((uint64_t *)(void *)((char *)memory + offset), 0);
}

static void touch_counters(const struct classify_state *state, const struct access_thread *thread)
{
	touch(state->slow, sizeof(*state->slow));
	touch(thread->all, sizeof(*thread->all));
	touch(thread->hdr, sizeof(*thread->hdr));
	for (int class = ACCESS_MINOR; class < ACCESS_CLASSES; class++) {
		touch(state->page[class], sizeof(*state->page[class]));
		touch(state->hdr[class], sizeof(*state->hdr[class]));
	}
}

static void no_usage(struct fault_counts *faults)
{
	*faults = (struct fault_counts){0};
}

/* counters that rehearse() discards */
struct stage {
	struct access_page page[ACCESS_CLASSES];
	struct access_slow slow;
};

static uint64_t no_draw(struct pattern *pattern)
{
	(void)pattern;
	return 0;
}

/* Runs both loops of this clock without an access (the deadline of the stage is 0). Each is a page of code, whose first use would
 * be a fault of the window if there is no warm-up or a later phase uses the other loop. */
static void rehearse_loops(struct access_thread *on_stage)
{
	on_stage->draw = NULL;
	access_run(on_stage);
	on_stage->draw = no_draw;
	access_run(on_stage);
}

/*
 * Executes once all code that a slow access may need, with counters that are discarded and a marker without a file: code of pmbench
 * and of the C library is locked at its first use, which must not be a fault of the window. Without memory for the counters the run
 * may have a stray fault or two.
 */
static void rehearse(const struct classify_state *state, const struct access_thread *thread)
{
	struct trace_marker nowhere = {.fd = -1};
	struct stage *stage = calloc(1, sizeof(*stage));
	struct classify_state player = *state;
	struct access_thread on_stage = *thread;

	if (!stage)
		return;
	player.slow = &stage->slow;
	player.page[ACCESS_MINOR] = &stage->page[ACCESS_MINOR];
	player.page[ACCESS_MAJOR] = &stage->page[ACCESS_MAJOR];
	player.hdr[ACCESS_MINOR] = player.hdr[ACCESS_MAJOR] = NULL;
	player.marker = state->marker ? &nowhere : NULL;
	player.usage = no_usage;
	on_stage.slow_state = &player;
	on_stage.all = &stage->page[ACCESS_ALL];
	on_stage.asks_kernel = true;
	on_stage.asked = (struct fault_counts){1, 0};
	(void)classify_slow(&on_stage, ACCESS_READ, INT64_MAX, NULL);
	on_stage.asked = (struct fault_counts){1, 1};
	(void)classify_slow(&on_stage, ACCESS_WRITE, INT64_MAX, NULL);
	rehearse_loops(&on_stage);
	free(stage);
}

void classify_attach(struct classify_state *state, struct access_thread *thread)
{
	if (!state->usage)
		state->usage = kernel_usage;
	state->kernel_minor = state->kernel_major = 0;
	touch_counters(state, thread);
	rehearse(state, thread);
	if (state->split)
		kernel_split_forget(state->split);
	state->thread = thread;
	thread->slow_state = state;
	thread->on_slow = classify_slow;
	thread->asks_kernel = state->asks_kernel && state->usage == kernel_usage;
	thread->over_ticks = state->over_ticks ? state->over_ticks : INT64_MAX;
	/* Negative latencies, read as unsigned, exceed every threshold. */
	thread->slow_ticks = state->asks_kernel ? state->fault_ticks : INT64_MAX;
	if (state->over_ticks && state->over_ticks < thread->slow_ticks)
		thread->slow_ticks = state->over_ticks;
}

int classify_begin(struct classify_state *state)
{
	int err = state->split ? kernel_split_begin(state->split) : 0;

	(void)ask_kernel(state);
	state->begin_minor = state->slow->minor_faults;
	state->begin_major = state->slow->major_faults;
	state->thread->known = (struct fault_counts){state->begin_minor, state->begin_major};
	return err;
}

int classify_end(struct classify_state *state)
{
	(void)ask_kernel(state);
	state->kernel_minor += state->slow->minor_faults - state->begin_minor;
	state->kernel_major += state->slow->major_faults - state->begin_major;
	return state->split ? kernel_split_end(state->split) : 0;
}

uint64_t classify_count(const struct access_page *page)
{
	uint64_t count = 0;

	for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++)
		for (unsigned i = 0; i < BUCKET_LOG16_COUNT; i++)
			count += keep_read(&page->half[direction].count[i]);
	return count;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

void classify_sum(const struct classify_state *state, struct classify_sums *sums)
{
	struct classify_sums new = {.kernel_minor = state->kernel_minor, .kernel_major = state->kernel_major};

	if (state->asks_kernel) {
		new.classified_minor = classify_count(state->page[ACCESS_MINOR]) + state->slow->extra_minor;
		new.classified_major = classify_count(state->page[ACCESS_MAJOR]) + state->slow->extra_major;
		new.inexact = distance(new.kernel_minor, new.classified_minor) +
			distance(new.kernel_major, new.classified_major);
	}
	*sums = new;
}
