/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of the kernel's throttling: the last events count, each once, and no event stays enabled. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/base/sysfs.h"
#include "iowrite-bench/setup/throttle_state.h"
#include "tests/unit/fakeroot.h"
#include "tests/unit/trace_events.h"

#define EVENTS "/events/writeback/"
#define PIPE "/per_cpu/cpu0/trace_pipe_raw"
#define PAGE_BYTES 4096
#define PAGE_HEAD 16

struct fake {
	char root[64]; /* a trace instance's folder */
	struct trace_instance instance;
	struct dirty dirty;
	struct throttle_state *throttle;
	uint32_t time_ns; /* of what happened last */
};

static void copy_format(const char *root, const char *name)
{
	char path[512], text[16384];
	size_t size = format_text(name, text, sizeof(text));

	snprintf(path, sizeof(path), EVENTS "%s/format", name);
	fakeroot_put_bytes(root, path, text, size);
	snprintf(path, sizeof(path), EVENTS "%s/filter", name);
	fakeroot_put(root, path, "");
	snprintf(path, sizeof(path), EVENTS "%s/enable", name);
	fakeroot_put(root, path, "0");
}

/* What the kernel has to tell next: one page, an event each ns. */
static void happen(struct fake *fake, const struct raw_event *events, size_t count)
{
	const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	uint32_t page[PAGE_BYTES / 4] = {0};
	size_t words = PAGE_HEAD / 4;
	char path[512];
	FILE *file;

	for (size_t i = 0; i < count; i++) {
		/* Of an event of type 0 the next word is its length, with itself. */
		assert_true(words + 2 + events[i].size / 4 <= PAGE_BYTES / 4);
		page[words++] = is_little ? 1u << 5 : 1;
		page[words++] = (uint32_t)events[i].size + 4;
		memcpy(&page[words], events[i].words, events[i].size);
		words += events[i].size / 4;
	}
	page[is_little ? 0 : 1] = fake->time_ns += 1000;
	page[is_little ? 2 : 3] = (uint32_t)words * 4 - PAGE_HEAD;
	snprintf(path, sizeof(path), "%s" PIPE, fake->root);
	file = fopen(path, "a");
	assert_non_null(file);
	assert_int_equal(fwrite(page, 1, sizeof(page), file), sizeof(page));
	fclose(file);
}

#define HAPPEN(fake, ...) happen(fake, (const struct raw_event[]){__VA_ARGS__}, \
	sizeof((const struct raw_event[]){__VA_ARGS__}) / sizeof(struct raw_event))

static char *text_of(const struct fake *fake, const char *path)
{
	static char text[512];

	assert_int_equal(sysfs_read(fake->root, path, text, sizeof(text)), 0);
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
	fakeroot_put(fake->root, PIPE, "");
	fakeroot_put(fake->root, "/events/header_page",
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n");
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

static struct raw_event ours(uint64_t rate)
{
	return raw_ratelimit(WRITER, "254:0", rate, 1);
}

static const struct raw_event nonsense = {.type = 4000, .size = 60};

TEST_WITH("the last events give the state", set_up, tear_down)
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
	HAPPEN(fake, ours(1000), ours(2000), raw_ratelimit(WRITER, "8:0", 3000, 1), raw_state(WRITER, 1, 2), nonsense);
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.ratelimit == 2000 * 1024.0);
	assert_true(control.write_rate == 80000 * 1024.0);
	assert_true(control.limit == 2500 * page);
	/* Read once; known from then on. */
	assert_string_equal(text_of(fake, EVENTS "global_dirty_state/enable"), "0");
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.ratelimit == 2000 * 1024.0);
}

/* Another cgroup's writers at the same device have a ratelimit of their own. */
TEST_WITH("only events of the writer's cgroup are used", set_up, tear_down)
{
	struct fake *fake = *state;
	struct model_control control;

	assert_int_equal(throttle_state_open_in(&fake->instance, "254:0", 77, &fake->throttle), 0);
	HAPPEN(fake, ours(2000), ours(1000));
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.ratelimit == 0);
	HAPPEN(fake, raw_ratelimit(WRITER, "254:0", 2000, 77), ours(1000));
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.ratelimit == 2000 * 1024.0);
}

#define LOOK(bdi, dirtied, cgroup) raw_pause(WRITER, bdi, 8, dirtied, cgroup)
#define OURS(dirtied) LOOK("254:0", dirtied, 1)

/* By the writers of this cgroup at this device, until there were some. */
TEST_WITH("tick and step of pauses are found", set_up, tear_down)
{
	struct fake *fake = *state;
	struct model_control control;
	double page = (double)sysconf(_SC_PAGESIZE);

	assert_int_equal(throttle_state_open_in(&fake->instance, "254:0", 1, &fake->throttle), 0);
	assert_string_equal(text_of(fake, EVENTS "balance_dirty_pages/enable"), "1");
	HAPPEN(fake, LOOK("8:0", 2048, 1), LOOK("254:0", 2048, 77), LOOK("254:0", 0, 1));
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.step_bytes == 0);
	/* A kernel's tick, CONFIG_HZ of 24 to 1200. */
	assert_in_range(lround(1 / control.tick_s), 24, 1200);
	HAPPEN(fake, OURS(3));
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.step_bytes == page);
	HAPPEN(fake, OURS(1024), OURS(1536), OURS(512), OURS(512), LOOK("254:0", 2048, 77), LOOK("8:0", 2048, 1));
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.step_bytes == 512 * page);
	assert_true(control.ratelimit == 0);
	assert_string_equal(text_of(fake, EVENTS "balance_dirty_pages/enable"), "1");
	HAPPEN(fake, OURS(512), OURS(512), OURS(512), OURS(512), OURS(512), OURS(512), OURS(512), OURS(512),
		OURS(512), OURS(512), OURS(512));
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_string_equal(text_of(fake, EVENTS "balance_dirty_pages/enable"), "0");
	HAPPEN(fake, LOOK("254:0", 2048, 1), ours(1000));
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.step_bytes == 512 * page);
	assert_true(control.ratelimit == 1000 * 1024.0);
}

/* A kernel that does not report the pages between two checks reports the rest. */
TEST_WITH("without balance_dirty_pages the other events are still read", set_up, tear_down)
{
	struct fake *fake = *state;
	struct model_control control;

	fakeroot_put(fake->root, EVENTS "balance_dirty_pages/format", "name: balance_dirty_pages\n");
	assert_int_equal(throttle_state_open_in(&fake->instance, "254:0", 1, &fake->throttle), 0);
	assert_string_equal(text_of(fake, EVENTS "balance_dirty_pages/enable"), "0");
	HAPPEN(fake, LOOK("254:0", 1024, 1), ours(1000));
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.step_bytes == 0);
	assert_true(control.ratelimit == 1000 * 1024.0);
}

/* More than is kept: its end. */
TEST_WITH("the state is found in a long trace", set_up, tear_down)
{
	struct fake *fake = *state;
	struct model_control control;

	assert_int_equal(throttle_state_open_in(&fake->instance, "254:0", 1, &fake->throttle), 0);
	for (unsigned i = 0; i < 3000; i++)
		HAPPEN(fake, ours(1000), ours(1000), ours(1000), ours(1000), ours(1000), ours(1000));
	HAPPEN(fake, raw_state(WRITER, 1, 2), ours(7000));
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.ratelimit == 7000 * 1024.0);
	HAPPEN(fake, nonsense);
	throttle_state_read(fake->throttle, &fake->dirty, &control);
	assert_true(control.ratelimit == 7000 * 1024.0);
}

TEST_WITH("values without events are unknown", set_up, tear_down)
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

/* --- granule --- */

#define KIB 1024ull
#define MIB (1024 * KIB)

static uint64_t of(const uint64_t *amounts, size_t count)
{
	struct granule granule = {0};

	for (size_t i = 0; i < count; i++)
		granule_add(&granule, amounts[i]);
	return granule_bytes(&granule);
}

TEST("the granule is the largest size of which most are multiples")
{
	/* Folios of 2 MiB, with what a task left behind and a page of another. */
	static const uint64_t large[] = {2 * MIB, 4 * MIB, 4 * MIB, 6 * MIB, 2 * MIB, 2 * MIB + 4 * KIB, 4 * KIB};
	/* Pages: 619, 464 and 183 of them. */
	static const uint64_t small[] = {619 * 4 * KIB, 464 * 4 * KIB, 183 * 4 * KIB};
	static const uint64_t halves[] = {1, 8};
	struct granule two = {0};

	assert_int_equal(of(large, 7), 2 * MIB);
	assert_int_equal(of(small, 3), 4 * KIB);
	assert_int_equal(of(halves, 2), 8);
	granule_add(&two, 3);
	granule_add(&two, 8);
	assert_int_equal(granule_samples(&two), 2);
	assert_int_equal(of(halves, 1), 1);
	assert_int_equal(of(halves, 0), 0);
	assert_true(of(&(uint64_t){1ull << 63}, 1) == 1ull << 63);
}
