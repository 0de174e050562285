/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the simulated device's records, and what figures make of them: sections by hand whose answers are known. */
#include "config.h"
#include "tests/unit/unit.h"
#include <errno.h>
#include <inttypes.h>

#include "ssd-workloads/analyze/device_figures.h"
#include "tests/unit/ssd_dump.h"
#include "tests/unit/ssd_figure.h"

#define UNITS 64
#define US 1000ull
#define BEGIN 2000000ull  /* of the first write of the first log worker */

/*
 * On a device of one channel and two ways: a checkpoint write of two pages (command 7) on both ways, and a log write (command
 * 8) whose page comes behind an erase for the checkpoint on way 1.
 */
struct made {
	struct ssd_dump *host;
	struct dump dump;
	struct sim_section section;
	union sim_unit units[UNITS];
	struct device_table table;
};

static void add_io(struct made *made, uint64_t us, uint32_t cmd, uint8_t station, uint16_t slice, uint8_t way, uint32_t aux)
{
	union sim_unit *unit = &made->units[made->section.unit_count++];
	bool is_log = cmd == 8;

	unit->io = (struct sim_io){.t_ns = BEGIN + us * US, .cmd = cmd, .lsa = is_log ? 74 : 272u + slice, .type = SIM_IO,
		.station = station, .ch = way == SIM_NO_PLACE ? SIM_NO_PLACE : 0, .way = way, .slice = slice,
		.stream = is_log ? MIX_LOG : MIX_CHECKPOINT, .aux = aux};
}

static void add_gc(struct made *made, uint64_t us, uint8_t task)
{
	union sim_unit *unit = &made->units[made->section.unit_count++];

	unit->gc = (struct sim_gc){.t_ns = BEGIN + us * US, .cmd = 7, .lsa = SIM_NONE, .type = SIM_GC, .task = task, .way = 1,
		.owner = SIM_NO_PLACE, .gc_id = 1};
}

static struct made *make_units(void)
{
	struct made *made = calloc(1, sizeof(*made));
	struct record *log, *ckpt;

	assert_non_null(made);
	made->host = ssd_dump_make();
	log = &made->host->records[0][0];
	ckpt = &made->host->records[2][0];
	*ckpt = (struct record){.sequence = 1, .prep_ns = BEGIN, .enter_ns = BEGIN, .reap_ns = BEGIN + 1000 * US,
		.offset = 272 * 16384, .length = 32768, .result = 32768, .batch = 7, .stream = MIX_CHECKPOINT, .inflight_own = 1};
	*log = (struct record){.sequence = 1, .prep_ns = BEGIN + 20 * US, .enter_ns = BEGIN + 20 * US, .reap_ns = BEGIN + 5000 * US,
		.offset = 74 * 16384, .length = 16384, .result = 16384, .batch = 8, .inflight_own = 1, .inflight_other = 1};
	made->section = (struct sim_section){.channels = 1, .ways = 2, .blocks = 10, .pages = 4, .page_bytes = 16384, .sample = 1,
		.stations = UINT32_MAX, .slots = 128, .fetch_ns = US, .command_ns = 2 * US, .cut_ns = US, .ftl_ns = 2 * US,
		.issue_ns = US, .done_ns = US, .dma_issue_ns = US, .completion_ns = US, .transfer_ns = 100 * US,
		.program_ns = 500 * US, .erase_ns = 3500 * US, .dma_latency_ns = US};
	made->dump.head = made->host->dump.head;
	made->dump.head.segment_count = 2;
	made->dump.segments[0] = (struct dump_segment){.part = {.stream = MIX_LOG, .count = 1}, .records = log};
	made->dump.segments[1] = (struct dump_segment){.part = {.stream = MIX_CHECKPOINT, .count = 1}, .records = ckpt};
	/* Two pages: fetched at 1, cut at 5, the FTL takes 2 each; way 0 transfers at 10, the bus is free for way 1 at 110. */
	add_io(made, 5, 7, SIM_CUT, 0, SIM_NO_PLACE, 0);
	add_io(made, 5, 7, SIM_CUT, 1, SIM_NO_PLACE, 0);
	add_io(made, 5, 7, SIM_FTL, 0, 0, 100);
	add_io(made, 7, 7, SIM_FTL_DONE, 0, 0, 0);
	add_io(made, 7, 7, SIM_QUEUED, 0, 0, 0);
	add_io(made, 7, 7, SIM_FTL, 1, 1, 101);
	add_io(made, 9, 7, SIM_FTL_DONE, 1, 1, 0);
	add_io(made, 9, 7, SIM_QUEUED, 1, 1, 0);
	add_io(made, 10, 7, SIM_TRANSFER, 0, 0, 0);
	/* The log: fetched at 21, cut at 24, decided at 26. */
	add_io(made, 24, 8, SIM_CUT, 0, SIM_NO_PLACE, 0);
	add_io(made, 24, 8, SIM_FTL, 0, 1, 102);
	add_io(made, 26, 8, SIM_FTL_DONE, 0, 1, 0);
	add_gc(made, 26, SIM_GC_BEGIN);
	add_io(made, 26, 8, SIM_QUEUED, 0, 1, 0);
	add_io(made, 111, 7, SIM_TRANSFER, 1, 1, 0);
	add_io(made, 611, 7, SIM_FLASH_DONE, 0, 0, 0);
	add_io(made, 612, 7, SIM_DMA, 0, 0, 0);
	add_io(made, 622, 7, SIM_DMA_DONE, 0, 0, 0);
	add_io(made, 712, 7, SIM_FLASH_DONE, 1, 1, 0);
	add_gc(made, 713, SIM_ER_START);
	add_io(made, 714, 7, SIM_DMA, 1, 1, 0);
	add_io(made, 999, 7, SIM_DMA_DONE, 1, 1, 0);
	add_io(made, 1000, 7, SIM_COMPLETED, 0, 0, 2);
	add_gc(made, 4214, SIM_ER_END);
	add_gc(made, 4214, SIM_GC_END);
	add_io(made, 4216, 8, SIM_TRANSFER, 0, 1, 0);
	add_io(made, 4818, 8, SIM_FLASH_DONE, 0, 1, 0);
	add_io(made, 4820, 8, SIM_DMA, 0, 1, 0);
	add_io(made, 4999, 8, SIM_DMA_DONE, 0, 1, 0);
	add_io(made, 5000, 8, SIM_COMPLETED, 0, 1, 1);
	made->section.emitted = made->section.unit_count;
	made->dump.section = &made->section;
	made->dump.units = made->units;
	return made;
}

static struct made *make_table(void)
{
	struct made *made = make_units();

	assert_int_equal(device_table_make(&made->dump, &made->table), 0);
	return made;
}

static void free_made(struct made *made)
{
	device_table_free(&made->table);
	free(made->host);
	free(made);
}

TEST("a command has its pages in order, their times, its host's record and the page that was done last")
{
	struct made *made = make_table();
	const struct device_command *command;
	const struct device_slice *slice;

	assert_int_equal(made->table.command_count, 2);
	command = &made->table.commands[device_table_find(&made->table, 7)];
	assert_true(command->is_whole);
	assert_int_equal(command->count, 2);
	assert_int_equal(command->stream, MIX_CHECKPOINT);
	assert_int_equal(device_latency_ns(command), 1000 * US);
	slice = &made->table.slices[command->critical];
	assert_int_equal(slice->index, 1);
	assert_int_equal(slice->die, 1);
	assert_int_equal(slice->bytes, 16384);
	assert_int_equal(slice->at_ns[SIM_TRANSFER], BEGIN + 111 * US);
	assert_int_equal(made->table.slices[command->first].index, 0);
	assert_int_equal(made->table.slices[command->first].next, command->critical);
	assert_int_equal(device_table_find(&made->table, 9), DEVICE_NONE);
	free_made(made);
}

TEST("a way has its operations by time, and a collection its command, copies and times")
{
	struct made *made = make_table();
	const struct device_way *way = &made->table.ways[1];

	assert_int_equal(made->table.ways[0].count, 1);
	assert_int_equal(way->count, 3);
	assert_int_equal(way->ops[0].work, DEVICE_PROGRAM);
	assert_int_equal(way->ops[1].work, DEVICE_ERASE);
	assert_int_equal(way->ops[1].begin_ns, BEGIN + 713 * US);
	assert_int_equal(way->ops[2].end_ns, BEGIN + 4818 * US);
	assert_int_equal(device_way_find(way, BEGIN + 712 * US), 1);
	assert_int_equal(device_way_find(way, BEGIN + 5000 * US), 3);
	assert_int_equal(made->table.gc_count, 1);
	assert_int_equal(made->table.gcs[0].number, 7);
	assert_int_equal(device_op_command(&made->table, &way->ops[1]), device_table_find(&made->table, 7));
	assert_int_equal(made->table.gcs[0].erase_ns, 3501 * US);
	assert_int_equal(made->table.commands[device_table_find(&made->table, 7)].gcs, 1);
	free_made(made);
}

static uint64_t part(const struct attribution_parts *parts, enum attribution_kind kind, enum attribution_origin origin)
{
	return parts->ns[kind][origin] / US;
}

TEST("each nanosecond of a wait goes to what was in the way, and to whose work it was")
{
	struct made *made = make_table();
	struct attribution *attribution;
	struct attribution_parts parts;

	assert_int_equal(made->table.known_ns, BEGIN + 5 * US);
	assert_int_equal(attribution_open(&made->table, &attribution), 0);
	assert_int_equal(attribution_command(attribution, &made->table.commands[device_table_find(&made->table, 8)], &parts), 0);
	assert_int_equal(attribution_sum(&parts), 4980 * US);
	assert_int_equal(part(&parts, ATTRIBUTION_FETCH, ATTRIBUTION_SELF), 1);
	/* Way 1: from 111 to 712 a program, from 713 to 4214 the erase; before that the bus from 26 to 110. */
	assert_int_equal(part(&parts, ATTRIBUTION_PROGRAM, ATTRIBUTION_OTHER), 712 - 111);
	assert_int_equal(part(&parts, ATTRIBUTION_ERASE, ATTRIBUTION_OTHER), 4214 - 713);
	assert_int_equal(part(&parts, ATTRIBUTION_BUS, ATTRIBUTION_OTHER), 110 - 26);
	/* The core: it issues the program, 110 to 111, and the erase, 712 to 713; then looks a us late, issues for itself. */
	assert_int_equal(part(&parts, ATTRIBUTION_FIRMWARE, ATTRIBUTION_OTHER), 2);
	assert_int_equal(part(&parts, ATTRIBUTION_FIRMWARE, ATTRIBUTION_SELF), 4215 - 4214 + 4819 - 4818);
	/* Cut 3, FTL 2, issue 1, flash 602, DMA issue and DMA 180, completion 1. */
	assert_int_equal(part(&parts, ATTRIBUTION_OWN, ATTRIBUTION_SELF), 3 + 2 + 1 + 602 + 1 + 179 + 1);
	/* The checkpoint's second page: behind its own first one at the FTL, when that is issued and on the bus; the erase is
	 * issued before its DMA. */
	assert_int_equal(attribution_command(attribution, &made->table.commands[device_table_find(&made->table, 7)], &parts), 0);
	assert_int_equal(attribution_sum(&parts), 1000 * US);
	assert_int_equal(part(&parts, ATTRIBUTION_FIRMWARE, ATTRIBUTION_SELF), 7 - 5 + 10 - 9 + 713 - 712);
	assert_int_equal(part(&parts, ATTRIBUTION_BUS, ATTRIBUTION_SELF), 110 - 10);
	attribution_close(attribution);
	free_made(made);
}

static uint64_t order_of(uint16_t block, uint32_t cmd, enum attribution_kind kind, enum attribution_origin origin)
{
	struct made *made = make_units();
	struct attribution *attribution;
	struct attribution_parts parts;

	/* The log's page is the second of block 5 on way 1; a copy for cmd goes to `block` before it. */
	made->units[12].gc.task = SIM_WR_QUEUED;
	made->units[12].gc.block = block;
	made->units[12].gc.cmd = cmd;
	made->units[13].io.t_ns = BEGIN + 4215 * US;
	made->units[13].io.aux = (10 + 5) * 4 + 1;
	assert_int_equal(device_table_make(&made->dump, &made->table), 0);
	assert_int_equal(attribution_open(&made->table, &attribution), 0);
	assert_int_equal(attribution_command(attribution, &made->table.commands[device_table_find(&made->table, 8)], &parts), 0);
	assert_int_equal(attribution_sum(&parts), 4980 * US);
	attribution_close(attribution);
	free_made(made);
	return part(&parts, kind, origin);
}

TEST("a page that waits for its turn waits for what comes before it in its block, not on its die")
{
	/* Where neither way nor bus is at work: 110 to 111, 712 to 713, 4214 to 4215. */
	assert_int_equal(order_of(5, 7, ATTRIBUTION_ORDER, ATTRIBUTION_OTHER), 3);
	assert_int_equal(order_of(5, 8, ATTRIBUTION_ORDER, ATTRIBUTION_SELF), 3);
	assert_int_equal(order_of(6, 7, ATTRIBUTION_UNKNOWN, ATTRIBUTION_SELF), 3);
}

TEST("what ran before the first record, or without one, is unknown and not guessed")
{
	struct made *made = make_units();
	struct attribution *attribution;
	struct attribution_parts parts;

	/* A third write was under way when these were issued, and its records are lost. */
	made->host->records[2][0].inflight_own = 2;
	made->host->records[0][0].inflight_other = 2;
	assert_int_equal(device_table_make(&made->dump, &made->table), 0);
	assert_int_equal(made->table.known_ns, UINT64_MAX);
	assert_int_equal(attribution_open(&made->table, &attribution), 0);
	assert_int_equal(attribution_command(attribution, &made->table.commands[device_table_find(&made->table, 8)], &parts), 0);
	assert_int_equal(attribution_sum(&parts), 4980 * US);
	assert_int_equal(part(&parts, ATTRIBUTION_UNKNOWN, ATTRIBUTION_SELF), 4215 - 26 + 4819 - 4818 + 179);
	assert_int_equal(part(&parts, ATTRIBUTION_ERASE, ATTRIBUTION_OTHER), 0);
	attribution_close(attribution);
	free_made(made);
}

TEST("a dump that lost its beginning has operations from its first record on and commands that are not whole")
{
	struct made *made = make_units();

	/* Without all that is before the second transfer's end. */
	made->dump.units = made->units + 18;
	made->section.unit_count -= 18;
	assert_int_equal(device_table_make(&made->dump, &made->table), 0);
	assert_int_equal(made->table.ways[1].ops[0].begin_ns, BEGIN + 712 * US);
	assert_int_equal(made->table.ways[1].ops[0].end_ns, BEGIN + 712 * US);
	for (size_t i = 0; i < made->table.command_count; i++)
		assert_false(made->table.commands[i].is_whole);
	free_made(made);
}

TEST("two operations on a way at once are refused")
{
	struct made *made = make_units();

	/* In place of the second page's transfer one of the first, which runs. */
	made->units[14].io = made->units[8].io;
	made->units[14].io.t_ns = BEGIN + 100 * US;
	assert_int_equal(device_table_make(&made->dump, &made->table), -EBADMSG);
	free(made->host);
	free(made);
}

TEST("figures of the device show a known run as it was")
{
	struct made *made = make_table();
	const struct figure_input input = {.dump = &made->dump, .device = &made->table, .has_command = true, .command = 8,
		.rows = 1};

	/* Since it was cut, at 24. */
	ASSERT_FIGURE("gantt", &input, 4,
		{0, "8\tlog\tself\twrite\t8\t-\t-\t-\t-\t-4000\t4976000\t-"},
		{1, "8\tlog\tother\tprogram\t7\t1\t0\t1\t-15000\t87000\t688000\t-"},
		{2, "8\tlog\tother\terase\t7\t-\t0\t1\t-\t689000\t4190000\t1"},
		{3, "8\tlog\tself\tprogram\t8\t0\t0\t1\t2000\t4192000\t4794000\t-"});
	/* W: 602 us. The log waits behind a collection without copies. */
	ASSERT_FIGURE("fig4", &input, 0,
		{0, "log\tgc-empty\t8\t0.001020000\t4980000\t8.2724\t3000\t0\t2000\t0\t4190000\t602000\t2000\t179000\t"
			"1000\tway_wait"});
	ASSERT_FIGURE("fig5", &input, 1,
		{0, "empty\t1\t7\tcheckpoint\t0.001026000\t0\t4188000\t687000\t0\t0\t3501000\t1.1959\t-\t-"});
	ASSERT_FIGURE("fig10", &input, 1,
		{0, "checkpoint\t0\t0\t1\t100.0000"});
	ASSERT_FIGURE("window", &input, 0,
		{0, "all\t30\t100.0000\t0.001005000\t0.006000000\t0.004995000\t6006.0"},
		{3, "pages\t3\t10.0000\t0.001622000\t0.005999000\t0.004377000\t685.4"});
	ASSERT_FIGURE("attribution", &input, 0,
		{0, "log\tlatency\t-\t4980000.0\t100\t-\t-\t1"});
	free_made(made);
}

TEST("bins of copies are 0, 1, 2, then each as wide as all before it")
{
	uint32_t from, to, last = 0;

	device_copies_bin(0, &from, &to);
	assert_int_equal(to, 0);
	for (uint32_t bin = 1; bin < 10; bin++) {
		device_copies_bin(bin, &from, &to);
		assert_int_equal(from, last + 1);
		assert_int_equal(to, 1u << (bin - 1));
		last = to;
	}
}
