/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a thread that waited for a CPU was disturbed, and when it was not. */
#include "config.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <signal.h>
#include "common/contention.h"
#include "tests/unit/fakeroot.h"

#define SCHEDSTAT "/proc/thread-self/schedstat"
#define SECOND 1000000000ull

static void the_kernels_run_delay_is_the_second_number_of_schedstat(void **state)
{
	struct contention now;
	char root[64];

	(void)state;
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

static void a_thread_that_waits_two_thirds_of_its_time_is_disturbed(void **state)
{
	const struct contention begin = {true, 7 * SECOND, 100, 3, 4, {{1}}},
		end = {true, 10 * SECOND, 100 + 2 * SECOND, 3, 604, {{1}}};
	struct contention_finding finding;
	struct contention sum = {0};
	char text[256];

	(void)state;
	assert_true(isnan(contention_percent(&sum)));
	assert_false(contention_find(&sum, sizeof(struct contention), 1, &finding));
	contention_add(&sum, &begin, &end);
	assert_true(fabs(contention_percent(&sum) - 200.0 / 3) < 1e-9);
	assert_true(contention_find(&sum, sizeof(struct contention), 1, &finding));
	contention_text(&finding, text, sizeof(text));
	assert_non_null(strstr(text, "thread 1 waited for a CPU for 66.7 % of its time and was preempted 600 times "
		"(at most 5 % is allowed)"));
	contention_add(&sum, &begin, &end);
	assert_true(fabs(contention_percent(&sum) - 200.0 / 3) < 1e-9);
}

static void threads_of_the_run_that_share_a_cpu_do_not_disturb_it(void **state)
{
	struct contention threads[] = {thread(SECOND / 2, 0, 1), thread(SECOND / 2, 0, 1), thread(0, 0, 2)};
	struct contention_finding finding;

	(void)state;
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

static void wake_ups_and_single_time_slices_are_no_contention(void **state)
{
	const struct contention woken = thread(SECOND / 25, 4000, 1);
	struct contention sliced = thread(SECOND / 250, 0, 1);
	struct contention_finding finding;

	(void)state;
	sliced.time_ns = SECOND / 100;
	assert_true(contention_percent(&woken) == 0);
	assert_false(contention_find(&woken, sizeof(struct contention), 1, &finding));
	assert_false(contention_find(&sliced, sizeof(struct contention), 1, &finding));
}

static void a_run_delay_that_the_kernel_did_not_count_is_unknown(void **state)
{
	const struct contention known = thread(SECOND / 2, 0, 1), unknown = {.time_ns = SECOND};
	const struct contention later = {.is_known = true, .time_ns = 3 * SECOND};
	struct contention_finding finding;
	struct contention sum = {0};

	(void)state;
	contention_add(&sum, &unknown, &later);
	assert_true(isnan(contention_percent(&sum)));
	assert_false(contention_find(&sum, sizeof(struct contention), 1, &finding));
	assert_true(contention_find(&known, sizeof(struct contention), 1, &finding));
}

static void a_busy_machine_disturbs_what_sleeps(void **state)
{
	(void)state;
	assert_false(contention_is_machine_busy(NAN, 1));
	assert_false(contention_is_machine_busy(15, 1));
	assert_true(contention_is_machine_busy(16, 1));
	/* More threads than any machine has CPUs wait for each other. */
	assert_false(contention_is_machine_busy(100, 1u << 20));
}

static void a_process_that_does_not_run_is_told_by_its_state(void **state)
{
	char root[64];

	(void)state;
	fakeroot_make(root);
	assert_false(contention_is_stopped(root, 17));
	fakeroot_put(root, "/proc/17/stat", "17 (a) T b) S 1 17 17 0\n");
	assert_false(contention_is_stopped(root, 17));
	fakeroot_put(root, "/proc/17/stat", "17 (a) S b) T 1 17 17 0\n");
	assert_true(contention_is_stopped(root, 17));
	fakeroot_put(root, "/proc/17/stat", "17 (a) t 1 17 17 0\n");
	assert_true(contention_is_stopped(root, 17));
	assert_false(contention_is_stopped(root, 0));
	fakeroot_remove(root);
}

static void late_samples_and_a_sigcont_say_that_the_run_was_stopped(void **state)
{
	struct contention_stops stops;
	char text[256];

	(void)state;
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
	contention_end(&stops);
	assert_true(contention_stopped_text(&stops, "writes", text, sizeof(text)));
	assert_non_null(strstr(text, "for about 3."));
}

UNIT_MAIN()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernels_run_delay_is_the_second_number_of_schedstat),
		cmocka_unit_test(a_thread_that_waits_two_thirds_of_its_time_is_disturbed),
		cmocka_unit_test(threads_of_the_run_that_share_a_cpu_do_not_disturb_it),
		cmocka_unit_test(wake_ups_and_single_time_slices_are_no_contention),
		cmocka_unit_test(a_run_delay_that_the_kernel_did_not_count_is_unknown),
		cmocka_unit_test(a_busy_machine_disturbs_what_sleeps),
		cmocka_unit_test(a_process_that_does_not_run_is_told_by_its_state),
		cmocka_unit_test(late_samples_and_a_sigcont_say_that_the_run_was_stopped),
	};

	return cmocka_run_group_tests_name("contention", tests, NULL, NULL);
}
