/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/source.h"

#include <string.h>

#define SEED 20201

static void rewind_source(struct source *source)
{
	source->index = source->done = 0;
	memset(source->offsets, 0, sizeof(source->offsets));
	rng_seed(&source->rng, SEED, source->thread);
}

void source_init(struct source *source, const struct run_plan *plan, const struct run_cell *cell, unsigned thread)
{
	*source = (struct source){
		.cell = cell,
		.begin_bytes = plan->is_shared ? thread * plan->part_bytes : 0,
		.size_bytes = plan->size_bytes,
		.files = plan->options->files,
		.delay_ns = plan->options->delay_ns,
		.thread = thread,
	};
	if (cell->order == RUN_RANDWRITE)
		pattern_permutation_init(&source->permutation, cell->file_bytes / cell->size.low, SEED + thread);
	rewind_source(source);
}

/* Of a range all multiples of its alignment alike. */
static uint64_t next_size(struct source *source)
{
	const struct run_size *size = &source->cell->size;

	if (size->low == size->high)
		return size->low;
	return size->low + source->cell->align *
				   rng_below(&source->rng, (size->high - size->low) / source->cell->align + 1);
}

static uint64_t random_offset(struct source *source, uint64_t size)
{
	const struct run_cell *cell = source->cell;

	if (cell->size.low == cell->size.high)
		return pattern_permute(&source->permutation, source->index / source->files) * size;
	return cell->align * rng_below(&source->rng, (source->size_bytes - size) / cell->align + 1);
}

static uint64_t back_of(const struct source *source, uint64_t size)
{
	const struct run_cell *cell = source->cell;

	/* The same share of each, on whole blocks where the mode wants them. */
	return cell->back_bytes == 0 || size == cell->size.low
		       ? cell->back_bytes
		       : (uint64_t)((double)size * (double)cell->back_bytes / (double)cell->size.low) / cell->align *
				 cell->align;
}

size_t source_refill(void *state, struct op *ops, size_t room)
{
	struct source *source = state;
	size_t count = 0;

	while (count < room) {
		uint64_t size = next_size(source), file = source->index % source->files, offset = source->offsets[file];

		if (source->done + size > source->size_bytes) {
			/* The end, wherever the ring was. */
			source->done = source->size_bytes;
			break;
		}
		if (source->cell->order == RUN_RANDWRITE)
			offset = random_offset(source, size);
		ops[count++] = (struct op){source->delay_ns, file * OP_FILE_BYTES + source->begin_bytes + offset, size};
		source->offsets[file] = offset + size - back_of(source, size);
		source->done += size;
		source->index++;
	}
	if (!count)
		rewind_source(source);
	return count;
}
