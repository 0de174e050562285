/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/worker/thread.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "pmbench/access/classify.h"
#include "pmbench/memory/lock.h"

#define OVERHEAD_DRAWS 1000000u /* as the original */
#define REHEARSED_DRAWS 1000u
/* Offsets and directions come from streams that no pattern uses. */
#define DIRECTION_STREAM (1ull << 32)

/* All data of a thread that its window touches, together on its locked stack. */
struct session {
	struct worker_thread *thread;
	const struct pmbench_plan *plan;
	struct control_slot *slot;
	struct access_thread access;
	struct pattern pattern;
	struct classify_state classify;
	struct kernel_split split;
};

static size_t global_index(const struct worker_thread *thread)
{
	return thread->job->plan->process[thread->process].first + thread->number;
}

void worker_thread_release(struct worker_thread *thread)
{
	__atomic_store_n(&thread->is_released, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &thread->is_released, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static bool record_all(struct access_thread *thread, enum access_direction direction, uint64_t ticks,
	const void *address)
{
	(void)thread;
	(void)direction;
	(void)ticks;
	(void)address;
	return true;
}

static void use_pattern(struct session *session, unsigned phase)
{
	uint64_t stream = (uint64_t)phase * PLAN_THREADS_MAX + global_index(session->thread);
	struct pattern_spec spec;

	plan_pattern(session->plan, phase, session->access.pages, &spec);
	pattern_init(&session->pattern, &spec, session->access.pages, session->plan->seed, stream);
	/* A uniform pattern is drawn inline; scattering it would change nothing. */
	session->access.draw = spec.kind == PATTERN_UNIFORM ? NULL : session->pattern.next;
	session->access.draw_state = &session->pattern;
}

static void prepare(struct session *session)
{
	const struct worker_thread *thread = session->thread;
	const struct pmbench_plan *plan = session->plan;
	const struct pmbench_options *options = plan->options;
	const struct timebase *timebase = thread->job->timebase;
	const struct mapping *mapping = thread->mapping;
	struct control *control = thread->job->control;
	struct control_slot *slot = session->slot;
	struct control_status *status = &slot->status;
	size_t index = global_index(thread);
	uint32_t page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);

	session->access = (struct access_thread){
		.method = options->method,
		.is_store_visible = options->is_store_visible,
		.is_touch = options->access == ACCESS_TOUCH,
		.write_needs_read = options->write_needs_read,
		.base = mapping->base,
		.pages = plan->process[thread->process].set_bytes / page_bytes,
		.page_bytes = page_bytes,
		.offset = options->offset,
		.read_threshold = plan->read_threshold,
		.delay_ticks = options->delay_ticks,
		.mult = timebase->mult,
		.slow_ticks = UINT64_MAX,
		.on_slow = record_all,
		.all = &slot->page[ACCESS_ALL],
		.hdr = control_hdr(control, index, ACCESS_ALL),
	};
	rng_seed(&session->access.rng, plan->seed, DIRECTION_STREAM + index);
	/* Code is locked at its first use, so the code that draws (also the C library's) is executed for every phase before the
	 * run. */
	for (unsigned phase = plan->phase_count; phase-- > 0;) {
		use_pattern(session, phase);
		for (unsigned i = 0; session->access.draw && i < REHEARSED_DRAWS; i++)
			keep_value(session->access.draw(session->access.draw_state));
	}
	/* This discards the draws above. */
	use_pattern(session, 0);
	if (options->wants_kernel_split)
		status->split.is_available = !kernel_split_open(&session->split, timebase, status->split.reason,
			sizeof(status->split.reason));
	session->classify = (struct classify_state){
		.asks_kernel = options->classify == CLASSIFY_AUTO,
		.fault_ticks = thread->job->slow_ticks,
		.over_ticks = timebase_from_ns(timebase, options->threshold_ns),
		.number = (unsigned)index + 1,
		.slow = &slot->slow,
		.split = status->split.is_available ? &session->split : NULL,
		.marker = thread->job->marker,
	};
	for (int class = ACCESS_MINOR; class < ACCESS_CLASSES; class++) {
		session->classify.page[class] = &slot->page[class];
		session->classify.hdr[class] = control_hdr(control, index, (enum access_class)class);
	}
}

static void measure_draws(struct session *session)
{
	struct control_status *status = &session->slot->status;
	struct pattern pattern = session->pattern;
	struct access_thread copy = session->access;

	/* A copy is advanced, so that the run begins at the begin of the pattern. */
	copy.draw_state = &pattern;
	status->draw_ticks = access_draw_cost(&copy, OVERHEAD_DRAWS);
	status->draws = OVERHEAD_DRAWS;
}

/* Resets what the warm-up counted. */
static void forget_counts(struct session *session)
{
	struct access_page *page = session->access.all;

	for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++) {
		struct access_half *half = &page->half[direction];

		memset(half->count, 0, sizeof(half->count));
		half->sum_ticks = 0;
		half->sum_squares = 0;
		half->min_ticks = UINT64_MAX;
		half->max_ticks = 0;
		half->touched = 0;
		half->max_hit_ticks = 0;
	}
	page->half[ACCESS_WRITE].slow_hits = 0;
	if (session->access.hdr)
		memset(session->access.hdr, 0, sizeof(*session->access.hdr));
}

static void warm_up(struct session *session)
{
	const struct pmbench_options *options = session->plan->options;
	struct access_thread *access = &session->access;
	struct control_status *status = &session->slot->status;

	access->limit = options->warmup == WARMUP_PATTERN ?
		plan_warmup_accesses(session->plan->phases[0].pattern.kind, access->pages) : 0;
	access->delay_ticks = 0;
	control_set_deadline(session->slot, ticks_stop(access->method) +
		timebase_from_ns(session->thread->job->timebase,
			options->warmup == WARMUP_PATTERN ? session->plan->warmup_limit_ns : options->warmup_ns));
	access_run(access);
	status->is_warmup_cut = options->warmup == WARMUP_PATTERN && access->done < access->limit;
	access->delay_ticks = options->delay_ticks;
	status->warm_ticks = access->end_ticks - access->begin_ticks;
	status->warm_accesses = access->done;
	forget_counts(session);
}

static void run_phase(struct session *session, unsigned phase, uint64_t begin, uint64_t end)
{
	struct control_phase *result = &session->slot->status.phases[phase];
	const struct access_slow *slow = &session->slot->slow;
	uint64_t limit = session->plan->options->accesses;
	struct access_thread *access = &session->access;

	if (phase)
		use_pattern(session, phase);
	access->limit = limit ? limit - session->slot->status.accesses : 0;
	control_set_deadline(session->slot, end);
	classify_begin(&session->classify);
	result->minor = slow->minor_faults;
	result->major = slow->major_faults;
	access_run(access);
	classify_end(&session->classify);
	result->minor = slow->minor_faults - result->minor;
	result->major = slow->major_faults - result->major;
	result->accesses = access->done;
	result->begin_ticks = phase ? access->begin_ticks : begin;
	result->end_ticks = access->end_ticks;
	session->slot->status.accesses += access->done;
	session->slot->status.phases_done = phase + 1;
}

/* Phases end at fixed times after this thread's start. */
static void run_phases(struct session *session)
{
	const struct pmbench_plan *plan = session->plan;
	struct control_status *status = &session->slot->status;
	struct contention before, after;
	uint64_t begin, elapsed_ns = 0;

	if (!session->thread->number)
		(void)contention_was_continued();
	contention_read("", &before);
	/* The rehearsal in this call is not part of the run: it takes as long as some hundred accesses. */
	classify_attach(&session->classify, &session->access);
	begin = ticks_stop(session->access.method);
	status->begin_ticks = begin;
	for (unsigned phase = 0; phase < plan->phase_count; phase++) {
		uint64_t end = UINT64_MAX;

		elapsed_ns += plan->phases[phase].duration_ns;
		if (plan->phases[phase].duration_ns)
			end = begin + timebase_from_ns(session->thread->job->timebase, elapsed_ns);
		run_phase(session, phase, begin, end);
		if (status->stop || (plan->options->accesses && status->accesses >= plan->options->accesses))
			break;
	}
	status->end_ticks = session->access.end_ticks;
	contention_read("", &after);
	contention_add(&status->contention, &before, &after);
	status->was_continued = !session->thread->number && contention_was_continued();
}

/* Called by one thread per process, while nothing is measured. */
static void examine_map(const struct mapping *mapping, struct control_status *status)
{
	if (mapping->request.kind == MAPPING_FILE) {
		status->file.resident_begin_pages = mapping_cached_pages(mapping);
		if (status->file.resident_begin_pages == FIELD_NO_COUNT || status->file.resident_before_pages == FIELD_NO_COUNT)
			status->file.resident_begin_pages = status->file.resident_before_pages = FIELD_NO_COUNT;
	}
	if (mapping->request.wants_thp)
		status->huge_bytes = mapping_huge_bytes(mapping);
}

static void store_results(struct session *session)
{
	struct control_status *status = &session->slot->status;
	struct classify_sums sums;
	uint64_t one = 1;

	classify_sum(&session->classify, &sums);
	status->kernel_minor = sums.kernel_minor;
	status->kernel_major = sums.kernel_major;
	status->inexact = (int64_t)sums.inexact;
	status->classified_minor = sums.classified_minor;
	status->classified_major = sums.classified_major;
	if (session->classify.split) {
		kernel_split_summarize(&session->split, &status->split);
		kernel_split_close(&session->split);
	}
	control_set_state(session->slot, THREAD_DONE);
	/* The counter cannot overflow, and if the coordinator has exited no process waits for it. */
	if (write(session->thread->job->control->done_fd, &one, sizeof(one)) < 0)
		return;
}

void *worker_thread_main(void *argument)
{
	struct worker_thread *thread = argument;
	const struct pmbench_plan *plan = thread->job->plan;
	const struct plan_thread *pin = &plan->thread[global_index(thread)];
	struct session session = {.thread = thread, .plan = plan,
		.slot = &thread->job->control->slots[global_index(thread)]};

	if (pin->is_pinned)
		pthread_setaffinity_np(pthread_self(), sizeof(pin->cpus), &pin->cpus);
	lock_leave_rseq();
	lock_prefault_stack();
	while (!__atomic_load_n(&thread->is_released, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &thread->is_released, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	prepare(&session);
	measure_draws(&session);
	control_set_state(session.slot, THREAD_READY);
	control_await(thread->job->control, CONTROL_WARM);
	if (plan->options->warmup != WARMUP_NONE)
		warm_up(&session);
	if (!thread->number)
		examine_map(thread->mapping, &session.slot->status);
	control_set_state(session.slot, THREAD_WARM);
	control_await(thread->job->control, CONTROL_RUN);
	run_phases(&session);
	store_results(&session);
	return NULL;
}
