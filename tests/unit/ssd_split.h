/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Extents, records and block events, and their join (ssd-workloads/dump/split.h). */
#ifndef TESTS_UNIT_SSD_SPLIT_H
#define TESTS_UNIT_SSD_SPLIT_H

#include <string.h>

#include "ssd-workloads/dump/split.h"
#include "tests/unit/unit.h"

#define MOST 4096

struct recorded {
	size_t extent_count, record_count, event_count;
	struct split_extent extents[4];
	struct record records[MOST];
	struct split_event events[MOST];
	struct split splits[MOST];
};

static inline struct split_counts join_durable(struct recorded *recorded, bool is_durable)
{
	struct split_counts counts = {0};

	memset(recorded->splits, 0xaa, sizeof(recorded->splits));
	assert_int_equal(split_join(recorded->events, recorded->event_count, recorded->extents, recorded->extent_count,
				 recorded->records, recorded->record_count, is_durable, recorded->splits, &counts), 0);
	assert_int_equal(counts.joined + counts.unjoined + counts.syncs + counts.unflushed, recorded->record_count);
	assert_true(counts.merged <= counts.joined);
	return counts;
}

static inline struct split_counts join(struct recorded *recorded)
{
	return join_durable(recorded, false);
}

#endif
