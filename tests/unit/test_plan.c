/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a plan promises, whatever is asked for: sets lie in their maps, maps fit, threads are shared out, and a
 * refusal comes before anything is done. Messages: tests/cli/pmbench-bad-input.sh. */
#include "config.h"
#include "tests/unit/unit.h"
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include "common/base/diag.h"
#include "pmbench/plan/options_parse.h"
#include "pmbench/plan/plan.h"

#define ARGS_MAX 64
#define SECOND UNITS_NS_PER_SEC

struct scene {
	char text[1024];
	char *argv[ARGS_MAX];
	struct pmbench_options options;
	struct machine machine;
	struct pmbench_plan plan;
};

/* 1 GiB, three quarters of it available, 512 MiB of swap of which a half is used. */
static int open_scene(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	struct machine *machine = &scene->machine;

	machine->page_bytes = (unsigned)sysconf(_SC_PAGESIZE);
	machine->memory_bytes = UNITS_GIB;
	machine->available_bytes = 768 * UNITS_MIB;
	machine->cgroup_limit_bytes = UINT64_MAX;
	machine->swaps[0].size_bytes = 512 * UNITS_MIB;
	machine->swaps[0].used_bytes = 256 * UNITS_MIB;
	machine->swap_count = 1;
	*state = scene;
	return 0;
}

static int close_scene(void **state)
{
	struct scene *scene = *state;

	options_free(&scene->options);
	free(scene);
	return 0;
}

/* As typed, words with single blanks between; the exit status of the plan. */
static int plan(struct scene *scene, const char *line)
{
	char *rest = scene->text;
	int argc = 0;

	snprintf(scene->text, sizeof(scene->text), "pmbench %s", line);
	for (char *word; (word = strsep(&rest, " "));)
		scene->argv[argc++] = word;
	scene->argv[argc] = NULL;
	options_free(&scene->options);
	assert_int_equal(options_parse(argc, scene->argv, &scene->options), 0);
	return plan_make(&scene->options, &scene->machine, &scene->plan);
}

static void planned(struct scene *scene, const char *line)
{
	if (plan(scene, line))
		fail_msg("refused: %s", line);
}

static void check_sizes(const struct scene *scene)
{
	const struct pmbench_plan *plan = &scene->plan;
	uint64_t sum = 0, largest = 0;

	for (unsigned i = 0; i < plan->processes; i++) {
		const struct plan_process *process = &plan->process[i];

		assert_true(process->set_bytes > 0 && process->set_bytes <= process->map_bytes);
		assert_int_equal(process->set_bytes % scene->machine.page_bytes, 0);
		assert_int_equal(process->map_bytes % scene->machine.page_bytes, 0);
		sum += process->map_bytes;
		largest = process->map_bytes > largest ? process->map_bytes : largest;
	}
	assert_int_equal(plan_total_bytes(plan), sum);
	assert_int_equal(plan->map_bytes, largest);
}

static void check_threads(const struct scene *scene)
{
	const struct pmbench_plan *plan = &scene->plan;
	unsigned next = 0;

	for (unsigned i = 0; i < plan->processes; i++) {
		assert_int_equal(plan->process[i].first, next);
		assert_true(plan->process[i].threads >= 1);
		for (unsigned j = 0; j < plan->process[i].threads; j++)
			assert_int_equal(plan->thread[next++].process, i);
	}
	assert_int_equal(plan->threads, next);
}

TEST_WITH("sets are parts of their maps", open_scene, close_scene)
{
	static const char *const lines[] = {"5", "-m 64 5", "-s 64 5", "-s 300 5", "-m 64 -s 64 5", "-m 64k -s 64k 5",
		"-m 12% 5", "-m 30% -s 10% 5", "--setsize-list 1,2,3 5", "--setsize-list 64k,200 5",
		"-m 200 --setsize-list 200,64k,100 5", "--processes 3 -j 2 -m 10 5",
		"--setsize-list 1%,2% 5", "-m 64 -i --warmup none -j 7 --accesses 5"};
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		planned(scene, lines[i]);
		check_sizes(scene);
		check_threads(scene);
	}
}

TEST_WITH("sizes are those of the original", open_scene, close_scene)
{
	struct scene *scene = *state;

	planned(scene, "5");
	assert_int_equal(scene->plan.map_bytes, 256 * UNITS_MIB);
	assert_int_equal(scene->plan.process[0].set_bytes, 128 * UNITS_MIB);
	planned(scene, "-m 100 5");
	assert_int_equal(scene->plan.process[0].set_bytes, 100 * UNITS_MIB);
	planned(scene, "-s 300 5");
	assert_int_equal(scene->plan.map_bytes, 300 * UNITS_MIB);
	planned(scene, "--setsize-list 64k,200 5");
	assert_int_equal(scene->plan.process[0].map_bytes, 64 * UNITS_KIB);
	assert_int_equal(scene->plan.process[1].map_bytes, 200 * UNITS_MIB);
}

/* A share is of whatever binds most, and whole MiB. */
TEST_WITH("percentages refer to the smallest limit", open_scene, close_scene)
{
	struct scene *scene = *state;

	planned(scene, "-m 50% 5");
	assert_int_equal(scene->plan.map_bytes, 512 * UNITS_MIB);
	scene->machine.cgroup_limit_bytes = 100 * UNITS_MIB;
	planned(scene, "-m 50% 5");
	assert_int_equal(scene->plan.map_bytes, 50 * UNITS_MIB);
	planned(scene, "-m 33.3% 5");
	assert_int_equal(scene->plan.map_bytes, 33 * UNITS_MIB);
	/* --ram is looked at first: that it needs privilege comes after. */
	plan(scene, "--ram 20m -m 50% 5");
	assert_int_equal(scene->plan.map_bytes, 10 * UNITS_MIB);
	assert_int_equal(plan(scene, "-m 0.1% 5"), DIAG_EXIT_USAGE);
}

TEST_WITH("maps fit memory and free swap", open_scene, close_scene)
{
	struct scene *scene = *state;

	planned(scene, "-m 1024 5"); /* 768 available and 256 free of swap */
	assert_int_equal(plan(scene, "-m 1025 5"), DIAG_EXIT_HOST);
	planned(scene, "-m 512 --processes 2 5");
	assert_int_equal(plan(scene, "-m 513 --processes 2 5"), DIAG_EXIT_HOST);
	planned(scene, "--setsize-list 500,500,24 5");
	assert_int_equal(plan(scene, "--setsize-list 500,500,25 5"), DIAG_EXIT_HOST);
	scene->machine.cgroup_limit_bytes = 100 * UNITS_MIB;
	planned(scene, "-m 356 5");
	assert_int_equal(plan(scene, "-m 357 5"), DIAG_EXIT_HOST);
	scene->machine.swap_count = 0;
	planned(scene, "-m 100 5");
	assert_int_equal(plan(scene, "-m 101 5"), DIAG_EXIT_HOST);
}

/* One on which this process may run. */
static int own_cpu(void)
{
	cpu_set_t allowed;
	int cpu = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	while (!CPU_ISSET(cpu, &allowed))
		cpu++;
	return cpu;
}

TEST_WITH("cpus are taken in turn", open_scene, close_scene)
{
	struct scene *scene = *state;
	int cpu = own_cpu();
	char line[80];

	snprintf(line, sizeof(line), "-y %d:2 -y %d:3 -m 20 5", cpu, cpu);
	planned(scene, line);
	check_sizes(scene);
	check_threads(scene);
	assert_int_equal(scene->plan.processes, 2);
	assert_int_equal(scene->plan.threads, 5);
	snprintf(line, sizeof(line), "--cpus %d -j 3 --processes 2 -m 1 5", cpu);
	planned(scene, line);
	for (unsigned i = 0; i < scene->plan.threads; i++) {
		assert_true(scene->plan.thread[i].is_pinned);
		assert_int_equal(CPU_COUNT(&scene->plan.thread[i].cpus), 1);
		assert_true(CPU_ISSET(cpu, &scene->plan.thread[i].cpus));
	}
	planned(scene, "-j 3 -m 1 5");
	assert_false(scene->plan.thread[2].is_pinned);
	assert_int_equal(plan(scene, "-j 1024 --processes 2 -m 1 5"), DIAG_EXIT_USAGE);
	planned(scene, "-j 4 --processes 256 -m 64k 5");
	check_threads(scene);
}

TEST_WITH("phases set the duration", open_scene, close_scene)
{
	struct scene *scene = *state;

	planned(scene, "-m 1 --phase 3s:zipf --phase 500ms:linear,2");
	assert_int_equal(scene->plan.phase_count, 2);
	assert_int_equal(scene->plan.duration_ns, 7 * SECOND / 2);
	assert_int_equal(scene->plan.phases[1].pattern.kind, PATTERN_LINEAR);
	planned(scene, "-m 1 -p zipf 2");
	assert_int_equal(scene->plan.phase_count, 1);
	assert_int_equal(scene->plan.phases[0].duration_ns, 2 * SECOND);
	planned(scene, "-m 1 --accesses 10");
	assert_int_equal(scene->plan.duration_ns, 0);
	/* The pattern must suit the smallest set, and each gets its own shape. */
	assert_int_equal(plan(scene, "--setsize-list 100,64k -p linear -e 1000 5"), DIAG_EXIT_USAGE);
}

/* Where no shape is given it follows the set. */
TEST_WITH("default shapes follow the set", open_scene, close_scene)
{
	struct pattern_spec small, large;
	struct scene *scene = *state;

	planned(scene, "--setsize-list 1,100 -p normal 5");
	plan_pattern(&scene->plan, 0, 256, &small);
	plan_pattern(&scene->plan, 0, 25600, &large);
	assert_true(large.shape > small.shape);
	planned(scene, "--setsize-list 1,100 -p normal,50 5");
	plan_pattern(&scene->plan, 0, 25600, &large);
	assert_true(large.shape == 50);
}

TEST_WITH("a run of days has a bounded series", open_scene, close_scene)
{
	struct scene *scene = *state;

	planned(scene, "-m 1 60");
	assert_int_equal(scene->plan.interval_ns, SECOND);
	assert_false(scene->plan.prints_interval);
	planned(scene, "-m 1 100h");
	assert_true(scene->plan.duration_ns / scene->plan.interval_ns <= 1000);
	planned(scene, "-m 1 --interval 10ms 50");
	assert_int_equal(scene->plan.interval_ns, SECOND / 100);
	assert_true(scene->plan.prints_interval);
	assert_int_equal(plan(scene, "-m 1 --interval 10ms 51"), DIAG_EXIT_USAGE);
	planned(scene, "-m 1 --accesses 1");
	assert_int_equal(scene->plan.interval_ns, SECOND);
}

TEST_WITH("the ratio is exact at its ends", open_scene, close_scene)
{
	struct scene *scene = *state;

	planned(scene, "-m 1 -r 0 5");
	assert_int_equal(scene->plan.read_threshold, 0);
	planned(scene, "-m 1 -r 50 5");
	assert_true(scene->plan.read_threshold == 1ull << 62);
	planned(scene, "-m 1 -r 100 5");
	assert_true(scene->plan.read_threshold == 1ull << 63);
}

TEST_WITH("a seed is kept or drawn anew", open_scene, close_scene)
{
	struct scene *scene = *state;
	uint64_t first;

	planned(scene, "-m 1 --seed 0 5");
	assert_int_equal(scene->plan.seed, 0);
	planned(scene, "-m 1 --seed 18446744073709551615 5");
	assert_true(scene->plan.seed == UINT64_MAX);
	planned(scene, "-m 1 5");
	first = scene->plan.seed;
	planned(scene, "-m 1 5");
	assert_true(scene->plan.seed != first);
}

/* A file of tmpfs is memory: its pages do not go back to it. */
TEST_WITH("a map that goes back to a file needs no swap, and one of tmpfs does", open_scene, close_scene)
{
	static const struct {
		const char *kind;
		bool is_swapped;
	} cases[] = {
		{"anon", true}, {"shared", true}, {"memfd", true}, {"hugetlb", false}, {"file:/proc/none/x", false},
		{"file:/dev/shm/memstor-test-none", true},
	};
	struct scene *scene = *state;
	struct statfs system;
	char line[128];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool is_shm = strstr(cases[i].kind, "/dev/shm");

		if (is_shm && (statfs("/dev/shm", &system) || system.f_type != TMPFS_MAGIC))
			continue;
		snprintf(line, sizeof(line), "-m 4096 -i --map %s 5", cases[i].kind);
		if (cases[i].is_swapped)
			assert_int_equal(plan(scene, line), DIAG_EXIT_HOST);
		else
			(void)plan(scene, line);
		assert_int_equal(mapping_is_swapped(&scene->options.mapping), cases[i].is_swapped);
		assert_int_equal(scene->options.pressure.is_never_swapped, !cases[i].is_swapped);
	}
}

TEST_WITH("pages never written are warned of", open_scene, close_scene)
{
	static const struct {
		const char *line;
		bool is_warned;
	} cases[] = {
		{"-m 1 -r 100 5", true},
		{"-m 1 -r 100 -i 5", false},
		{"-m 1 -r 100 --map memfd 5", false},
		{"-m 1 -r 80 5", false}, /* the warm-up writes */
		{"-m 1 -r 80 -c 5", true},
		{"-m 1 -r 0 -c 5", false},
		{"-m 1 -r 80 -c --content zero 5", false},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		planned(scene, cases[i].line);
		if (scene->plan.warns_zero_page != cases[i].is_warned)
			fail_msg("%s", cases[i].line);
	}
}

/* The limit of the process, not only that of the machine. */
TEST_WITH("address space is limited", open_scene, close_scene)
{
	struct scene *scene = *state;
	struct rlimit before, small;

	getrlimit(RLIMIT_AS, &before);
	small = (struct rlimit){100 * UNITS_MIB, before.rlim_max};
	if (unit_is_sanitized() || unit_is_emulated())
		skip(); /* a shadow is more than that, and an emulator's limits are its own */
	assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
	assert_int_equal(plan(scene, "-m 100 5"), DIAG_EXIT_HOST);
	assert_int_equal(plan(scene, "-m 99 5"), 0);
	setrlimit(RLIMIT_AS, &before);
}
