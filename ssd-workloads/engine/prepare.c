/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/engine/prepare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/units.h"
#include "ssd-workloads/engine/threads.h"
#include "ssd-workloads/workload/block.h"

#define CHUNK_BYTES (1u << 20) /* per write: many blocks at once */
#define DEPTH 8u
#define PREPARE_BYTES ((size_t)DEPTH * MIX_BLOCK_MAX)
#define SHOW_NS 50000000u      /* between two lines of progress */

struct prepare_piece { /* remaining part of a slot's data; with is_shifted it was moved to the begin of the slot */
	uint64_t offset;
	uint32_t left;
	bool is_shifted;
};

/* One worker's blocks in this target; each block states its place. */
struct prepare_part {
	struct stamp_source source;
	struct stripe stripe;         /* which: this target's part of it */
	unsigned which;
	uint64_t begin, end;          /* bytes of the worker's part */
	uint32_t chunk_bytes;         /* whole blocks */
};

struct preparation {
	const struct engine_setup *setup;
	struct progress *progress;
	void *state;
	char *buffers;
	uint32_t free[DEPTH];
	unsigned free_count;
	const struct place *place;    /* the place that is written now */
	const struct prepare_part *part;      /* part of the place */
	struct prepare_piece pieces[DEPTH];   /* by slot */
	uint64_t total, done, shown_ns;
	struct engine_failure failure;
};

static char *slot_data(const struct preparation *preparation, uint32_t slot)
{
	return preparation->buffers + (size_t)slot * MIX_BLOCK_MAX;
}

static void fill_slot(const struct preparation *preparation, uint32_t slot)
{
	const struct prepare_part *part = preparation->part;

	for (uint32_t at = 0; at < part->chunk_bytes; at += part->source.block_bytes)
		block_fill(slot_data(preparation, slot) + at, &part->source);
}

/* Counts an error. Writes in flight are then awaited, and no others begin. */
static void fail(struct preparation *preparation, int error)
{
	if (!preparation->failure.error)
		preparation->failure.error = -error;
	counts_add_error(preparation->failure.errors, error, 1);
}

/* Continues a short write: a file system may end a write at the end of an extent. */
static void take_one(struct preparation *preparation, uint32_t slot, int32_t result)
{
	struct prepare_piece *piece = &preparation->pieces[slot];
	char *data = slot_data(preparation, slot);

	if (result <= 0 || result % 512 || (uint32_t)result > piece->left) {
		fail(preparation, result < 0 ? -result : EIO);
		preparation->free[preparation->free_count++] = slot;
		return;
	}
	preparation->done += (uint64_t)result;
	piece->offset += (uint64_t)result;
	piece->left -= (uint32_t)result;
	if (piece->left && !preparation->failure.error) {
		memmove(data, data + result, piece->left);
		piece->is_shifted = true;
		preparation->setup->backend->queue(preparation->state, slot, piece->offset, piece->left);
		return;
	}
	if (piece->is_shifted)
		fill_slot(preparation, slot);
	preparation->free[preparation->free_count++] = slot;
}

static bool is_over(const struct preparation *preparation)
{
	return preparation->failure.error || engine_is_stopped(preparation->setup);
}

static int wait_some(struct preparation *preparation)
{
	const struct backend_ops *ops = preparation->setup->backend;
	int rc = ops->enter(preparation->state, 1, BACKEND_NO_LIMIT);
	uint64_t now_ns = ops->now_ns(preparation->state);
	struct backend_completion done[DEPTH];
	unsigned count;

	if (now_ns - preparation->shown_ns >= SHOW_NS) {
		preparation->shown_ns = now_ns;
		progress_line(preparation->progress, "preparing: %llu of %llu MiB", (unsigned long long)(preparation->done >> 20),
			(unsigned long long)(preparation->total >> 20));
	}
	if (rc)
		return rc;
	count = ops->reap(preparation->state, done, DEPTH);
	for (unsigned i = 0; i < count; i++)
		take_one(preparation, done[i].slot, done[i].result);
	return 0;
}

static int write_part(struct preparation *preparation, const struct prepare_part *part)
{
	int rc = 0;

	preparation->part = part;
	for (uint32_t i = 0; i < DEPTH; i++)
		fill_slot(preparation, i);
	for (uint64_t offset = part->begin; offset < part->end && !rc && !is_over(preparation);) {
		uint64_t left = part->end - offset;
		uint32_t length = left < part->chunk_bytes ? (uint32_t)left : part->chunk_bytes, slot;

		while (!preparation->free_count && !rc)
			rc = wait_some(preparation);
		if (rc || preparation->failure.error)
			break;
		slot = preparation->free[--preparation->free_count];
		for (uint32_t at = 0; at < length; at += part->source.block_bytes)
			stamp_block(slot_data(preparation, slot) + at, &part->source,
				stripe_offset(&part->stripe, part->which, offset + at), STAMP_PREPARED, 0, 0);
		preparation->pieces[slot] = (struct prepare_piece){offset, length, false};
		preparation->setup->backend->queue(preparation->state, slot, offset, length);
		offset += length;
		if (preparation->free_count)
			rc = preparation->setup->backend->enter(preparation->state, 0, BACKEND_NO_LIMIT);
	}
	/* The next worker uses the same buffers. */
	while (preparation->free_count < DEPTH && !rc)
		rc = wait_some(preparation);
	return rc;
}

static int open_backend(const struct engine_setup *setup, const struct place *place, void *memory, void **state)
{
	const struct backend_setup backend = {.fd = place->direct_fd, .slots = DEPTH, .buffers = memory,
		.slot_bytes = MIX_BLOCK_MAX};
	const char *why;

	return setup->backend->open(&backend, state, &why);
}

static int run(struct preparation *preparation, const struct place *place, const struct layout *layout)
{
	const struct engine_setup *setup = preparation->setup;
	int rc = open_backend(setup, place, preparation->buffers, &preparation->state), written = 0;

	preparation->place = place;
	if (rc)
		return rc;
	rc = setup->backend->attach(preparation->state);
	for (int which = 0; which < MIX_STREAMS && !rc; which++) {
		const struct layout_area *area = &layout->areas[which];

		for (unsigned i = 0; i < area->workers && area->bytes && !written && !is_over(preparation); i++) {
			struct prepare_part part = {.source = {setup->run, (uint8_t)which, (uint8_t)i, area->block_bytes},
				.stripe = layout_stripe(area), .which = area->stripe,
				.chunk_bytes = CHUNK_BYTES / area->block_bytes * area->block_bytes};
			uint64_t blocks;

			layout_part(area, i, &part.begin, &blocks);
			part.end = part.begin + blocks * area->block_bytes;
			if (area->block_bytes > CHUNK_BYTES)
				part.chunk_bytes = area->block_bytes;
			written = write_part(preparation, &part);
		}
	}
	/* This is an error of the backend, not of a write. */
	if (written && !preparation->failure.error)
		preparation->failure.error = written;
	setup->backend->close(preparation->state);
	if (!rc && !preparation->failure.error && fdatasync(place->direct_fd))
		fail(preparation, errno);
	return rc;
}

static uint64_t count_bytes(const struct layout *layout)
{
	uint64_t total = 0, begin, blocks;

	for (int which = 0; which < MIX_STREAMS; which++) {
		const struct layout_area *area = &layout->areas[which];

		for (unsigned i = 0; i < area->workers && area->bytes; i++) {
			layout_part(area, i, &begin, &blocks);
			total += blocks * area->block_bytes;
		}
	}
	return total;
}

int prepare_open(const struct engine_setup *setup, void **memory)
{
	void *mapped = mmap(NULL, PREPARE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *state;
	int rc = mapped == MAP_FAILED ? -errno : 0;
	size_t i;

	for (i = 0; i < setup->place_count && !rc; i++) {
		rc = open_backend(setup, &setup->places[i], mapped, &state);
		if (!rc)
			setup->backend->close(state);
	}
	if (!rc) {
		*memory = mapped;
		return DIAG_EXIT_OK;
	}
	diag_error(rc, "cannot prepare %s", setup->places[i ? i - 1 : 0].target.path);
	if (mapped != MAP_FAILED)
		munmap(mapped, PREPARE_BYTES);
	return DIAG_EXIT_HOST;
}

void prepare_close(void *memory)
{
	if (memory)
		munmap(memory, PREPARE_BYTES);
}

int prepare(const struct engine_setup *setup, void *memory, struct progress *progress, struct prepare_result *result)
{
	struct preparation preparation = {.setup = setup, .progress = progress, .buffers = memory, .free_count = DEPTH};
	uint64_t begin_ns = report_monotonic_ns();
	struct layout whole = *setup->layout, layouts[LAYOUT_TARGETS];
	int rc = 0;

	for (unsigned i = 0; i < DEPTH; i++)
		preparation.free[i] = i;
	preparation.total = count_bytes(setup->layout);
	(void)layout_divide(&whole, layout_target(setup->layout, setup->place_count, MIX_CHECKPOINT) > 0, layouts);
	for (size_t i = 0; i < setup->place_count && !rc && !is_over(&preparation); i++)
		rc = run(&preparation, &setup->places[i], &layouts[i]);
	progress_clear(progress);
	if (rc || preparation.failure.error)
		diag_error(rc ? rc : preparation.failure.error, "cannot prepare %s", preparation.place->target.path);
	if (rc)
		return DIAG_EXIT_HOST;
	*result = (struct prepare_result){preparation.done,
		(double)(report_monotonic_ns() - begin_ns) / (double)UNITS_NS_PER_SEC,
		preparation.done == preparation.total && !preparation.failure.error, preparation.failure};
	return DIAG_EXIT_OK;
}
