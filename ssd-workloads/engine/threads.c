/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/engine/threads.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/base/clock.h"
#include "common/base/diag.h"
#include "common/base/units.h"
#include "ssd-workloads/workload/block.h"

#define HUGE_BYTES (2u << 20)
#define HUGE_LEAST (HUGE_BYTES / 16) /* buffers from this size use huge pages */

/* --- one worker --- */

/* Maps buffers, in huge pages if available: kernel and driver split writes at pages. Page alignment suffices for every device. */
static char *map_buffers(struct engine_thread *thread, size_t bytes)
{
	bool is_huge = bytes >= HUGE_LEAST;
	size_t whole = is_huge ? (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES + HUGE_BYTES : bytes;
	char *memory = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *buffers;

	if (memory == MAP_FAILED)
		return NULL;
	thread->mapping = memory;
	thread->mapping_bytes = whole;
	if (!is_huge)
		return memory;
	buffers = memory + (HUGE_BYTES - (uintptr_t)memory % HUGE_BYTES) % HUGE_BYTES;
	(void)madvise(buffers, whole - HUGE_BYTES, MADV_HUGEPAGE);
	return buffers;
}

void engine_backend_setup(const struct engine_setup *setup, enum mix_stream which, unsigned worker, char *buffers,
	struct backend_setup *backend)
{
	const struct workload_stream *stream = &setup->workload->streams[which];
	bool is_buffered = setup->is_buffered && which == MIX_CHECKPOINT;
	size_t target = layout_target(setup->layout, setup->place_count, which);
	const struct place *place = setup->device ? NULL : &setup->places[target];

	*backend = (struct backend_setup){
		.simulated = setup->link,
		.target = (unsigned)target,
		.fd = !place ? -1 : is_buffered ? place->target.fd : place->direct_fd,
		.hint_bytes = is_buffered ? setup->hint_bytes : 0,
		.slots = workload_depth(stream, worker),
		.buffers = buffers,
		.slot_bytes = stream->block_bytes,
		.durability = which == MIX_LOG ? setup->durability : BACKEND_NONE,
		.has_syncs = which == MIX_CHECKPOINT && setup->has_pass_syncs,
		.is_sqpoll = setup->is_sqpoll,
		.is_iopoll = setup->is_iopoll,
	};
	if (setup->layout->areas[which].stripes < 2)
		return;
	backend->stripe = layout_stripe(&setup->layout->areas[which]);
	backend->second_fd = place ? place[1].direct_fd : -1;
}

static void set_up_worker(struct engine_threads *threads, enum mix_stream which, unsigned index, struct engine_thread *thread)
{
	const struct engine_setup *setup = threads->setup;
	const struct layout_area *area = &setup->layout->areas[which];
	const struct workload_stream *stream = &setup->workload->streams[which];
	unsigned before = which == MIX_CHECKPOINT ? setup->layout->areas[MIX_LOG].workers : 0;
	struct worker *worker = &thread->worker;
	uint64_t begin, blocks;

	layout_part(area, index, &begin, &blocks);
	*worker = (struct worker){
		.backend = setup->backend,
		.stamp = {setup->run, (uint8_t)which, (uint8_t)index, area->block_bytes},
		.depth = workload_depth(stream, index),
		.stream_id = (uint8_t)which,
		.worker_id = (uint8_t)index,
		.slot_bytes = area->block_bytes,
		.pause_ns = stream->pause_ns,
		.every_ns = stream->every_ns,
		.spread_ns = (uint64_t)(stream->completion * (double)stream->every_ns),
		.has_pass_syncs = which == MIX_CHECKPOINT && setup->has_pass_syncs,
		.stripes = area->stripes,
		.has_whole_syncs = setup->durability == BACKEND_FDATASYNC,
		.stop = &threads->stop,
		.own = &threads->shared[which],
		.other = &threads->shared[which == MIX_LOG ? MIX_CHECKPOINT : MIX_LOG],
		.ring = &thread->ring,
		.ack_log = setup->ack_log ? ack_log_worker(setup->ack_log, before + index) : NULL,
	};
	for (unsigned i = 0; i < STRIPE_TARGETS; i++) {
		if (!setup->flushes[which][i])
			continue;
		worker->probes[i].count = durability_counter_read;
		worker->probes[i].state = setup->flushes[which][i];
	}
	stream_init(&worker->stream, begin, blocks, area->block_bytes);
	if (which != MIX_LOG)
		return;
	/* A log without durability has no commits. */
	worker->has_commits = setup->durability != BACKEND_NONE;
	worker->pace.commits = setup->group_commit;
	if (!setup->rate)
		return;
	thread->period_num = UNITS_NS_PER_SEC * setup->group_commit * stream->workers;
	worker->pace.den = setup->rate;
	worker->pace.step_ns = thread->period_num / setup->rate;
	worker->pace.step_rest = thread->period_num % setup->rate;
	worker->pace.commit_gap_ns = UNITS_NS_PER_SEC / setup->rate;
}

/* Draws the order of the first pass. */
static uint32_t *draw_order(const struct engine_setup *setup, unsigned index, struct engine_thread *thread)
{
	uint64_t blocks = thread->worker.stream.blocks;
	uint32_t *order = blocks <= LAYOUT_ORDER_MAX ? malloc(blocks * sizeof(*order)) : NULL;

	thread->pattern = malloc(sizeof(*thread->pattern));
	if (!order || !thread->pattern) {
		free(order);
		return NULL;
	}
	pattern_init(thread->pattern, setup->pattern, blocks, setup->seed, 2 + index);
	for (uint64_t i = 0; i < blocks; i++)
		order[i] = (uint32_t)thread->pattern->next(thread->pattern);
	return order;
}

void engine_thread_redraw(struct engine_thread *thread, uint64_t sequence)
{
	if (thread->pattern)
		thread->order[sequence % thread->worker.stream.blocks] = (uint32_t)thread->pattern->next(thread->pattern);
}

static int open_thread(struct engine_threads *threads, enum mix_stream which, unsigned index, bool has_records)
{
	const struct engine_setup *setup = threads->setup;
	struct engine_thread *thread = &threads->list[threads->count++];
	struct worker *worker = &thread->worker;
	uint64_t next = setup->position->next[which][index];
	struct backend_setup backend;
	const char *why = "";
	uint64_t rows = 0;
	int rc;

	/* The additional row counts completions after the end. */
	if (setup->interval_ns) {
		rows = (setup->runtime_ns + setup->interval_ns - 1) / setup->interval_ns;
		rows = (rows < ENGINE_ROWS_MAX ? rows : ENGINE_ROWS_MAX) + 1;
	}
	set_up_worker(threads, which, index, thread);
	if ((setup->is_random || setup->pattern) && which == MIX_CHECKPOINT) {
		thread->order = setup->pattern ? draw_order(setup, index, thread)
					       : layout_order(setup->run, index, worker->stream.blocks, false);
		worker->stream.order = thread->order;
		if (!thread->order)
			return -ENOMEM;
	}
	worker->slots = calloc(worker->depth, sizeof(*worker->slots));
	worker->free = calloc(worker->depth, sizeof(*worker->free));
	worker->queued = calloc(worker->depth, sizeof(*worker->queued));
	worker->counts = counts_new(rows);
	if (!setup->ack_log)
		worker->ack_log = thread->private_ack_log = calloc(1, sizeof(*thread->private_ack_log));
	if (!setup->device)
		worker->buffers = map_buffers(thread, (size_t)worker->depth * worker->slot_bytes);
	if (!worker->slots || !worker->free || !worker->queued || !worker->counts || !worker->ack_log ||
		(!worker->buffers && !setup->device))
		return -ENOMEM;
	rc = ring_open(&thread->ring, &threads->control, has_records ? setup->record_capacity[which] : 0);
	if (rc)
		return rc;
	/* Page faults take no virtual time. */
	if (!setup->device)
		ring_prefault(&thread->ring);
	for (unsigned i = 0; i < worker->depth && worker->buffers; i++)
		block_fill(worker->buffers + (size_t)i * worker->slot_bytes, &worker->stamp);
	/* The sequence continues where the last run of this process ended. */
	worker->stream.sequence = thread->first_sequence = next;
	worker->stream.block = next % worker->stream.blocks;
	worker->stream.pass = next / worker->stream.blocks;
	if (worker->ack_log->floor < next)
		ack_log_start(worker->ack_log, next);
	worker_reset(worker);
	engine_backend_setup(setup, which, index, worker->buffers, &backend);
	rc = setup->backend->open(&backend, &thread->state, &why);
	if (rc)
		diag_error(rc, "%s: %s", setup->backend->name, why);
	worker->state = thread->state;
	return rc ? -ECANCELED : 0;
}

/* --- all workers --- */

int engine_threads_open(const struct engine_setup *setup, bool has_records, struct engine_threads *threads)
{
	size_t count = setup->workload->streams[MIX_LOG].workers + setup->workload->streams[MIX_CHECKPOINT].workers;
	int rc = 0;

	*threads = (struct engine_threads){.setup = setup, .control = {.freeze = setup->freeze, .post = setup->post}};
	threads->list = calloc(count, sizeof(*threads->list));
	if (!threads->list)
		rc = -ENOMEM;
	for (int which = 0; which < MIX_STREAMS && !rc; which++) {
		for (unsigned i = 0; i < setup->workload->streams[which].workers && !rc; i++)
			rc = open_thread(threads, (enum mix_stream)which, i, has_records);
	}
	if (!rc)
		return DIAG_EXIT_OK;
	if (rc != -ECANCELED)
		diag_error(rc, "cannot start writing: a smaller --records needs less memory");
	engine_threads_close(threads);
	return DIAG_EXIT_HOST;
}

static void *thread_main(void *argument)
{
	struct engine_thread *thread = argument;
	struct contention begin, end;
	int rc = thread->worker.backend->attach(thread->state);

	if (rc) {
		thread->worker.error = rc;
		__atomic_store_n(thread->worker.stop, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	clock_sleep_until(thread->start_ns);
	contention_read("", &begin);
	worker_run(&thread->worker);
	contention_read("", &end);
	contention_add(&thread->contention, &begin, &end);
	if (!thread->worker.is_broken)
		thread->worker.backend->detach(thread->state);
	return NULL;
}

void engine_threads_set_times(struct engine_threads *threads, const struct engine_times *times)
{
	threads->control.begin_ns = times->measure_ns;
	for (size_t i = 0; i < threads->count; i++) {
		struct engine_thread *thread = &threads->list[i];
		struct counts *counts = thread->worker.counts;

		thread->start_ns = times->start_ns;
		thread->worker.measure_ns = times->measure_ns;
		thread->worker.until_ns = times->until_ns;
		counts->begin_ns = times->measure_ns;
		counts->interval_ns = threads->setup->interval_ns;
		counts->row_end_ns = times->measure_ns + counts->interval_ns;
	}
}

/* Worker w of W writes blocks w, w + W, ... of the commits; its first write is due when the last commit of block w arrives. */
void engine_threads_set_due(struct engine_threads *threads, uint64_t start_ns)
{
	for (size_t i = 0; i < threads->count; i++) {
		struct engine_thread *thread = &threads->list[i];
		struct worker_pace *pace = &thread->worker.pace;
		uint64_t first = ((thread->worker.worker_id + 1ull) * pace->commits - 1) * UNITS_NS_PER_SEC;

		if (!pace->den)
			continue;
		pace->due_ns = start_ns + first / pace->den;
		pace->due_rest = first % pace->den;
		thread->first_due_ns = pace->due_ns;
		thread->first_sequence = thread->worker.stream.sequence;
	}
}

int engine_threads_start(struct engine_threads *threads, const struct engine_times *times)
{
	sigset_t all, before;
	int rc = 0;

	engine_threads_set_times(threads, times);
	engine_threads_set_due(threads, times->start_ns);
	/* Only the main thread receives signals, so that they wake no worker. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (size_t i = 0; i < threads->count && !rc; i++) {
		struct engine_thread *thread = &threads->list[i];

		rc = pthread_create(&thread->handle, NULL, thread_main, thread);
		thread->is_started = !rc;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "cannot create %zu threads", threads->count);
	engine_threads_stop(threads);
	engine_threads_join(threads);
	return DIAG_EXIT_HOST;
}

void engine_threads_stop(struct engine_threads *threads)
{
	__atomic_store_n(&threads->stop, 1, __ATOMIC_RELAXED);
}

bool engine_threads_is_stopped(const struct engine_threads *threads)
{
	return __atomic_load_n(&threads->stop, __ATOMIC_RELAXED);
}

void engine_threads_join(struct engine_threads *threads)
{
	struct engine_position *position = threads->setup->position;

	for (size_t i = 0; i < threads->count; i++) {
		struct engine_thread *thread = &threads->list[i];
		const struct worker *worker = &thread->worker;

		if (!thread->is_started)
			continue;
		pthread_join(thread->handle, NULL);
		thread->is_started = false;
		position->next[worker->stream_id][worker->worker_id] = worker->stream.sequence;
		position->acknowledged[worker->stream_id][worker->worker_id] = worker->ack_log->floor;
	}
}

void engine_threads_close(struct engine_threads *threads)
{
	for (size_t i = 0; threads->list && i < threads->count; i++) {
		struct engine_thread *thread = &threads->list[i];
		struct worker *worker = &thread->worker;

		if (thread->state)
			worker->backend->close(thread->state);
		ring_close(&thread->ring);
		if (thread->mapping)
			munmap(thread->mapping, thread->mapping_bytes);
		counts_free(worker->counts);
		free(thread->order);
		free(thread->pattern);
		free(thread->private_ack_log);
		free(worker->slots);
		free(worker->free);
		free(worker->queued);
	}
	free(threads->list);
	threads->list = NULL;
	threads->count = 0;
}
