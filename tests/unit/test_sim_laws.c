/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The laws of the simulated device, over all mixes, two seeds, odd geometries, write modes and tiny buffers. */
#include "config.h"
#include <math.h>

#include "tests/unit/sim_bench.h"

static const struct geometry {
	const char *name;
	const char *values[5];
	uint64_t runtime_ns;
} geometries[] = {
	{"1x1", {"channels=1", "ways=1", "blocks=32", "pages=128", "buffer=16"}, 6 * SECOND},
	{"1x1, smallest buffer", {"channels=1", "ways=1", "blocks=32", "pages=128", "buffer=9"}, 6 * SECOND},
	{"8x8", {"channels=8", "ways=8", "blocks=8", "pages=16", NULL}, SECOND / 4},
	{"2x3 as MLC", {"channels=2", "ways=3", "blocks=8", "pages=256", "buffer=2"}, 2 * SECOND},
};
#define GEOMETRIES (sizeof(geometries) / sizeof(geometries[0]))
static const char *const modes[] = {"mode=buffered", "mode=write-through", "mode=direct"};

static void run_all(const char *mode, const struct workload_override *override, const char *victim)
{
	/* A second seed runs the same code; sanitizers and emulators are many times as slow. */
	const size_t seeds = unit_is_sanitized() || unit_is_emulated() ? 1 : 2;
	uint64_t collected = 0;

	for (const struct mix *mix = mixes; strcmp(mix->name, "custom") != 0; mix++) {
		for (size_t i = 0; i < GEOMETRIES * seeds; i++) {
			const struct geometry *geometry = &geometries[i / seeds];
			struct sim_case asked = {.mix = mix->name, .runtime_ns = geometry->runtime_ns, .seed = 1 + i % seeds,
				.override = *override};
			struct sim_bench *bench;
			size_t count = 0;
			char name[64];

			while (count < 5 && geometry->values[count]) {
				asked.values[count] = geometry->values[count];
				count++;
			}
			asked.values[count++] = mode;
			asked.values[count++] = "precondition=none";
			asked.values[count++] = victim;
			bench = sim_bench_run(&asked);
			snprintf(name, sizeof(name), "%s on %s, %s, seed %zu", mix->name, geometry->name, mode, 1 + i % 2);
			sim_bench_check(bench, name);
			if (bench->section.overwritten)
				fail_msg("%s: the cache was too small for what is to be checked", name);
			collected += bench->result.device->totals.gcs;
			sim_bench_free(bench);
		}
	}
	assert_true(collected > 100);
}

TEST("every law holds in each mix and geometry with a buffer")
{
	const struct workload_override none = {.workers = 1};

	run_all(modes[0], &none, "gc=greedy");
}

TEST("every law holds without a buffer and in write-through, with drawn victims")
{
	const struct workload_override two = {.workers = 2};

	run_all(modes[1], &two, "gc=best-of:3");
	run_all(modes[2], &two, "gc=best-of:3");
}

TEST("every law holds of writes of parts of pages, which are completed by a read")
{
	const struct workload_override parts = {.workers = 1, .streams = {{.block_bytes = 8192}, {.block_bytes = 20480}}};

	run_all(modes[0], &parts, "gc=greedy");
	run_all(modes[1], &parts, "gc=greedy");
}

TEST("every law holds when garbage collection takes no time")
{
	const struct workload_override parts = {.workers = 1, .streams = {{.block_bytes = 8192}, {.block_bytes = 20480}}};

	run_all(modes[0], &parts, "gc-time=0");
}

TEST("every law holds with each policy in each mix")
{
	for (const struct sim_policy_row *row = sim_policy_rows; row->name; row++) {
		for (const struct mix *mix = mixes; strcmp(mix->name, "custom") != 0; mix++) {
			const struct sim_case asked = {.mix = mix->name, .runtime_ns = SECOND / 4, .policies = {row->name},
				.override = {.workers = 1},
				.values = {"channels=2", "ways=3", "blocks=16", "pages=32", "buffer=4", "fill=1"}};
			struct sim_bench *bench = sim_bench_run(&asked);
			char name[64];

			snprintf(name, sizeof(name), "%s, %s", mix->name, row->name);
			sim_bench_check(bench, name);
			sim_bench_free(bench);
		}
	}
}

static void assert_same_times(const struct sim_bench *a, const struct sim_bench *b)
{
	assert_int_equal(a->dump.head.segment_count, b->dump.head.segment_count);
	for (size_t i = 0; i < a->dump.head.segment_count; i++) {
		assert_int_equal(a->dump.segments[i].part.count, b->dump.segments[i].part.count);
		assert_memory_equal(a->dump.segments[i].records, b->dump.segments[i].records,
			a->dump.segments[i].part.count * sizeof(struct record));
	}
}

TEST("the same seed gives the same bytes, and another seed others")
{
	struct sim_case asked = {.mix = "M-N", .runtime_ns = SECOND / 4,
		.values = {"channels=8", "ways=8", "blocks=8", "pages=16", "fill=1"}};
	struct sim_bench *a = sim_bench_run(&asked), *b = sim_bench_run(&asked), *c;

	assert_same_times(a, b);
	assert_memory_equal(&a->section, &b->section, sizeof(a->section));
	assert_memory_equal(a->dump.units, b->dump.units, a->section.unit_count * sizeof(union sim_unit));
	asked.seed = 2;
	c = sim_bench_run(&asked);
	assert_true(a->section.unit_count != c->section.unit_count ||
		    memcmp(a->dump.units, c->dump.units, a->section.unit_count * sizeof(union sim_unit)) != 0);
	sim_bench_free(a);
	sim_bench_free(b);
	sim_bench_free(c);
}

/* Of the host's times and places, and of the time of each unit of the device's records: numbers, not bytes, so that it is the
 * same where the least byte comes last. */
static uint64_t digest_of(const struct sim_case *asked)
{
	struct sim_bench *bench = sim_bench_run(asked);
	uint64_t digest = 14695981039346656037ull;

	for (size_t i = 0; i < bench->dump.head.segment_count; i++) {
		for (uint64_t k = 0; k < bench->dump.segments[i].part.count; k++) {
			const struct record *record = &bench->dump.segments[i].records[k];
			const uint64_t values[] = {record->sequence, record->enter_ns - bench->result.begin_ns,
				record->reap_ns - bench->result.begin_ns, record->offset, record->batch};

			for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++)
				digest = (digest ^ values[v]) * 1099511628211ull;
		}
	}
	for (uint64_t i = 0; i < bench->section.unit_count; i++)
		digest = (digest ^ bench->dump.units[i].io.t_ns) * 1099511628211ull;
	sim_bench_free(bench);
	return digest;
}

TEST("a seed gives the same writes and records on every architecture")
{
	static const struct { struct sim_case asked; uint64_t digest; } known[] = {
		{{.mix = "1-1", .runtime_ns = SECOND / 4, .values = {"blocks=8", "pages=64", "precondition=random"},
			.seed = 7}, 0xdca4ebd757ea5241},
		{{.mix = "M-N", .runtime_ns = SECOND / 8, .values = {"blocks=8", "pages=64", "mode=direct", "gc=best-of:3"},
			.seed = 7}, 0xddf4255d02c0cf6f},
		{{.mix = "M-N", .runtime_ns = SECOND / 8, .values = {"blocks=8", "pages=64", "mode=write-through"}, .seed = 8,
			.pattern = "zipf,1.1", .policies = {"multistream"}},
			0x35de4f14ff188ac3},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(digest_of(&known[i].asked), known[i].digest);
}

TEST("recording on, off, sampled or into a tiny cache changes no completion time, and a cost of records does")
{
	struct sim_case asked = {.mix = "1-N", .runtime_ns = SECOND / 4,
		.values = {"channels=8", "ways=8", "blocks=8", "pages=16", "fill=1"}};
	struct sim_bench *all = sim_bench_run(&asked), *other;

	asked.values[5] = "sample=7";
	other = sim_bench_run(&asked);
	assert_same_times(all, other);
	assert_true(other->section.emitted < all->section.emitted);
	sim_bench_check(other, "sampled");
	sim_bench_free(other);
	asked.values[5] = "stations=2304"; /* 8 and 11 */
	other = sim_bench_run(&asked);
	assert_same_times(all, other);
	for (uint64_t at = 0; at < other->section.unit_count; at += sim_unit_span(&other->dump.units[at])) {
		const struct sim_io *io = &other->dump.units[at].io;

		assert_true(io->type != SIM_IO || io->station == SIM_FLASH_DONE || io->station == SIM_COMPLETED);
	}
	sim_bench_free(other);
	asked.values[5] = "cache=1024";
	other = sim_bench_run(&asked);
	assert_same_times(all, other);
	assert_int_equal(other->section.emitted, all->section.emitted);
	assert_true(other->section.overwritten && other->section.unit_count <= 1024 && other->section.unit_count > 1000);
	assert_memory_equal(other->dump.units + other->section.unit_count - 500, all->dump.units + all->section.unit_count - 500,
		500 * sizeof(union sim_unit));
	sim_bench_check(other, "a tiny cache");
	sim_bench_free(other);
	asked.values[5] = "record-cost=1us";
	other = sim_bench_run(&asked);
	assert_true(other->result.streams[MIX_CHECKPOINT].counts->operations <
		    all->result.streams[MIX_CHECKPOINT].counts->operations);
	sim_bench_free(other);
	asked.values[5] = NULL;
	asked.has_no_records = true;
	other = sim_bench_run(&asked);
	assert_same_times(all, other);
	assert_null(sim_device_cache(other->result.device->device)->units);
	sim_bench_free(other);
	sim_bench_free(all);
}

TEST("a stream alone leaves no record of the other, and log writes that are flushed become durable later")
{
	struct sim_case asked = {.mix = "1-0", .runtime_ns = SECOND / 2, .durability = BACKEND_FDATASYNC,
		.values = {"channels=2", "ways=2", "blocks=8", "pages=16", "precondition=none"}};
	struct sim_bench *bench = sim_bench_run(&asked);
	const struct latency *latencies = bench->result.streams[MIX_LOG].counts->latencies;

	for (uint64_t at = 0; at < bench->section.unit_count; at += sim_unit_span(&bench->dump.units[at])) {
		const union sim_unit *unit = &bench->dump.units[at];

		if (unit->io.type == SIM_IO)
			assert_int_equal(unit->io.stream, MIX_LOG);
		if (unit->io.type == SIM_GC)
			assert_true(unit->gc.owner == MIX_LOG || unit->gc.owner == SIM_NO_PLACE);
	}
	assert_int_equal(latencies[COUNTS_COMMIT].count, latencies[COUNTS_RESPONSE].count);
	assert_true(latencies[COUNTS_COMMIT].min_ns >= latencies[COUNTS_RESPONSE].min_ns + 4500);
	sim_bench_check(bench, "1-0 with flushes");
	sim_bench_free(bench);
}

TEST("a condition that freezes the host's records freezes the device's at the same completion")
{
	struct sim_case asked = {.mix = "1-1", .runtime_ns = SECOND / 2, .freeze = "sequence==50",
		.values = {"channels=2", "ways=2", "blocks=8", "pages=16", "buffer=4", "precondition=none"}};
	struct sim_bench *bench = sim_bench_run(&asked);
	const struct sim_section *section = &bench->section;

	assert_true(bench->result.control.fired_ns > 0);
	assert_int_equal(section->fired_ns, bench->result.control.fired_ns);
	assert_int_equal(section->fired_unit, section->emitted);
	assert_true(section->dropped > 1000);
	assert_true(bench->dump.units[section->unit_count - 1].io.t_ns <= section->fired_ns);
	sim_bench_check(bench, "frozen");
	sim_bench_free(bench);
}

/* Of the command of a host's record, from the device's records: the longest step 6 to 7, and the copies of the collections that
 * it caused. */
static void examine(const struct sim_bench *bench, uint32_t cmd, uint64_t *step_ns, uint64_t *copies)
{
	uint64_t queued[64] = {0};

	*step_ns = *copies = 0;
	for (uint64_t at = 0; at < bench->section.unit_count; at += sim_unit_span(&bench->dump.units[at])) {
		const union sim_unit *unit = &bench->dump.units[at];

		if (unit->io.type == SIM_GC && unit->gc.cmd == cmd && unit->gc.task == SIM_GC_BEGIN)
			*copies += unit->gc.page_lo;
		if (unit->io.type != SIM_IO || unit->io.cmd != cmd || unit->io.flags & SIM_READ)
			continue;
		if (unit->io.station == SIM_QUEUED)
			queued[unit->io.slice] = unit->io.t_ns;
		if (unit->io.station == SIM_TRANSFER && unit->io.t_ns - queued[unit->io.slice] > *step_ns)
			*step_ns = unit->io.t_ns - queued[unit->io.slice];
	}
}

TEST("a condition on steps and copies fires on the first write whose records say so, also where few are recorded")
{
	struct sim_case asked = {.mix = "1-N", .runtime_ns = SECOND, .freeze = "checkpoint.step(6,7) > 2ms && copies >= 3",
		.values = {"channels=2", "ways=2", "blocks=16", "pages=32", "buffer=8", "fill=1"}};
	struct sim_bench *bench = sim_bench_run(&asked), *sampled;
	const struct dump_segment *checkpoint = &bench->dump.segments[1];

	assert_true(bench->result.control.fired_ns > 0);
	assert_int_equal(bench->result.control.fired_stream, MIX_CHECKPOINT);
	assert_true(checkpoint->part.count > 1);
	for (uint64_t i = 0; i < checkpoint->part.count; i++) {
		const struct record *record = &checkpoint->records[i];
		uint64_t step_ns, copies;

		examine(bench, record->batch, &step_ns, &copies);
		assert_int_equal(step_ns > 2000000 && copies >= 3, record->sequence == bench->result.control.fired_sequence);
	}
	asked.values[6] = "sample=1000000";
	sampled = sim_bench_run(&asked);
	assert_int_equal(sampled->result.control.fired_ns, bench->result.control.fired_ns);
	assert_int_equal(sampled->result.control.fired_sequence, bench->result.control.fired_sequence);
	sim_bench_free(sampled);
	sim_bench_free(bench);
}

TEST("a condition on the device's load and on a command's number fires")
{
	struct sim_case asked = {.mix = "M-N", .runtime_ns = SECOND / 8, .freeze = "busy>60 && qdepth>=70",
		.values = {"channels=8", "ways=8", "blocks=8", "pages=16", "precondition=none"}};
	struct sim_bench *bench = sim_bench_run(&asked);

	assert_true(bench->result.control.fired_ns > 0);
	sim_bench_free(bench);
	asked.freeze = "qdepth>72";
	bench = sim_bench_run(&asked);
	assert_int_equal(bench->result.control.fired_ns, 0);
	sim_bench_free(bench);
	asked.freeze = "cmd==321";
	bench = sim_bench_run(&asked);
	for (uint64_t i = 0; i < bench->dump.segments[bench->result.control.fired_stream].part.count; i++) {
		const struct record *record = &bench->dump.segments[bench->result.control.fired_stream].records[i];

		if (record->reap_ns == bench->result.control.fired_ns &&
			record->sequence == bench->result.control.fired_sequence)
			assert_int_equal(record->batch, 321);
	}
	assert_true(bench->result.control.fired_ns > 0);
	sim_bench_free(bench);
}

/* --- commands at times of the virtual clock --- */

static const struct sim_case scripted = {.mix = "1-N", .runtime_ns = SECOND / 2,
	.values = {"channels=8", "ways=8", "blocks=8", "pages=16", "fill=0.3"}};

static void assert_same_latencies(const struct sim_bench *a, const struct sim_bench *b)
{
	for (int i = 0; i < MIX_STREAMS; i++)
		assert_memory_equal(a->result.streams[i].counts->latencies, b->result.streams[i].counts->latencies,
			sizeof(a->result.streams[i].counts->latencies));
}

/* Times since the measurement began of the first and the last of all host records, and of the device's. */
static void find_ends(const struct sim_bench *bench, uint64_t host[2], uint64_t device[2])
{
	host[0] = device[0] = UINT64_MAX;
	host[1] = device[1] = 0;
	for (size_t k = 0; k < bench->dump.head.segment_count; k++) {
		for (uint64_t i = 0; i < bench->dump.segments[k].part.count; i++) {
			const struct record *record = &bench->dump.segments[k].records[i];

			host[0] = record->prep_ns < host[0] ? record->prep_ns : host[0];
			host[1] = record->reap_ns > host[1] ? record->reap_ns : host[1];
		}
	}
	for (uint64_t at = 0; at < bench->section.unit_count; at += sim_unit_span(&bench->dump.units[at])) {
		uint64_t t_ns = bench->dump.units[at].io.t_ns;

		device[0] = t_ns && t_ns < device[0] ? t_ns : device[0];
		device[1] = t_ns > device[1] ? t_ns : device[1];
	}
	for (int i = 0; i < 2; i++) {
		host[i] -= bench->result.begin_ns;
		device[i] -= bench->result.begin_ns;
	}
}

TEST("commands to the records change no time of a write")
{
	struct sim_case asked = scripted;
	struct sim_bench *all = sim_bench_run(&asked), *other;
	static const char *const scripts[][6] = {
		{"100ms:freeze"}, {"100ms:freeze", "200ms:arm"}, {"0:sample 1/10", "100ms:stations 8", "200ms:reset"},
		{"50ms:freeze-if step(6,7)>1us", "60ms:clear", "70ms:arm", "70ms:sample 1/3", "80ms:freeze-if copies>=1 post 50"},
	};

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		memcpy(asked.script, scripts[i], sizeof(asked.script));
		other = sim_bench_run(&asked);
		assert_same_latencies(all, other);
		assert_true(other->section.unit_count < all->section.unit_count);
		sim_bench_check(other, scripts[i][0]);
		sim_bench_free(other);
	}
	asked.has_no_records = true;
	other = sim_bench_run(&asked);
	assert_same_latencies(all, other);
	sim_bench_free(other);
	sim_bench_free(all);
}

TEST("freeze ends the records of host and device at its time, and no write is named")
{
	struct sim_case asked = scripted;
	uint64_t host[2], device[2];
	struct sim_bench *bench;

	asked.script[0] = "100ms:freeze";
	asked.script[1] = "200ms:freeze";
	bench = sim_bench_run(&asked);
	find_ends(bench, host, device);
	assert_true(host[1] <= 100000000 && host[1] > 99000000);
	assert_true(device[1] <= 100000000 && device[1] > 99000000);
	assert_int_equal(bench->result.control.fired_ns - bench->result.begin_ns, 100000000);
	assert_int_equal(bench->section.fired_ns, bench->result.control.fired_ns);
	assert_true(bench->result.control.fired_sequence == RING_NO_WRITE);
	sim_bench_check(bench, "frozen by a command");
	sim_bench_free(bench);
}

TEST("arm begins the records anew, also after a freeze, and they are complete from there on")
{
	struct sim_case asked = scripted;
	uint64_t host[2], device[2];
	struct sim_bench *bench;

	asked.script[0] = "100ms:freeze";
	asked.script[1] = "200ms:arm";
	bench = sim_bench_run(&asked);
	find_ends(bench, host, device);
	assert_true(host[0] >= 200000000 && host[0] < 201000000);
	assert_true(device[0] >= 200000000 && device[0] < 201000000);
	assert_true(host[1] >= 500000000);
	assert_int_equal(bench->result.control.fired_ns, 0);
	assert_int_equal(bench->section.fired_ns, 0);
	assert_int_equal(bench->section.dropped, 0);
	/* Each host record has all stations of its command: sim_check knows of none that may be missing. */
	sim_bench_check(bench, "armed again");
	sim_bench_free(bench);
}

TEST("a condition is set and cleared, and arm lets it fire again")
{
	struct sim_case asked = scripted;
	struct sim_bench *bench;

	asked.freeze = "log.own>=1";
	asked.script[0] = "0:clear";
	asked.script[1] = "100ms:freeze-if checkpoint.own>=8 post 7";
	asked.script[2] = "200ms:arm";
	bench = sim_bench_run(&asked);
	assert_true(bench->result.control.fired_ns > bench->result.begin_ns + 200000000);
	assert_true(bench->result.control.fired_ns < bench->result.begin_ns + 210000000);
	assert_int_equal(bench->result.control.fired_stream, MIX_CHECKPOINT);
	assert_string_equal(bench->result.control.freeze.text, "checkpoint.own>=8");
	assert_int_equal(bench->result.control.post, 7);
	sim_bench_free(bench);
	/* A new condition does not undo a freeze, whatever is to be kept after it. */
	asked.freeze = NULL;
	asked.script[0] = "100ms:freeze";
	asked.script[1] = "200ms:freeze-if own>=1 post 100000";
	asked.script[2] = NULL;
	bench = sim_bench_run(&asked);
	assert_int_equal(bench->result.control.fired_ns - bench->result.begin_ns, 100000000);
	assert_int_equal(ring_first_ns(&bench->result.workers[0].ring) < bench->result.begin_ns + 100000000, 1);
	for (size_t k = 0; k < bench->dump.head.segment_count; k++) {
		const struct dump_segment *segment = &bench->dump.segments[k];

		assert_true(segment->records[segment->part.count - 1].reap_ns <= bench->result.begin_ns + 100000000);
	}
	sim_bench_free(bench);
}

TEST("sample and stations hold from their time on, and reset restores them")
{
	struct sim_case asked = scripted;
	uint64_t before = 0, after = 0;
	struct sim_bench *bench;

	asked.script[0] = "100ms:sample 1/5";
	asked.script[1] = "100ms:stations 8,11";
	bench = sim_bench_run(&asked);
	assert_int_equal(bench->section.sample, 5);
	assert_int_equal(bench->section.stations, 1u << 8 | 1u << 11);
	for (uint64_t at = 0; at < bench->section.unit_count; at += sim_unit_span(&bench->dump.units[at])) {
		const struct sim_io *io = &bench->dump.units[at].io;

		if (io->type != SIM_IO || io->t_ns < bench->result.begin_ns)
			continue;
		before += io->t_ns < bench->result.begin_ns + 100000000;
		if (io->t_ns <= bench->result.begin_ns + 100000000)
			continue;
		assert_true(io->station == 8 || io->station == 11);
		/* Those that are under way are recorded to their end. */
		if (io->t_ns > bench->result.begin_ns + 150000000)
			assert_int_equal(io->cmd % 5, 0);
		after++;
	}
	assert_true(before > 5 * after && after > 10);
	sim_bench_free(bench);
	asked.script[2] = "200ms:reset";
	bench = sim_bench_run(&asked);
	assert_int_equal(bench->section.sample, 1);
	assert_int_equal(bench->section.stations, UINT32_MAX);
	sim_bench_check(bench, "reset");
	sim_bench_free(bench);
}

/* --- drawn blocks --- */

TEST("blocks are drawn by the pattern, in each worker's own part, anew in each pass, and every law holds")
{
	struct sim_case asked = {.mix = "0-N", .runtime_ns = SECOND, .pattern = "hotset,25,75", .override = {.workers = 2},
		.values = {"channels=8", "ways=8", "blocks=8", "pages=16", "precondition=none"}};
	struct sim_bench *bench;
	uint64_t hot = 0, all = 0, repeated = 0;

	asked.override.streams[MIX_CHECKPOINT].block_bytes = 16384;
	asked.override.streams[MIX_CHECKPOINT].area_bytes = 128 * 16384;
	bench = sim_bench_run(&asked);
	assert_int_equal(bench->dump.head.segment_count, 2);
	for (size_t k = 0; k < 2; k++) {
		const struct dump_segment *segment = &bench->dump.segments[k];
		uint64_t begin, blocks;

		layout_part(&bench->layout.areas[MIX_CHECKPOINT], (unsigned)k, &begin, &blocks);
		assert_int_equal(blocks, 64);
		for (uint64_t i = 0; i < segment->part.count; i++) {
			uint64_t block = (segment->records[i].offset - begin) / 16384;

			assert_true(segment->records[i].offset >= begin && block < blocks);
			hot += block < 16;
			repeated += i >= blocks && segment->records[i].offset == segment->records[i - blocks].offset;
			all++;
		}
	}
	assert_true(all > 10000);
	/* Three quarters within five deviations; the same as in the pass before with .75^2 / 16 + .25^2 / 48. */
	assert_true(hot > 0.75 * (double)all - 2.2 * sqrt((double)all) && hot < 0.75 * (double)all + 2.2 * sqrt((double)all));
	assert_true(repeated > 0.025 * (double)all && repeated < 0.048 * (double)all);
	sim_bench_check(bench, "hotset");
	sim_bench_free(bench);
}

TEST("drawn blocks follow the seed")
{
	struct sim_case asked = {.mix = "1-N", .runtime_ns = SECOND / 8, .pattern = "uniform",
		.values = {"channels=8", "ways=8", "blocks=8", "pages=16", "fill=1"}};
	struct sim_bench *a = sim_bench_run(&asked), *b = sim_bench_run(&asked), *c;

	assert_same_times(a, b);
	asked.seed = 2;
	c = sim_bench_run(&asked);
	assert_true(a->dump.segments[1].records[0].offset != c->dump.segments[1].records[0].offset ||
		    a->dump.segments[1].records[1].offset != c->dump.segments[1].records[1].offset);
	sim_bench_check(a, "uniform");
	sim_bench_free(a);
	sim_bench_free(b);
	sim_bench_free(c);
}
