/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any first bytes of a target, sealed so that the checksum is no wall: what is taken for a header has a layout that can
 * be read back, and says the same when it is written again. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ssd-workloads/workload/header.h"

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

static void check_layout(const struct layout *layout)
{
	uint64_t end = LAYOUT_HEADER_BYTES;

	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct layout_area *area = &layout->areas[i];

		/* An area of the other target has workers and no bytes. */
		for (unsigned worker = 0; area->bytes && worker < area->workers; worker++) {
			uint64_t begin, blocks;

			layout_part(area, worker, &begin, &blocks);
			check(begin >= end && begin % 512 == 0 && blocks > 0 && area->block_bytes % 512 == 0);
			end = begin + blocks * area->block_bytes;
			check(end > begin && end <= layout->bytes);
		}
	}
	check(end == layout->bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char bytes[HEADER_BYTES] = {0}, again[HEADER_BYTES];
	struct header header, second;
	int rc;

	memcpy(bytes, data, size < sizeof(bytes) ? size : sizeof(bytes));
	rc = header_parse(bytes, &header);
	check(!rc || rc == -EBADMSG);
	memcpy(bytes, HEADER_MAGIC, HEADER_MAGIC_BYTES);
	header_seal(bytes);
	if (header_parse(bytes, &header))
		return 0;
	check_layout(&header.layout);
	header_format(&header, again);
	check(!header_parse(again, &second));
	check(second.run == header.run && second.layout.bytes == header.layout.bytes && !strcmp(second.uuid, header.uuid));
	check(!memcmp(second.acknowledged, header.acknowledged, sizeof(header.acknowledged)));
	return 0;
}
