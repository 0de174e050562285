/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A place that is made: whose it is from the moment it has its size, and gone unless it is kept. */
#include "config.h"
#include "tests/unit/unit.h"
#include <sys/stat.h>

#include "ssd-workloads/workload/place.h"

#define AREA (4u << 20)

struct room {
	char folder[64], path[96];
	struct layout layout;
	struct place_request request;
};

static int set_up(void **state)
{
	struct room *room = calloc(1, sizeof(*room));

	snprintf(room->folder, sizeof(room->folder), "/var/tmp/test_ssd_place.XXXXXX");
	assert_non_null(mkdtemp(room->folder));
	snprintf(room->path, sizeof(room->path), "%s/new", room->folder);
	room->layout.areas[MIX_LOG] = (struct layout_area){LAYOUT_HEADER_BYTES, AREA, 1, 16384, 1, 0};
	room->layout.bytes = LAYOUT_HEADER_BYTES + AREA;
	room->request = (struct place_request){.path = room->path, .layout = &room->layout, .run = 0x1234};
	*state = room;
	return 0;
}

static int tear_down(void **state)
{
	struct room *room = *state;

	unlink(room->path);
	rmdir(room->folder);
	free(room);
	return 0;
}

static void open_or_skip(struct room *room, struct place *place)
{
	if (place_open(&room->request, place))
		skip();
}

static void claim(struct room *room, struct place *place)
{
	assert_int_equal(place_reserve(&room->request, place), 0);
	assert_int_equal(place_claim(&room->request, place), 0);
}

TEST_WITH("the header identifies the run", set_up, tear_down)
{
	struct room *room = *state;
	struct place place, again;
	struct header header;
	struct stat stat_of;

	open_or_skip(room, &place);
	assert_true(place.target.is_created);
	claim(room, &place);
	assert_int_equal(header_read(place.target.fd, &header), 0);
	assert_true(header.run == 0x1234 && !header.is_prepared && !header.is_ended);
	assert_int_equal(stat(room->path, &stat_of), 0);
	assert_int_equal(stat_of.st_size, room->layout.bytes);
	/* As after a kill: it stays, and is taken without a word. */
	place.is_kept = true;
	place_close(&place);
	assert_int_equal(place_open(&room->request, &again), 0);
	assert_true(!again.target.is_created && !again.has_others_data && !again.is_prewritten);
	assert_int_equal(again.left_run, 0x1234);
	place_close(&again);
	assert_int_equal(access(room->path, F_OK), 0);
}

TEST_WITH("a file that a run created is removed", set_up, tear_down)
{
	struct room *room = *state;
	struct place place;

	open_or_skip(room, &place);
	claim(room, &place);
	place_close(&place);
	assert_int_not_equal(access(room->path, F_OK), 0);
}

/* What is ours already keeps its own header until the run begins. */
TEST_WITH("a kept file keeps its header and counts as written before", set_up, tear_down)
{
	struct room *room = *state;
	struct header header = {.run = 7, .is_prepared = true, .is_ended = true};
	struct place place;

	open_or_skip(room, &place);
	claim(room, &place);
	header.layout = room->layout;
	assert_int_equal(header_write(place.target.fd, &header), 0);
	place.is_kept = true;
	place_close(&place);
	assert_int_equal(place_open(&room->request, &place), 0);
	claim(room, &place);
	assert_int_equal(header_read(place.target.fd, &header), 0);
	assert_true(header.run == 7 && header.is_prepared && header.is_ended && place.is_prewritten);
	place_close(&place);
}
