/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel's control stands at: the last lines count, each once, and nothing stays turned on. */
#include "config.h"
#include "tests/unit/unit.h"
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include "iowrite-bench/throttle_state.h"
#include "tests/unit/fakeroot.h"
#include "tests/unit/trace_lines.h"

#define EVENTS "/events/writeback/"
#define LATE WRITER "  9.000001: "

struct fake {
	char root[64]; /* a trace instance's folder */
	struct trace_instance instance;
	struct dirty dirty;
	struct throttle_state *throttle;
};

static void copy_format(const char *root, const char *name)
{
	char path[512], text[16384];
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "%s/tests/fixtures/iowrite/trace-formats/%s", unit_srcdir(), name);
	file = fopen(path, "r");
	assert_non_null(file);
	size = fread(text, 1, sizeof(text), file);
	fclose(file);
	snprintf(path, sizeof(path), EVENTS "%s/format", name);
	fakeroot_put_bytes(root, path, text, size);
	snprintf(path, sizeof(path), EVENTS "%s/filter", name);
	fakeroot_put(root, path, "");
	snprintf(path, sizeof(path), EVENTS "%s/enable", name);
	fakeroot_put(root, path, "0");
}

static char *text_of(const struct fake *fake, const char *path)
{
	static char text[512];

	assert_int_equal(trace_instance_read(&fake->instance, path + 1, text, sizeof(text)), 0);
	return text;
}

static int set_up(void **state)
{
	struct fake *fake = calloc(1, sizeof(*fake));

	assert_non_null(fake);
	fakeroot_make(fake->root);
	copy_format(fake->root, event_name(EVENT_STATE));
	copy_format(fake->root, event_name(EVENT_RATELIMIT));
	copy_format(fake->root, event_name(EVENT_PAUSE));
	fakeroot_put(fake->root, "/tracing_on", "0");
	fakeroot_put(fake->root, "/trace", "");
	fake->instance = (struct trace_instance){.tracefs = -1, .fd = open(fake->root, O_PATH | O_DIRECTORY | O_CLOEXEC)};
	assert_true(fake->instance.fd >= 0);
	assert_int_equal(dirty_open("", &fake->dirty), 0);
	*state = fake;
	return 0;
}

static int tear_down(void **state)
{
	struct fake *fake = *state;

	if (fake->throttle)
		throttle_state_close(fake->throttle);
	else
		trace_instance_close(&fake->instance);
	dirty_close(&fake->dirty);
	fakeroot_remove(fake->root);
	free(fake);
	return 0;
}

TEST_WITH("the last lines count", set_up, tear_down)
{
	struct fake *fake = *state;
	struct model_control control;
	double page = (double)sysconf(_SC_PAGESIZE);

	assert_int_equal(throttle_state_open_in(&fake->instance, "254:0", 1, &fake->throttle), 0);
	assert_string_equal(text_of(fake, "/tracing_on"), "1");
	assert_string_equal(text_of(fake, EVENTS "bdi_dirty_ratelimit/enable"), "1");
	assert_string_equal(text_of(fake, EVENTS "bdi_dirty_ratelimit/filter"), "bdi == \"254:0\"");
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.limit == 0 && control.ratelimit == 0 && control.write_rate == 0);
	fakeroot_put(fake->root, "/trace", "# tracer: nop\n#\n"
		LATE RATELIMIT("254:0", "1000") "\n"
		LATE RATELIMIT("254:0", "2000") "\n"
		LATE RATELIMIT("8:0", "3000") "\n"
		LATE STATE("1", "2") "\nnonsense\n");
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.ratelimit == 2000 * 1024.0);
	assert_true(control.write_rate == 80000 * 1024.0);
	assert_true(control.limit == 2500 * page);
	/* Read once; known from then on. */
	assert_string_equal(text_of(fake, "/trace"), "");
	assert_string_equal(text_of(fake, EVENTS "global_dirty_state/enable"), "0");
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.ratelimit == 2000 * 1024.0);
}

/* Another cgroup's writers at the same device have a ratelimit of their own. */
TEST_WITH("one cgroup of several", set_up, tear_down)
{
	struct fake *fake = *state;
	struct model_control control;

	assert_int_equal(throttle_state_open_in(&fake->instance, "254:0", 77, &fake->throttle), 0);
	fakeroot_put(fake->root, "/trace", LATE RATELIMIT("254:0", "2000") "\n" LATE RATELIMIT("254:0", "1000") "\n");
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.ratelimit == 0);
	fakeroot_put(fake->root, "/trace", LATE RATELIMIT_OF("254:0", "2000", "77") "\n" LATE RATELIMIT("254:0", "1000") "\n");
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.ratelimit == 2000 * 1024.0);
}

#define LOOK(bdi, dirtied, cgroup) LATE PAUSE_OF(bdi, "8", dirtied, cgroup) "\n"
#define OURS(dirtied) LOOK("254:0", dirtied, "1")

/* By the writers of this cgroup at this device, until there were some. */
TEST_WITH("how pauses are counted", set_up, tear_down)
{
	struct fake *fake = *state;
	struct model_control control;
	double page = (double)sysconf(_SC_PAGESIZE);

	assert_int_equal(throttle_state_open_in(&fake->instance, "254:0", 1, &fake->throttle), 0);
	assert_string_equal(text_of(fake, EVENTS "balance_dirty_pages/enable"), "1");
	fakeroot_put(fake->root, "/trace", LOOK("8:0", "2048", "1") LOOK("254:0", "2048", "77") LOOK("254:0", "0", "1"));
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.step_bytes == 0);
	/* A kernel's tick, CONFIG_HZ of 24 to 1200. */
	assert_in_range(lround(1 / control.tick_s), 24, 1200);
	fakeroot_put(fake->root, "/trace", OURS("3"));
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.step_bytes == page);
	fakeroot_put(fake->root, "/trace", OURS("1024") OURS("1536") OURS("512") OURS("512") LOOK("254:0", "2048", "77")
		LOOK("8:0", "2048", "1"));
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.step_bytes == 512 * page);
	assert_true(control.ratelimit == 0);
	assert_string_equal(text_of(fake, EVENTS "balance_dirty_pages/enable"), "1");
	fakeroot_put(fake->root, "/trace", OURS("512") OURS("512") OURS("512") OURS("512") OURS("512") OURS("512") OURS("512")
		OURS("512") OURS("512") OURS("512") OURS("512"));
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_string_equal(text_of(fake, EVENTS "balance_dirty_pages/enable"), "0");
	fakeroot_put(fake->root, "/trace", LOOK("254:0", "2048", "1") LATE RATELIMIT("254:0", "1000") "\n");
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.step_bytes == 512 * page);
	assert_true(control.ratelimit == 1000 * 1024.0);
}

/* A kernel that does not tell what lies between two looks still tells the rest. */
TEST_WITH("without looks", set_up, tear_down)
{
	struct fake *fake = *state;
	struct model_control control;

	fakeroot_put(fake->root, EVENTS "balance_dirty_pages/format", "name: balance_dirty_pages\n");
	assert_int_equal(throttle_state_open_in(&fake->instance, "254:0", 1, &fake->throttle), 0);
	assert_string_equal(text_of(fake, EVENTS "balance_dirty_pages/enable"), "0");
	fakeroot_put(fake->root, "/trace", LOOK("254:0", "1024", "1") LATE RATELIMIT("254:0", "1000") "\n");
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.step_bytes == 0);
	assert_true(control.ratelimit == 1000 * 1024.0);
}

/* More than is read at a time: its end. */
TEST_WITH("also of a long trace", set_up, tear_down)
{
	static const char line[] = LATE RATELIMIT("254:0", "1000") "\n", last[] = LATE RATELIMIT("254:0", "7000") "\n";
	const size_t lines = (3u << 20) / strlen(line), size = lines * strlen(line) + strlen(last);
	struct fake *fake = *state;
	struct model_control control;
	char *text = malloc(size + 1);

	assert_non_null(text);
	for (size_t i = 0; i < lines; i++)
		memcpy(text + i * strlen(line), line, strlen(line));
	memcpy(text + lines * strlen(line), last, sizeof(last));
	assert_int_equal(throttle_state_open_in(&fake->instance, "254:0", 1, &fake->throttle), 0);
	fakeroot_put_bytes(fake->root, "/trace", text, size);
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.ratelimit == 7000 * 1024.0);
	assert_string_equal(text_of(fake, "/trace"), "");
	free(text);
}

/* The end that is kept begins with a whole line. */
TEST_WITH("the end is whole lines", set_up, tear_down)
{
	struct fake *fake = *state;
	char text[24];

	fakeroot_put(fake->root, "/trace", "first line\nsecond line\nthird line\nlast\n");
	assert_int_equal(trace_instance_read_end(&fake->instance, "trace", text, sizeof(text)), 0);
	assert_string_equal(text, "third line\nlast\n");
	fakeroot_put(fake->root, "/trace", "one\n");
	assert_int_equal(trace_instance_read_end(&fake->instance, "trace", text, sizeof(text)), 0);
	assert_string_equal(text, "one\n");
	fakeroot_put(fake->root, "/trace", "a line that has no end within the room that there is");
	assert_int_equal(trace_instance_read_end(&fake->instance, "trace", text, sizeof(text)), 0);
	assert_string_equal(text, "");
}

TEST_WITH("what is not there", set_up, tear_down)
{
	struct fake *fake = *state;
	struct model_control control = {1, 2, 3, 4, 5};

	fakeroot_put(fake->root, EVENTS "bdi_dirty_ratelimit/format", "name: bdi_dirty_ratelimit\n");
	assert_true(throttle_state_open_in(&fake->instance, "254:0", 1, &fake->throttle) < 0);
	assert_null(fake->throttle);
	throttle_state_read(NULL, &fake->dirty, &control);
	assert_true(control.limit == 0 && control.ratelimit == 0 && control.write_rate == 0);
	assert_true(control.tick_s == 0 && control.step_bytes == 0);
	throttle_state_close(NULL);
}
