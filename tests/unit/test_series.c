/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of a run in time: whatever the threads count is in exactly one of them, and time leaves no gap. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/ticks.h"
#include "pmbench/run/collect.h"

#define KHZ 2.0e6 /* two ticks a nanosecond */
#define THREADS 2
#define HOUR_NS (3600ull * 1000000000)

struct scene {
	struct control control;
	struct timebase timebase;
	struct series series;
	struct pmbench_result result;
};

static int open_scene(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	scene->timebase.start.khz = KHZ;
	scene->timebase.mult = (1ull << 32) / 2;
	assert_int_equal(control_open(&scene->control, THREADS, false), 0);
	series_begin(&scene->series, &scene->control, &scene->timebase, NULL);
	*state = scene;
	return 0;
}

static int close_scene(void **state)
{
	struct scene *scene = *state;

	series_hand_over(&scene->series, &scene->result);
	result_free(&scene->result);
	control_close(&scene->control);
	free(scene);
	return 0;
}

static void count(struct scene *scene, size_t thread, enum access_class class, enum access_direction direction,
	uint64_t ns, uint64_t times)
{
	struct access_half *half = &scene->control.slots[thread].page[class].half[direction];
	uint64_t ticks = 2 * ns;

	half->count[bucket_log16(ns)] += times;
	half->sum_ticks += ticks * times;
	half->max_ticks = ticks > half->max_ticks ? ticks : half->max_ticks;
}

static const struct result_interval *take(struct scene *scene)
{
	const struct result_interval *row;

	assert_int_equal(series_take(&scene->series), 0);
	row = series_latest(&scene->series);
	assert_non_null(row);
	return row;
}

TEST_WITH("a row has the difference to the last row", open_scene, close_scene)
{
	struct scene *scene = *state;
	const struct result_interval *row;

	assert_null(series_latest(&scene->series));
	count(scene, 0, ACCESS_ALL, ACCESS_READ, 1000, 30);
	count(scene, 1, ACCESS_ALL, ACCESS_WRITE, 3000, 10);
	count(scene, 1, ACCESS_MINOR, ACCESS_WRITE, 3000, 4);
	count(scene, 0, ACCESS_MAJOR, ACCESS_READ, 1000, 3);
	row = take(scene);
	assert_int_equal(row->values.accesses, 40);
	assert_int_equal(row->values.minor_faults, 4);
	assert_int_equal(row->values.major_faults, 3);
	assert_true(fabs(row->values.mean_ns - 1500) < 1e-9);
	assert_int_equal(row->count[bucket_log16(1000)], 30);
	assert_int_equal(row->count[bucket_log16(3000)], 10);
	assert_true(row->values.p50_ns >= 960 && row->values.p50_ns <= 1024);
	assert_true(row->values.p99_ns >= 2944 && row->values.p99_ns <= 3072);
	count(scene, 0, ACCESS_ALL, ACCESS_WRITE, 500, 5);
	row = take(scene);
	assert_int_equal(row->values.accesses, 5);
	assert_int_equal(row->values.minor_faults + row->values.major_faults, 0);
	assert_int_equal(row->count[bucket_log16(1000)], 0);
	assert_true(fabs(row->values.mean_ns - 500) < 1e-9);
}

TEST_WITH("touched accesses count without a latency", open_scene, close_scene)
{
	struct scene *scene = *state;
	const struct result_interval *row;

	scene->control.slots[0].page[ACCESS_ALL].half[ACCESS_READ].touched = 7;
	scene->control.slots[1].page[ACCESS_ALL].half[ACCESS_WRITE].touched = 5;
	row = take(scene);
	assert_int_equal(row->values.accesses, 12);
	assert_true(row->values.mean_ns == 0 && isnan(row->values.p50_ns) && isnan(row->values.p99_ns));
}

/* The end of one row is the begin of the next. */
TEST_WITH("rows cover the time without a gap", open_scene, close_scene)
{
	struct scene *scene = *state;
	double end_s = 0, sum = 0;

	for (int i = 0; i < 5; i++) {
		const struct result_interval *row = take(scene);

		assert_true(row->values.seconds > 0);
		assert_true(fabs(row->values.time_s - end_s - row->values.seconds) < 1e-9);
		end_s = row->values.time_s;
		sum += row->values.seconds;
	}
	assert_true(fabs(sum - end_s) < 1e-8);
	assert_true(end_s <= (double)(ticks_perfc() - scene->series.begin_ns) / 1e9);
}

TEST_WITH("rows add up to all", open_scene, close_scene)
{
	struct scene *scene = *state;
	uint64_t accesses = 0, buckets = 0, minor = 0;

	for (unsigned i = 0; i < 100; i++) {
		count(scene, i % THREADS, ACCESS_ALL, i % 2, 100 + i * 37, i * i);
		count(scene, i % THREADS, ACCESS_MINOR, i % 2, 100 + i * 37, i);
		if (i % 7 == 0)
			take(scene);
	}
	/* As long ago as any interval: the rest is a row of its own. */
	assert_int_equal(series_end(&scene->series, 0), 0);
	for (size_t i = 0; i < scene->series.count; i++) {
		const struct result_interval *row = &scene->series.intervals[i];

		accesses += row->values.accesses;
		minor += row->values.minor_faults;
		buckets += histogram_total(&histogram_log16, row->count);
		assert_int_equal(histogram_total(&histogram_log16, row->count), row->values.accesses);
	}
	assert_int_equal(scene->series.count, 16);
	assert_int_equal(accesses, 99 * 100 * 199 / 6);
	assert_int_equal(buckets, accesses);
	assert_int_equal(minor, 99 * 100 / 2);
}

/* Less than half an interval since the last row: no row of its own, and nothing of it is lost. */
TEST_WITH("a short rest belongs to the last row", open_scene, close_scene)
{
	struct scene *scene = *state;
	const struct result_interval *row;
	double before_s;

	count(scene, 0, ACCESS_ALL, ACCESS_READ, 100, 10);
	take(scene);
	count(scene, 0, ACCESS_ALL, ACCESS_READ, 200, 20);
	before_s = take(scene)->values.time_s;
	count(scene, 0, ACCESS_ALL, ACCESS_READ, 300, 5);
	assert_int_equal(series_end(&scene->series, HOUR_NS), 0);
	assert_int_equal(scene->series.count, 2);
	row = series_latest(&scene->series);
	assert_int_equal(row->values.accesses, 25);
	assert_true(row->values.time_s > before_s);
	assert_true(fabs(row->values.time_s - row->values.seconds - scene->series.intervals[0].values.time_s) < 1e-9);
	assert_int_equal(scene->series.intervals[0].values.accesses, 10);
}

/* However short a run is, it has a row. */
TEST_WITH("every run has at least one row", open_scene, close_scene)
{
	struct scene *scene = *state;

	count(scene, 0, ACCESS_ALL, ACCESS_READ, 100, 1);
	assert_int_equal(series_end(&scene->series, HOUR_NS), 0);
	assert_int_equal(scene->series.count, 1);
	assert_int_equal(series_latest(&scene->series)->values.accesses, 1);
}

TEST_WITH("only what changed is kept", open_scene, close_scene)
{
	struct scene *scene = *state;
	const struct vmcounters *delta = take(scene)->delta;

	for (size_t i = 0; delta && i < delta->count; i++)
		assert_int_not_equal(delta->values[i].value, 0);
}

TEST_WITH("rows become elements of the report", open_scene, close_scene)
{
	struct scene *scene = *state;

	take(scene);
	take(scene);
	series_hand_over(&scene->series, &scene->result);
	assert_int_equal(scene->result.interval_count, 2);
	assert_null(series_latest(&scene->series));
	result_free(&scene->result);
	assert_int_equal(scene->result.interval_count, 0);
}
