/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a thread that waited for a CPU was disturbed, and when it was not. */
#include "config.h"
#include "tests/unit/unit.h"
#include <dirent.h>
#include <signal.h>
#include "common/base/interrupt.h"
#include "common/base/sysfs.h"
#include "common/host/contention.h"
#include "tests/unit/fakeroot.h"
#include "tests/unit/stopped.h"

#define SCHEDSTAT "/proc/thread-self/schedstat"
#define SECOND 1000000000ull

TEST("the kernels run delay is the second number of schedstat")
{
	struct contention now;
	char root[64];

	fakeroot_make(root);
	contention_read(root, &now);
	assert_false(now.is_known);
	fakeroot_put(root, SCHEDSTAT, "0 0 0\n");
	contention_read(root, &now);
	assert_false(now.is_known);
	fakeroot_put(root, SCHEDSTAT, "5000 1234567 8\n");
	contention_read(root, &now);
	assert_true(now.is_known && now.run_delay_ns == 1234567 && now.time_ns);
	fakeroot_put(root, SCHEDSTAT, "5000\n");
	contention_read(root, &now);
	assert_false(now.is_known);
	fakeroot_remove(root);
}

/* Of a second, on the CPUs of these bits. */
static struct contention thread(uint64_t run_delay_ns, uint64_t voluntary, unsigned cpus)
{
	struct contention sum = {.is_known = true, .time_ns = SECOND, .run_delay_ns = run_delay_ns, .voluntary = voluntary,
		.involuntary = 600};

	for (unsigned i = 0; i < 8; i++) {
		if (cpus >> i & 1)
			CPU_SET(i, &sum.cpus);
	}
	return sum;
}

TEST("a thread that waits two thirds of its time is disturbed")
{
	const struct contention begin = {true, 7 * SECOND, 100, 3, 4, {{1}}, 0},
		end = {true, 10 * SECOND, 100 + 2 * SECOND, 3, 604, {{1}}, 0};
	struct contention_finding finding;
	struct contention sum = {0};
	char text[256];

	assert_false(contention_find(&sum, sizeof(struct contention), 1, &finding));
	contention_add(&sum, &begin, &end);
	assert_true(contention_find(&sum, sizeof(struct contention), 1, &finding));
	contention_text(&finding, text, sizeof(text));
	assert_non_null(strstr(text, "thread 1 waited for a CPU for 66.7 % of its time and was preempted 600 times "
		"(at most 5 % is allowed)"));
	contention_add(&sum, &begin, &end);
	assert_true(contention_find(&sum, sizeof(struct contention), 1, &finding));
	assert_true(fabs(finding.percent - 200.0 / 3) < 1e-9);
}

TEST("threads of the run that share a cpu do not disturb it")
{
	struct contention threads[] = {thread(SECOND / 2, 0, 1), thread(SECOND / 2, 0, 1), thread(0, 0, 2)};
	struct contention_finding finding;

	assert_false(contention_find(threads, sizeof(struct contention), 3, &finding));
	/* Alone there it waited for another program. */
	threads[0] = thread(SECOND / 2, 0, 4);
	threads[1] = thread(0, 0, 1);
	assert_true(contention_find(threads, sizeof(struct contention), 3, &finding));
	assert_true(finding.thread == 0 && finding.own_percent == 0 && finding.percent == 50);
	/* Three of four that share two CPUs. */
	for (unsigned i = 0; i < 3; i++)
		threads[i] = thread(SECOND / 3, 0, 3);
	assert_false(contention_find(threads, sizeof(struct contention), 3, &finding));
	threads[2] = thread(SECOND / 2, 0, 3);
	assert_true(contention_find(threads, sizeof(struct contention), 3, &finding));
	assert_true(finding.thread == 2);
}

TEST("wake ups and single time slices are no contention")
{
	const struct contention woken = thread(SECOND / 25, 4000, 1);
	struct contention sliced = thread(SECOND / 250, 0, 1);
	struct contention_finding finding;

	sliced.time_ns = SECOND / 100;
	assert_false(contention_find(&woken, sizeof(struct contention), 1, &finding));
	assert_false(contention_find(&sliced, sizeof(struct contention), 1, &finding));
}

TEST("a run delay that the kernel did not count is unknown")
{
	const struct contention known = thread(SECOND / 2, 0, 1), unknown = {.time_ns = SECOND};
	const struct contention later = {.is_known = true, .time_ns = 3 * SECOND};
	struct contention_finding finding;
	struct contention sum = {0};

	contention_add(&sum, &unknown, &later);
	assert_false(contention_find(&sum, sizeof(struct contention), 1, &finding));
	assert_true(contention_find(&known, sizeof(struct contention), 1, &finding));
}

static bool is_busy(double waited_ms, size_t threads)
{
	return contention_is_machine_busy(&(struct contention_machine){waited_ms * 1e6, 60e6, 1e9}, threads);
}

TEST("a busy machine disturbs what sleeps")
{
	char text[160];

	assert_false(is_busy(NAN, 1));
	assert_false(is_busy(150, 1));
	assert_true(is_busy(151, 1));
	/* More threads than any machine has CPUs wait for each other. */
	assert_false(is_busy(1000, 1u << 20));
	contention_machine_text(&(struct contention_machine){160e6, 60e6, 1e9}, text, sizeof(text));
	assert_string_equal(text, "in 16 % of the time some program waited for a CPU, and other programs took 6 % of one");
}

TEST("waking on an idle machine is no sign of other programs")
{
	char text[160];

	assert_false(contention_is_machine_busy(&(struct contention_machine){180e6, 50e6, 1e9}, 1));
	assert_false(contention_is_machine_busy(&(struct contention_machine){60e6, 30e6, 1e8}, 1)); /* ticks */
	assert_true(contention_is_machine_busy(&(struct contention_machine){61e6, 30e6, 1e8}, 1));
	assert_false(contention_is_machine_busy(&(struct contention_machine){61e6, 30e6, 1e8}, 2));
	contention_machine_text(&(struct contention_machine){61e6, 30e6, 1e8}, text, sizeof(text));
	assert_string_equal(text, "in 61 % of the time some program waited for a CPU");
	assert_true(contention_is_machine_busy(&(struct contention_machine){18e6, 31e6, 1e8}, 1));
	assert_true(contention_is_machine_busy(&(struct contention_machine){180e6, NAN, 1e9}, 1));
}

TEST("a process that does not run is told by its state")
{
	char root[64], long_line[400];

	fakeroot_make(root);
	assert_false(contention_is_stopped(root, 17));
	/* A kernel's line has 52 values, most of them addresses. */
	snprintf(long_line, sizeof(long_line), "17 (a) T %0350d\n", 0);
	fakeroot_put(root, "/proc/17/stat", long_line);
	assert_true(contention_is_stopped(root, 17));
	fakeroot_put(root, "/proc/17/stat", "17 (a) T b) S 1 17 17 0\n");
	assert_false(contention_is_stopped(root, 17));
	fakeroot_put(root, "/proc/17/stat", "17 (a) S b) T 1 17 17 0\n");
	assert_true(contention_is_stopped(root, 17));
	fakeroot_put(root, "/proc/17/stat", "17 (a) t 1 17 17 0\n");
	assert_true(contention_is_stopped(root, 17));
	assert_false(contention_is_stopped(root, 0));
	fakeroot_put(root, "/proc/17/stat", "17 (a) S 1 17 17 0\n");
	fakeroot_put(root, "/proc/17/wchan", "futex_do_wait");
	assert_false(contention_is_stopped(root, 17));
	fakeroot_put(root, "/proc/17/wchan", "get_signal");
	assert_true(contention_is_stopped(root, 17));
	fakeroot_put(root, "/proc/17/stat", "17 (a) D 1 17 17 0\n");
	fakeroot_put(root, "/proc/17/wchan", "futex_do_wait");
	assert_true(contention_is_stopped(root, 17));
	fakeroot_put(root, "/proc/17/wchan", "__refrigerator");
	assert_true(contention_is_stopped(root, 17));
	fakeroot_put(root, "/proc/17/wchan", "folio_wait_bit_common");
	assert_false(contention_is_stopped(root, 17));
	fakeroot_remove(root);
}

TEST("a sigcont says that the run was stopped")
{
	struct contention_stops stops;
	char text[320];

	contention_expect_stops();
	contention_begin(&stops);
	contention_sample(&stops, false);
	contention_end(&stops);
	assert_false(contention_stopped_text(&stops, "writes", text, sizeof(text)));
	assert_int_equal(raise(SIGCONT), 0);
	contention_end(&stops);
	assert_true(contention_stopped_text(&stops, "writes", text, sizeof(text)));
	assert_non_null(strstr(text, "writes took that long"));
	contention_begin(&stops);
	stops.sample_ns -= 3000000000;
	contention_sample(&stops, false);
	assert_int_equal(stops.stopped_ns, 0);
	stops.sample_ns -= 3000000000;
	contention_sample(&stops, true);
	contention_end(&stops);
	assert_true(contention_stopped_text(&stops, "writes", text, sizeof(text)));
	assert_non_null(strstr(text, "for about 3."));
}

TEST("a sigcont after the signal that ends the run is no stop")
{
	struct contention_stops stops;
	char text[320];

	contention_expect_stops();
	assert_int_equal(interrupt_install(), 0);
	contention_begin(&stops);
	assert_int_equal(raise(SIGTERM), 0);
	assert_int_equal(raise(SIGCONT), 0);
	contention_end(&stops);
	interrupt_reset();
	assert_false(contention_stopped_text(&stops, "writes", text, sizeof(text)));
}

#define MS 1000000ull

/* A run of 10 s whose coordinator sleeps for 100 ms at a time, each time for more_ms longer, of which it waited for a CPU for
 * waited_ms. */
static struct contention_stops sleeps(unsigned times, unsigned more_ms, unsigned waited_ms, bool is_known)
{
	struct contention_stops stops = {.last = {.is_known = is_known}};
	struct contention_moment now = {.is_known = is_known};

	stops.end.monotonic_ns = 10 * (int64_t)SECOND;
	for (unsigned i = 0; i < times; i++) {
		contention_rest_at(&stops, &now);
		now.now_ns += (100 + more_ms) * MS;
		now.run_delay_ns += waited_ms * MS;
		contention_wake_at(&stops, 100 * MS, &now);
	}
	return stops;
}

TEST("short stops add up")
{
	struct contention_stops stops = sleeps(8, 300, 0, true);
	char text[320];

	assert_int_equal(stops.stopped_ns, 2400 * MS);
	assert_int_equal(stops.longest_ns, 300 * MS);
	assert_true(contention_stopped_text(&stops, "writes", text, sizeof(text)));
	assert_non_null(strstr(text, "about 2.4 s (the cgroup freezer"));
	stops = sleeps(1, 300, 0, true);
	assert_true(contention_stopped_text(&stops, "writes", text, sizeof(text)));
	/* In a long run it changes nothing, unless it is long itself. */
	stops.end.monotonic_ns = 100 * (int64_t)SECOND;
	assert_false(contention_stopped_text(&stops, "writes", text, sizeof(text)));
	stops = sleeps(1, 500, 0, true);
	stops.end.monotonic_ns = 100 * (int64_t)SECOND;
	assert_true(contention_stopped_text(&stops, "writes", text, sizeof(text)));
	stops = sleeps(8, 90, 0, true);
	assert_int_equal(stops.stopped_ns, 0);
}

TEST("a coordinator that waited for a cpu was not stopped")
{
	struct contention_stops stops = sleeps(2, 2000, 1950, true);
	char text[320];

	assert_false(contention_stopped_text(&stops, "writes", text, sizeof(text)));
	assert_int_equal(stops.stopped_ns, 0);
	/* What the kernel does not count explains nothing, but then a short delay says nothing either. */
	stops = sleeps(2, 300, 0, false);
	assert_int_equal(stops.stopped_ns, 0);
	stops = sleeps(2, 500, 0, false);
	assert_int_equal(stops.stopped_ns, 1000 * MS);
}

TEST("a coordinator that works between two sleeps was not stopped")
{
	struct contention_stops stops = {.last = {.is_known = true}};
	struct contention_moment now = {.now_ns = 500 * MS, .is_known = true, .cpu_ns = 450 * MS};

	contention_rest_at(&stops, &now);
	assert_int_equal(stops.stopped_ns, 0);
	now.now_ns += 400 * MS;
	now.cpu_ns += 20 * MS;
	contention_rest_at(&stops, &now);
	assert_int_equal(stops.stopped_ns, 380 * MS);
}

TEST("what a thread neither ran nor waited nor slept in faults is unexplained")
{
	struct contention sum = {.is_known = true, .time_ns = SECOND, .run_delay_ns = 100 * MS, .cpu_ns = 300 * MS};

	assert_int_equal(contention_unexplained_ns(&sum, 200 * MS), 400 * MS);
	assert_int_equal(contention_unexplained_ns(&sum, 700 * MS), 0);
	sum.is_known = false;
	assert_true(contention_unexplained_ns(&sum, 0) == UINT64_MAX);
}

/* Counts the other threads of this process that lack this descriptor and run on these CPUs. */
static unsigned threads_without(int fd, const cpu_set_t *cpus)
{
	DIR *folder = opendir("/proc/self/task");
	const struct dirent *entry;
	char path[SYSFS_PATH_BYTES], link[8];
	unsigned count = 0;
	cpu_set_t theirs;
	uint64_t thread;

	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		if (!sysfs_scan_u64(entry->d_name, &thread) || sched_getaffinity((pid_t)thread, sizeof(theirs), &theirs))
			continue;
		sysfs_path(path, "/proc/self/task/%s/fd/%d", entry->d_name, fd);
		count += readlink(path, link, sizeof(link)) < 0 && CPU_EQUAL(&theirs, cpus);
	}
	closedir(folder);
	return count;
}

/* The first CPU that this process may use. */
static cpu_set_t first_cpu(void)
{
	cpu_set_t all, one;
	int cpu = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return one;
}

TEST("a thread that watches for stops has CPUs and descriptors of its own")
{
	enum { FAR = 200 };
	const cpu_set_t cpus = first_cpu();
	struct contention_watch watch;
	struct contention_stops stops;

	contention_expect_stops();
	assert_int_equal(dup2(STDOUT_FILENO, FAR), FAR);
	contention_watch_begin(&watch, &cpus);
	assert_int_equal(threads_without(FAR, &cpus), 1);
	contention_watch_end(&watch, &stops);
	assert_int_equal(close(FAR), 0);
	assert_false(stops.was_continued);
	assert_true(stops.end.monotonic_ns > stops.begin.monotonic_ns);
}

/* The thread that measures does not sleep. */
static struct contention_stops compute(void)
{
	struct contention_watch watch;
	struct contention_stops stops;
	struct contention_moment now;

	contention_watch_begin(&watch, NULL);
	stopped_ready();
	do
		now.now_ns = (int64_t)clock_ns(CLOCK_MONOTONIC);
	while (now.now_ns < watch.stops.begin.monotonic_ns + (int64_t)SECOND);
	contention_watch_end(&watch, &stops);
	return stops;
}

TEST("a thread that watches sees the time in which the process was stopped")
{
	const struct contention_stops stops = stopped_while(compute);

	assert_true(stops.was_continued);
	assert_in_range(stops.stopped_ns, 500 * MS, stops.end.monotonic_ns - stops.begin.monotonic_ns);
}
