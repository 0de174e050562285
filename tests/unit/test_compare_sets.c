/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "memstor/compare/compare.h"

#define RUNS 8

/* Runs without files: options, labels and machine of each are written down. */
struct scene {
	struct loaded_text options[RUNS][8], labels[RUNS][4], machine[RUNS][4];
	struct compare_run storage[RUNS], *list[RUNS];
	struct compare_runs runs;
	struct compare_pairing pairing;
	struct compare_sets sets;
};

static struct compare_run *add_run(struct scene *scene, enum compare_side side)
{
	size_t at = scene->runs.count++;
	struct compare_run *run = &scene->storage[at];

	*run = (struct compare_run){.side = side,
		.index = at,
		.path = "r.xml",
		.tool = "pmbench",
		.tool_version = "1",
		.uuid = "",
		.boot_id = "",
		.wall_start = "",
		.options = {scene->options[at], 0},
		.labels = {scene->labels[at], 0},
		.machine = {scene->machine[at], 0}};
	scene->list[at] = run;
	scene->runs.runs = scene->list;
	return run;
}

/* Names are given in their order, as compare_read sorts them. */
static void add_text(struct loaded_texts *texts, const char *name, const char *value)
{
	((struct loaded_text *)texts->texts)[texts->count++] = (struct loaded_text){name, value};
}

static void pair(struct scene *scene)
{
	assert_int_equal(compare_pair(&scene->runs, &scene->pairing, &scene->sets), 0);
}

static struct scene *new_scene(void)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	assert_non_null(scene);
	return scene;
}

static void end_scene(struct scene *scene)
{
	compare_sets_free(&scene->sets);
	free(scene);
}

static struct compare_run *add_pattern(
	struct scene *scene, enum compare_side side, const char *pattern, const char *seed)
{
	struct compare_run *run = add_run(scene, side);

	add_text(&run->options, "file", seed);
	add_text(&run->options, "label", seed);
	add_text(&run->options, "mapsize", "4");
	add_text(&run->options, "pattern", pattern);
	add_text(&run->options, "seed", seed);
	return run;
}

/* Seeds, labels and files differ, and nothing else. */
TEST("runs with equal options form one set")
{
	struct scene *scene = new_scene();

	add_pattern(scene, COMPARE_BASE, "uniform", "1");
	add_pattern(scene, COMPARE_BASE, "uniform", "2");
	add_pattern(scene, COMPARE_NEW, "uniform", "3");
	pair(scene);
	assert_int_equal(scene->sets.count, 1);
	assert_int_equal(scene->sets.paired_count, 1);
	assert_int_equal(scene->sets.sets[0].counts[COMPARE_BASE], 2);
	assert_int_equal(scene->sets.sets[0].counts[COMPARE_NEW], 1);
	assert_ptr_equal(scene->sets.sets[0].runs[COMPARE_BASE][1], &scene->storage[1]);
	assert_string_equal(scene->sets.sets[0].title, "");
	assert_int_equal(scene->sets.difference_count, 0);
	end_scene(scene);
}

TEST("runs of a suite are divided into sets")
{
	struct scene *scene = new_scene();
	const struct compare_set *sets;

	add_pattern(scene, COMPARE_BASE, "zipf", "1");
	add_pattern(scene, COMPARE_BASE, "linear", "2");
	add_pattern(scene, COMPARE_BASE, "uniform", "2");
	add_pattern(scene, COMPARE_NEW, "pareto", "2");
	add_pattern(scene, COMPARE_NEW, "uniform", "3");
	add_pattern(scene, COMPARE_NEW, "zipf", "3");
	add_pattern(scene, COMPARE_AA, "zipf", "4");
	pair(scene);
	sets = scene->sets.sets;
	assert_int_equal(scene->sets.count, 4);
	assert_int_equal(scene->sets.paired_count, 2);
	/* In the order in which they came. */
	assert_string_equal(sets[0].title, "pattern=zipf");
	assert_string_equal(sets[1].title, "pattern=linear");
	assert_string_equal(sets[2].title, "pattern=uniform");
	assert_string_equal(sets[3].title, "pattern=pareto");
	assert_true(sets[0].is_paired && !sets[1].is_paired && sets[2].is_paired && !sets[3].is_paired);
	assert_int_equal(sets[0].counts[COMPARE_AA], 1);
	assert_int_equal(scene->sets.difference_count, 0);
	end_scene(scene);
}

TEST("repeated options count in their order")
{
	struct scene *scene = new_scene();
	struct compare_run *run = add_run(scene, COMPARE_BASE);

	add_text(&run->options, "phase", "1s:uniform");
	add_text(&run->options, "phase", "1s:zipf");
	run = add_run(scene, COMPARE_NEW);
	add_text(&run->options, "phase", "1s:zipf");
	add_text(&run->options, "phase", "1s:uniform");
	pair(scene);
	assert_int_equal(scene->sets.paired_count, 0);
	assert_int_equal(scene->sets.difference_count, 1);
	assert_string_equal(scene->sets.differences[0].kind, "option");
	assert_string_equal(scene->sets.differences[0].base, "1s:uniform 1s:zipf");
	assert_string_equal(scene->sets.differences[0].new, "1s:zipf 1s:uniform");
	end_scene(scene);
}

/* The one of NEW that is most like BASE's first is what was meant. */
TEST("when no set can be paired the nearest one is named")
{
	struct scene *scene = new_scene();

	add_pattern(scene, COMPARE_BASE, "uniform", "1");
	add_text(&add_pattern(scene, COMPARE_NEW, "zipf", "1")->options, "thp", "yes");
	add_pattern(scene, COMPARE_NEW, "linear", "1");
	scene->storage[2].tool_version = "2";
	pair(scene);
	assert_int_equal(scene->sets.paired_count, 0);
	assert_int_equal(scene->sets.difference_count, 1);
	assert_string_equal(scene->sets.differences[0].name, "pattern");
	assert_string_equal(scene->sets.differences[0].base, "uniform");
	assert_string_equal(scene->sets.differences[0].new, "linear");
	end_scene(scene);
}

TEST("tools are never paired")
{
	struct scene *scene = new_scene();

	add_pattern(scene, COMPARE_BASE, "uniform", "1");
	add_pattern(scene, COMPARE_NEW, "uniform", "1")->tool = "iowrite-bench";
	scene->pairing.are_options_allowed = scene->pairing.is_machine_allowed = true;
	pair(scene);
	assert_int_equal(scene->sets.paired_count, 0);
	assert_int_equal(scene->sets.difference_count, 1);
	assert_string_equal(scene->sets.differences[0].kind, "tool");
	assert_false(scene->sets.differences[0].is_allowed);
	end_scene(scene);
}

TEST("machines are compared within sets")
{
	struct scene *scene = new_scene();

	add_text(&add_pattern(scene, COMPARE_BASE, "uniform", "1")->machine, "release", "6.1");
	add_text(&add_pattern(scene, COMPARE_BASE, "uniform", "1")->machine, "release", "6.2");
	add_text(&add_pattern(scene, COMPARE_NEW, "uniform", "1")->machine, "release", "6.1");
	add_text(&scene->storage[2].machine, "thp", "never");
	add_text(&add_pattern(scene, COMPARE_AA, "uniform", "1")->machine, "release", "6.3");
	pair(scene);
	assert_int_equal(scene->sets.difference_count, 2);
	assert_string_equal(scene->sets.differences[0].kind, "machine");
	assert_string_equal(scene->sets.differences[0].name, "release");
	assert_string_equal(scene->sets.differences[0].base, "6.1 and 6.2");
	assert_string_equal(scene->sets.differences[0].new, "6.1");
	assert_string_equal(scene->sets.differences[0].aa, "6.3");
	assert_string_equal(scene->sets.differences[1].name, "thp");
	assert_string_equal(scene->sets.differences[1].base, "none");
	assert_false(scene->sets.differences[0].is_allowed || scene->sets.differences[1].is_allowed);
	compare_sets_free(&scene->sets);
	memset(&scene->sets, 0, sizeof(scene->sets));
	scene->pairing.allowed[scene->pairing.allowed_count++] = "thp";
	pair(scene);
	assert_int_equal(scene->sets.difference_count, 2);
	assert_true(!scene->sets.differences[0].is_allowed && scene->sets.differences[1].is_allowed);
	end_scene(scene);
}

/* An option that may differ does not keep sets apart, and still is named. */
TEST("allowed options are paired and named")
{
	struct scene *scene = new_scene();

	add_pattern(scene, COMPARE_BASE, "uniform", "1");
	add_pattern(scene, COMPARE_NEW, "zipf", "1");
	scene->pairing.allowed[scene->pairing.allowed_count++] = "pattern";
	pair(scene);
	assert_int_equal(scene->sets.paired_count, 1);
	assert_int_equal(scene->sets.difference_count, 1);
	assert_true(scene->sets.differences[0].is_allowed);
	end_scene(scene);
}

TEST("groups are by labels and options")
{
	struct scene *scene = new_scene();

	add_text(&add_pattern(scene, COMPARE_BASE, "uniform", "1")->labels, "disk", "nvme");
	add_text(&add_pattern(scene, COMPARE_NEW, "uniform", "1")->labels, "disk", "nvme");
	add_text(&add_pattern(scene, COMPARE_BASE, "zipf", "1")->labels, "disk", "sata");
	add_text(&add_pattern(scene, COMPARE_NEW, "linear", "1")->labels, "disk", "sata");
	scene->pairing.group_by[scene->pairing.group_by_count++] = "disk";
	scene->pairing.group_by[scene->pairing.group_by_count++] = "mapsize";
	pair(scene);
	assert_int_equal(scene->sets.paired_count, 2);
	assert_string_equal(scene->sets.sets[0].title, "disk=nvme mapsize=4");
	assert_string_equal(scene->sets.sets[1].title, "disk=sata mapsize=4");
	/* The other options must still be alike. */
	assert_int_equal(scene->sets.difference_count, 1);
	assert_string_equal(scene->sets.differences[0].base, "zipf");
	assert_false(scene->sets.differences[0].is_allowed);
	end_scene(scene);
}

TEST("steps name their sets")
{
	struct scene *scene = new_scene();

	add_text(&add_pattern(scene, COMPARE_BASE, "uniform", "1")->labels, "step", "resident");
	add_text(&add_pattern(scene, COMPARE_NEW, "uniform", "1")->labels, "step", "resident");
	add_text(&add_pattern(scene, COMPARE_BASE, "zipf", "1")->labels, "step", "popular");
	add_text(&add_pattern(scene, COMPARE_NEW, "zipf", "1")->labels, "step", "popular");
	pair(scene);
	assert_string_equal(scene->sets.sets[0].title, "resident");
	assert_string_equal(scene->sets.sets[1].title, "popular");
	end_scene(scene);
	/* Two of one name are told apart. */
	scene = new_scene();
	add_text(&add_pattern(scene, COMPARE_BASE, "uniform", "1")->labels, "step", "x");
	add_text(&add_pattern(scene, COMPARE_NEW, "zipf", "1")->labels, "step", "x");
	pair(scene);
	assert_string_equal(scene->sets.sets[0].title, "x pattern=uniform");
	assert_string_equal(scene->sets.sets[1].title, "x pattern=zipf");
	end_scene(scene);
}

static bool has_note(const struct scene *scene, const char *part)
{
	for (size_t i = 0; i < scene->sets.note_count; i++) {
		if (strstr(scene->sets.notes[i], part))
			return true;
	}
	return false;
}

TEST("confounded conditions are noted")
{
	struct scene *scene = new_scene();

	for (size_t i = 0; i < 4; i++) {
		struct compare_run *run = add_pattern(scene, i < 2 ? COMPARE_BASE : COMPARE_NEW, "uniform", "1");

		run->boot_id = i < 2 ? "one" : "two";
		run->wall_start = i < 2 ? "2026-01-01T00:00:00Z" : "2026-01-02T00:00:00Z";
	}
	pair(scene);
	assert_int_equal(scene->sets.note_count, 1);
	assert_true(has_note(scene, "one boot and NEW in another"));
	compare_sets_free(&scene->sets);
	memset(&scene->sets, 0, sizeof(scene->sets));
	for (size_t i = 0; i < 4; i++)
		scene->storage[i].boot_id = "one";
	scene->storage[3].tool_version = "2";
	scene->storage[2].tool_version = "2";
	pair(scene);
	assert_int_equal(scene->sets.note_count, 2);
	assert_true(has_note(scene, "ran before the other") &&
		    has_note(scene, "the versions of pmbench differ: 1, 2"));
	compare_sets_free(&scene->sets);
	memset(&scene->sets, 0, sizeof(scene->sets));
	/* Interleaved. */
	scene->storage[3].tool_version = scene->storage[2].tool_version = "1";
	scene->storage[2].wall_start = "2025-12-31T00:00:00Z";
	pair(scene);
	assert_int_equal(scene->sets.note_count, 0);
	end_scene(scene);
}
