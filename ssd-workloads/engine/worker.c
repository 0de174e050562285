/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ssd-workloads/engine/worker.h"

#include <errno.h>
#include <time.h>

#define NEVER UINT64_MAX
#define IDLE_NS 50000000u /* interval of checks of *stop with nothing outstanding */

static inline uint64_t worker_now(struct worker *worker)
{
	return worker->backend->now_ns(worker->state);
}

static uint64_t worker_cpu(struct worker *worker)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000ull + (uint64_t)used.tv_nsec + worker->backend->cpu_ns(worker->state);
}

static inline int worker_is_told(const struct worker *worker)
{
	return __atomic_load_n(worker->stop, __ATOMIC_RELAXED);
}

static void worker_fail(struct worker *worker, int error)
{
	if (!worker->error)
		worker->error = error;
	__atomic_store_n(worker->stop, 1, __ATOMIC_RELAXED);
}

void worker_reset(struct worker *worker)
{
	worker->window = worker->stream.blocks < ACK_LOG_WINDOW ? worker->stream.blocks : ACK_LOG_WINDOW;
	worker->first_sequence = worker->turn_sequence = worker->stream.sequence;
	worker->turn_ns = 0;
	worker->free_count = worker->depth;
	/* Low slots are used first: their data is in the caches. */
	for (unsigned i = 0; i < worker->depth; i++)
		worker->free[i] = worker->depth - 1 - i;
	worker->queued_count = worker->inflight = 0;
	for (unsigned i = 0; i < STRIPE_TARGETS; i++)
		worker->probes[i].is_examining = false;
	worker->is_unsynced = worker->is_syncing = false;
}

/* --- flushes --- */

static inline int worker_is_examining(const struct worker *worker)
{
	return worker->probes[0].is_examining || worker->probes[1].is_examining;
}

static inline uint64_t worker_examined(const struct worker *worker)
{
	return worker->probes[0].examined + worker->probes[1].examined;
}

static int worker_syncs(const struct worker *worker, unsigned target)
{
	if (worker->stripes < 2)
		return !target;
	return worker->has_whole_syncs || worker->stream.block % worker->stripes == target;
}

static int worker_probe_is_due(const struct worker *worker, uint64_t now_ns)
{
	if (worker_is_examining(worker))
		return 0;
	for (unsigned i = 0; i < STRIPE_TARGETS; i++) {
		if (flush_probe_is_due(&worker->probes[i], now_ns) && worker_syncs(worker, i))
			return 1;
	}
	return 0;
}

static void worker_probe_begin(struct worker *worker, uint64_t now_ns)
{
	for (unsigned i = 0; i < STRIPE_TARGETS; i++) {
		if (worker->probes[i].count && worker_syncs(worker, i))
			flush_probe_begin(&worker->probes[i], now_ns);
	}
}

static void worker_probe_end(struct worker *worker, int is_done)
{
	for (unsigned i = 0; i < STRIPE_TARGETS; i++) {
		if (worker->probes[i].is_examining)
			flush_probe_end(&worker->probes[i], is_done);
	}
}

/* --- when the next write may begin --- */

/* The next write begins a pass, and the last pass is not durable yet. */
static inline int worker_owes_sync(const struct worker *worker)
{
	return worker->is_unsynced && stream_is_at_pass(&worker->stream);
}

/* Starts a sync when the last write of a pass is completed, as a database does before it truncates its log. */
static void worker_sync(struct worker *worker, uint64_t now_ns)
{
	if (KEEP_LIKELY(!worker_owes_sync(worker)) || worker->is_syncing || worker->inflight || worker->queued_count)
		return;
	if (now_ns >= worker->until_ns || worker_is_told(worker))
		return;
	worker->is_syncing = true;
	if (worker->probes[0].count && !worker->has_commits) {
		worker_probe_begin(worker, now_ns);
		now_ns = worker_now(worker);
	}
	worker->sync = (struct record){.sequence = worker->stream.sequence - 1, .prep_ns = now_ns, .enter_ns = now_ns,
		.offset = worker->stream.begin, .batch = worker->batch, .stream = worker->stream_id, .worker = worker->worker_id,
		.pass = (uint16_t)(worker->stream.pass - 1),
		.inflight_other = (uint16_t)keep_read(&worker->other->inflight)};
	worker->backend->sync(worker->state);
}

/* Returns when the next write of a checkpoint with every_ns is due; 0 = now. A checkpoint that takes longer than every_ns is
 * followed by the next one at once. */
static uint64_t worker_turn(struct worker *worker, uint64_t now_ns)
{
	const struct stream *stream = &worker->stream;
	uint64_t share_ns = (uint64_t)((double)worker->spread_ns * (double)stream->block / (double)stream->blocks);

	/* A run may begin in the middle of a pass. */
	if (!worker->turn_ns)
		worker->turn_ns = now_ns - share_ns;
	else if (stream_is_at_pass(stream) && stream->sequence != worker->turn_sequence) {
		if (worker->inflight || worker->queued_count)
			return NEVER;
		if (now_ns < worker->turn_ns + worker->every_ns)
			return worker->turn_ns + worker->every_ns;
		if (now_ns >= worker->measure_ns)
			latency_add(&worker->counts->latencies[COUNTS_LATE], now_ns - worker->turn_ns - worker->every_ns, 1);
		worker->turn_ns = now_ns;
		worker->turn_sequence = stream->sequence;
	}
	return now_ns < worker->turn_ns + share_ns ? worker->turn_ns + share_ns : 0;
}

/* A pause follows when the last write of the pass is completed, or durable. */
static uint64_t worker_pause(struct worker *worker, uint64_t now_ns)
{
	if (KEEP_LIKELY(!(worker->pause_ns | worker->every_ns)))
		return 0;
	if (worker->every_ns)
		return worker_turn(worker, now_ns);
	if (!stream_is_at_pass(&worker->stream) || worker->stream.sequence == worker->first_sequence)
		return 0;
	if (worker->inflight || worker->queued_count)
		return NEVER;
	if (!worker->is_paused) {
		worker->is_paused = true;
		worker->resume_ns = (worker->ended_ns ? worker->ended_ns : now_ns) + worker->pause_ns;
	}
	return now_ns < worker->resume_ns ? worker->resume_ns : 0;
}

/* Returns when the next write may begin: 0 = now, NEVER = not before a completion. */
static uint64_t worker_when(struct worker *worker, uint64_t now_ns)
{
	uint64_t resume;

	if (!worker->free_count || worker->stream.sequence - worker->ack_log->floor >= worker->window)
		return NEVER;
	if (now_ns >= worker->until_ns || worker_is_told(worker) || worker_owes_sync(worker))
		return NEVER;
	resume = worker_pause(worker, now_ns);
	if (resume)
		return resume;
	return worker->pace.den && now_ns < worker->pace.due_ns ? worker->pace.due_ns : 0;
}

static inline void worker_pace_on(struct worker_pace *pace)
{
	pace->due_ns += pace->step_ns;
	pace->due_rest += pace->step_rest;
	if (pace->due_rest >= pace->den) {
		pace->due_rest -= pace->den;
		pace->due_ns++;
	}
}

static void worker_begin(struct worker *worker, uint64_t now_ns)
{
	uint32_t index = worker->free[--worker->free_count];
	struct worker_slot *slot = &worker->slots[index];
	struct record *record = &slot->record;

	record->sequence = worker->stream.sequence;
	record->prep_ns = now_ns;
	record->offset = stream_offset(&worker->stream);
	record->length = worker->stream.block_bytes;
	record->stream = worker->stream_id;
	record->worker = worker->worker_id;
	record->pass = (uint16_t)worker->stream.pass;
	slot->pass = worker->stream.pass;
	slot->due_ns = now_ns;
	if (worker->pace.den) {
		slot->due_ns = worker->pace.due_ns;
		worker_pace_on(&worker->pace);
	}
	if (worker->is_measuring && stream_is_at_pass(&worker->stream))
		worker->counts->passes++;
	worker->is_paused = false;
	worker->is_unsynced = worker->has_pass_syncs;
	if (worker->buffers)
		stamp_block(worker->buffers + (uint64_t)index * worker->slot_bytes, &worker->stamp, record->offset,
			record->sequence, slot->pass, now_ns);
	if (worker_is_examining(worker) && worker->probed == WORKER_NO_SLOT)
		worker->probed = index;
	worker->backend->queue(worker->state, index, record->offset, record->length);
	worker->queued[worker->queued_count++] = index;
	stream_advance(&worker->stream);
}

uint64_t worker_fill(struct worker *worker, uint64_t now_ns)
{
	uint64_t when;

	worker_sync(worker, now_ns);
	when = worker_when(worker, now_ns);
	if (KEEP_UNLIKELY(!when && worker->has_commits && worker_probe_is_due(worker, now_ns))) {
		worker_probe_begin(worker, now_ns);
		worker->probed = WORKER_NO_SLOT;
		/* The time of reading the counters belongs to no write. */
		now_ns = worker_now(worker);
		when = worker_when(worker, now_ns);
	}
	while (!when) {
		if (KEEP_UNLIKELY(!worker->is_measuring && now_ns >= worker->measure_ns)) {
			worker->is_measuring = true;
			/* The time of reading the CPU clocks belongs to no write. */
			worker->cpu_begin_ns = worker_cpu(worker);
			now_ns = worker->begun_ns = worker_now(worker);
		}
		worker_begin(worker, now_ns);
		when = worker_when(worker, now_ns);
		/* Each write has its own begin; if no write follows, the last reading of the clock is used. */
		if (!when) {
			now_ns = worker_now(worker);
			when = worker_when(worker, now_ns);
		}
	}
	return when;
}

/* --- submitting --- */

static void worker_mark(struct worker *worker, uint64_t now_ns)
{
	unsigned count = worker->queued_count;
	uint64_t own = __atomic_fetch_add(&worker->own->inflight, count, __ATOMIC_RELAXED);
	uint64_t other = keep_read(&worker->other->inflight);

	worker->batch++;
	for (unsigned i = 0; i < count; i++) {
		struct record *record = &worker->slots[worker->queued[i]].record;

		record->enter_ns = now_ns;
		record->batch = worker->batch;
		record->inflight_own = (uint16_t)(own + count);
		record->inflight_other = (uint16_t)other;
	}
	worker->inflight += count;
	if (worker->is_measuring)
		worker->counts->batches++;
}

static void worker_mark_end(struct worker *worker, uint64_t entered_ns)
{
	uint32_t cut = entered_ns < UINT32_MAX ? (uint32_t)entered_ns : UINT32_MAX;

	for (unsigned i = 0; i < worker->queued_count; i++)
		worker->slots[worker->queued[i]].record.entered_ns = cut;
	worker->queued_count = 0;
}

static void worker_break(struct worker *worker, int error)
{
	worker->is_broken = true;
	worker_fail(worker, error);
}

void worker_submit(struct worker *worker, uint64_t now_ns)
{
	int rc;

	if (worker->queued_count)
		worker_mark(worker, now_ns);
	rc = worker->backend->enter(worker->state, 0, now_ns);
	worker_mark_end(worker, 0);
	if (KEEP_UNLIKELY(rc))
		worker_break(worker, rc);
}

/* Submits, and waits for a completion or until `when`. Returns the time. */
static uint64_t worker_enter(struct worker *worker, uint64_t now_ns, uint64_t when)
{
	uint64_t end_ns;
	int rc;

	if (worker->queued_count) {
		now_ns = worker_now(worker);
		worker_mark(worker, now_ns);
	}
	if (!worker->inflight && !worker->is_syncing && when > now_ns + IDLE_NS)
		when = now_ns + IDLE_NS;
	rc = worker->backend->enter(worker->state, 1, when == NEVER ? BACKEND_NO_LIMIT : when);
	end_ns = worker_now(worker);
	worker_mark_end(worker, end_ns - now_ns);
	if (KEEP_UNLIKELY(rc))
		worker_break(worker, rc);
	return end_ns;
}

/* --- completions --- */

static void worker_count_error(struct worker *worker, int error)
{
	counts_add_error(worker->counts->errors, error, 1);
	worker->counts->failed++;
}

static void worker_count(struct worker *worker, const struct worker_slot *slot)
{
	const struct record *record = &slot->record;
	struct counts *counts = worker->counts;
	uint64_t response = record->reap_ns - slot->due_ns;

	counts->operations++;
	counts->bytes += record->length;
	counts->sum_inflight += record->inflight_own;
	latency_add(&counts->latencies[COUNTS_RESPONSE], response, 1);
	latency_add(&counts->latencies[COUNTS_SERVICE], record->reap_ns - record->enter_ns, 1);
	counts_row_add(counts, record->reap_ns, response, record->length, record->inflight_own);
}

static void worker_written(struct worker *worker, struct worker_slot *slot, int32_t result, uint64_t now_ns)
{
	struct record *record = &slot->record;

	record->reap_ns = now_ns;
	record->result = result;
	if (KEEP_UNLIKELY(result != (int32_t)record->length)) {
		if (result >= 0)
			worker->counts->short_writes++;
		else
			worker_count_error(worker, -result);
		worker_fail(worker, result < 0 ? result : -EIO);
	} else if (worker->is_measuring && record->prep_ns >= worker->begun_ns) {
		worker_count(worker, slot);
	}
	if (worker->is_measuring && record->prep_ns >= worker->begun_ns)
		ring_add(worker->ring, record, slot->due_ns);
}

/* The record of a sync follows that of its write. */
static void worker_record_sync(struct worker *worker, struct record *record, int32_t result, uint64_t now_ns)
{
	record->reap_ns = now_ns;
	record->result = result;
	ring_add(worker->ring, record, record->prep_ns);
}

/* Turns the record of a write into that of its sync, which begins when the write's completion is detected. */
static void worker_write_synced(struct worker *worker, struct record *record, int32_t result, uint64_t now_ns)
{
	if (!worker->is_measuring || record->prep_ns < worker->begun_ns)
		return;
	record->prep_ns = record->enter_ns = record->reap_ns;
	record->entered_ns = record->length = 0;
	worker_record_sync(worker, record, result, now_ns);
}

static void worker_committed(struct worker *worker, const struct worker_slot *slot, uint64_t now_ns)
{
	struct latency *latency = &worker->counts->latencies[COUNTS_COMMIT];
	uint64_t ns = now_ns - slot->due_ns;

	if (!worker->is_measuring || slot->record.prep_ns < worker->begun_ns)
		return;
	if (!worker->pace.den) {
		latency_add(latency, ns, worker->pace.commits);
		return;
	}
	for (unsigned i = 0; i < worker->pace.commits; i++, ns += worker->pace.commit_gap_ns)
		latency_add(latency, ns, 1);
}

static void worker_synced(struct worker *worker, int32_t result, uint64_t now_ns)
{
	worker->is_unsynced = worker->is_syncing = false;
	worker->ended_ns = now_ns;
	worker_probe_end(worker, result >= 0);
	if (KEEP_UNLIKELY(result < 0)) {
		worker_count_error(worker, -result);
		worker_fail(worker, result);
	} else if (worker->is_measuring && worker->sync.prep_ns >= worker->begun_ns) {
		latency_add(&worker->counts->latencies[COUNTS_SYNC], now_ns - worker->sync.prep_ns, 1);
	}
	if (worker->is_measuring && worker->sync.prep_ns >= worker->begun_ns)
		worker_record_sync(worker, &worker->sync, result, now_ns);
}

void worker_take(struct worker *worker, const struct backend_completion *done, uint64_t now_ns)
{
	struct worker_slot *slot;
	bool is_written;

	if (KEEP_UNLIKELY(done->what == BACKEND_SYNCED)) {
		worker_synced(worker, done->result, now_ns);
		return;
	}
	slot = &worker->slots[done->slot];
	if (done->what & BACKEND_WRITTEN)
		worker_written(worker, slot, done->result, now_ns);
	if (!(done->what & BACKEND_DURABLE))
		return;
	is_written = slot->record.result == (int32_t)slot->record.length;
	if (KEEP_UNLIKELY(worker_is_examining(worker) && worker->probed == done->slot))
		worker_probe_end(worker, is_written && done->result >= 0);
	/* A sync that is cancelled after its failed write is not another error. */
	if (KEEP_UNLIKELY(done->what == BACKEND_DURABLE && done->result < 0)) {
		if (is_written || done->result != -ECANCELED)
			worker_count_error(worker, -done->result);
		worker_fail(worker, done->result);
	} else if (KEEP_LIKELY(is_written)) {
		if (worker->has_commits)
			worker_committed(worker, slot, now_ns);
		ack_log_acknowledge(worker->ack_log, slot->record.sequence);
	}
	if (done->what == BACKEND_DURABLE && is_written)
		worker_write_synced(worker, &slot->record, done->result, now_ns);
	worker->free[worker->free_count++] = done->slot;
	worker->inflight--;
	__atomic_fetch_sub(&worker->own->inflight, 1, __ATOMIC_RELAXED);
	worker->ended_ns = now_ns;
}

static void worker_reap(struct worker *worker, uint64_t now_ns)
{
	unsigned count;

	do {
		count = worker->backend->reap(worker->state, worker->done, WORKER_REAP);
		for (unsigned i = 0; i < count; i++)
			worker_take(worker, &worker->done[i], now_ns);
	} while (count == WORKER_REAP);
}

static int worker_is_over(const struct worker *worker, uint64_t now_ns)
{
	if (worker->is_broken)
		return 1;
	if (worker->inflight || worker->queued_count || worker->is_syncing)
		return 0;
	return now_ns >= worker->until_ns || worker_is_told(worker);
}

void worker_run(struct worker *worker)
{
	uint64_t now_ns = worker_now(worker), when, examined;

	for (;;) {
		when = worker_fill(worker, now_ns);
		if (worker_is_over(worker, now_ns))
			break;
		/* No write begins after the end, so there is nothing to wait for. */
		if (!worker->inflight && !worker->queued_count && !worker->is_syncing && when > worker->until_ns)
			when = worker->until_ns;
		now_ns = worker_enter(worker, now_ns, when);
		examined = worker_examined(worker);
		worker_reap(worker, now_ns);
		if (KEEP_UNLIKELY(worker_examined(worker) != examined))
			now_ns = worker_now(worker);
	}
	worker->cpu_whole_ns = worker_cpu(worker);
	/* The sum can shrink if backend threads have ended meanwhile. */
	if (worker->is_measuring && worker->cpu_whole_ns > worker->cpu_begin_ns)
		worker->cpu_ns = worker->cpu_whole_ns - worker->cpu_begin_ns;
}
