/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Warm memory is asked for as it will be given, and what it does not suffice for is counted. */
#include "config.h"
#include "tests/unit/unit.h"
#include <sys/mman.h>
#include <sys/resource.h>
#include "iowrite-bench/feed.h"

#define MIB (1ull << 20)

/* Pages that were touched for the first time meanwhile. */
static long faults_of_giving(struct feed *feed, uint64_t size)
{
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	feed_give(feed, size);
	getrusage(RUSAGE_SELF, &after);
	return after.ru_minflt - before.ru_minflt;
}

/* Writes of one size, from a feed of what they need: what it gave at most, net of what it took back. */
static uint64_t most_given(uint64_t size, size_t count)
{
	uint64_t need = feed_need(count * size), most = 0;
	struct feed feed;

	assert_int_equal(feed_open(need, feed_most(), &feed), 0);
	assert_int_equal(feed.bytes, need);
	for (size_t i = 0; i < count; i++) {
		feed_give(&feed, size);
		most = feed.used > most ? feed.used : most;
	}
	assert_int_equal(feed.unfed, 0);
	feed_close(&feed);
	return most;
}

static void what_is_needed_suffices(void **state)
{
	static const uint64_t sizes[] = {1, 1000, 4096, 65536, MIB, 3 * MIB + 1, 4 * MIB, 4 * MIB + 1, 6 * MIB, 6 * MIB + 1,
		7 * MIB, 8 * MIB, 16 * MIB};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t count = sizes[i] < 65536 ? 5000 : 13;
		uint64_t most = most_given(sizes[i], count);

		assert_in_range(most, count * sizes[i], feed_need(count * sizes[i]));
	}
	assert_int_equal(feed_need(0), 0);
}

/* Whoever writes gets it from a little that is free, and no more than a gift is: a free page is cold after seconds. */
static void what_is_left_is_taken_back(void **state)
{
	struct feed feed;

	(void)state;
	assert_int_equal(feed_open(64 * MIB, feed_most(), &feed), 0);
	/* 24, of which 16.5 are taken: 7.5 are ahead. */
	assert_int_equal(faults_of_giving(&feed, 16 * MIB), 0);
	assert_int_equal(feed.used, 24 * MIB);
	assert_int_equal(feed.ahead, 15 * MIB / 2);
	/* 6 of these back, by touching them, and 24. */
	assert_in_range(faults_of_giving(&feed, 16 * MIB), 3, 6 * MIB / 4096);
	assert_int_equal(feed.used, 42 * MIB);
	assert_int_equal(feed.ahead, 9 * MIB);
	feed_give(&feed, 16 * MIB);
	assert_int_equal(feed.used, 58 * MIB);
	feed_close(&feed);
}

/* Also of what was given twice. */
static void all_is_there_again(void **state)
{
	unsigned char pages[16 * MIB / 4096];
	struct feed feed;
	size_t there = 0;

	(void)state;
	assert_int_equal(feed_open(16 * MIB, feed_most(), &feed), 0);
	feed_give(&feed, 0); /* 8 */
	feed_give(&feed, 6 * MIB); /* 8 back, and 14 */
	assert_int_equal(feed.used, 14 * MIB);
	feed_give(&feed, 4 * MIB); /* of 8 - 3/16, 6 back, and what there is */
	assert_int_equal(feed.used, 16 * MIB);
	feed_refill(&feed);
	assert_int_equal(mincore(feed.begin, 16 * MIB, pages), 0);
	for (size_t i = 0; i < sizeof(pages); i++)
		there += pages[i] & 1;
	assert_int_equal(there, sizeof(pages));
	feed_close(&feed);
}

static void what_is_missing_is_counted(void **state)
{
	struct feed feed;

	(void)state;
	assert_int_equal(feed_open(12 * MIB, feed_most(), &feed), 0);
	feed_give(&feed, 4 * MIB); /* 12: 7 and 7/8 are ahead */
	assert_int_equal(feed.used, 12 * MIB);
	/* What is left would only be given again. */
	assert_int_equal(faults_of_giving(&feed, 5 * MIB), 0);
	assert_int_equal(feed.unfed, 0);
	feed_give(&feed, 5 * MIB);
	assert_int_equal(feed.unfed, 5 * MIB - (8 * MIB - 4 * MIB / 32 - 5 * MIB - 5 * MIB / 32));
	feed_give(&feed, 7);
	assert_int_equal(feed.unfed, 5 * MIB - (8 * MIB - 4 * MIB / 32 - 5 * MIB - 5 * MIB / 32) + 7);
	/* From the beginning again; what was missing stays counted. */
	feed_refill(&feed);
	feed_give(&feed, 4 * MIB);
	assert_int_equal(feed.unfed, 5 * MIB - (8 * MIB - 4 * MIB / 32 - 5 * MIB - 5 * MIB / 32) + 7);
	feed_close(&feed);
}

static void an_empty_feed_gives_nothing(void **state)
{
	struct feed feed;

	(void)state;
	assert_int_equal(feed_open(0, feed_most(), &feed), 0);
	assert_int_equal(feed.bytes, 0);
	feed_give(&feed, 100);
	assert_int_equal(feed.unfed, 100);
	feed_refill(&feed);
	feed_close(&feed);
}

/* Several at once share what there is. */
static void no_more_than_its_share(void **state)
{
	struct feed feed;

	(void)state;
	assert_int_equal(feed_open(64 * MIB, 7 * MIB, &feed), 0);
	assert_int_equal(feed.bytes, 6 * MIB);
	feed_close(&feed);
	assert_int_equal(feed_open(64 * MIB, 0, &feed), 0);
	assert_int_equal(feed.bytes, 0);
	feed_close(&feed);
	assert_true(feed_most() > 0);
	assert_true(feed_most() <= feed_available());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_needed_suffices),
		cmocka_unit_test(what_is_left_is_taken_back),
		cmocka_unit_test(all_is_there_again),
		cmocka_unit_test(what_is_missing_is_counted),
		cmocka_unit_test(an_empty_feed_gives_nothing),
		cmocka_unit_test(no_more_than_its_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
