/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include <pthread.h>
#include <sys/wait.h>
#include "tests/unit/faults.h"

#define PAGES 512
#define WORKERS 4

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

static void gravest_fault_names_the_access(void **state)
{
	struct faults faults;
	struct classify_sums sums;
	const struct access_half *half;

	(void)state;
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

static void backwards_is_counted_and_takes_its_faults(void **state)
{
	struct faults faults;
	struct classify_sums sums;

	(void)state;
	setup_fake(&faults);
	assert_false(slow_access(&faults, ACCESS_READ, (uint64_t)-26, 1, 0));
	assert_true(slow_access(&faults, ACCESS_READ, 5000, 0, 0));
	assert_int_equal(faults.slow.backwards, 1);
	assert_int_equal(faults_total(&faults, ACCESS_MINOR), 0);
	end_fake(&faults, &sums);
	assert_int_equal(sums.inexact, 1);
}

static void bookkeeping_faults_stay_out_of_the_classes(void **state)
{
	struct faults faults;
	struct classify_sums sums;

	(void)state;
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
static void stray_faults_make_multiples(void **state)
{
	struct faults faults;
	struct classify_sums sums;

	(void)state;
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

static void faults_outside_windows_do_not_count(void **state)
{
	struct faults faults;
	struct classify_sums sums;

	(void)state;
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

static void over_threshold_is_counted(void **state)
{
	struct faults faults;
	struct classify_sums sums;

	(void)state;
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
static void stray_before_a_marked_hit_is_inexact(void **state)
{
	struct faults faults;
	struct classify_sums sums;

	(void)state;
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
static void attaching_counts_nothing(void **state)
{
	static const struct access_slow nothing;
	struct faults faults;

	(void)state;
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

static void without_classes_only_the_clock_is_watched(void **state)
{
	struct faults faults;
	struct classify_sums sums;

	(void)state;
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

static void fine_histogram_agrees_with_the_class(void **state)
{
	struct access_hdr *hdr = calloc(1, sizeof(*hdr));
	struct faults faults;
	struct classify_sums sums;

	(void)state;
	assert_non_null(hdr);
	setup_fake(&faults);
	faults.state.hdr[ACCESS_MAJOR] = hdr;
	assert_true(slow_access(&faults, ACCESS_WRITE, 20000, 0, 1));
	assert_true(slow_access(&faults, ACCESS_WRITE, 20000, 1, 0));
	assert_int_equal(hdr->count[ACCESS_WRITE][bucket_hdr(ticks_to_ns(20000, faults.thread.mult))], 1);
	end_fake(&faults, &sums);
	free(hdr);
}

/* Every first touch of a page is one minor fault, every further access none, whatever interrupts it. */
static void first_touches_are_minor(void **state)
{
	struct faults faults;
	struct classify_sums sums;
	char *base = faults_map(PAGES);

	(void)state;
	faults_setup(&faults, base, PAGES, 0);
	faults_run(&faults, (uint64_t)4 * PAGES, &sums);
	/* Again, now that every page of code and data has been touched. */
	assert_int_equal(madvise(base, PAGES * FAULTS_PAGE, MADV_DONTNEED), 0);
	faults_clear(&faults);
	faults_run(&faults, (uint64_t)4 * PAGES, &sums);
	assert_int_equal(sums.kernel_minor, PAGES);
	assert_int_equal(faults_count(&faults, ACCESS_MINOR, ACCESS_WRITE), PAGES);
	assert_int_equal(faults_total(&faults, ACCESS_MAJOR), 0);
	assert_int_equal(faults_total(&faults, ACCESS_ALL), 4 * PAGES);
	assert_int_equal(sums.inexact, 0);
	assert_int_equal(faults.slow.multiple, 0);
	munmap(base, PAGES * FAULTS_PAGE);
	free(faults.pages);
}

/* One of several: touches its part of a map, forgets it, and touches it again under count. */
struct worker {
	pthread_t thread;
	char *base;
	struct faults faults;
	struct classify_sums sums;
	uint64_t accesses, minor, major;
};

static void *work(void *argument)
{
	struct worker *worker = argument;

	faults_run(&worker->faults, (uint64_t)2 * PAGES, &worker->sums);
	(void)madvise(worker->base, PAGES * FAULTS_PAGE, MADV_DONTNEED);
	faults_clear(&worker->faults);
	faults_run(&worker->faults, (uint64_t)4 * PAGES, &worker->sums);
	worker->accesses = faults_total(&worker->faults, ACCESS_ALL);
	worker->minor = faults_total(&worker->faults, ACCESS_MINOR);
	worker->major = faults_total(&worker->faults, ACCESS_MAJOR);
	return NULL;
}

/* A page that is read first and written later faults twice. */
static void check_worker(const struct worker *worker)
{
	assert_int_equal(worker->accesses, 4 * PAGES);
	assert_in_range(worker->minor + worker->major, PAGES, 2 * PAGES);
	assert_int_equal(worker->minor, worker->sums.kernel_minor);
	assert_int_equal(worker->major, worker->sums.kernel_major);
	assert_int_equal(worker->sums.inexact, 0);
}

static void threads_count_their_own(void **state)
{
	static struct worker workers[WORKERS];
	char *base = faults_map(WORKERS * PAGES);

	(void)state;
	for (size_t i = 0; i < WORKERS; i++) {
		workers[i].base = base + i * PAGES * FAULTS_PAGE;
		faults_setup(&workers[i].faults, workers[i].base, PAGES, 50);
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (size_t i = 0; i < WORKERS; i++)
		assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
	for (size_t i = 0; i < WORKERS; i++) {
		check_worker(&workers[i]);
		free(workers[i].faults.pages);
	}
	munmap(base, WORKERS * PAGES * FAULTS_PAGE);
}

static void processes_count_their_own(void **state)
{
	struct worker *workers = mmap(NULL, WORKERS * sizeof(*workers), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(workers, MAP_FAILED);
	for (size_t i = 0; i < WORKERS; i++) {
		pid_t child;

		workers[i].base = faults_map(PAGES);
		faults_setup(&workers[i].faults, workers[i].base, PAGES, 50);
		child = fork();
		assert_true(child >= 0);
		if (!child) {
			work(&workers[i]);
			_exit(0);
		}
	}
	for (size_t i = 0; i < WORKERS; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	for (size_t i = 0; i < WORKERS; i++) {
		check_worker(&workers[i]);
		munmap(workers[i].base, PAGES * FAULTS_PAGE);
		free(workers[i].faults.pages);
	}
	munmap(workers, WORKERS * sizeof(*workers));
}

static void calibration_survives_locked_memory(void **state)
{
	struct timebase timebase;
	uint64_t ticks = 0;

	(void)state;
	assert_int_equal(timebase_init(&timebase, TICKS_DEFAULT, false, 10000000, ""), 0);
	/* Where memory may not be locked there is nothing to survive. */
	(void)mlockall(MCL_FUTURE);
	assert_int_equal(classify_calibrate(&timebase, &ticks), 0);
	munlockall();
	/* Far above a hit's 30 ns and below any fault seen. */
	assert_in_range(timebase_to_ns(&timebase, ticks), 50, 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gravest_fault_names_the_access),
		cmocka_unit_test(backwards_is_counted_and_takes_its_faults),
		cmocka_unit_test(bookkeeping_faults_stay_out_of_the_classes),
		cmocka_unit_test(stray_faults_make_multiples),
		cmocka_unit_test(faults_outside_windows_do_not_count),
		cmocka_unit_test(over_threshold_is_counted),
		cmocka_unit_test(stray_before_a_marked_hit_is_inexact),
		cmocka_unit_test(attaching_counts_nothing),
		cmocka_unit_test(without_classes_only_the_clock_is_watched),
		cmocka_unit_test(fine_histogram_agrees_with_the_class),
		cmocka_unit_test(first_touches_are_minor),
		cmocka_unit_test(threads_count_their_own),
		cmocka_unit_test(processes_count_their_own),
		cmocka_unit_test(calibration_survives_locked_memory),
	};
	const char *why = faults_no_madvise();
	size_t count = sizeof(tests) / sizeof(tests[0]);

	/* The last four need a kernel of their own. */
	if (why) {
		printf("# %s\n", why);
		count -= 4;
	}
	return _cmocka_run_group_tests("classify", tests, count, NULL, NULL);
}
