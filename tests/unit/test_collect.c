/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the threads' pages to a result: sums over threads, hits as what is left, threads that were killed, and runs
 * beyond every 32-bit limit on a clock of our own. */
#include "config.h"
#include "tests/unit/unit.h"
#include "pmbench/run/collect.h"

#define KHZ 2.0e6 /* two ticks a nanosecond */
#define NS(ns) ((uint64_t)(ns) * 2)
#define THREADS 2

struct scene {
	struct pmbench_options options;
	struct pmbench_plan plan;
	struct pmbench_result result;
	struct control control;
};

static int open_scene(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	scene->plan = (struct pmbench_plan){
		.options = &scene->options, .processes = 1, .threads = THREADS, .phase_count = 1};
	scene->plan.process[0].threads = THREADS;
	scene->result.plan = &scene->plan;
	scene->result.timebase.start.khz = KHZ;
	scene->result.timebase.mult = (1ull << 32) / 2;
	assert_int_equal(control_open(&scene->control, THREADS, true), 0);
	*state = scene;
	return 0;
}

static int close_scene(void **state)
{
	struct scene *scene = *state;

	control_close(&scene->control);
	result_free(&scene->result);
	free(scene);
	return 0;
}

/* As access.c and classify.c count one. */
static void count(struct scene *scene, size_t thread, enum access_class class, uint64_t ns, uint64_t times)
{
	struct access_half *half = &scene->control.slots[thread].page[class].half[ACCESS_READ];
	uint64_t ticks = NS(ns);

	half->count[bucket_log16(ns)] += times;
	half->sum_ticks += ticks * times;
	for (uint64_t i = 0; i < times && i < 1000; i++)
		half->sum_squares += (double)ticks * (double)ticks * (times < 1000 ? 1 : (double)times / 1000);
	half->min_ticks = ticks < half->min_ticks ? ticks : half->min_ticks;
	half->max_ticks = ticks > half->max_ticks ? ticks : half->max_ticks;
	control_hdr(&scene->control, thread, class)->count[ACCESS_READ][bucket_hdr(ns)] += times;
}

static void count_fault(struct scene *scene, size_t thread, enum access_class class, uint64_t ns, uint64_t times)
{
	count(scene, thread, class, ns, times);
	count(scene, thread, ACCESS_ALL, ns, times);
}

static void end_thread(struct scene *scene, size_t thread, uint64_t begin_ns, uint64_t ran_ns, uint64_t accesses)
{
	struct control_slot *slot = &scene->control.slots[thread];

	slot->status.begin_ticks = NS(begin_ns);
	slot->status.end_ticks = NS(begin_ns) + NS(ran_ns);
	slot->status.accesses = accesses;
	slot->status.phases_done = 1;
	slot->status.phases[0] = (struct control_phase){.accesses = accesses, .begin_ticks = slot->status.begin_ticks,
		.end_ticks = slot->status.end_ticks};
	control_set_state(slot, THREAD_DONE);
}

static const struct result_histogram *reads(const struct scene *scene, enum result_class class)
{
	return &scene->result.total[class][ACCESS_READ];
}

TEST_WITH("the span of threads is from the first begin to the last end", open_scene, close_scene)
{
	struct scene *scene = *state;

	end_thread(scene, 0, 5, 2000000000, 9);
	end_thread(scene, 1, 2000000005, 2000000000, 9);
	assert_int_equal(collect_results(&scene->control, 2, &scene->result), 0);
	assert_true(fabs(scene->result.span_seconds - 4) < 1e-6);
	assert_true(fabs(scene->result.run_seconds - 2) < 1e-6);
}

TEST_WITH("time that is no cpu time no run delay and no fault is unexplained", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct control_status *status = &scene->control.slots[0].status;
	const struct contention window = {.is_known = true, .time_ns = 2000000000, .run_delay_ns = 100000000,
		.cpu_ns = 500000000};

	scene->options.classify = CLASSIFY_AUTO;
	status->contention = window;
	status->kernel_major = 9;
	count_fault(scene, 0, ACCESS_MAJOR, 100000000, 9);
	end_thread(scene, 0, 5, 2000000000, 9);
	end_thread(scene, 1, 5, 2000000000, 9);
	assert_int_equal(collect_results(&scene->control, 2, &scene->result), 0);
	assert_int_equal(scene->result.threads[0].details.cpu_ns, 500000000);
	assert_true(fabs((double)scene->result.threads[0].details.unexplained_ns - 5e8) < 1e3);
	assert_true(scene->result.threads[1].details.unexplained_ns == FIELD_NO_COUNT);
	result_free(&scene->result);
	scene->result.threads = NULL;
	/* Without classes the faults may have been all of it, unless there was none. */
	scene->options.classify = CLASSIFY_NONE;
	memset(scene->control.slots[0].page[ACCESS_MAJOR].half, 0, sizeof(scene->control.slots[0].page[ACCESS_MAJOR].half));
	assert_int_equal(collect_results(&scene->control, 2, &scene->result), 0);
	assert_true(scene->result.threads[0].details.unexplained_ns == FIELD_NO_COUNT);
	result_free(&scene->result);
	status->kernel_major = 0;
	assert_int_equal(collect_results(&scene->control, 2, &scene->result), 0);
	assert_int_equal(scene->result.threads[0].details.unexplained_ns, 1400000000);
}

TEST_WITH("hits are the accesses without faults", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct histogram_summary hit;

	count(scene, 0, ACCESS_ALL, 100, 60);
	count(scene, 1, ACCESS_ALL, 300, 40);
	count_fault(scene, 0, ACCESS_MINOR, 1500, 7);
	count_fault(scene, 1, ACCESS_MAJOR, 9000, 5);
	end_thread(scene, 0, 5, 1000, 67);
	end_thread(scene, 1, 9, 2000, 45);
	assert_int_equal(collect_results(&scene->control, 1, &scene->result), 0);
	assert_int_equal(reads(scene, RESULT_ALL)->moments.count, 112);
	assert_int_equal(reads(scene, RESULT_MINOR)->moments.count, 7);
	assert_int_equal(reads(scene, RESULT_MAJOR)->moments.count, 5);
	result_summary(&scene->result, RESULT_HIT, ACCESS_READ, &hit);
	assert_int_equal(hit.count, 100);
	assert_true(fabs(hit.mean_ns - 180) < 1e-9);
	/* 60 of 100 and 40 of 300: the sum of squares about the mean is 60 * 80^2 + 40 * 120^2. */
	assert_true(fabs(hit.stddev_ns - sqrt((60.0 * 6400 + 40.0 * 14400) / 99)) < 1e-6);
	assert_true(hit.min_ns == 100 && hit.max_ns >= 300 && hit.max_ns < 304);
	assert_int_equal(histogram_total(&histogram_hdr, reads(scene, RESULT_HIT)->hdr), 100);
	assert_true(fabs(scene->result.accesses_per_second - (67 / 1e-6 + 45 / 2e-6)) < 1);
	assert_true(fabs(scene->result.run_seconds - 2e-6) < 1e-12);
}

/* The kernel's kill came between the page of the class and the page of all. */
TEST_WITH("a thread killed between two stores leaves valid counts", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct histogram_summary hit;

	count(scene, 0, ACCESS_ALL, 100, 60);
	count_fault(scene, 0, ACCESS_MAJOR, 9000, 5);
	count(scene, 0, ACCESS_MAJOR, 9000, 1);
	end_thread(scene, 1, 0, 1000, 0);
	assert_int_equal(collect_results(&scene->control, 3, &scene->result), 0);
	assert_false(scene->result.threads[0].details.is_complete);
	assert_int_equal(scene->result.threads[0].accesses, 65);
	assert_int_equal(scene->result.threads[0].details.run_ns, 3000000000ull);
	assert_int_equal(scene->result.threads[0].details.classified_major_faults, 6);
	result_summary(&scene->result, RESULT_HIT, ACCESS_READ, &hit);
	assert_int_equal(hit.count, 60);
	assert_int_equal(histogram_total(&histogram_hdr, reads(scene, RESULT_HIT)->hdr), 60);
	assert_true(hit.mean_ns >= 100 && hit.mean_ns <= hit.max_ns && hit.max_ns < 104);
}

/* Thirty days on a machine that is up for ten years, and more of everything than 32 bits hold. */
TEST_WITH("counts of a run of a month do not overflow", open_scene, close_scene)
{
	const uint64_t month_ns = 30ull * 86400 * 1000000000, years_ns = 120 * month_ns;
	const uint64_t hits = 20000000000ull, minors = 6000000000ull, majors = 5000000000ull;
	struct scene *scene = *state;
	const struct result_thread *thread;
	struct histogram_summary summary;

	count(scene, 0, ACCESS_ALL, 120, hits);
	count_fault(scene, 0, ACCESS_MINOR, 1500, minors);
	count_fault(scene, 0, ACCESS_MAJOR, 100000, majors);
	end_thread(scene, 0, years_ns, month_ns, hits + minors + majors);
	end_thread(scene, 1, years_ns, month_ns, 0);
	assert_int_equal(collect_results(&scene->control, 1, &scene->result), 0);
	thread = &scene->result.threads[0];
	assert_int_equal(thread->accesses, hits + minors + majors);
	assert_int_equal(thread->details.run_ns, month_ns);
	assert_true(fabs(scene->result.run_seconds - 2592000) < 1e-6);
	assert_true(fabs(thread->details.latency_ns - (double)month_ns / (double)(hits + minors + majors)) < 1e-9);
	assert_true(fabs(scene->result.phases[0].end_s - 2592000) < 1e-3);
	assert_int_equal(scene->result.phases[0].accesses, hits + minors + majors);
	result_summary(&scene->result, RESULT_HIT, ACCESS_READ, &summary);
	assert_int_equal(summary.count, hits);
	assert_true(fabs(summary.mean_ns - 120) < 1e-3);
	result_summary(&scene->result, RESULT_MAJOR, ACCESS_READ, &summary);
	assert_int_equal(summary.count, majors);
	assert_true(fabs(summary.mean_ns - 100000) < 1e-6);
}

/* The squares of hits are less than the last digit of the sum of the squares of ten million faults of 10 ms. */
TEST_WITH("a deviation that was rounded away is unknown", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct histogram_summary hit, major;

	count_fault(scene, 0, ACCESS_MAJOR, 10000000, 10000000);
	count(scene, 0, ACCESS_ALL, 100, 999);
	end_thread(scene, 0, 0, 1000, 10000999);
	end_thread(scene, 1, 0, 1000, 0);
	assert_int_equal(collect_results(&scene->control, 1, &scene->result), 0);
	result_summary(&scene->result, RESULT_HIT, ACCESS_READ, &hit);
	result_summary(&scene->result, RESULT_MAJOR, ACCESS_READ, &major);
	assert_int_equal(hit.count, 999);
	assert_true(fabs(hit.mean_ns - 100) < 1e-3);
	assert_true(isnan(hit.stddev_ns));
	assert_true(isfinite(major.stddev_ns));
}
