/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The AUX areas of a recorder: pieces with packets of ARM's SPE, each announced by a record of its ring. */
#include "config.h"
#include "memtrace/perf/aux.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "memtrace/perf/spe.h"

struct aux_piece { /* PERF_RECORD_AUX without its header */
	uint64_t offset, bytes, flags; /* offset: since the beginning, not within the area */
	uint32_t pid, tid;
	uint64_t time_ns;
};

/* Converts ticks of the generic timer with the factors in the ring's first page. 0 = the kernel provides none. */
static uint64_t to_perf_ns(const struct perf_event_mmap_page *page, uint64_t ticks)
{
	uint64_t quotient, rest;

	if (!ticks || !page->cap_user_time_zero || page->time_shift > 63)
		return 0;
	/* With a narrow counter the factors are valid near time_cycles only. */
	if (page->cap_user_time_short)
		ticks = page->time_cycles + ((ticks - page->time_cycles) & page->time_mask);
	quotient = ticks >> page->time_shift;
	rest = ticks & ((1ull << page->time_shift) - 1);
	return page->time_zero + quotient * page->time_mult + ((rest * page->time_mult) >> page->time_shift);
}

static int take_spe(struct recorder *recorder, const struct cpu_ring *ring, const struct spe_record *record,
	const struct aux_piece *piece, struct trace_writer *writer)
{
	const struct engine_choice *choice = recorder->request.choice;
	uint64_t time_ns = to_perf_ns(ring->ring.map, record->timestamp);
	/* A piece of a whole CPU has several threads: for root the kernel writes their ids to CONTEXTIDR
	 * (CONFIG_PID_IN_CONTEXTIDR). */
	uint32_t tid = recorder->request.target == RECORDER_SYSTEM ? record->context : piece->tid;
	const struct trace_sample sample = {.time_ns = time_ns ? time_ns : piece->time_ns, .address = record->address,
		.ip = record->pc, .tid = tid, .cpu = (uint16_t)(ring - recorder->rings), .node = UINT8_MAX,
		.weight = record->latency,
		.kind = record->is_load && record->is_store ? TRACE_UPDATE : record->is_load ? TRACE_LOAD : TRACE_STORE};
	enum trace_loss loss = TRACE_LOSSES;

	if (!record->is_load && !record->is_store)
		loss = TRACE_NOT_MEMORY;
	else if (record->is_kernel ? !choice->sees_kernel : !choice->sees_user)
		loss = TRACE_PRIVILEGE;
	else if (!record->address)
		loss = TRACE_NO_ADDRESS;
	else if (!tid)
		loss = TRACE_NO_THREAD;
	if (loss == TRACE_LOSSES)
		return trace_write_sample(writer, &sample);
	recorder->losses[loss]++;
	return 0;
}

/* The piece may wrap at the end of the area. */
static void copy_piece(const struct perf_aux *aux, const struct aux_piece *piece, uint8_t *to)
{
	uint64_t at = piece->offset & (aux->bytes - 1), first = aux->bytes - at < piece->bytes ? aux->bytes - at : piece->bytes;

	memcpy(to, aux->area + at, first);
	memcpy(to + first, aux->area, piece->bytes - first);
}

/* Enables the event again, which the kernel stops after data was lost. */
static int restart(const struct recorder *recorder, const struct cpu_ring *ring)
{
	for (size_t i = 0; i < ring->count && recorder->is_sampling; i++) {
		if (ring->opened[i].is_sampler && ioctl(ring->opened[i].fd, PERF_EVENT_IOC_ENABLE, 0))
			return -errno;
	}
	return 0;
}

int aux_take(struct recorder *recorder, struct cpu_ring *ring, const uint64_t *words, size_t count, struct trace_writer *writer)
{
	struct spe_reader reader;
	struct spe_record record;
	struct aux_piece piece;
	int err = 0;

	if (count < sizeof(piece) / 8 || !ring->aux.area)
		return -EBADMSG;
	memcpy(&piece, words, sizeof(piece));
	if (piece.bytes > ring->aux.bytes)
		return -EBADMSG;
	if (!recorder->piece)
		recorder->piece = malloc(ring->aux.bytes);
	if (!recorder->piece)
		return -ENOMEM;
	copy_piece(&ring->aux, &piece, recorder->piece);
	perf_aux_release(&ring->ring, piece.offset + piece.bytes);
	spe_begin(&reader, recorder->piece, piece.bytes);
	reader.position = piece.offset & (ring->aux.bytes - 1);
	while (!err && spe_next(&reader, &record))
		err = take_spe(recorder, ring, &record, &piece, writer);
	/* The number of missing samples is unknown: count one. */
	recorder->losses[TRACE_LOST_BY_KERNEL] += piece.flags & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL) ||
		reader.skipped_bytes;
	recorder->losses[TRACE_COLLISION] += !!(piece.flags & PERF_AUX_FLAG_COLLISION);
	if (!err && piece.flags & PERF_AUX_FLAG_TRUNCATED)
		err = restart(recorder, ring);
	return err;
}
