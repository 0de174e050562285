/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured loop: what it counts, where it stops, what it touches. */
#include "config.h"
#include "tests/unit/unit.h"
#include <sys/mman.h>
#include "common/stats/histogram.h"
#include "common/stats/pattern.h"
#include "pmbench/access/access.h"

#define PAGES 64u
#define PAGE 4096u

struct scene {
	struct access_page page;
	struct access_hdr hdr;
	char *map;
	struct access_thread thread;
	uint64_t slow_calls;
	bool records_slow;
};

static bool on_slow(struct access_thread *thread, enum access_direction direction, uint64_t ticks, const void *address)
{
	struct scene *scene = thread->slow_state;

	assert_true((const char *)address >= scene->map && (const char *)address < scene->map + PAGES * PAGE);
	assert_true(direction == ACCESS_READ || direction == ACCESS_WRITE);
	assert_true(ticks > thread->slow_ticks);
	scene->slow_calls++;
	return scene->records_slow;
}

static int open_scene(void **state)
{
	struct scene *scene = aligned_alloc(PAGE, (sizeof(*scene) + PAGE - 1) / PAGE * PAGE);

	memset(scene, 0, sizeof(*scene));
	scene->map = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(scene->map, MAP_FAILED);
	scene->records_slow = true;
	scene->thread = (struct access_thread){.method = TICKS_DEFAULT, .base = scene->map, .pages = PAGES,
		.page_bytes = PAGE, .offset = -1, .read_threshold = 1ull << 62, .mult = 1ull << 32,
		.slow_ticks = UINT64_MAX, .on_slow = on_slow, .all = &scene->page, .limit = 20000,
		.slow_state = scene};
	for (int i = 0; i < ACCESS_DIRECTIONS; i++)
		scene->page.half[i].min_ticks = UINT64_MAX;
	scene->page.half[ACCESS_READ].deadline = UINT64_MAX;
	rng_seed(&scene->thread.rng, 11, 0);
	*state = scene;
	return 0;
}

static int close_scene(void **state)
{
	struct scene *scene = *state;

	munmap(scene->map, PAGES * PAGE);
	free(scene);
	return 0;
}

static uint64_t counted(const struct scene *scene, enum access_direction direction)
{
	return histogram_total(&histogram_log16, scene->page.half[direction].count);
}

TEST_WITH("every access is counted once", open_scene, close_scene)
{
	struct scene *scene = *state;

	for (int method = 0; method < TICKS_METHODS; method++) {
		if (!TICKS_HAVE_TSC && method <= TICKS_RDTSC)
			continue;
		if (!TICKS_HAVE_CNTVCT && method == TICKS_CNTVCT)
			continue;
		for (int visible = 0; visible < 2; visible++) {
			uint64_t before = counted(scene, ACCESS_READ) + counted(scene, ACCESS_WRITE);

			scene->thread.method = (enum ticks_method)method;
			scene->thread.is_store_visible = visible;
			access_run(&scene->thread);
			assert_int_equal(scene->thread.done, 20000);
			assert_int_equal(counted(scene, ACCESS_READ) + counted(scene, ACCESS_WRITE) - before, 20000);
			assert_true(scene->thread.end_ticks > scene->thread.begin_ticks);
		}
	}
}

/* 80 % reads of 100 000: five standard deviations are 632. */
TEST_WITH("the share of reads follows the ratio", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->thread.limit = 100000;
	scene->thread.read_threshold = (uint64_t)((1ull << 63) / 100 * 80);
	access_run(&scene->thread);
	assert_in_range(counted(scene, ACCESS_READ), 80000 - 632, 80000 + 632);
	scene->thread.read_threshold = 1ull << 63;
	memset(&scene->page.half[ACCESS_WRITE].count, 0, sizeof(scene->page.half[ACCESS_WRITE].count));
	access_run(&scene->thread);
	assert_int_equal(counted(scene, ACCESS_WRITE), 0);
	scene->thread.read_threshold = 0;
	memset(&scene->page.half[ACCESS_READ].count, 0, sizeof(scene->page.half[ACCESS_READ].count));
	access_run(&scene->thread);
	assert_int_equal(counted(scene, ACCESS_READ), 0);
}

/* A store leaves the low half of its own address: each word of the map is that or untouched. */
TEST_WITH("writes go to the drawn word", open_scene, close_scene)
{
	struct scene *scene = *state;
	size_t written = 0;

	scene->thread.read_threshold = 0;
	scene->thread.offset = 1023;
	access_run(&scene->thread);
	for (uint32_t *word = (void *)scene->map; (char *)word < scene->map + PAGES * PAGE; word++) {
		if (!*word)
			continue;
		assert_int_equal(*word, (uint32_t)(uintptr_t)word);
		assert_int_equal(((char *)word - scene->map) % PAGE, 1023 * 4);
		written++;
	}
	assert_int_equal(written, PAGES);
}

TEST_WITH("random offsets reach every word of the page", open_scene, close_scene)
{
	struct scene *scene = *state;
	size_t untouched = 0;

	scene->thread.read_threshold = 0;
	scene->thread.limit = PAGES * 1024 * 20;
	access_run(&scene->thread);
	for (uint32_t *word = (void *)scene->map; (char *)word < scene->map + PAGES * PAGE; word++)
		untouched += !*word && (uint32_t)(uintptr_t)word;
	/* e^-20 of 65536 words are expected to be missed. */
	assert_int_equal(untouched, 0);
}

TEST_WITH("a deadline of 0 ends the loop at once", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->page.half[ACCESS_READ].deadline = 0;
	access_run(&scene->thread);
	assert_int_equal(scene->thread.done, 0);
}

TEST_WITH("the deadline ends the loop", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->thread.limit = 0;
	scene->thread.method = TICKS_PERFC;
	/* On a busy machine the deadline can have passed before the loop is reached. */
	for (uint64_t ns = 2000000; !scene->thread.done && ns < 60000000000ull; ns *= 2) {
		scene->page.half[ACCESS_READ].deadline = ticks_perfc() + ns;
		access_run(&scene->thread);
	}
	assert_true(scene->thread.done > 0);
	assert_true(scene->thread.end_ticks >= scene->page.half[ACCESS_READ].deadline);
}

/* With a threshold of 0 ticks every access is slow, and what on_slow refuses is counted nowhere. The clock is one
 * that no access is too fast for. */
TEST_WITH("slow accesses take the slow path", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->thread.method = TICKS_PERFC;
	scene->thread.slow_ticks = 0;
	access_run(&scene->thread);
	assert_int_equal(scene->slow_calls, 20000);
	assert_int_equal(counted(scene, ACCESS_READ) + counted(scene, ACCESS_WRITE), 20000);
	scene->records_slow = false;
	access_run(&scene->thread);
	assert_int_equal(scene->thread.done, 20000);
	assert_int_equal(counted(scene, ACCESS_READ) + counted(scene, ACCESS_WRITE), 20000);
}

TEST_WITH("touch counts accesses and records no latency", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->thread.is_touch = true;
	access_run(&scene->thread);
	assert_int_equal(counted(scene, ACCESS_READ) + counted(scene, ACCESS_WRITE), 0);
	assert_int_equal(scene->page.half[ACCESS_READ].touched + scene->page.half[ACCESS_WRITE].touched, 20000);
}

TEST_WITH("the fine histogram counts the same accesses", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->thread.hdr = &scene->hdr;
	access_run(&scene->thread);
	for (int i = 0; i < ACCESS_DIRECTIONS; i++)
		assert_int_equal(histogram_total(&histogram_hdr, scene->hdr.count[i]),
			counted(scene, (enum access_direction)i));
}

/* Sums and extremes agree with the counts: with 1 tick = 1 ns every bucket bounds what fell into it. */
TEST_WITH("moments agree with the buckets", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->thread.hdr = &scene->hdr;
	access_run(&scene->thread);
	for (int i = 0; i < ACCESS_DIRECTIONS; i++) {
		const struct access_half *half = &scene->page.half[i];
		double low_sum = 0, high_sum = 0;
		uint64_t low, high, min = UINT64_MAX, max = 0;

		for (unsigned b = 0; b < BUCKET_HDR_COUNT; b++) {
			if (!scene->hdr.count[i][b])
				continue;
			histogram_hdr.edges(b, &low, &high);
			low_sum += (double)low * (double)scene->hdr.count[i][b];
			high_sum += (double)high * (double)scene->hdr.count[i][b];
			min = low < min ? low : min;
			max = high;
		}
		assert_true((double)half->sum_ticks >= low_sum && (double)half->sum_ticks <= high_sum);
		assert_true(half->min_ticks >= min && half->max_ticks < max);
		assert_true(half->sum_squares >= (double)half->max_ticks * (double)half->max_ticks);
	}
}

static uint64_t third_page(struct pattern *state)
{
	(void)state;
	return 3;
}

TEST_WITH("a given draw decides the page", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->thread.draw = third_page;
	scene->thread.read_threshold = 0;
	access_run(&scene->thread);
	for (size_t i = 0; i < PAGES * PAGE; i++) {
		if (i / PAGE != 3)
			assert_int_equal(scene->map[i], 0);
	}
}

TEST_WITH("a write that needs a read stores the value that it read", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->thread.write_needs_read = true;
	scene->thread.read_threshold = 0;
	memset(scene->map, 0x5a, PAGES * PAGE);
	access_run(&scene->thread);
	scene->thread.method = TICKS_PERFC;
	access_run(&scene->thread);
	assert_int_equal(counted(scene, ACCESS_WRITE), 2 * 20000);
	for (size_t i = 0; i < PAGES * PAGE; i++)
		assert_int_equal(scene->map[i], 0x5a);
}

TEST_WITH("delay is kept between accesses", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->thread.method = TICKS_PERFC;
	scene->thread.limit = 100;
	scene->thread.delay_ticks = 20000;
	access_run(&scene->thread);
	assert_true(scene->thread.end_ticks - scene->thread.begin_ticks >= 100 * 20000);
}
