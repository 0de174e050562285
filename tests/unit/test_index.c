/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/diag.h"
#include "common/units.h"
#include "memstor/run/run.h"
#include "tests/unit/said.h"

static char path[64], said[1024];

static const struct suite_step suites[] = {
	{.name = "a", .line = 2, .words = (const char *const[]){"pmbench", "5", NULL}, .word_count = 2, .budget_ns = 1500000},
	{.name = "b,1", .line = 9, .words = (const char *const[]){"pmbench", NULL}, .word_count = 1, .budget_ns = 1000},
	{.name = "out", .line = 9, .words = (const char *const[]){"pmbench", NULL}, .word_count = 1, .budget_ns = 1000},
};

struct fake { /* a plan without a machine behind it */
	struct run_options options;
	struct run_plan plan;
	struct run_step steps[3];
	struct run_record records[3][2];
	char *argv[3];
};

static struct fake *make(void)
{
	struct fake *fake = calloc(1, sizeof(*fake));
	struct run_plan *plan;

	assert_non_null(fake);
	plan = &fake->plan;
	fake->argv[0] = (char *)"run";
	fake->argv[1] = (char *)"x.suite";
	fake->options = (struct run_options){.suite = "x.suite", .runs = 2, .argc = 2, .argv = fake->argv};
	plan->options = &fake->options;
	snprintf(plan->text.name, sizeof(plan->text.name), "x");
	plan->suite.about = "a <suite> & more";
	plan->steps = fake->steps;
	plan->step_count = 3;
	for (int i = 0; i < 3; i++) {
		fake->steps[i] = (struct run_step){&suites[i], .is_selected = i < 2, .runs = 2, .records = fake->records[i]};
		snprintf(fake->steps[i].name, sizeof(fake->steps[i].name), "%s", suites[i].name);
		for (int j = 0; j < 2; j++)
			fake->records[i][j] = (struct run_record){.exit_status = -1};
	}
	plan->session_count = 1;
	snprintf(plan->sessions[0].wall_start, RUN_MOMENT_MAX, "2026-01-02T03:04:05.000000006Z");
	snprintf(plan->sessions[0].boot_id, sizeof(plan->sessions[0].boot_id), "boot");
	snprintf(plan->machine.hostname, sizeof(plan->machine.hostname), "host");
	snprintf(plan->machine.os_release, sizeof(plan->machine.os_release), "6.1");
	plan->machine.cgroup_limit_bytes = UINT64_MAX;
	return fake;
}

/* index_take_over, and what it says. */
static int take_over(struct run_plan *plan)
{
	struct said_err err;
	int code;

	said_begin(&err);
	code = index_take_over(path, path, plan);
	said_end(&err, said, sizeof(said));
	return code;
}

static int set_up(void **state)
{
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/test_index.XXXXXX");
	fd = mkstemp(path);
	if (fd >= 0)
		close(fd);
	return fd < 0;
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

TEST_WITH("finished runs are read back from an index", set_up, tear_down)
{
	struct fake *then = make(), *now = make();
	struct run_record *done = &now->records[0][0];

	then->records[0][0] = (struct run_record){RUN_DONE, 0, 0, 1.25, 2, "2026-01-02T03:04:06.000000000Z", "", true,
		{1, 2, 3, 4, 5, 6, 7, 8, 9}};
	then->records[0][1] = (struct run_record){RUN_FAILED, 1, 0, 1, 0, "2026-01-02T03:04:07.000000000Z", "broke", false, {0}};
	then->records[1][0] = (struct run_record){RUN_INTERRUPTED, -1, 2, 1, 0, "2026-01-02T03:04:07.000000000Z", "", false, {0}};
	then->records[1][1] = (struct run_record){RUN_UNTRUSTED, 4, 0, 3, 0, "2026-01-02T03:04:08.000000000Z", "steal & <more>",
		false, {0}};
	assert_int_equal(index_write(path, &then->plan, INDEX_RUNNING), 0);
	snprintf(now->plan.sessions[0].boot_id, sizeof(now->plan.sessions[0].boot_id), "another");
	assert_int_equal(take_over(&now->plan), 0);
	assert_string_equal(said, "");
	assert_int_equal(done->state, RUN_DONE);
	assert_int_equal(done->exit_status, 0);
	assert_true(done->seconds == 1.25);
	assert_int_equal(done->others, 2);
	assert_true(done->has_usage);
	assert_int_equal(done->usage.user_us, 1);
	assert_int_equal(done->usage.involuntary_switches, 9);
	assert_false(now->records[1][1].has_usage);
	assert_string_equal(done->wall_start, "2026-01-02T03:04:06.000000000Z");
	/* These are to be run again. */
	assert_int_equal(now->records[0][1].state, RUN_WAITING);
	assert_string_equal(now->records[0][1].reason, "");
	assert_int_equal(now->records[1][0].state, RUN_WAITING);
	assert_int_equal(now->records[1][1].state, RUN_UNTRUSTED);
	assert_int_equal(now->records[1][1].exit_status, 4);
	assert_string_equal(now->records[1][1].reason, "steal & <more>");
	assert_int_equal(now->plan.session_count, 2);
	assert_string_equal(now->plan.sessions[0].boot_id, "boot");
	assert_string_equal(now->plan.sessions[1].boot_id, "another");
	free(then);
	free(now);
}

TEST_WITH("the number of sessions is limited", set_up, tear_down)
{
	struct fake *fake = make();

	for (int i = 0; i < RUN_SESSIONS_MAX + 5; i++) {
		char boot[16];

		assert_int_equal(index_write(path, &fake->plan, INDEX_COMPLETE), 0);
		free(fake);
		fake = make();
		snprintf(boot, sizeof(boot), "%d", i);
		snprintf(fake->plan.sessions[0].boot_id, sizeof(fake->plan.sessions[0].boot_id), "%s", boot);
		assert_int_equal(take_over(&fake->plan), 0);
		assert_true(fake->plan.session_count <= RUN_SESSIONS_MAX);
		assert_string_equal(fake->plan.sessions[0].boot_id, "boot");
		assert_string_equal(fake->plan.sessions[fake->plan.session_count - 1].boot_id, boot);
	}
	free(fake);
}

/* Another plan is refused with the difference. */
static void refuse(struct fake *now, const char *difference)
{
	char expected[512];

	assert_int_equal(take_over(&now->plan), DIAG_EXIT_USAGE);
	snprintf(expected, sizeof(expected), "--resume: %s: %s\n", path, difference);
	assert_non_null(strstr(said, ": "));
	assert_string_equal(strstr(said, ": ") + 2, expected);
	free(now);
}

TEST_WITH("a run with other options is not resumed: the difference is named", set_up, tear_down)
{
	struct fake *fake = make();

	fake->options.set_count = 1;
	fake->options.sets[0] = (struct suite_variable){"map", " 4 "};
	fake->options.only_count = 1;
	fake->options.only[0] = "a*";
	fake->options.label_count = 1;
	fake->options.labels[0] = "k=v";
	assert_int_equal(index_write(path, &fake->plan, INDEX_COMPLETE), 0);
	assert_int_equal(take_over(&fake->plan), 0);
	free(fake);
	refuse(make(), "--set was map=4 and is not given now");

	fake = make();
	assert_int_equal(index_write(path, &fake->plan, INDEX_COMPLETE), 0);
	free(fake);
	fake = make();
	fake->options.runs = 0;
	refuse(fake, "--runs was 2 and is not given now");
	fake = make();
	fake->options.has_warmup = true;
	refuse(fake, "--warmup was not given and is 0 now");
	fake = make();
	fake->options.set_count = 1;
	fake->options.sets[0] = (struct suite_variable){"map", "4"};
	refuse(fake, "--set was not given and is map=4 now");
	fake = make();
	fake->options.only_count = 1;
	fake->options.only[0] = "a*";
	refuse(fake, "--step 'a*' was not given");
	fake = make();
	fake->options.label_count = 1;
	fake->options.labels[0] = "k=v";
	refuse(fake, "--label 'k=v' was not given");
	fake = make();
	snprintf(fake->plan.text.name, sizeof(fake->plan.text.name), "y");
	refuse(fake, "the suite was 'x' and is 'y' now");
	fake = make();
	snprintf(fake->plan.machine.hostname, sizeof(fake->plan.machine.hostname), "other");
	refuse(fake, "the host was 'host' and is 'other' now");
	fake = make();
	snprintf(fake->plan.machine.cpu_model, sizeof(fake->plan.machine.cpu_model), "CPU");
	refuse(fake, "the CPU was 'unsupported' and is 'CPU' now");
}

/* Whatever stands there: no crash, no record of a run that there is not. */
TEST_WITH("files that are no index are refused", set_up, tear_down)
{
	static const char head[] = "<memstorrun version=\"1.0\" state=\"running\"><tool_version>" PACKAGE_VERSION
				   "</tool_version><suite>x</suite><run_options><runs>2</runs></run_options><host><hostname>host"
				   "</hostname><release>6.1</release></host><machine_info><modelname>unsupported</modelname>"
				   "</machine_info><sessions/><steps>";
	static const char *const bodies[] = {
		"",
		"<step/>",
		"<step name=\"a\"><run/></step>",
		"<step name=\"a\"><run number=\"0\" state=\"done\"/></step>",
		"<step name=\"a\"><run number=\"3\" state=\"done\"/></step>",
		"<step name=\"a\"><run number=\"x\" state=\"done\"/></step>",
		"<step name=\"c\"><run number=\"1\" state=\"done\"/></step>",
		"<step name=\"a\"><run number=\"1\" state=\"well\"/></step>",
		"<step name=\"a\"><run number=\"1\" state=\"skipped\"/></step>",
	};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct fake *fake = make();
		FILE *out = fopen(path, "w");

		assert_non_null(out);
		fprintf(out, "%s%s</steps></memstorrun>", head, bodies[i]);
		fclose(out);
		assert_int_equal(take_over(&fake->plan), 0);
		for (int j = 0; j < 6; j++)
			assert_int_equal(fake->records[j / 2][j % 2].state, RUN_WAITING);
		free(fake);
	}
}
