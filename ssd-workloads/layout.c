/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/layout.h"

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

void layout_part(const struct layout_area *area, unsigned worker, uint64_t *begin, uint64_t *blocks)
{
	uint64_t bytes = area->bytes / area->workers;

	*begin = area->begin + worker * bytes;
	*blocks = bytes / area->block_bytes;
}

uint32_t layout_alignment(const struct layout *layout)
{
	uint32_t align = LAYOUT_ALIGN;

	for (int i = 0; i < MIX_STREAMS; i++) {
		while (layout->areas[i].bytes && layout->areas[i].block_bytes % align)
			align /= 2;
	}
	return align;
}
