/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/layout.h"

#include <stdlib.h>

#include "common/pattern.h"

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

		layout->areas[i] = (struct layout_area){at, stream->area_bytes, stream->workers, stream->block_bytes};
		if (stream->area_bytes) {
			layout->bytes = at + stream->area_bytes;
			at = round_up(at + stream->area_bytes, LAYOUT_ALIGN) + LAYOUT_ALIGN;
		}
	}
}

void layout_part_targets(struct layout *layout, struct layout of[MIX_STREAMS])
{
	layout->bytes = 0;
	for (int i = 0; i < MIX_STREAMS; i++) {
		struct layout_area *area = &layout->areas[i];

		area->begin = LAYOUT_HEADER_BYTES;
		of[i] = (struct layout){.bytes = area->begin + area->bytes};
		of[i].areas[i] = *area;
		layout->bytes = of[i].bytes > layout->bytes ? of[i].bytes : layout->bytes;
	}
	for (int i = 0; i < MIX_STREAMS; i++)
		of[i].areas[!i] = (struct layout_area){.workers = layout->areas[!i].workers};
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
