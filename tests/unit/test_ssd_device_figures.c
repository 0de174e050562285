/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of the simulated device on small runs of all mixes: the laws that they keep, and what is expected of each mix. */
#include "config.h"
#include "tests/unit/sim_bench.h"
#include <errno.h>
#include <math.h>

#include "ssd-workloads/analyze/checks.h"

struct analyzed {
	struct sim_bench *bench;
	struct device_table table;
};

static void analyze(const struct sim_case *asked, struct analyzed *run)
{
	run->bench = sim_bench_run(asked);
	assert_int_equal(device_table_make(&run->bench->dump, &run->table), 0);
}

static void free_analyzed(struct analyzed *run)
{
	device_table_free(&run->table);
	sim_bench_free(run->bench);
}

static struct figure_input input_of(const struct analyzed *run)
{
	return (struct figure_input){.dump = &run->bench->dump, .device = &run->table};
}

static uint64_t origin_sum(const struct attribution_parts *parts, enum attribution_origin origin)
{
	uint64_t sum = 0;

	for (int kind = 0; kind < ATTRIBUTION_KINDS_COUNT; kind++)
		sum += parts->ns[kind][origin];
	return sum;
}

/* Of every write the records are whole, and its parts add up. */
static void assert_sums(const struct sim_case *asked, const char *name)
{
	struct analyzed run;
	struct figure_input input;
	char why[256];
	size_t whole = 0, writes = 0;

	analyze(asked, &run);
	input = input_of(&run);
	for (size_t i = 0; i < run.table.command_count; i++)
		whole += run.table.commands[i].is_whole;
	for (size_t i = 0; i < run.bench->dump.head.segment_count; i++)
		writes += run.bench->dump.segments[i].part.count;
	if (run.bench->section.overwritten || whole != writes || !whole)
		fail_msg("%s: %zu commands of %zu are whole", name, whole, writes);
	if (device_matrix_assert(&input, why, sizeof(why)))
		fail_msg("%s: %s", name, why);
	for (int stream = 0; stream < MIX_STREAMS; stream++) {
		struct device_matrix matrix;

		assert_int_equal(device_matrix_make(&run.table, stream, &matrix), 0);
		assert_int_equal(attribution_sum(&matrix.all), matrix.latency_ns);
		assert_int_equal(attribution_sum(&matrix.tail), matrix.tail_latency_ns);
		/* From the first write on everything has records. */
		assert_int_equal(origin_sum(&matrix.all, ATTRIBUTION_OTHER) == 0,
			!matrix.writes || matrix.writes == whole);
	}
	free_analyzed(&run);
}

TEST("the parts of every command and page add up to its time in each mix, write mode and geometry")
{
	static const char *const modes[] = {"mode=buffered", "mode=write-through", "mode=direct"};
	static const char *const geometries[][4] = {{"channels=1", "ways=1", "blocks=32", "buffer=9"},
		{"channels=2", "ways=3", "blocks=8", "buffer=2"}, {"channels=4", "ways=8", "blocks=4", "slots=16"}};

	for (const struct mix *mix = mixes; strcmp(mix->name, "custom") != 0; mix++) {
		for (size_t i = 0; i < 9; i++) {
			const char *const *values = geometries[i / 3];
			const struct sim_case asked = {.mix = mix->name, .runtime_ns = SECOND / 2, .override = {.workers = 1},
				.values = {modes[i % 3], values[0], values[1], values[2], values[3], "pages=64",
					"precondition=random"}};
			char name[64];

			snprintf(name, sizeof(name), "%s, %s, %s %s", mix->name, modes[i % 3], values[0], values[1]);
			assert_sums(&asked, name);
		}
	}
}

TEST("parts of pages that are written in part, and of two workers, add up as well")
{
	const struct sim_case asked = {.mix = "M-N", .runtime_ns = SECOND / 4,
		.values = {"blocks=8", "buffer=2", "precondition=random"},
		.override = {.workers = 2, .streams = {{.block_bytes = 12288}, {.block_bytes = 40960}}}};

	assert_sums(&asked, "M-N of parts of pages");
}

/* Mean time of the stream's writes; of it, what is given to erases, and to all of collections. */
static double mean_of(const struct sim_case *asked, int stream, double parts[2])
{
	struct device_matrix matrix;
	struct analyzed run;

	analyze(asked, &run);
	sim_bench_check(run.bench, asked->mix);
	assert_int_equal(device_matrix_make(&run.table, stream, &matrix), 0);
	assert_true(matrix.writes > 100);
	parts[0] = parts[1] = 0;
	for (int origin = 0; origin < ATTRIBUTION_ORIGINS; origin++) {
		parts[0] += (double)matrix.all.ns[ATTRIBUTION_ERASE][origin] / (double)matrix.writes;
		parts[1] += (double)(matrix.all.ns[ATTRIBUTION_GC_READ][origin] + matrix.all.ns[ATTRIBUTION_GC_COPY][origin]) /
			    (double)matrix.writes;
	}
	parts[1] += parts[0];
	free_analyzed(&run);
	return (double)matrix.latency_ns / (double)matrix.writes;
}

TEST("without erases or collections a write gains what attribution gives to them")
{
	struct sim_case asked = {.mix = "1-0", .runtime_ns = 10 * SECOND, .values = {"blocks=8", NULL}};
	double parts[2], none[2], gain;

	gain = mean_of(&asked, MIX_LOG, parts);
	asked.values[1] = "erase=0";
	gain -= mean_of(&asked, MIX_LOG, none);
	/* Alone and one at a time nothing else comes in the way. */
	assert_true(parts[0] > 1000 && fabs(gain / parts[0] - 1) < 0.02);
	asked = (struct sim_case){.mix = "1-1", .runtime_ns = 5 * SECOND, .values = {"blocks=16", NULL}};
	gain = mean_of(&asked, MIX_CHECKPOINT, parts);
	asked.values[1] = "gc-time=0";
	gain -= mean_of(&asked, MIX_CHECKPOINT, none);
	assert_true(parts[1] > 100000 && fabs(gain / parts[1] - 1) < 0.2);
	assert_true(none[1] < parts[1] / 100);
}

static const struct { const char *name; figure_check *check; } checks[] = {{"fig4", check_segments}, {"fig5", check_collections},
	{"fig6", check_ratios}, {"fig7", check_scheduled}, {"fig8", check_delayed}, {"fig9", check_tail}, {"fig10", check_copies},
	{"fig11", check_places}, {"counters", check_counters}, {"window", check_window}, {"bandwidth", check_bandwidth},
	{"interference", check_interference}, {"attribution", check_attribution}};

static struct sim_case paper_case(const char *mix, uint64_t seconds)
{
	return (struct sim_case){.mix = mix, .runtime_ns = seconds * SECOND, .override = {.workers = 1}, .values = {"index=100ms"}};
}

TEST("the mixes of the paper show what is expected of them, each alone and in their order")
{
	static const struct { const char *mix; uint64_t seconds; } asked[] = {{"1-1", 20}, {"1-N", 30}, {"M-N", 14}, {"1-0", 10},
		{"0-1", 5}, {"0-N", 3}, {"M-0", 3}};
	enum { RUNS = sizeof(asked) / sizeof(asked[0]) };
	static const size_t alone[][MIX_STREAMS] = {{3, 4}, {3, 5}, {6, 5}};
	struct analyzed *runs = calloc(RUNS, sizeof(*runs));
	char why[256];

	assert_non_null(runs);
	for (size_t i = 0; i < RUNS; i++) {
		const struct sim_case one = paper_case(asked[i].mix, asked[i].seconds);

		analyze(&one, &runs[i]);
	}
	for (size_t i = 0; i < RUNS; i++) {
		struct figure_input input = input_of(&runs[i]);

		for (size_t k = 0; k < 3; k++) {
			input.mixes[k] = (struct figure_records){&runs[k].bench->dump, &runs[k].table};
			for (int stream = 0; stream < MIX_STREAMS && k == i; stream++)
				input.alone[stream] = (struct figure_records){&runs[alone[k][stream]].bench->dump,
					&runs[alone[k][stream]].table};
		}
		for (size_t k = 0; k < sizeof(checks) / sizeof(checks[0]); k++) {
			if (checks[k].check(&input, why, sizeof(why)))
				fail_msg("%s of %s: %s", checks[k].name, asked[i].mix, why);
		}
	}
	for (size_t i = 0; i < RUNS; i++)
		free_analyzed(&runs[i]);
	free(runs);
}

/* Records of one mix under another's name: each check has something to say. */
TEST("what does not hold is said in one line")
{
	static const struct { const char *mix, *is, *name, *part; } wrong[] = {{"M-N", "1-1", "fig6", "around"},
		{"M-N", "1-1", "fig9", "is expected"}, {"1-1", "M-N", "fig9", "is expected"},
		{"1-1", "M-N", "fig10", "none is expected"},
		{"1-1", "M-N", "fig6", "not under 20 %"},
		{"0-1", "1-1", "fig6", "around"}};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct sim_case one = paper_case(wrong[i].mix, 4);
		struct figure_input input;
		struct analyzed run;
		char why[256] = "";

		analyze(&one, &run);
		snprintf(run.bench->dump.head.mix, sizeof(run.bench->dump.head.mix), "%s", wrong[i].is);
		input = input_of(&run);
		for (size_t k = 0; k < sizeof(checks) / sizeof(checks[0]); k++) {
			if (!strcmp(checks[k].name, wrong[i].name))
				assert_int_equal(checks[k].check(&input, why, sizeof(why)), -EPROTO);
		}
		if (!strstr(why, wrong[i].part))
			fail_msg("%s of %s as %s: %s", wrong[i].name, wrong[i].mix, wrong[i].is, why);
		free_analyzed(&run);
	}
}

UNIT_BEGIN()
{
	return unit_is_emulated() ? "an emulator takes minutes for these seconds of a device; test_sim_laws runs there" : NULL;
}
