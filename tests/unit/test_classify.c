/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include <pthread.h>
#include <sys/wait.h>
#include "tests/unit/faults.h"

/* A kernel whose counts the test sets. */
static struct fault_counts fake;
static long stray_minor; /* faults that happen between the answer and the next question */

static void fake_usage(struct fault_counts *usage)
{
	*usage = fake;
	fake.minor += stray_minor;
	stray_minor = 0;
}

static void setup_fake(struct faults *faults)
{
	static char word[KEEP_PAGE_BYTES] __attribute__((aligned(KEEP_PAGE_BYTES)));

	memset(&fake, 0, sizeof(fake));
	stray_minor = 0;
	fake.minor = 1000;
	fake.major = 7;
	faults_setup(faults, word, 1, 50);
	faults->state.usage = fake_usage;
	faults->state.fault_ticks = 100;
	faults_clear(faults);
	assert_int_equal(classify_begin(&faults->state), 0);
}

static bool slow_access(struct faults *faults, enum access_direction direction, uint64_t ticks, long minor, long major)
{
	fake.minor += minor;
	fake.major += major;
	return faults->thread.on_slow(&faults->thread, direction, ticks, faults->thread.base);
}

static void end_fake(struct faults *faults, struct classify_sums *sums)
{
	assert_int_equal(classify_end(&faults->state), 0);
	classify_sum(&faults->state, sums);
	free(faults->pages);
}

TEST("an access is classified by its most severe fault")
{
	struct faults faults;
	struct classify_sums sums;
	const struct access_half *half;

	setup_fake(&faults);
	assert_true(slow_access(&faults, ACCESS_READ, 5000, 0, 0));
	assert_true(slow_access(&faults, ACCESS_READ, 3000, 1, 0));
	assert_true(slow_access(&faults, ACCESS_WRITE, 9000, 0, 1));
	assert_true(slow_access(&faults, ACCESS_WRITE, 900000, 2, 1));
	assert_true(slow_access(&faults, ACCESS_WRITE, 7000, 3, 0));
	assert_int_equal(faults_count(&faults, ACCESS_MINOR, ACCESS_READ), 1);
	assert_int_equal(faults_count(&faults, ACCESS_MINOR, ACCESS_WRITE), 1);
	assert_int_equal(faults_count(&faults, ACCESS_MAJOR, ACCESS_READ), 0);
	assert_int_equal(faults_count(&faults, ACCESS_MAJOR, ACCESS_WRITE), 2);
	half = &faults.pages[ACCESS_MAJOR].half[ACCESS_WRITE];
	assert_int_equal(half->sum_ticks, 909000);
	assert_true(half->sum_squares == 81e6 + 81e10);
	assert_int_equal(half->min_ticks, 9000);
	assert_int_equal(half->max_ticks, 900000);
	assert_int_equal(half->count[bucket_log16(ticks_to_ns(9000, faults.thread.mult))], 1);
	assert_int_equal(half->count[bucket_log16(ticks_to_ns(900000, faults.thread.mult))], 1);
	assert_int_equal(faults.slow.multiple, 2);
	assert_int_equal(faults.slow.extra_minor, 4);
	assert_int_equal(faults.slow.extra_major, 0);
	assert_int_equal(faults.slow.checks, 5);
	assert_int_equal(faults.pages[ACCESS_ALL].half[ACCESS_READ].max_hit_ticks, 5000);
	assert_int_equal(faults.pages[ACCESS_ALL].half[ACCESS_WRITE].max_hit_ticks, 0);
	end_fake(&faults, &sums);
	assert_int_equal(sums.kernel_minor, 6);
	assert_int_equal(sums.kernel_major, 2);
	assert_int_equal(sums.classified_minor, 6);
	assert_int_equal(sums.classified_major, 2);
	assert_int_equal(sums.inexact, 0);
}

TEST("a negative latency is counted with its faults")
{
	struct faults faults;
	struct classify_sums sums;

	setup_fake(&faults);
	assert_false(slow_access(&faults, ACCESS_READ, (uint64_t)-26, 1, 0));
	assert_true(slow_access(&faults, ACCESS_READ, 5000, 0, 0));
	assert_int_equal(faults.slow.backwards, 1);
	assert_int_equal(faults_total(&faults, ACCESS_MINOR), 0);
	end_fake(&faults, &sums);
	assert_int_equal(sums.inexact, 1);
}

TEST("bookkeeping faults stay out of the classes")
{
	struct faults faults;
	struct classify_sums sums;

	setup_fake(&faults);
	stray_minor = 2;
	assert_true(slow_access(&faults, ACCESS_READ, 5000, 0, 1));
	assert_true(slow_access(&faults, ACCESS_READ, 5000, 0, 0));
	assert_int_equal(faults_total(&faults, ACCESS_MINOR), 0);
	assert_int_equal(faults_total(&faults, ACCESS_MAJOR), 1);
	end_fake(&faults, &sums);
	assert_int_equal(sums.kernel_minor, 2);
	assert_int_equal(sums.inexact, 2);
}

/* Far from the first slow accesses the second question is rare, and a stray fault counts as the next access's own
 * beside its real one. */
TEST("stray faults make multiples")
{
	struct faults faults;
	struct classify_sums sums;

	setup_fake(&faults);
	for (int i = 0; i < 100; i++)
		assert_true(slow_access(&faults, ACCESS_READ, 5000, 0, 1));
	stray_minor = 1;
	assert_true(slow_access(&faults, ACCESS_READ, 5000, 0, 1));
	assert_true(slow_access(&faults, ACCESS_READ, 5000, 0, 1));
	end_fake(&faults, &sums);
	assert_int_equal(faults.slow.multiple, 1);
	assert_int_equal(sums.classified_minor, 1);
	assert_int_equal(sums.classified_major, 102);
	assert_int_equal(sums.inexact, 0);
}

TEST("faults outside of windows are not counted")
{
	struct faults faults;
	struct classify_sums sums;

	setup_fake(&faults);
	assert_true(slow_access(&faults, ACCESS_READ, 5000, 1, 0));
	assert_int_equal(classify_end(&faults.state), 0);
	fake.minor += 50;
	assert_int_equal(classify_begin(&faults.state), 0);
	assert_true(slow_access(&faults, ACCESS_READ, 5000, 0, 1));
	fake.major += 3;
	end_fake(&faults, &sums);
	assert_int_equal(sums.kernel_minor, 1);
	assert_int_equal(sums.kernel_major, 4);
	assert_int_equal(sums.classified_major, 1);
	assert_int_equal(sums.inexact, 3);
}

TEST("accesses over the threshold are counted")
{
	struct faults faults;
	struct classify_sums sums;

	setup_fake(&faults);
	faults.state.over_ticks = 50;
	classify_attach(&faults.state, &faults.thread);
	assert_int_equal(faults.thread.slow_ticks, 50);
	assert_true(slow_access(&faults, ACCESS_READ, 60, 0, 0));
	assert_int_equal(faults.slow.checks, 0);
	assert_true(slow_access(&faults, ACCESS_READ, 101, 0, 0));
	assert_int_equal(faults.slow.checks, 1);
	assert_int_equal(faults.slow.over_threshold, 2);
	end_fake(&faults, &sums);
}

/* What is faster than any fault has none, even if something else had one meanwhile. */
TEST("stray before a marked hit is inexact")
{
	struct faults faults;
	struct classify_sums sums;

	setup_fake(&faults);
	faults.state.over_ticks = 50;
	classify_attach(&faults.state, &faults.thread);
	faults.thread.asks_kernel = true;
	fake.minor++;
	faults.thread.asked = fake;
	assert_true(faults.thread.on_slow(&faults.thread, ACCESS_READ, 60, faults.thread.base));
	assert_int_equal(faults_total(&faults, ACCESS_MINOR), 0);
	end_fake(&faults, &sums);
	assert_int_equal(sums.inexact, 1);
}

/* Attaching plays the slow path through and leaves no trace of it. */
TEST("attaching a thread leaves no counts or pages behind")
{
	static const struct access_slow nothing;
	struct faults faults;

	setup_fake(&faults);
	memset(&faults.slow, 0, sizeof(faults.slow));
	faults.state.over_ticks = 50;
	classify_attach(&faults.state, &faults.thread);
	assert_memory_equal(&faults.slow, &nothing, sizeof(nothing));
	for (int class = 0; class < ACCESS_CLASSES; class++) {
		assert_int_equal(faults_total(&faults, class), 0);
		assert_int_equal(faults.pages[class].half[ACCESS_READ].max_ticks, 0);
		assert_int_equal(faults.pages[class].half[ACCESS_READ].max_hit_ticks, 0);
	}
	free(faults.pages);
}

TEST("without classes only negative latencies are counted")
{
	struct faults faults;
	struct classify_sums sums;

	setup_fake(&faults);
	faults.state.asks_kernel = false;
	classify_attach(&faults.state, &faults.thread);
	assert_int_equal(faults.thread.slow_ticks, INT64_MAX);
	assert_false(slow_access(&faults, ACCESS_WRITE, (uint64_t)-1, 1, 0));
	assert_int_equal(faults.slow.backwards, 1);
	assert_int_equal(faults.slow.checks, 0);
	end_fake(&faults, &sums);
	assert_int_equal(sums.kernel_minor, 1);
	assert_int_equal(sums.classified_minor, 0);
	assert_int_equal(sums.inexact, 0);
}

TEST("fine histogram agrees with the class")
{
	struct access_hdr *hdr = calloc(1, sizeof(*hdr));
	struct faults faults;
	struct classify_sums sums;

	assert_non_null(hdr);
	setup_fake(&faults);
	faults.state.hdr[ACCESS_MAJOR] = hdr;
	assert_true(slow_access(&faults, ACCESS_WRITE, 20000, 0, 1));
	assert_true(slow_access(&faults, ACCESS_WRITE, 20000, 1, 0));
	assert_int_equal(hdr->count[ACCESS_WRITE][bucket_hdr(ticks_to_ns(20000, faults.thread.mult))], 1);
	end_fake(&faults, &sums);
	free(hdr);
}
