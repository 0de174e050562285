/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mixes are the paper's; options change what they say and nothing else; nonsense is refused. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/base/units.h"
#include "ssd-workloads/workload/mix.h"

static const struct workload_override nothing = {.workers = 0};

static struct workload make(const char *name, const struct workload_override *override)
{
	struct workload workload;
	const char *why = NULL;

	assert_int_equal(workload_make(mix_find(name), override, &workload, &why), 0);
	return workload;
}

static void assert_refused(const char *name, const struct workload_override *override, const char *wanted)
{
	struct workload workload;
	const char *why = NULL;

	assert_int_equal(workload_make(mix_find(name), override, &workload, &why), -EINVAL);
	assert_string_equal(why, wanted);
}

static void assert_name(const struct workload *workload, const char *wanted)
{
	char name[64];

	workload_name(workload, name, sizeof(name));
	assert_string_equal(name, wanted);
}

/* Table 2 with the depths of the text: log writes of 16 KiB, one or 64; checkpoint writes of 128 KiB, one or eight. */
TEST("the table has the mixes of the paper")
{
	static const struct {
		const char *name;
		unsigned log, checkpoint;
	} table[] = {{"1-1", 1, 1}, {"1-N", 1, 8}, {"M-N", 64, 8}, {"1-0", 1, 0}, {"M-0", 64, 0}, {"0-1", 0, 1}, {"0-N", 0, 8}};
	size_t count = 0;

	for (; mixes[count].name; count++) {
		assert_int_equal(mixes[count].streams[MIX_LOG].block_bytes, 16384);
		assert_int_equal(mixes[count].streams[MIX_CHECKPOINT].block_bytes, 131072);
		assert_ptr_equal(mix_find(mixes[count].name), &mixes[count]);
	}
	assert_int_equal(count, sizeof(table) / sizeof(table[0]) + 1);
	for (size_t i = 0; i + 1 < count; i++) {
		struct workload workload = make(table[i].name, &nothing);

		assert_string_equal(mixes[i].name, table[i].name);
		assert_ptr_equal(workload.mix, &mixes[i]);
		assert_int_equal(workload.streams[MIX_LOG].depth, table[i].log);
		assert_int_equal(workload.streams[MIX_CHECKPOINT].depth, table[i].checkpoint);
		assert_int_equal(workload.streams[MIX_LOG].workers, table[i].log > 0);
		assert_int_equal(workload.streams[MIX_CHECKPOINT].workers, table[i].checkpoint > 0);
		assert_int_equal(workload.streams[MIX_LOG].area_bytes, table[i].log ? 512 * UNITS_MIB : 0);
		assert_int_equal(workload.streams[MIX_CHECKPOINT].area_bytes, table[i].checkpoint ? UNITS_GIB : 0);
		assert_name(&workload, table[i].name);
	}
	assert_string_equal(mixes[count - 1].name, "custom");
	assert_string_equal(mix_find("1-N")->method, "CALC");
	assert_null(mix_find("N-1"));
	assert_null(mix_find(""));
	assert_string_equal(mix_stream_name(MIX_LOG), "log");
	assert_string_equal(mix_stream_name(MIX_CHECKPOINT), "checkpoint");
}

TEST("options set the parameters of a mix")
{
	const struct workload_override override = {.workers = 4,
		.streams = {{true, 16, 4096, UNITS_MIB, .pause_ns = 0}, {true, 2, 65536, 3 * UNITS_MIB, .pause_ns = 5000}}};
	struct workload workload = make("1-1", &override);
	const struct workload_stream *log = &workload.streams[MIX_LOG], *checkpoint = &workload.streams[MIX_CHECKPOINT];

	assert_int_equal(log->depth, 16);
	assert_int_equal(log->workers, 4);
	assert_int_equal(log->block_bytes, 4096);
	assert_int_equal(log->area_bytes, UNITS_MIB);
	assert_int_equal(log->pause_ns, 0);
	assert_int_equal(checkpoint->depth, 2);
	/* Not more threads than writes. */
	assert_int_equal(checkpoint->workers, 2);
	assert_int_equal(checkpoint->block_bytes, 65536);
	assert_int_equal(checkpoint->area_bytes, 3 * UNITS_MIB);
	assert_int_equal(checkpoint->pause_ns, 5000);
	assert_name(&workload, "16x4k-2x64k");
}

TEST("each option changes one parameter")
{
	struct workload_override override = nothing;
	struct workload workload;

	override.streams[MIX_LOG].has_depth = true;
	workload = make("1-1", &override);
	assert_name(&workload, "0-1");
	assert_int_equal(workload.streams[MIX_LOG].area_bytes, 0);
	override.streams[MIX_LOG].depth = 64;
	workload = make("1-N", &override);
	assert_name(&workload, "M-N");
	workload = make("1-0", &override);
	assert_name(&workload, "M-0");
	workload = make("custom", &override);
	assert_name(&workload, "M-0");
	override.streams[MIX_LOG].block_bytes = 4608;
	workload = make("1-0", &override);
	assert_name(&workload, "64x4.5k-0");
	override = nothing;
	override.streams[MIX_CHECKPOINT].block_bytes = 4 * UNITS_MIB;
	workload = make("1-0", &override);
	assert_name(&workload, "1-0");
	workload = make("0-N", &override);
	assert_name(&workload, "0-8x4m");
}

TEST("an area is cut to whole blocks")
{
	struct workload_override override = {.workers = 3,
		.streams = {{false, 0, 0, 10 * UNITS_MIB + 1, .pause_ns = 0}, {false, 0, 0, 10 * UNITS_MIB, .pause_ns = 0}}};
	struct workload workload = make("M-N", &override);

	assert_int_equal(workload.streams[MIX_LOG].area_bytes, 213 * 3 * 16384);
	assert_int_equal(workload.streams[MIX_CHECKPOINT].area_bytes, 26 * 3 * 131072);
}

TEST("a mix that cannot run is refused with the option to change")
{
	struct workload_override override = nothing;
	struct workload workload;

	assert_refused("custom", &nothing, "--mix: no stream has a depth; give --log-depth or --ckpt-depth");
	override.streams[MIX_LOG].has_depth = true;
	assert_refused("1-0", &override, "--mix: no stream has a depth; give --log-depth or --ckpt-depth");
	override = nothing;
	override.streams[MIX_LOG].area_bytes = 2 * 64 * 16384 - 1;
	assert_refused("M-N", &override, "--log-size: must hold at least two blocks for each outstanding write");
	override.streams[MIX_LOG].area_bytes = 1;
	assert_refused("1-1", &override, "--log-size: must hold at least two blocks for each outstanding write");
	override.streams[MIX_LOG].area_bytes = 2 * 64 * 16384;
	workload = make("M-N", &override);
	assert_int_equal(workload.streams[MIX_LOG].area_bytes, 2 * 64 * 16384);
	/* Two worse ones: seven threads share what is left of 128 blocks, 126. */
	override.workers = 7;
	assert_refused("M-N", &override, "--log-size: must hold at least two blocks for each outstanding write");
	override = nothing;
	override.streams[MIX_CHECKPOINT].area_bytes = UNITS_MIB;
	assert_refused("0-N", &override, "--ckpt-size: must hold at least two blocks for each outstanding write");
	/* Of who does not run, nothing is asked. */
	make("1-0", &override);
}

TEST("a stream alone has the parameters of the mix")
{
	static const struct {
		const char *mix, *log, *checkpoint;
	} cases[] = {{"1-1", "1-0", "0-1"}, {"1-N", "1-0", "0-N"}, {"M-N", "M-0", "0-N"}};

	for (size_t i = 0; i < 3; i++) {
		struct workload workload = make(cases[i].mix, &nothing), alone;

		workload_alone(&workload, MIX_LOG, &alone);
		assert_name(&alone, cases[i].log);
		assert_int_equal(alone.streams[MIX_CHECKPOINT].workers, 0);
		/* Their areas stay where they were. */
		assert_int_equal(alone.streams[MIX_CHECKPOINT].area_bytes, UNITS_GIB);
		assert_memory_equal(&alone.streams[MIX_LOG], &workload.streams[MIX_LOG], sizeof(alone.streams[0]));
		workload_alone(&workload, MIX_CHECKPOINT, &alone);
		assert_name(&alone, cases[i].checkpoint);
		assert_int_equal(alone.streams[MIX_LOG].depth, 0);
	}
}
