/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which findings a run gets from what it showed, and that it gets no others. */
#include "config.h"
#include "tests/unit/unit.h"
#include "pmbench/run/check.h"

struct scene {
	struct pmbench_options options;
	struct pmbench_plan plan;
	struct control control;
	struct pmbench_result result;
};

static int open_scene(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	scene->plan.options = &scene->options;
	scene->result.plan = &scene->plan;
	scene->result.snapshots = calloc(SNAPSHOTS, sizeof(*scene->result.snapshots));
	assert_int_equal(control_open(&scene->control, 1, false), 0);
	scene->control.slots[0].status.is_locked = 1;
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

static void set(struct vmcounters *counters, const char *name, uint64_t value)
{
	struct vmcounters_value *slot = &counters->values[counters->count++];

	snprintf(slot->name, sizeof(slot->name), "%s", name);
	slot->value = value;
}

static void add_finding(struct pmbench_result *result, const char *code)
{
	snprintf(result->checks[result->check_count++].code, sizeof(result->checks[0].code), "%s", code);
}

/* The codes after the run, with blanks between. */
static const char *found(struct scene *scene)
{
	static char codes[512];

	pm_check_run(&scene->control, &scene->result);
	codes[0] = '\0';
	for (size_t i = 0; i < scene->result.check_count; i++) {
		const struct machine_check *check = &scene->result.checks[i];
		size_t used = strlen(codes);

		snprintf(codes + used, sizeof(codes) - used, "%s%s", used ? " " : "", check->code);
	}
	return codes;
}

TEST_WITH("a quiet run has no notes", open_scene, close_scene)
{
	struct scene *scene = *state;

	assert_string_equal(found(scene), "");
}

TEST_WITH("events of the run become notes", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->control.slots[0].status.is_locked = 0;
	scene->result.has_zero_pages = true;
	scene->result.zero_pages = 12;
	scene->result.has_steady = true;
	assert_string_equal(found(scene), "zero-page not-locked not-steady");
	assert_string_equal(scene->result.checks[0].value, "12 pages");
	for (size_t i = 0; i < scene->result.check_count; i++) {
		assert_non_null(scene->result.checks[i].finding);
		assert_true(scene->result.checks[i].advice[0]);
	}
}

/* Known to be none, and not known. */
TEST_WITH("a run without zero pages has no note", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->result.has_zero_pages = true;
	assert_string_equal(found(scene), "");
	scene->result.has_zero_pages = false;
	scene->result.zero_pages = 12;
	assert_string_equal(found(scene), "");
}

/* Before the run it was read ahead; in the window our own --swap had switched that off. */
TEST_WITH("readahead that was off is no finding", open_scene, close_scene)
{
	struct scene *scene = *state;

	add_finding(&scene->result, "ksm");
	add_finding(&scene->result, "page-cluster");
	add_finding(&scene->result, "damon");
	scene->result.machine.settings[0] = (struct machine_setting){"vm.page-cluster", "3"};
	scene->result.machine.setting_count = 1;
	assert_string_equal(found(scene), "ksm page-cluster damon");
	scene->result.machine.settings[0] = (struct machine_setting){"vm.page-cluster", "0"};
	assert_string_equal(found(scene), "ksm damon");
}

/* What the swap device never got says nothing about it. */
TEST_WITH("zeros that never reached the device are noted", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct vmcounters *before = &scene->result.snapshots[SNAPSHOT_PRE_RUN];
	struct vmcounters *after = &scene->result.snapshots[SNAPSHOT_POST_RUN];

	scene->result.threads = calloc(1, sizeof(*scene->result.threads));
	scene->result.thread_count = 1;
	scene->result.has_snapshot[SNAPSHOT_PRE_RUN] = scene->result.has_snapshot[SNAPSHOT_POST_RUN] = true;
	scene->options.mapping.content = CONTENT_ZERO;
	assert_string_equal(found(scene), "");
	scene->result.threads[0].details.classified_major_faults = scene->result.threads[0].details.kernel_major_faults = 900;
	assert_string_equal(found(scene), "zero-content");
	assert_string_equal(scene->result.checks[0].value, "900 major faults");
	set(before, "vmstat.swpin_zero", 100);
	set(after, "vmstat.swpin_zero", 1000);
	set(before, "vmstat.pswpin", 7);
	set(after, "vmstat.pswpin", 12);
	scene->result.check_count = 0;
	scene->options.mapping = (struct mapping_request){.content = CONTENT_RATIO, .compressible_percent = 100};
	assert_string_equal(found(scene), "zero-content");
	assert_string_equal(scene->result.checks[0].value, "900 zero pages, 5 read from a device");
	scene->result.check_count = 0;
	scene->options.mapping.compressible_percent = 50;
	assert_string_equal(found(scene), "");
}

TEST_WITH("a file in the page cache is noted with its share", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->result.file = (struct pm_map_file_values){.was_there = true, .file_pages = 1000};
	assert_string_equal(found(scene), "");
	scene->result.file.resident_before_pages = 370;
	assert_string_equal(found(scene), "page-cache");
	assert_string_equal(scene->result.checks[0].value, "37 % of 1000 pages");
	assert_non_null(strstr(scene->result.checks[0].finding, "pages of the file were in the page cache"));
}

TEST_WITH("pages that may have been in the page cache are not claimed to have been there", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->result.file = (struct pm_map_file_values){
		.was_there = true, .file_pages = 1000, .resident_before_pages = FIELD_NO_COUNT};
	assert_string_equal(found(scene), "page-cache");
	assert_string_equal(scene->result.checks[0].value, "unknown");
	assert_non_null(strstr(scene->result.checks[0].finding, "it is not known whether"));
}

TEST_WITH("a wall clock that was set is noted", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->result.stops.end.realtime_ns = -3600000000000;
	assert_string_equal(found(scene), "clock-set");
	assert_string_equal(scene->result.checks[0].value, "-3600.0 s");
}

TEST_WITH("only faults of other programs count", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct vmcounters *before = &scene->result.snapshots[SNAPSHOT_PRE_RUN];
	struct vmcounters *after = &scene->result.snapshots[SNAPSHOT_POST_RUN];

	scene->result.threads = calloc(2, sizeof(*scene->result.threads));
	scene->result.thread_count = 2;
	set(before, "vmstat.pgmajfault", 1000);
	set(after, "vmstat.pgmajfault", 1500);
	/* Without both snapshots nothing is known. */
	scene->result.has_snapshot[SNAPSHOT_PRE_RUN] = true;
	assert_string_equal(found(scene), "");
	scene->result.has_snapshot[SNAPSHOT_POST_RUN] = true;
	scene->result.threads[0].details.is_complete = scene->result.threads[1].details.is_complete = true;
	scene->result.threads[0].details.kernel_major_faults = 300;
	scene->result.threads[1].details.kernel_major_faults = 200;
	assert_string_equal(found(scene), "");
	/* The kernel's count of a thread that was killed is lost. */
	scene->result.threads[1].details.is_complete = false;
	scene->result.threads[1].details.kernel_major_faults = 0;
	scene->result.threads[1].details.classified_major_faults = 200;
	assert_string_equal(found(scene), "");
	scene->options.classify = CLASSIFY_NONE;
	scene->result.threads[1].details.classified_major_faults = 0;
	assert_string_equal(found(scene), "");
	scene->options.classify = CLASSIFY_AUTO;
	scene->result.threads[1].details.classified_major_faults = 100;
	assert_string_equal(found(scene), "other-faults");
}

/* More findings than there is space for are left out, and nothing is written past the end. */
TEST_WITH("all notes fit", open_scene, close_scene)
{
	struct scene *scene = *state;

	while (scene->result.check_count < RESULT_CHECKS - 1)
		add_finding(&scene->result, "x");
	scene->control.slots[0].status.is_locked = 0;
	scene->result.has_steady = true;
	found(scene);
	assert_int_equal(scene->result.check_count, RESULT_CHECKS);
	assert_string_equal(scene->result.checks[RESULT_CHECKS - 1].code, "not-locked");
	assert_int_equal(scene->result.reason_count, 0);
}

/* The limit is the run's own where that is less, and never more than what bound it before. */
TEST_WITH("the machine's checks are those of the run", open_scene, close_scene)
{
	struct scene *scene = *state;
	uint64_t bound;

	pm_check_machine(0, NULL, &scene->result);
	bound = scene->result.machine.cgroup_limit_bytes;
	assert_true(scene->result.machine.memory_bytes > 0);
	pm_check_machine(12345678, "/made/for/it", &scene->result);
	assert_int_equal(scene->result.machine.cgroup_limit_bytes, 12345678);
	assert_string_equal(scene->result.machine.cgroup_dir, "/made/for/it");
	pm_check_machine(UINT64_MAX, NULL, &scene->result);
	assert_true(scene->result.machine.cgroup_limit_bytes == bound);
}

TEST_WITH("checks of the machine use the state at the start", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct machine *machine = calloc(1, sizeof(*machine));

	assert_int_equal(machine_read("", machine), 0);
	pm_check_start(machine, &scene->result);
	assert_int_equal(scene->result.machine.memory_bytes, machine->memory_bytes);
	assert_string_equal(scene->result.machine.os_release, machine->os_release);
	free(machine);
}
