/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/engine/crew.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/clock.h"
#include "common/diag.h"
#include "common/units.h"
#include "ssd-workloads/data/block.h"

#define HUGE_BYTES (2u << 20)
#define HUGE_LEAST (HUGE_BYTES / 16) /* of buffers that are worth a huge page */

/* --- one worker --- */

static uint64_t row_count(const struct engine_setup *setup)
{
	uint64_t count;

	if (!setup->interval_ns)
		return 0;
	/* One more for what is completed after the end. */
	count = (setup->runtime_ns + setup->interval_ns - 1) / setup->interval_ns;
	return (count < ENGINE_ROWS_MAX ? count : ENGINE_ROWS_MAX) + 1;
}

/* In huge pages where they can be had: the kernel takes apart what it writes page by page, and so does the device's driver.
 * A mapping begins at a page: no device wants more of memory. */
static char *map_buffers(struct crew_member *member, size_t bytes)
{
	bool is_huge = bytes >= HUGE_LEAST;
	size_t whole = is_huge ? (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES + HUGE_BYTES : bytes;
	char *memory = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *buffers;

	if (memory == MAP_FAILED)
		return NULL;
	member->mapping = memory;
	member->mapping_bytes = whole;
	if (!is_huge)
		return memory;
	buffers = memory + (HUGE_BYTES - (uintptr_t)memory % HUGE_BYTES) % HUGE_BYTES;
	(void)madvise(buffers, whole - HUGE_BYTES, MADV_HUGEPAGE);
	return buffers;
}

static int make_room(struct crew_member *member, const struct engine_setup *setup)
{
	struct worker *worker = &member->worker;
	unsigned depth = worker->depth;

	worker->slots = calloc(depth, sizeof(*worker->slots));
	worker->free = calloc(depth, sizeof(*worker->free));
	worker->queued = calloc(depth, sizeof(*worker->queued));
	worker->tally = total_new(row_count(setup));
	if (!setup->witness)
		worker->witness = member->private_witness = calloc(1, sizeof(*member->private_witness));
	worker->buffers = map_buffers(member, (size_t)depth * worker->slot_bytes);
	return worker->slots && worker->free && worker->queued && worker->tally && worker->witness && worker->buffers
		       ? 0
		       : -ENOMEM;
}

static void set_pace(const struct engine_setup *setup, const struct workload_stream *stream, struct crew_member *member)
{
	struct worker_pace *pace = &member->worker.pace;

	if (member->worker.stream_id != MIX_LOG)
		return;
	/* What is never known to be durable has no commits. */
	member->worker.has_commits = setup->durability != BACKEND_NONE;
	pace->commits = setup->group_commit;
	if (!setup->rate)
		return;
	member->period_num = UNITS_NS_PER_SEC * setup->group_commit * stream->workers;
	pace->den = setup->rate;
	pace->step_ns = member->period_num / pace->den;
	pace->step_rest = member->period_num % pace->den;
	pace->commit_gap_ns = UNITS_NS_PER_SEC / setup->rate;
}

/* Worker w of W writes every W-th block of commits: its first is due when the last commit of block w has arrived. */
static void set_due(struct crew_member *member, uint64_t start_ns)
{
	struct worker_pace *pace = &member->worker.pace;
	uint64_t first;

	if (!pace->den)
		return;
	first = ((member->worker.worker_id + 1ull) * pace->commits - 1) * UNITS_NS_PER_SEC;
	pace->due_ns = start_ns + first / pace->den;
	pace->due_rest = first % pace->den;
	member->first_due_ns = pace->due_ns;
}

static int open_backend(struct crew_member *member, const struct engine_setup *setup)
{
	const struct place *place = setup->places[member->worker.stream_id];
	bool is_buffered = setup->is_buffered && member->worker.stream_id == MIX_CHECKPOINT;
	const struct backend_setup backend = {
		.fd = is_buffered ? place->target.fd : place->direct_fd,
		.hint_bytes = is_buffered ? setup->hint_bytes : 0,
		.slots = member->worker.depth,
		.buffers = member->worker.buffers,
		.slot_bytes = member->worker.slot_bytes,
		.durability = member->worker.stream_id == MIX_LOG ? setup->durability : BACKEND_NONE,
		.has_syncs = member->worker.has_pass_syncs,
		.is_sqpoll = setup->is_sqpoll,
		.is_iopoll = setup->is_iopoll,
	};
	const char *why = "";
	int rc = setup->backend->open(&backend, &member->state, &why);

	if (rc)
		diag_error(rc, "%s: %s", setup->backend->name, why);
	member->worker.state = member->state;
	return rc ? -ECANCELED : 0;
}

static void place_worker(struct crew *crew, enum mix_stream which, unsigned index, struct crew_member *member)
{
	const struct engine_setup *setup = crew->setup;
	const struct layout_area *area = &setup->layout->areas[which];
	const struct workload_stream *stream = &setup->workload->streams[which];
	unsigned before = which == MIX_CHECKPOINT ? setup->layout->areas[MIX_LOG].workers : 0;
	uint64_t begin, blocks;

	layout_part(area, index, &begin, &blocks);
	member->worker = (struct worker){
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
		.stop = &crew->stop,
		.own = &crew->shared[which],
		.other = &crew->shared[which == MIX_LOG ? MIX_CHECKPOINT : MIX_LOG],
		.ring = &member->ring,
		.witness = setup->witness ? witness_worker(setup->witness, before + index) : NULL,
	};
	stream_init(&member->worker.stream, begin, blocks, area->block_bytes);
	set_pace(setup, stream, member);
}

/* Goes on where the last run of this process ended. */
static void take_position(const struct engine_setup *setup, struct crew_member *member)
{
	struct worker *worker = &member->worker;
	uint64_t next = setup->position->next[worker->stream_id][worker->worker_id];

	worker->stream.sequence = member->first_sequence = next;
	worker->stream.block = next % worker->stream.blocks;
	worker->stream.pass = next / worker->stream.blocks;
	if (worker->witness->floor < next)
		witness_start(worker->witness, next);
}

static int open_member(struct crew *crew, enum mix_stream which, unsigned index, bool has_records)
{
	struct crew_member *member = &crew->members[crew->count++];
	int rc;

	place_worker(crew, which, index, member);
	if (crew->setup->is_random && which == MIX_CHECKPOINT) {
		member->order = layout_order(crew->setup->run, index, member->worker.stream.blocks, false);
		if (!member->order)
			return -ENOMEM;
		member->worker.stream.order = member->order;
	}
	rc = make_room(member, crew->setup);
	if (!rc)
		rc = ring_open(&member->ring, &crew->control, has_records ? crew->setup->record_capacity[which] : 0);
	if (rc)
		return rc;
	for (unsigned i = 0; i < member->worker.depth; i++)
		block_fill(member->worker.buffers + (size_t)i * member->worker.slot_bytes, &member->worker.stamp);
	take_position(crew->setup, member);
	worker_reset(&member->worker);
	return open_backend(member, crew->setup);
}

static void close_member(struct crew_member *member)
{
	struct worker *worker = &member->worker;

	if (member->state)
		worker->backend->close(member->state);
	ring_close(&member->ring);
	if (member->mapping)
		munmap(member->mapping, member->mapping_bytes);
	total_free(worker->tally);
	free(member->order);
	free(member->private_witness);
	free(worker->slots);
	free(worker->free);
	free(worker->queued);
}

/* --- all --- */

int crew_open(const struct engine_setup *setup, bool has_records, struct crew *crew)
{
	size_t count = setup->workload->streams[MIX_LOG].workers + setup->workload->streams[MIX_CHECKPOINT].workers;
	int rc = 0;

	*crew = (struct crew){.setup = setup, .control = {.freeze = setup->freeze, .post = setup->post}};
	crew->members = calloc(count, sizeof(*crew->members));
	if (!crew->members)
		rc = -ENOMEM;
	for (int which = 0; which < MIX_STREAMS && !rc; which++) {
		for (unsigned i = 0; i < setup->workload->streams[which].workers && !rc; i++)
			rc = open_member(crew, (enum mix_stream)which, i, has_records);
	}
	if (!rc)
		return DIAG_EXIT_OK;
	if (rc != -ECANCELED)
		diag_error(rc, "cannot begin to write: less --records needs less memory");
	crew_close(crew);
	return DIAG_EXIT_HOST;
}

static void *member_main(void *argument)
{
	struct crew_member *member = argument;
	struct contention begin, end;
	int rc = member->worker.backend->attach(member->state);

	if (rc) {
		member->worker.error = rc;
		__atomic_store_n(member->worker.stop, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	clock_sleep_until(member->start_ns);
	contention_read("", &begin);
	worker_run(&member->worker);
	contention_read("", &end);
	contention_add(&member->contention, &begin, &end);
	if (!member->worker.is_broken)
		member->worker.backend->detach(member->state);
	return NULL;
}

static int start_member(struct crew_member *member, const struct crew_times *times, uint64_t interval_ns)
{
	struct tally *tally = member->worker.tally;
	int rc;

	member->start_ns = times->start_ns;
	member->worker.measure_ns = times->measure_ns;
	member->worker.until_ns = times->until_ns;
	tally->begin_ns = times->measure_ns;
	tally->interval_ns = interval_ns;
	tally->row_end_ns = times->measure_ns + interval_ns;
	set_due(member, times->start_ns);
	rc = pthread_create(&member->thread, NULL, member_main, member);
	member->is_started = !rc;
	return -rc;
}

int crew_start(struct crew *crew, const struct crew_times *times)
{
	sigset_t all, before;
	int rc = 0;

	crew->control.begin_ns = times->measure_ns;
	/* Signals are the main thread's: no worker is woken by one. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (size_t i = 0; i < crew->count && !rc; i++)
		rc = start_member(&crew->members[i], times, crew->setup->interval_ns);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "cannot start so many threads");
	crew_stop(crew);
	crew_join(crew);
	return DIAG_EXIT_HOST;
}

void crew_stop(struct crew *crew)
{
	__atomic_store_n(&crew->stop, 1, __ATOMIC_RELAXED);
}

bool crew_is_stopped(const struct crew *crew)
{
	return __atomic_load_n(&crew->stop, __ATOMIC_RELAXED);
}

static void keep_position(const struct worker *worker, struct engine_position *position)
{
	position->next[worker->stream_id][worker->worker_id] = worker->stream.sequence;
	position->acknowledged[worker->stream_id][worker->worker_id] = worker->witness->floor;
}

void crew_join(struct crew *crew)
{
	for (size_t i = 0; i < crew->count; i++) {
		struct crew_member *member = &crew->members[i];

		if (!member->is_started)
			continue;
		pthread_join(member->thread, NULL);
		member->is_started = false;
		keep_position(&member->worker, crew->setup->position);
	}
}

void crew_close(struct crew *crew)
{
	for (size_t i = 0; crew->members && i < crew->count; i++)
		close_member(&crew->members[i]);
	free(crew->members);
	crew->members = NULL;
	crew->count = 0;
}
