/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the simulated device by themselves, and writes whose time is known. */
#include "config.h"
#include "tests/unit/sim_bench.h"

#include "common/hot/rng.h"
#include "ssd-workloads/sim/buffer.h"
#include "ssd-workloads/sim/heap.h"

/* --- events --- */

TEST("events come in the order of their time, and at one time in the order in which they were scheduled")
{
	struct sim_event events[1000];
	struct sim_heap heap = {.events = events, .capacity = 1000};
	struct sim_event last = {0, 0}, event;
	struct rng rng;

	rng_seed(&rng, 1, 1);
	for (uint64_t i = 0; i < 1000; i++)
		assert_true(sim_heap_push(&heap, (struct sim_event){rng_below(&rng, 50), sim_event_order(i, i % 7, (uint32_t)i)}));
	assert_false(sim_heap_push(&heap, (struct sim_event){1, 1}));
	for (int i = 0; i < 1000; i++) {
		event = sim_heap_pop(&heap);
		assert_true(!i || sim_event_is_before(&last, &event));
		assert_int_equal(sim_event_kind(&event), sim_event_index(&event) % 7);
		last = event;
	}
	assert_int_equal(heap.count, 0);
}

/* --- the buffer --- */

TEST("the buffer replaces the entry that was used longest ago, and finds each slice that it holds")
{
	struct buffer_entry old;
	struct buffer buffer;

	assert_int_equal(buffer_open(4, 2, &buffer), 0);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t entry = buffer_take(&buffer, 100 + i, &old);

		assert_int_equal(old.lsa, BUFFER_NONE);
		buffer.entries[entry].is_dirty = i == 1;
	}
	buffer_use(&buffer, buffer_find(&buffer, 100));
	assert_null(buffer_check(&buffer));
	buffer_take(&buffer, 7, &old);
	assert_int_equal(old.lsa, 101);
	assert_true(old.is_dirty);
	assert_int_equal(buffer_find(&buffer, 101), BUFFER_NONE);
	buffer_take(&buffer, BUFFER_NONE, &old);
	assert_int_equal(old.lsa, 102);
	buffer_take(&buffer, 9, &old);
	buffer_take(&buffer, 10, &old);
	assert_int_equal(old.lsa, 100);
	assert_true(buffer_find(&buffer, 7) != BUFFER_NONE);
	assert_null(buffer_check(&buffer));
	buffer_close(&buffer);
}

/* --- the FTL --- */

static void write_page(struct ftl *ftl, uint32_t lsa, struct ftl_gc *gc, uint32_t *block, uint32_t *page)
{
	ftl_write(ftl, lsa, block, page, gc);
	assert_int_equal(ftl->l2p[lsa], *block * ftl->geometry.pages + *page);
}

TEST("pages go round robin to the dies, and within a die to one page after the other")
{
	const struct ftl_geometry geometry = {.dies = 4, .blocks = 4, .pages = 8, .reserve_blocks = 1, .exported = 64};
	struct ftl_gc gc;
	struct ftl ftl;
	uint32_t block, page;

	assert_int_equal(ftl_open(&geometry, &ftl), 0);
	for (uint32_t i = 0; i < 64; i++) {
		write_page(&ftl, i, &gc, &block, &page);
		assert_int_equal(ftl_die_of(&ftl, block), i % 4);
		assert_int_equal(page, i / 4 % 8);
		assert_false(gc.is_any);
	}
	assert_null(ftl_check(&ftl));
	ftl_close(&ftl);
}

TEST("garbage collection takes the block with most invalid pages, of equal ones the first, and copies what is valid")
{
	const struct ftl_geometry geometry = {.dies = 1, .blocks = 4, .pages = 4, .reserve_blocks = 1, .exported = 12};
	/* Blocks 0, 1, 2 are full; 1 and 2 lose two pages each, 1 first; 0 loses one. */
	static const uint32_t writes[] = {0, 1, 2, 3, 4, 5, 6, 7, 4, 0, 5, 8};
	struct ftl_gc gc;
	struct ftl ftl;
	uint32_t block, page;

	assert_int_equal(ftl_open(&geometry, &ftl), 0);
	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
		write_page(&ftl, writes[i], &gc, &block, &page);
	assert_false(gc.is_any);
	write_page(&ftl, 9, &gc, &block, &page);
	assert_true(gc.is_any);
	assert_int_equal(gc.victim, 1);
	assert_int_equal(gc.target, 3);
	assert_int_equal(gc.count, 2);
	assert_int_equal(gc.copies[0].lsa, 6);
	assert_int_equal(gc.copies[0].from, 2);
	assert_int_equal(gc.copies[1].lsa, 7);
	assert_int_equal(gc.copies[1].to, 1);
	assert_int_equal(block, 3);
	assert_int_equal(page, 2);
	assert_int_equal(ftl.dies[0].free.first, 1);
	assert_null(ftl_check(&ftl));
	ftl_close(&ftl);
}

TEST("more than can be collected is not exported")
{
	struct ftl_geometry geometry = {.dies = 2, .blocks = 4, .pages = 4, .reserve_blocks = 1, .exported = 24};
	struct ftl_gc gc;
	struct ftl ftl;
	uint32_t block, page;

	/* All that fits: each collection gains a page. */
	assert_int_equal(ftl_open(&geometry, &ftl), 0);
	for (uint32_t i = 0; i < 1000; i++)
		ftl_write(&ftl, (i * 7) % 24, &block, &page, &gc);
	assert_null(ftl_check(&ftl));
	ftl_close(&ftl);
	geometry.exported = 25;
	assert_int_equal(ftl_open(&geometry, &ftl), -EINVAL);
	geometry.exported = 0;
	assert_int_equal(ftl_open(&geometry, &ftl), -EINVAL);
}

/* --- parameters --- */

TEST("parameters are parsed, refused by range and name, and come back as text")
{
	static const char *const wrong[] = {"ways=0", "ways=65", "ways", "=1", "speed=1", "read=2", "read=1x", "mode=fast",
		"gc=best-of:0",
		"gc=worst", "page=2k", "op=9.5", "op=-1", "precondition=full"};
	struct sim_params params, again;
	const char *key = NULL, *value;
	char why[192], text[64], line[128];

	sim_params_init(sim_preset_find("small"), &params);
	assert_int_equal(params.blocks, 64);
	assert_int_equal(params.erase_ns, 3500000);
	assert_int_equal(sim_transfer_ns(&params), 90240);
	assert_int_equal(sim_exported_pages(&params), (uint64_t)(32 * 63 * 128 / 1.1111));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		again = params;
		*why = '\0';
		if (sim_params_set(&again, wrong[i], why, sizeof(why)) != -EINVAL || !*why)
			fail_msg("%s was taken", wrong[i]);
		assert_memory_equal(&again, &params, sizeof(params));
	}
	assert_int_equal(sim_params_set(&params, "gc=best-of:10", why, sizeof(why)), 0);
	assert_int_equal(params.gc_choices, 10);
	assert_int_equal(sim_params_set(&params, "read=75us", why, sizeof(why)), 0);
	assert_int_equal(sim_params_set(&params, "op=0.1", why, sizeof(why)), 0);
	sim_params_init(NULL, &again);
	for (size_t i = 0; (value = sim_params_value(&params, i, &key, text)); i++) {
		snprintf(line, sizeof(line), "%s=%s", key, value);
		assert_true(strcmp(key, "op") != 0 || strcmp(value, "0.1") == 0);
		if (sim_params_set(&again, line, why, sizeof(why)))
			fail_msg("%s: %s", line, why);
	}
	assert_memory_equal(&again, &params, sizeof(params));
}

TEST("geometries that cannot be are refused")
{
	static const char *const wrong[][5] = {{"blocks=4", "reserve=3"}, {"page=24k", NULL},
		{"op=9", "blocks=4", "pages=2", "channels=1", "ways=1"},
		{"jitter=600us", NULL}, {"dma-fifo=3", NULL}, {"pages=4096", "blocks=65535"}};
	struct sim_params params;
	char why[192];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		sim_params_init(NULL, &params);
		for (int k = 0; k < 5 && wrong[i][k]; k++)
			assert_int_equal(sim_params_set(&params, wrong[i][k], why, sizeof(why)), 0);
		if (sim_params_check(&params, why, sizeof(why)) != -EINVAL || !*why)
			fail_msg("%s was taken", wrong[i][0]);
	}
}

/* --- times that are known --- */

/* The response times of one log write after the other on an idle device. */
static const struct record *lone_writes(struct sim_bench **bench, const char *mix, const char *mode, uint64_t *count)
{
	const struct sim_case asked = {.mix = mix, .runtime_ns = SECOND / 2,
		.values = {"channels=2", "ways=2", "blocks=8", "pages=32", "buffer=8", "jitter=0", "precondition=none", mode}};

	*bench = sim_bench_run(&asked);
	sim_bench_check(*bench, mode);
	*count = (*bench)->dump.segments[0].part.count;
	return (*bench)->dump.segments[0].records;
}

TEST("a lone write takes the sum of its steps: into a free entry, behind an eviction, through, and direct")
{
	const uint64_t firmware = 1500 + 2000 + 700 + 1500, dma = 800 + 8192 + 1000, flash = 1500 + 90240 + 500000 + 1500;
	struct sim_bench *bench;
	uint64_t count;
	const struct record *records = lone_writes(&bench, "1-0", "mode=buffered", &count);

	assert_true(count > 100);
	for (int i = 0; i < 32; i++)
		assert_int_equal(records[i].reap_ns - records[i].prep_ns, firmware + dma + 1000);
	assert_int_equal(records[32].reap_ns - records[32].prep_ns, firmware + flash + dma + 1000);
	assert_int_equal(records[1].prep_ns - records[0].reap_ns, 6000);
	sim_bench_free(bench);
	records = lone_writes(&bench, "1-0", "mode=write-through", &count);
	assert_int_equal(records[0].reap_ns - records[0].prep_ns, firmware + dma + flash + 1000);
	sim_bench_free(bench);
	records = lone_writes(&bench, "1-0", "mode=direct", &count);
	assert_int_equal(records[0].reap_ns - records[0].prep_ns, firmware + dma + flash + 1000);
	sim_bench_free(bench);
	/* Eight slices: the FTL takes them one after the other, then one DMA follows the other. */
	records = lone_writes(&bench, "0-1", "mode=buffered", &count);
	assert_int_equal(records[0].reap_ns - records[0].prep_ns,
		1500 + 2000 + 8 * (700 + 1500) + 800 + 8 * 8192 + 1000 + 1000);
	sim_bench_free(bench);
}

/* Collections by their number of copies, the time of each of which is checked. */
static void check_collections(const char *precondition, uint64_t seen[256])
{
	const struct sim_case asked = {.mix = "1-0", .runtime_ns = 4 * SECOND,
		.values = {"channels=1", "ways=1", "blocks=16", "pages=32", "buffer=2", "jitter=0", "op=0.2", precondition}};
	struct sim_bench *bench = sim_bench_run(&asked);
	const struct sim_params *params = &bench->params;
	uint64_t erase = params->issue_ns + params->erase_ns + params->done_ns, begin_ns = 0, copies = 0;
	uint64_t copy = 3 * (params->issue_ns + params->done_ns) + 2 * sim_transfer_ns(params) + params->read_ns +
			params->program_ns;

	sim_bench_check(bench, precondition);
	for (uint64_t at = 0; at < bench->section.unit_count; at += sim_unit_span(&bench->dump.units[at])) {
		const struct sim_gc *gc = &bench->dump.units[at].gc;

		if (gc->type == SIM_GC && gc->task == SIM_GC_BEGIN) {
			begin_ns = gc->t_ns;
			copies = gc->page_lo;
		} else if (gc->type == SIM_GC && gc->task == SIM_GC_END && begin_ns) {
			seen[copies]++;
			assert_int_equal(gc->t_ns - begin_ns, erase + copies * copy);
		}
	}
	sim_bench_free(bench);
}

TEST("on an idle device a collection takes the erase and, for each valid page, a read, a program and their commands")
{
	uint64_t seen[256] = {0}, copying = 0;

	/* A log alone leaves nothing valid; pages that are never written again are copied. */
	check_collections("precondition=none", seen);
	assert_true(seen[0] > 50);
	check_collections("precondition=random", seen);
	for (int i = 1; i < 32; i++)
		copying += seen[i];
	assert_true(copying > 50);
}

TEST("a controller looks whether operations are done only while its bus is free")
{
	const struct sim_case asked = {.mix = "M-0", .runtime_ns = SECOND / 4,
		.values = {"channels=1", "ways=8", "blocks=16", "pages=32", "precondition=none"}};
	struct sim_bench *bench = sim_bench_run(&asked);
	uint64_t transfer_ns = 0, seen = 0;

	for (uint64_t at = 0; at < bench->section.unit_count; at += sim_unit_span(&bench->dump.units[at])) {
		const struct sim_io *io = &bench->dump.units[at].io;

		if (io->type == SIM_IO && io->station == SIM_TRANSFER)
			transfer_ns = io->t_ns;
		if (io->type != SIM_IO || io->station != SIM_FLASH_DONE)
			continue;
		assert_true(io->t_ns - bench->params.done_ns >= transfer_ns + bench->section.transfer_ns);
		seen++;
	}
	assert_true(seen > 500);
	sim_bench_free(bench);
}
