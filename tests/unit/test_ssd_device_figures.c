/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of the simulated device on small runs of all mixes: the laws that they keep, and what is expected of each mix. */
#include "config.h"
#include "tests/unit/sim_bench.h"
#include <inttypes.h>
#include <math.h>

#include "ssd-workloads/analyze/device_figures.h"

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

/* --- what the paper shows of its mixes (CIDR 2020, section 5) --- */

static struct analyzed *paper_run(const char *mix, uint64_t seconds)
{
	const struct sim_case asked = {.mix = mix, .runtime_ns = seconds * SECOND, .override = {.workers = 1}};
	struct analyzed *run = calloc(1, sizeof(*run));

	assert_non_null(run);
	analyze(&asked, run);
	return run;
}

static void free_paper_run(struct analyzed *run)
{
	free_analyzed(run);
	free(run);
}

static const struct device_command *scheduled(const struct analyzed *run, enum mix_stream stream)
{
	const struct figure_input input = input_of(run);
	uint32_t found;

	assert_int_equal(device_find_scheduled(&input, stream, &found), 0);
	assert_int_not_equal(found, DEVICE_NONE);
	return &run->table.commands[found];
}

TEST("fig4: the flash takes most of a log write that does not wait, and in M-N writes wait for ways without a collection")
{
	static const struct { const char *mix; bool has_waits; } rows[] = {{"1-0", false}, {"1-1", true}, {"M-N", true}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct analyzed *run = paper_run(rows[i].mix, 4);
		const struct device_command *clean = scheduled(run, MIX_LOG);
		uint64_t ns[DEVICE_SEGMENTS], baseline_ns = device_write_baseline(&run->table), on_ways = 0;

		device_segments(&run->table, clean, ns);
		assert_true(100 * ns[DEVICE_FLASH] > 85 * device_latency_ns(clean));
		for (size_t k = 0; k < run->table.command_count; k++) {
			const struct device_command *command = &run->table.commands[k];

			on_ways += command->is_whole && device_classify(&run->table, command, baseline_ns) == DEVICE_WAY;
		}
		if (!on_ways == rows[i].has_waits)
			fail_msg("%s: %" PRIu64 " writes waited for their ways", rows[i].mix, on_ways);
		free_paper_run(run);
	}
}

/* Of a checkpoint write two pages share a channel. When the later one of each is a fast one, it takes two transfers, 440 us,
 * and 61 us of firmware and DMA: 1.149 times a flash write. */
TEST("fig6: response times of 1-1 have one peak at a flash write, without the checkpoint, and few of M-N are below 1.5 of it")
{
	enum { BINS = 30 }; /* of 0.05 */
	static const char *const names[] = {"1-1", "M-N"};
	static const uint64_t seconds[] = {20, 14};

	for (int i = 0; i < 2; i++) {
		struct analyzed *run = paper_run(names[i], seconds[i]);
		double baseline_ns = (double)device_write_baseline(&run->table);
		uint64_t writes = 0, bins[BINS] = {0}, near = 0, early = 0;
		int peak = 0;

		for (size_t k = 0; k < run->table.command_count; k++) {
			const struct device_command *command = &run->table.commands[k];
			double ratio = (double)device_latency_ns(command) / baseline_ns;

			if (!command->is_whole)
				continue;
			writes++;
			early += command->stream == MIX_CHECKPOINT && ratio < 1.148;
			near += ratio < 1.5;
			if (ratio < 1.5)
				bins[(int)(ratio / .05)]++;
		}
		for (int bin = 1; bin < BINS; bin++)
			peak = bins[bin] > bins[peak] ? bin : peak;
		if (i)
			assert_true(near * 5 < writes && bins[peak] * 20 < writes);
		else
			assert_true(peak >= 19 && peak <= 21 && bins[peak] * 5 > writes && !early);
		free_paper_run(run);
	}
}

TEST("fig7: a log write is one flash write, and a checkpoint write eight alike, on all channels")
{
	struct analyzed *run = paper_run("1-1", 4);

	for (int stream = 0; stream < MIX_STREAMS; stream++) {
		const struct device_command *command = scheduled(run, (enum mix_stream)stream);
		uint64_t channels = 0, least_ns = UINT64_MAX, most_ns = 0;

		assert_int_equal(command->count, stream == MIX_LOG ? 1 : 8);
		for (uint32_t at = command->first; at != DEVICE_NONE; at = run->table.slices[at].next) {
			const struct device_slice *slice = &run->table.slices[at];
			uint64_t ns = slice->at_ns[SIM_FLASH_DONE] - slice->at_ns[SIM_TRANSFER];

			assert_int_not_equal(slice->die, DEVICE_NONE);
			channels |= 1ull << slice->die % run->table.section->channels;
			least_ns = ns < least_ns ? ns : least_ns;
			most_ns = ns > most_ns ? ns : most_ns;
		}
		assert_int_equal(__builtin_popcountll(channels), stream == MIX_LOG ? 1 : 4);
		assert_true(2 * most_ns <= 3 * least_ns);
	}
	free_paper_run(run);
}

TEST("fig8: of some checkpoint writes of 1-1 exactly one page waits for an erase of the log")
{
	struct analyzed *run = paper_run("1-1", 20);
	const struct figure_input input = input_of(run);
	uint32_t found;
	size_t count;

	assert_int_equal(device_find_delayed(&input, &found, &count), 0);
	assert_true(count > 0);
	free_paper_run(run);
}

TEST("fig10: most writes of 1-1 that copied pages copied 17 to 32, and M-N and a stream alone copy none")
{
	static const struct { const char *mix; uint64_t seconds; } rows[] = {{"1-1", 20}, {"M-N", 14}, {"1-0", 10}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct analyzed *run = paper_run(rows[i].mix, rows[i].seconds);
		struct device_copies copies;
		uint32_t from, to;

		device_copies(&run->table, MIX_STREAMS, &copies);
		device_copies_bin(copies.mode, &from, &to);
		assert_true(copies.writes > 0);
		if (i)
			assert_int_equal(copies.most, 0);
		else
			assert_int_equal(to, 32);
		free_paper_run(run);
	}
}

UNIT_BEGIN()
{
	return unit_is_emulated() ? "an emulator takes minutes for these seconds of a device; test_sim_laws runs there" : NULL;
}
