/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of run: what they mean, what holds without them, and what is refused in which words. */
#include "config.h"
#include "tests/unit/unit.h"

#include <string.h>

#include "common/base/diag.h"
#include "ssd-workloads/commands.h"
#include "ssd-workloads/run/plan.h"

#define WORDS_MAX 16

struct line {
	int argc;
	char *argv[WORDS_MAX];
	char text[512];
};

/* Texts of the options point into the line. */
static int parse(const char *words, struct ssd_run_options *options, struct line *line)
{
	char *rest = line->text, *word;

	snprintf(line->text, sizeof(line->text), "run %s", words);
	line->argc = 0;
	while ((word = strsep(&rest, " ")) && line->argc < WORDS_MAX - 1)
		line->argv[line->argc++] = word;
	line->argv[line->argc] = NULL;
	return ssd_run_options_parse(&ssd_command_run, line->argc, line->argv, options);
}

TEST("defaults are those of the manual")
{
	struct ssd_run_options options;
	struct line line;

	assert_int_equal(parse("--mix=M-N --target=x", &options, &line), 0);
	assert_string_equal(options.mix->name, "M-N");
	assert_string_equal(options.target, "x");
	assert_int_equal(options.runtime_ns, 20000000000ull);
	assert_int_equal(options.warmup_ns, 0);
	assert_int_equal(options.group_commit, 1);
	assert_int_equal(options.rate, 0);
	assert_int_equal(options.durability, BACKEND_NONE);
	assert_int_equal(options.record_ns, 10000000000ull);
	assert_int_equal(options.interval_ns, 1000000000);
	assert_int_equal(options.trace, RUN_TRACE_AUTO);
	assert_int_equal(options.seed, 1);
	assert_false(options.is_unprepared || options.is_kept || options.is_sqpoll || options.is_iopoll ||
		options.has_verify || options.has_baselines || options.is_dry_run);
	assert_null(options.engine);
	assert_null(options.require);
	assert_true(ssd_run_options_print_text(&options));
	ssd_run_options_free(&options);
}

TEST("every option of a mix reaches the workload")
{
	struct ssd_run_options options;
	struct line line;

	assert_int_equal(parse("--mix=1-N --target=x --log-bs=4k --log-depth=3 --log-size=1m --ckpt-bs=64k --ckpt-depth=9 "
			       "--ckpt-size=2m --ckpt-pause=2s --workers=2 --durability=dsync --group-commit=7 --rate=99 -n",
				 &options, &line), 0);
	assert_int_equal(options.override.streams[MIX_LOG].block_bytes, 4096);
	assert_int_equal(options.override.streams[MIX_LOG].depth, 3);
	assert_int_equal(options.override.streams[MIX_LOG].area_bytes, 1 << 20);
	assert_int_equal(options.override.streams[MIX_CHECKPOINT].block_bytes, 65536);
	assert_int_equal(options.override.streams[MIX_CHECKPOINT].depth, 9);
	assert_int_equal(options.override.streams[MIX_CHECKPOINT].area_bytes, 2 << 20);
	assert_int_equal(options.override.streams[MIX_CHECKPOINT].pause_ns, 2000000000);
	assert_int_equal(options.override.workers, 2);
	assert_int_equal(options.durability, BACKEND_DSYNC);
	assert_int_equal(options.group_commit, 7);
	assert_int_equal(options.rate, 99);
	assert_true(options.is_dry_run);
	ssd_run_options_free(&options);
}

/* What a report repeats: all that holds, but not where things go to. */
TEST("effective options are listed as they were typed")
{
	struct ssd_run_options options;
	struct line line;
	const char *runtime = NULL;

	assert_int_equal(parse("--mix=1-1 --target=x --runtime=3s --verify -f r.xml", &options, &line), 0);
	for (size_t i = 0; i < options.line.effective_count; i++) {
		assert_string_not_equal(options.line.effective[i].name, "file");
		if (!strcmp(options.line.effective[i].name, "runtime"))
			runtime = options.line.effective[i].value;
	}
	assert_string_equal(runtime, "3s");
	ssd_run_options_free(&options);
}

/* The plan of a mix: a run of its own number, the areas disjoint, baselines of the two streams. */
TEST("options become a plan")
{
	struct ssd_run_options options;
	struct ssd_run_plan plan, other;
	struct line line;

	assert_int_equal(parse("--mix=M-N --target=x --baselines", &options, &line), 0);
	assert_int_equal(ssd_run_plan_make(&options, &plan), 0);
	assert_int_equal(ssd_run_plan_make(&options, &other), 0);
	assert_true(plan.run != 0 && plan.run != other.run);
	assert_int_equal(plan.baselines.cell_count, 3);
	assert_int_equal(plan.baselines.runs, 5);
	assert_int_equal(plan.workload.streams[MIX_LOG].depth, 64);
	assert_true(plan.layout.areas[MIX_LOG].begin + plan.layout.areas[MIX_LOG].bytes <=
		plan.layout.areas[MIX_CHECKPOINT].begin);
	ssd_run_options_free(&options);
}
