/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A place that is made: whose it is from the moment it has its size, and gone unless it is kept. */
#include "config.h"
#include "tests/unit/unit.h"
#include <sys/stat.h>

#include "ssd-workloads/workload/place.h"

#define AREA (4u << 20)

struct capacity {
	char folder[64], path[96];
	struct layout layout;
	struct place_request request;
};

static int set_up(void **state)
{
	struct capacity *capacity = calloc(1, sizeof(*capacity));

	snprintf(capacity->folder, sizeof(capacity->folder), "/var/tmp/test_ssd_place.XXXXXX");
	assert_non_null(mkdtemp(capacity->folder));
	snprintf(capacity->path, sizeof(capacity->path), "%s/new", capacity->folder);
	capacity->layout.areas[MIX_LOG] = (struct layout_area){LAYOUT_HEADER_BYTES, AREA, 1, 16384, 1, 0};
	capacity->layout.bytes = LAYOUT_HEADER_BYTES + AREA;
	capacity->request = (struct place_request){.path = capacity->path, .layout = &capacity->layout, .run = 0x1234};
	*state = capacity;
	return 0;
}

static int tear_down(void **state)
{
	struct capacity *capacity = *state;

	unlink(capacity->path);
	rmdir(capacity->folder);
	free(capacity);
	return 0;
}

static void open_or_skip(struct capacity *capacity, struct place *place)
{
	if (place_open(&capacity->request, place))
		skip();
}

static void claim(struct capacity *capacity, struct place *place)
{
	assert_int_equal(place_reserve(&capacity->request, place), 0);
	assert_int_equal(place_claim(&capacity->request, place), 0);
}

TEST_WITH("the header identifies the run", set_up, tear_down)
{
	struct capacity *capacity = *state;
	struct place place, again;
	struct header header;
	struct stat stat_of;

	open_or_skip(capacity, &place);
	assert_true(place.target.is_created);
	claim(capacity, &place);
	assert_int_equal(header_read(place.target.fd, &header), 0);
	assert_true(header.run == 0x1234 && !header.is_prepared && !header.is_ended);
	assert_int_equal(stat(capacity->path, &stat_of), 0);
	assert_int_equal(stat_of.st_size, capacity->layout.bytes);
	/* As after a kill: it stays, and is taken without a word. */
	place.is_kept = true;
	place_close(&place);
	assert_int_equal(place_open(&capacity->request, &again), 0);
	assert_true(!again.target.is_created && !again.has_others_data && !again.is_prewritten);
	assert_int_equal(again.left_run, 0x1234);
	place_close(&again);
	assert_int_equal(access(capacity->path, F_OK), 0);
}

TEST_WITH("a file that a run created is removed", set_up, tear_down)
{
	struct capacity *capacity = *state;
	struct place place;

	open_or_skip(capacity, &place);
	claim(capacity, &place);
	place_close(&place);
	assert_int_not_equal(access(capacity->path, F_OK), 0);
}

/* What is ours already keeps its own header until the run begins. */
TEST_WITH("a kept file keeps its header and counts as written before", set_up, tear_down)
{
	struct capacity *capacity = *state;
	struct header header = {.run = 7, .is_prepared = true, .is_ended = true};
	struct place place;

	open_or_skip(capacity, &place);
	claim(capacity, &place);
	header.layout = capacity->layout;
	assert_int_equal(header_write(place.target.fd, &header), 0);
	place.is_kept = true;
	place_close(&place);
	assert_int_equal(place_open(&capacity->request, &place), 0);
	claim(capacity, &place);
	assert_int_equal(header_read(place.target.fd, &header), 0);
	assert_true(header.run == 7 && header.is_prepared && header.is_ended && place.is_prewritten);
	place_close(&place);
}
