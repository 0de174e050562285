/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/workload/layout.h"

#include <stdlib.h>

#include "common/stats/pattern.h"

static uint64_t round_up(uint64_t value, uint64_t step)
{
	return (value + step - 1) / step * step;
}

void layout_make(const struct workload *workload, struct layout *layout)
{
	uint64_t at = LAYOUT_HEADER_BYTES;

	*layout = (struct layout){.bytes = 0};
	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct workload_stream *stream = &workload->streams[i];

		layout->areas[i] = (struct layout_area){at, stream->area_bytes, stream->workers, stream->block_bytes,
			stream->stripes, 0};
		if (stream->area_bytes) {
			layout->bytes = at + stream->area_bytes;
			at = round_up(at + stream->area_bytes, LAYOUT_ALIGN) + LAYOUT_ALIGN;
		}
	}
}

/* Appends the area to the layout of a target. */
static void put(const struct layout_area *area, unsigned stripe, struct layout *of, enum mix_stream stream)
{
	struct layout_area *part = &of->areas[stream];

	*part = *area;
	part->begin = of->bytes ? round_up(of->bytes, LAYOUT_ALIGN) + LAYOUT_ALIGN : LAYOUT_HEADER_BYTES;
	part->bytes = area->bytes / (area->stripes ? area->stripes : 1);
	part->stripe = stripe;
	if (part->bytes)
		of->bytes = part->begin + part->bytes;
}

size_t layout_divide(struct layout *layout, bool has_checkpoint_target, struct layout of[LAYOUT_TARGETS])
{
	struct layout_area *log = &layout->areas[MIX_LOG], *checkpoint = &layout->areas[MIX_CHECKPOINT];
	unsigned stripes = layout_stripes(layout);
	size_t count = stripes + has_checkpoint_target, with_checkpoint = has_checkpoint_target ? stripes : 0;

	for (size_t i = 0; i < count; i++) {
		of[i] = (struct layout){.areas = {{.workers = log->workers}, {.workers = checkpoint->workers}}};
		if (i < stripes)
			put(log, (unsigned)i, &of[i], MIX_LOG);
		if (i == with_checkpoint)
			put(checkpoint, 0, &of[i], MIX_CHECKPOINT);
	}
	checkpoint->begin = of[with_checkpoint].areas[MIX_CHECKPOINT].begin;
	layout->bytes = 0;
	for (int i = 0; i < MIX_STREAMS; i++) {
		uint64_t end = layout->areas[i].begin + layout->areas[i].bytes;

		if (layout->areas[i].bytes && end > layout->bytes)
			layout->bytes = end;
	}
	return count;
}

unsigned layout_stripes(const struct layout *layout)
{
	unsigned stripes = layout->areas[MIX_LOG].stripes;

	return stripes ? stripes : 1;
}

size_t layout_target(const struct layout *layout, size_t count, enum mix_stream stream)
{
	return stream == MIX_CHECKPOINT && count > layout_stripes(layout) ? count - 1 : 0;
}

struct stripe layout_stripe(const struct layout_area *area)
{
	return (struct stripe){.targets = area->stripes, .block_bytes = area->block_bytes, .begin = area->begin};
}

void layout_part(const struct layout_area *area, unsigned worker, uint64_t *begin, uint64_t *blocks)
{
	uint64_t bytes = area->bytes / area->workers;

	*begin = area->begin + worker * bytes;
	*blocks = bytes / area->block_bytes;
}

uint32_t *layout_order(uint64_t run, unsigned worker, uint64_t blocks, bool is_inverse)
{
	uint32_t *order = blocks <= LAYOUT_ORDER_MAX ? malloc(blocks * sizeof(*order)) : NULL;
	struct pattern_permutation permutation;

	if (!order)
		return NULL;
	pattern_permutation_init(&permutation, blocks, run + worker);
	for (uint64_t i = 0; i < blocks; i++) {
		uint32_t block = (uint32_t)pattern_permute(&permutation, i);

		order[is_inverse ? block : i] = is_inverse ? (uint32_t)i : block;
	}
	return order;
}
