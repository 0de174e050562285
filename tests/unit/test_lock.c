/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What measures stays in memory, and the kernel writes to none of a measuring thread's pages. */
#include "config.h"
#include "tests/unit/unit.h"
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif
#include "common/hot/keep.h"
#include "pmbench/memory/lock.h"

#define DEPTH 12288 /* of the 16 KiB that are promised */

static bool can_lock(void)
{
	struct rlimit limit;

	/* Sanitizers take mlock for what it would do to their own pages, and do nothing. */
	if (unit_is_sanitized())
		return false;
	return !unit_is_emulated() && (!geteuid() || (!getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur >= 8 << 20));
}

/* In a process of its own: nothing of this program is to stay locked. */
static int run_apart(int (*what)(void))
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(what());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int lock_and_count(void)
{
	uint64_t before = lock_count_pages();

	return lock_infrastructure() ? 1 : lock_count_pages() > before ? 0 : 2;
}

TEST("locked pages are counted")
{
	if (!can_lock())
		skip();
	assert_int_equal(run_apart(lock_and_count), 0);
}

/* Not what is mapped later: the memory under test must be paged. */
static int map_after_lock(void)
{
	const size_t bytes = 4 << 20;
	uint64_t locked;
	char *map;

	if (lock_infrastructure())
		return 1;
	locked = lock_count_pages();
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return 2;
	memset(map, 1, bytes);
	return lock_count_pages() < locked + bytes / KEEP_PAGE_BYTES / 2 ? 0 : 3;
}

TEST("maps made after locking are not locked")
{
	if (!can_lock())
		skip();
	assert_int_equal(run_apart(map_after_lock), 0);
}

/* A limit of one page, and no privilege to pass it. */
static int lock_with_a_low_limit(void)
{
	const struct rlimit limit = {KEEP_PAGE_BYTES, KEEP_PAGE_BYTES};

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || (!geteuid() && setuid(65534)))
		return 2;
	return lock_infrastructure() ? 0 : 1;
}

TEST("a low memlock limit is an error")
{
	if (!can_lock())
		skip();
	assert_int_equal(run_apart(lock_with_a_low_limit), 0);
}

static uint64_t own_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_minflt;
}

static void __attribute__((noinline)) go_deep(void)
{
	char buffer[DEPTH];

	for (size_t i = 0; i < sizeof(buffer); i += 512)
		buffer[i] = 1;
	keep_memory(buffer);
}

/* Faults of a fresh thread when it goes deep, after the stack was touched or not. */
static void *count_faults(void *argument)
{
	uint64_t *faults = argument;
	uint64_t before;

	if (*faults)
		lock_prefault_stack();
	before = own_faults();
	go_deep();
	*faults = own_faults() - before;
	return NULL;
}

static uint64_t faults_of_a_thread(bool is_prefaulted)
{
	uint64_t faults = is_prefaulted;
	pthread_attr_t attributes;
	pthread_t thread;
	void *stack = mmap(NULL, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(stack != MAP_FAILED);
	/* Pages one by one, none of them used before. */
	(void)madvise(stack, 1 << 18, MADV_NOHUGEPAGE);
	pthread_attr_init(&attributes);
	assert_int_equal(pthread_attr_setstack(&attributes, stack, 1 << 18), 0);
	assert_int_equal(pthread_create(&thread, &attributes, count_faults, &faults), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attributes);
	munmap(stack, 1 << 18);
	return faults;
}

TEST("the stack is faulted in before the run")
{
	uint64_t faults = 1;

	if (unit_is_sanitized() || unit_is_emulated())
		skip(); /* their frames and stacks are not these */
	/* The first of it may be in the page that the thread uses already. */
	assert_true(faults_of_a_thread(false) >= DEPTH / KEEP_PAGE_BYTES - 1);
	/* Some may come from elsewhere, like a page of the program that the kernel moves, but not each time. */
	for (int try = 0; faults; try++) {
		assert_in_range(try, 0, 9);
		faults = faults_of_a_thread(true);
	}
}

#if __has_include(<sys/rseq.h>)
static void *leave_rseq(void *argument)
{
	struct rseq *area = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
	const uint32_t mark = 0x5a5a5a5a;
	bool *is_unchanged = argument;

	lock_leave_rseq();
	area->cpu_id_start = mark;
	/* The kernel would write it each time the thread is scheduled. */
	for (int i = 0; i < 1000; i++)
		sched_yield();
	usleep(1000);
	*is_unchanged = area->cpu_id_start == mark;
	return NULL;
}
#endif

TEST("the kernel does not write to the control block of a thread that left rseq")
{
#if __has_include(<sys/rseq.h>)
	bool is_unchanged = false;
	pthread_t thread;

	if (!__rseq_size)
		skip(); /* not registered: an old kernel, or glibc.pthread.rseq=0 */
	assert_int_equal(pthread_create(&thread, NULL, leave_rseq, &is_unchanged), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(is_unchanged);
#else
	skip();
#endif
}
