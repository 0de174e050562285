/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A place that is made: whose it is from the moment it has its size, and gone unless it is kept. */
#include "config.h"
#include "tests/unit/unit.h"
#include <sys/stat.h>

#include "ssd-workloads/workload/place.h"

#define AREA (4u << 20)

struct fixture {
	char folder[64], path[96];
	struct layout layout;
	struct place_request request;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	snprintf(fixture->folder, sizeof(fixture->folder), "/var/tmp/test_ssd_place.XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	snprintf(fixture->path, sizeof(fixture->path), "%s/new", fixture->folder);
	fixture->layout.areas[MIX_LOG] = (struct layout_area){LAYOUT_HEADER_BYTES, AREA, 1, 16384, 1, 0};
	fixture->layout.bytes = LAYOUT_HEADER_BYTES + AREA;
	fixture->request = (struct place_request){.path = fixture->path, .layout = &fixture->layout, .run = 0x1234};
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	unlink(fixture->path);
	rmdir(fixture->folder);
	free(fixture);
	return 0;
}

static void open_or_skip(struct fixture *fixture, struct place *place)
{
	if (place_open(&fixture->request, place))
		skip();
}

static void claim(struct fixture *fixture, struct place *place)
{
	assert_int_equal(place_reserve(&fixture->request, place), 0);
	assert_int_equal(place_claim(&fixture->request, place), 0);
}

TEST_WITH("the header identifies the run", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct place place, again;
	struct header header;
	struct stat stat_of;

	open_or_skip(fixture, &place);
	assert_true(place.target.is_created);
	claim(fixture, &place);
	assert_int_equal(header_read(place.target.fd, &header), 0);
	assert_true(header.run == 0x1234 && !header.is_prepared && !header.is_ended);
	assert_int_equal(stat(fixture->path, &stat_of), 0);
	assert_int_equal(stat_of.st_size, fixture->layout.bytes);
	/* As after a kill: it stays, and is taken without a word. */
	place.is_kept = true;
	place_close(&place);
	assert_int_equal(place_open(&fixture->request, &again), 0);
	assert_true(!again.target.is_created && !again.has_others_data && !again.is_prewritten);
	assert_int_equal(again.left_run, 0x1234);
	place_close(&again);
	assert_int_equal(access(fixture->path, F_OK), 0);
}

TEST_WITH("a file that a run created is removed", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct place place;

	open_or_skip(fixture, &place);
	claim(fixture, &place);
	place_close(&place);
	assert_int_not_equal(access(fixture->path, F_OK), 0);
}

/* What is ours already keeps its own header until the run begins. */
TEST_WITH("a kept file keeps its header and counts as written before", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct header header = {.run = 7, .is_prepared = true, .is_ended = true};
	struct place place;

	open_or_skip(fixture, &place);
	claim(fixture, &place);
	header.layout = fixture->layout;
	assert_int_equal(header_write(place.target.fd, &header), 0);
	place.is_kept = true;
	place_close(&place);
	assert_int_equal(place_open(&fixture->request, &place), 0);
	claim(fixture, &place);
	assert_int_equal(header_read(place.target.fd, &header), 0);
	assert_true(header.run == 7 && header.is_prepared && header.is_ended && place.is_prewritten);
	place_close(&place);
}
