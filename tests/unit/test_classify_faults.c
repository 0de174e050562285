/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes of what this kernel does, beside what a made-up one answers (test_classify.c). */
#include "config.h"
#include <pthread.h>
#include <sys/wait.h>
#include "tests/unit/faults.h"

#define PAGES 512
#define WORKERS 4

/* Every first touch of a page is one minor fault, every further access none, whatever interrupts it. */
TEST("first accesses to pages are minor faults")
{
	struct faults faults;
	struct classify_sums sums;
	char *base = faults_map(PAGES);

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

TEST("each thread counts its own faults")
{
	static struct worker workers[WORKERS];
	char *base = faults_map(WORKERS * PAGES);

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

TEST("each process counts its own faults")
{
	struct worker *workers = mmap(NULL, WORKERS * sizeof(*workers), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

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

TEST("the calibration of faults works with locked memory")
{
	struct timebase timebase;
	uint64_t ticks = 0;

	assert_int_equal(timebase_init(&timebase, TICKS_DEFAULT, false, 10000000, ""), 0);
	/* Where memory may not be locked there is nothing to survive. */
	(void)mlockall(MCL_FUTURE);
	assert_int_equal(classify_calibrate(&timebase, &ticks), 0);
	munlockall();
	/* Far above a hit's 30 ns and below any fault seen. */
	assert_in_range(timebase_to_ns(&timebase, ticks), 50, 20000);
}

UNIT_BEGIN()
{
	return faults_no_madvise();
}
