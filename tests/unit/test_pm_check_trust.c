/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a run's numbers are to be trusted, and when its throughput is called steady. */
#include "config.h"
#include "tests/unit/unit.h"
#include <signal.h>
#include "common/stats/latency.h"
#include "pmbench/run/check.h"

#define ROWS 40

static void add(struct vmcounters *counters, const char *name, uint64_t value)
{
	struct vmcounters_value *slot = &counters->values[counters->count++];

	snprintf(slot->name, sizeof(slot->name), "%s", name);
	slot->value = value;
}

struct scene {
	struct pmbench_options options;
	struct pmbench_plan plan;
	struct result_thread threads[2];
	struct vmcounters snapshots[SNAPSHOTS];
	struct pmbench_result result;
};

/* Two threads that ended well, on a clock without a fault. */
static int open_scene(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	scene->plan.options = &scene->options;
	scene->result.plan = &scene->plan;
	scene->result.threads = scene->threads;
	scene->result.thread_count = 2;
	scene->result.snapshots = scene->snapshots;
	scene->result.timebase.start.khz = scene->result.timebase.end.khz = 2e6;
	scene->result.total[RESULT_ALL][ACCESS_WRITE].count[3] = 4000000;
	for (size_t i = 0; i < 2; i++)
		scene->threads[i] = (struct result_thread){.accesses = 2000000, .details.is_complete = true};
	*state = scene;
	return 0;
}

static int close_scene(void **state)
{
	free(*state);
	return 0;
}

/* The reasons' codes, with blanks between. */
static const char *decided(struct scene *scene)
{
	static char codes[256];

	codes[0] = '\0';
	scene->result.reason_count = 0;
	pm_check_trust(&scene->result);
	for (size_t i = 0; i < scene->result.reason_count; i++) {
		size_t used = strlen(codes);

		snprintf(codes + used, sizeof(codes) - used, "%s%s", used ? " " : "", scene->result.reasons[i].code);
	}
	return codes;
}

TEST_WITH("a good run is ok", open_scene, close_scene)
{
	struct scene *scene = *state;

	assert_string_equal(decided(scene), "");
	assert_string_equal(scene->result.status, "ok");
	scene->result.is_interrupted = true;
	assert_string_equal(decided(scene), "");
	assert_string_equal(scene->result.status, "interrupted");
	scene->result.pressure.was_oom = true;
	assert_string_equal(decided(scene), "oom");
	assert_string_equal(scene->result.status, "untrustworthy");
}

TEST_WITH("threads that ran one after another are a reason", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->result.run_seconds = 2;
	scene->result.span_seconds = 2.2;
	assert_string_equal(decided(scene), "");
	scene->result.span_seconds = 4;
	assert_string_equal(decided(scene), "not-together");
}

TEST_WITH("too many negative latencies are a reason", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->threads[0].details.backwards = scene->threads[1].details.backwards = 2;
	assert_string_equal(decided(scene), "");
	scene->threads[1].details.backwards = 3;
	assert_string_equal(decided(scene), "clock-backwards");
}

TEST_WITH("a drifting clock is a reason", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct timebase *timebase = &scene->result.timebase;

	timebase->end.khz = 2e6 * (1 - 4.9e-6);
	assert_string_equal(decided(scene), "");
	timebase->end.khz = 2e6 * (1 - 5.1e-6);
	assert_string_equal(decided(scene), "clock-drift");
	timebase->start.uncertainty_ppm = timebase->end.uncertainty_ppm = 0.1;
	assert_string_equal(decided(scene), "");
	snprintf(timebase->distrust, sizeof(timebase->distrust), "stopped");
	assert_string_equal(decided(scene), "clock");
}

TEST_WITH("too much steal time is a reason", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct vmcounters *before = &scene->snapshots[SNAPSHOT_PRE_RUN], *after = &scene->snapshots[SNAPSHOT_POST_RUN];

	add(before, "stat.steal", 100);
	add(before, "stat.total", 100000);
	add(after, "stat.steal", 150);
	add(after, "stat.total", 101000);
	scene->result.has_snapshot[SNAPSHOT_PRE_RUN] = true;
	assert_string_equal(decided(scene), "");
	scene->result.has_snapshot[SNAPSHOT_POST_RUN] = true;
	assert_string_equal(decided(scene), "");
	after->values[0].value = 151;
	assert_string_equal(decided(scene), "steal");
	after->values[1].value = 100000;
	assert_string_equal(decided(scene), "");
}

TEST_WITH("a run that was stopped is not ok", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct contention_stops *stops = &scene->result.stops;

	stops->begin = (struct contention_clocks){1, 2, 3};
	stops->end = (struct contention_clocks){3000000001, 3000000002, 3000000003};
	assert_string_equal(decided(scene), "");
	stops->was_continued = true;
	assert_string_equal(decided(scene), "stopped");
	stops->stopped_ns = 3000000000;
	assert_string_equal(decided(scene), "stopped");
	assert_non_null(strstr(scene->result.reasons[0].text, "for about 3.0 s"));
}

TEST_WITH("a thread that stood still is not ok", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct vmcounters *before = &scene->snapshots[SNAPSHOT_PRE_RUN], *after = &scene->snapshots[SNAPSHOT_POST_RUN];

	scene->threads[0].details.unexplained_ns = FIELD_NO_COUNT;
	scene->threads[1].contention = (struct contention){.is_known = true, .time_ns = 10000000000};
	scene->threads[1].details.unexplained_ns = 99000000;
	assert_string_equal(decided(scene), "");
	scene->threads[1].details.unexplained_ns = 1050000000;
	assert_string_equal(decided(scene), "unexplained-time");
	assert_non_null(strstr(scene->result.reasons[0].text, "thread 2 stood still for 1.05 s, 10.5 % of its time"));
	/* The hypervisor's time, which has a reason of its own, and interrupts explain it. */
	add(before, "stat.steal", 100);
	add(before, "stat.softirq", 100);
	add(after, "stat.steal", 150);
	add(after, "stat.softirq", 148);
	scene->result.has_snapshot[SNAPSHOT_PRE_RUN] = scene->result.has_snapshot[SNAPSHOT_POST_RUN] = true;
	assert_string_equal(decided(scene), "");
	after->values[1].value = 140;
	assert_string_equal(decided(scene), "unexplained-time");
	/* A share of a short run, but no more than the error of ticks. */
	scene->result.has_snapshot[SNAPSHOT_PRE_RUN] = false;
	scene->threads[1].contention.time_ns = 100000000;
	scene->threads[1].details.unexplained_ns = 19000000;
	assert_string_equal(decided(scene), "");
	scene->threads[1].details.unexplained_ns = 21000000;
	assert_string_equal(decided(scene), "unexplained-time");
	/* One cause, one reason. */
	scene->result.stops.end.monotonic_ns = 1000000000;
	scene->result.stops.stopped_ns = 11000000;
	assert_string_equal(decided(scene), "stopped");
}

TEST_WITH("a machine that slept is not ok", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct contention_stops *stops = &scene->result.stops;

	stops->end = (struct contention_clocks){3000000000, 3200000000, 3200000000};
	assert_string_equal(decided(scene), "suspended");
	assert_int_equal(contention_suspended_ns(stops), 200000000);
	assert_int_equal(contention_clock_set_ns(stops), 0);
	stops->end = (struct contention_clocks){3000000000, 3000000000, -3600000000000};
	assert_string_equal(decided(scene), "");
	assert_int_equal(contention_clock_set_ns(stops), -3603000000000);
}

TEST_WITH("a thread that waited for a cpu is not ok", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->threads[1].contention = (struct contention){.is_known = true, .time_ns = 1000000000, .run_delay_ns = 49000000};
	assert_string_equal(decided(scene), "");
	scene->threads[1].contention.run_delay_ns = 51000000;
	assert_string_equal(decided(scene), "contention");
}

TEST_WITH("a file that was cached elsewhere is not under ram", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct pm_map_file_values *file = &scene->result.file;

	*file = (struct pm_map_file_values){.was_there = true, .file_pages = 1000, .resident_before_pages = 500};
	assert_string_equal(decided(scene), "");
	scene->options.pressure.ram_bytes = 1 << 20;
	assert_string_equal(decided(scene), "charged-elsewhere");
	file->resident_before_pages = 10;
	assert_string_equal(decided(scene), "");
	file->resident_before_pages = FIELD_NO_COUNT;
	assert_string_equal(decided(scene), "charged-elsewhere");
	file->was_there = false;
	assert_string_equal(decided(scene), "");
}

TEST_WITH("missing huge pages are a reason", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->options.mapping.wants_thp = true;
	assert_string_equal(decided(scene), "no-huge-pages");
	scene->result.huge_bytes = 2 << 20;
	assert_string_equal(decided(scene), "");
}

TEST_WITH("missing measurements are reasons", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->threads[0].details.is_complete = false;
	scene->threads[1].details.inexact_faults = 7;
	assert_string_equal(decided(scene), "lost-threads inexact");
	assert_string_equal(scene->result.reasons[0].text, "1 of 2 threads did not end by themselves");
	memset(&scene->result.total, 0, sizeof(scene->result.total));
	assert_string_equal(decided(scene), "lost-threads inexact no-samples");
	scene->options.access = ACCESS_TOUCH;
	assert_string_equal(decided(scene), "lost-threads inexact");
}

static struct result_interval interval(double time_s, double seconds, uint64_t accesses)
{
	return (struct result_interval){.values = {.time_s = time_s, .seconds = seconds, .accesses = accesses}};
}

/* Throughput of each second; the last row, cut short, must not matter. */
static bool steady_of(double (*rate)(size_t second), size_t rows, struct pm_steady_state_values *steady)
{
	struct result_interval intervals[ROWS + 1] = {0};

	for (size_t i = 0; i < rows; i++)
		intervals[i] = interval((double)i + 1, 1, (uint64_t)rate(i));
	intervals[rows] = interval((double)rows + 0.01, 0.01, 1);
	return pm_check_steady(intervals, rows + 1, 1, steady);
}

static double level(size_t second)
{
	(void)second;
	return 1e6;
}

static double warming(size_t second)
{
	return second < 8 ? 1e5 * (double)(second + 1) : 1e6;
}

static double falling(size_t second)
{
	return 1e6 * (1 - 0.01 * (double)second);
}

static double jumping(size_t second)
{
	return second % 2 ? 5e5 : 1.5e6;
}

static double stalled(size_t second)
{
	(void)second;
	return 0;
}

TEST("steady is the longest level tail")
{
	struct pm_steady_state_values steady;

	assert_true(steady_of(level, ROWS, &steady));
	assert_true(steady.is_steady && steady.from_s == 0);
	assert_true(steady.cv_percent == 0 && fabs(steady.slope_percent) < 1e-9);
	assert_true(steady_of(warming, ROWS, &steady));
	assert_true(steady.is_steady && steady.from_s >= 3 && steady.from_s <= 8);
	assert_true(steady_of(falling, ROWS, &steady));
	assert_true(!steady.is_steady && steady.slope_percent < -10);
	assert_true(steady_of(jumping, ROWS, &steady));
	assert_true(!steady.is_steady && steady.cv_percent > 20);
	assert_false(steady_of(stalled, ROWS, &steady));
	assert_false(steady_of(level, LATENCY_TAIL_INTERVALS - 1, &steady));
	assert_true(steady_of(level, LATENCY_TAIL_INTERVALS, &steady));
}

TEST("phases are never steady")
{
	struct result_interval intervals[ROWS];
	struct pm_steady_state_values steady;

	for (size_t i = 0; i < ROWS; i++)
		intervals[i] = interval((double)i + 1, 1, 1000);
	assert_false(pm_check_steady(intervals, ROWS, 2, &steady));
	assert_false(pm_check_steady(NULL, 0, 1, &steady));
}

static void failed(struct pressure_outcome outcome, const char *wanted)
{
	char why[256];

	pm_check_failure(&outcome, why, sizeof(why));
	assert_string_equal(why, wanted);
}

/* Only what is known to have been for lack of memory is blamed on it. */
TEST("a failure names its cause")
{
	failed((struct pressure_outcome){.wait_status = SIGKILL, .was_oom_killed = true, .was_guardian_killed = true},
		"the measuring process was killed for lack of memory before the first access was measured: "
		"give more --ram or --swap, or map less");
	failed((struct pressure_outcome){.wait_status = SIGKILL, .was_guardian_killed = true},
		"the guardian of --ram, --swap and --eater was killed before the first access was measured, "
		"and the run with it");
	failed((struct pressure_outcome){.wait_status = SIGKILL},
		"the measuring process was killed by signal 9 (Killed) before the first access was measured, "
		"possibly for lack of memory (see dmesg)");
	failed((struct pressure_outcome){.wait_status = SIGSEGV},
		"the measuring process was killed by signal 11 (Segmentation fault) "
		"before the first access was measured");
	failed((struct pressure_outcome){.wait_status = 2 << 8},
		"the measuring process ended with status 2 before the first access was measured");
}

TEST_WITH("other programs on the swap device are a reason if the run paged", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct traffic *traffic = &scene->result.traffic;

	*traffic = (struct traffic){.disk_count = 1, .disks = {"sda"}, .measured = {.time_ns = 2e9, .moved_bytes = 600e6,
		.foreign_bytes = 600e6}};
	assert_string_equal(decided(scene), "");
	scene->threads[1].details.kernel_major_faults = 1;
	assert_string_equal(decided(scene), "foreign-traffic");
	assert_non_null(strstr(scene->result.reasons[0].text, "572 MiB on sda in 2.0 s, the run itself 0 B"));
	traffic->measured.own_bytes = 500e6;
	traffic->measured.foreign_bytes = 24e6;
	assert_string_equal(decided(scene), "");
	traffic->measured.foreign_bytes = 26e6;
	assert_string_equal(decided(scene), "foreign-traffic");
}

TEST_WITH("a limit on the I/O of paging is a reason, unless it is accepted", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->result.limits = (struct limits){.count = 1, .all = {{"io.max", "/cg/a", "sda", "wbps=1048576", 0}}};
	assert_string_equal(decided(scene), "");
	scene->threads[0].details.kernel_major_faults = 1;
	assert_string_equal(decided(scene), "io-limit");
	assert_non_null(strstr(scene->result.reasons[0].text, "io.max of /cg/a is wbps=1048576 for sda"));
	scene->options.accepts_limits = true;
	assert_string_equal(decided(scene), "");
}

TEST_WITH("a CPU quota that stopped the run is the reason instead of contention, and none that did not", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct contention *waited = &scene->threads[0].contention;

	scene->result.limits = (struct limits){.count = 1, .all = {{"cpu.max", "/cg/a", "", "50000 100000", 0.5}}};
	scene->result.quota_window_ns = 1000000000;
	assert_string_equal(decided(scene), "");
	*waited = (struct contention){.is_known = true, .time_ns = 1000000000, .run_delay_ns = 500000000};
	CPU_ZERO(&waited->cpus);
	CPU_SET(0, &waited->cpus);
	assert_string_equal(decided(scene), "contention");
	scene->result.quota_stops = (struct limits_stops){10, 500000000};
	assert_string_equal(decided(scene), "cpu-quota");
	assert_non_null(strstr(scene->result.reasons[0].text, "10 periods, for 0.50 s"));
	/* The rest of the wait is not the quota's. */
	scene->result.quota_stops.ns = 300000000;
	assert_string_equal(decided(scene), "cpu-quota contention");
	scene->options.accepts_limits = true;
	assert_string_equal(decided(scene), "contention");
	scene->result.quota_stops.ns = 500000000;
	assert_string_equal(decided(scene), "");
}
