/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A target written by the test as a run would, then broken in every way that is told apart. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/base/diag.h"
#include "ssd-workloads/verify/verify.h"

#define LOG_BLOCK 4096u
#define CHECKPOINT_BLOCK 8192u
#define LOG_BLOCKS 40u            /* of each of two workers */
#define CHECKPOINT_BLOCKS 16u
#define LOG_WRITES 57u            /* of each worker: 17 blocks have a second one */
#define CHECKPOINT_WRITES 10u     /* six blocks have none */

static FILE *file;
static struct header header;
static char data[CHECKPOINT_BLOCK] __attribute__((aligned(8)));

static struct stamp_source source_of(enum mix_stream stream, unsigned worker)
{
	return (struct stamp_source){header.run, (uint8_t)stream, (uint8_t)worker,
		stream == MIX_LOG ? LOG_BLOCK : CHECKPOINT_BLOCK};
}

static uint64_t offset_of(enum mix_stream stream, unsigned worker, uint64_t block)
{
	uint64_t begin, blocks;

	layout_part(&header.layout.areas[stream], worker, &begin, &blocks);
	return begin + block * header.layout.areas[stream].block_bytes;
}

static void put_write(enum mix_stream stream, unsigned worker, uint64_t block, uint64_t sequence)
{
	struct stamp_source source = source_of(stream, worker);
	uint64_t offset = offset_of(stream, worker, block);

	block_fill(data, &source);
	stamp_block(data, &source, offset, sequence, 0, 1);
	assert_int_equal(pwrite(fileno(file), data, source.block_bytes, (off_t)offset), source.block_bytes);
}

static void put_bytes(enum mix_stream stream, unsigned worker, uint64_t block, uint64_t at, const void *bytes, size_t size)
{
	assert_int_equal(pwrite(fileno(file), bytes, size, (off_t)(offset_of(stream, worker, block) + at)), size);
}

/* Prepared, then written so often, all acknowledged, ended. */
static int make_target(void **state)
{
	const struct workload_override override = {.workers = 2,
		.streams = {{true, 4, LOG_BLOCK, 2ull * LOG_BLOCKS * LOG_BLOCK, .pause_ns = 0},
			{true, 1, CHECKPOINT_BLOCK, (uint64_t)CHECKPOINT_BLOCKS * CHECKPOINT_BLOCK, .pause_ns = 0}}};
	struct workload workload;
	const char *why;

	(void)state;
	file = tmpfile();
	assert_non_null(file);
	header = (struct header){.run = 77, .is_prepared = true, .is_ended = true,
		.acknowledged = {{LOG_WRITES, LOG_WRITES}, {CHECKPOINT_WRITES}}};
	assert_int_equal(workload_make(mix_find("custom"), &override, &workload, &why), 0);
	layout_make(&workload, &header.layout);
	assert_int_equal(header.layout.areas[MIX_LOG].workers, 2);
	assert_int_equal(header.layout.areas[MIX_CHECKPOINT].workers, 1);
	for (unsigned worker = 0; worker < 2; worker++) {
		for (uint64_t i = 0; i < LOG_WRITES; i++)
			put_write(MIX_LOG, worker, i % LOG_BLOCKS, i);
	}
	for (uint64_t i = 0; i < CHECKPOINT_BLOCKS; i++)
		put_write(MIX_CHECKPOINT, 0, i, i < CHECKPOINT_WRITES ? i : STAMP_PREPARED);
	return 0;
}

static int drop_target(void **state)
{
	(void)state;
	return fclose(file);
}

static struct verify_result look(struct ack_log *ack_log)
{
	struct verify_result result;

	assert_int_equal(verify_target(fileno(file), 512, &header, ack_log, NULL, &result), 0);
	return result;
}

static void assert_lost(enum verify_loss loss, uint64_t count, const char *first)
{
	struct verify_result result = look(NULL);

	assert_int_equal(result.total_lost, count);
	assert_int_equal(result.lost[loss], count);
	assert_string_equal(result.first, first);
	assert_int_equal(verify_code(&result), count ? DIAG_EXIT_NEGATIVE : DIAG_EXIT_OK);
}

TEST_WITH("intact blocks are no loss", make_target, drop_target)
{
	struct verify_result result = look(NULL);

	assert_int_equal(result.blocks, 2 * LOG_BLOCKS + CHECKPOINT_BLOCKS);
	assert_int_equal(result.bytes, 2 * LOG_BLOCKS * LOG_BLOCK + CHECKPOINT_BLOCKS * CHECKPOINT_BLOCK);
	assert_int_equal(result.acknowledged, 2 * LOG_BLOCKS + CHECKPOINT_WRITES);
	assert_int_equal(result.later, 0);
	assert_true(result.is_complete);
	assert_int_equal(verify_code(&result), DIAG_EXIT_OK);
}

TEST_WITH("old data is a loss", make_target, drop_target)
{
	put_write(MIX_LOG, 1, 5, 5);
	assert_lost(VERIFY_OLD, 1, "log worker 1, block 5 at byte 1232896: write 45 must be there; found: old-data, of write 5");
	put_write(MIX_CHECKPOINT, 0, 9, STAMP_PREPARED);
	assert_lost(VERIFY_OLD, 2, "log worker 1, block 5 at byte 1232896: write 45 must be there; found: old-data, of write 5");
	put_write(MIX_LOG, 1, 5, 45);
	assert_lost(VERIFY_OLD, 1, "checkpoint worker 0, block 9 at byte 3219456: write 9 must be there; found: old-data");
}

TEST_WITH("a later write is no loss", make_target, drop_target)
{
	struct verify_result result;

	put_write(MIX_LOG, 0, 17, 57);
	put_write(MIX_CHECKPOINT, 0, 10, 10);
	result = look(NULL);
	assert_int_equal(result.total_lost, 0);
	assert_int_equal(result.later, 2);
	/* One that cannot have begun, and one of another block's turn. */
	put_write(MIX_LOG, 0, 17, 17 + 1000ull * LOG_BLOCKS);
	assert_lost(VERIFY_FOREIGN, 1,
		"log worker 0, block 17 at byte 1118208: write 17 must be there; found: foreign, of write 40017");
	put_write(MIX_LOG, 0, 17, 58);
	assert_lost(VERIFY_FOREIGN, 1,
		"log worker 0, block 17 at byte 1118208: write 17 must be there; found: foreign, of write 58");
}

TEST_WITH("a torn block with an older part is a loss", make_target, drop_target)
{
	struct stamp_source source = source_of(MIX_CHECKPOINT, 0);
	struct verify_result result;

	block_fill(data, &source);
	/* By a write that came after the acknowledged one: none of its blocks is behind. */
	stamp_block(data, &source, offset_of(MIX_CHECKPOINT, 0, 3), 3 + CHECKPOINT_BLOCKS, 1, 1);
	put_bytes(MIX_CHECKPOINT, 0, 3, 4096, data + 4096, 4096);
	result = look(NULL);
	assert_int_equal(result.total_lost, 0);
	assert_int_equal(result.later, 1);
	/* Half of it is what preparing wrote. */
	stamp_block(data, &source, offset_of(MIX_CHECKPOINT, 0, 3), STAMP_PREPARED, 0, 1);
	put_bytes(MIX_CHECKPOINT, 0, 3, 0, data, 4096);
	assert_lost(VERIFY_TORN, 1, "checkpoint worker 0, block 3 at byte 3170304: write 3 must be there; found: torn");
	/* The same where nothing was acknowledged. */
	put_write(MIX_CHECKPOINT, 0, 3, 3);
	stamp_block(data, &source, offset_of(MIX_CHECKPOINT, 0, 12), 12, 0, 1);
	put_bytes(MIX_CHECKPOINT, 0, 12, 0, data, 4096);
	result = look(NULL);
	assert_int_equal(result.total_lost, 0);
	assert_int_equal(result.later, 1);
}

/* Where nothing was prepared, a first write that failed leaves stamps beside what was there. */
TEST_WITH("a torn first write to unprepared space is no loss", make_target, drop_target)
{
	const char zeros[LOG_BLOCK] = "";
	struct verify_result result;

	put_write(MIX_CHECKPOINT, 0, 12, 12);
	put_bytes(MIX_CHECKPOINT, 0, 12, LOG_BLOCK, zeros, LOG_BLOCK);
	assert_lost(VERIFY_DAMAGED, 1,
		"checkpoint worker 0, block 12 at byte 3244032: a whole block must be there; found: damaged");
	header.is_prepared = false;
	result = look(NULL);
	assert_int_equal(result.total_lost, 0);
	assert_int_equal(result.later, 1);
	/* A changed byte in it is damage all the same, and so is half of a block that was acknowledged. */
	put_bytes(MIX_CHECKPOINT, 0, 12, 3000, "\x01", 2);
	assert_lost(VERIFY_DAMAGED, 1,
		"checkpoint worker 0, block 12 at byte 3244032: a whole block must be there; found: damaged");
	put_write(MIX_CHECKPOINT, 0, 12, 12);
	put_bytes(MIX_CHECKPOINT, 0, 3, LOG_BLOCK, zeros, LOG_BLOCK);
	assert_lost(VERIFY_DAMAGED, 1, "checkpoint worker 0, block 3 at byte 3170304: write 3 must be there; found: damaged");
}

TEST_WITH("foreign data is a loss", make_target, drop_target)
{
	const char zeros[LOG_BLOCK] = "";

	put_bytes(MIX_LOG, 0, 0, 0, zeros, LOG_BLOCK);
	assert_lost(VERIFY_FOREIGN, 1, "log worker 0, block 0 at byte 1048576: write 40 must be there; found: foreign");
	put_write(MIX_LOG, 0, 0, 40);
	/* Where nobody wrote: prepared blocks are stamped; others hold what they like. */
	put_bytes(MIX_CHECKPOINT, 0, 15, 0, zeros, LOG_BLOCK);
	put_bytes(MIX_CHECKPOINT, 0, 15, LOG_BLOCK, zeros, LOG_BLOCK);
	assert_lost(VERIFY_FOREIGN, 1,
		"checkpoint worker 0, block 15 at byte 3268608: a whole block must be there; found: foreign");
	header.is_prepared = false;
	assert_lost(VERIFY_FOREIGN, 0, "");
}

TEST_WITH("swapped blocks are astray", make_target, drop_target)
{
	struct stamp_source source = source_of(MIX_LOG, 0);

	block_fill(data, &source);
	stamp_block(data, &source, offset_of(MIX_LOG, 0, 20), 20, 0, 1);
	put_bytes(MIX_LOG, 0, 21, 0, data, LOG_BLOCK);
	stamp_block(data, &source, offset_of(MIX_LOG, 0, 21), 21, 0, 1);
	put_bytes(MIX_LOG, 0, 20, 0, data, LOG_BLOCK);
	assert_lost(VERIFY_ASTRAY, 2, "log worker 0, block 20 at byte 1130496: write 20 must be there; found: astray");
}

TEST_WITH("one changed byte is damage", make_target, drop_target)
{
	put_bytes(MIX_CHECKPOINT, 0, 2, 5000, "\x01", 2);
	assert_lost(VERIFY_DAMAGED, 1, "checkpoint worker 0, block 2 at byte 3162112: write 2 must be there; found: damaged");
}

TEST_WITH("a short file is unreadable", make_target, drop_target)
{
	assert_int_equal(ftruncate(fileno(file), (off_t)offset_of(MIX_CHECKPOINT, 0, 14) + 100), 0);
	assert_lost(VERIFY_UNREADABLE, 2,
		"checkpoint worker 0, block 14 at byte 3260416: a whole block must be there; found: unreadable");
}

/* A header says what it likes: 2^63 bytes are not read one by one. */
TEST_WITH("blocks behind the end are counted without being read", make_target, drop_target)
{
	const uint64_t blocks = (UINT64_C(1) << 62) / CHECKPOINT_BLOCK;
	struct layout_area *area = &header.layout.areas[MIX_CHECKPOINT];
	struct verify_result result;

	area->bytes = blocks * CHECKPOINT_BLOCK;
	header.layout.bytes = area->begin + area->bytes;
	result = look(NULL);
	assert_int_equal(result.lost[VERIFY_UNREADABLE], blocks - CHECKPOINT_BLOCKS);
	assert_int_equal(result.total_lost, blocks - CHECKPOINT_BLOCKS);
	assert_int_equal(result.acknowledged, 2 * LOG_BLOCKS + CHECKPOINT_WRITES);
	header.acknowledged[MIX_CHECKPOINT][0] = blocks / 2;
	result = look(NULL);
	assert_int_equal(result.acknowledged, 2 * LOG_BLOCKS + blocks / 2);
}

/* The order in which they were written at random would take 8 GiB. */
TEST_WITH("blocks behind the end need no order", make_target, drop_target)
{
	const uint64_t blocks = UINT64_C(1) << 31;
	struct layout_area *area = &header.layout.areas[MIX_CHECKPOINT];
	struct verify_result result;

	header.is_random = true;
	area->bytes = blocks * CHECKPOINT_BLOCK;
	header.layout.bytes = area->begin + area->bytes;
	result = look(NULL);
	assert_int_equal(result.lost[VERIFY_UNREADABLE], blocks);
	assert_int_equal(result.total_lost, blocks);
}

/* Killed: the acknowledgement log knows, also what lies beyond the first gap. */
TEST_WITH("the acknowledgement log decides what was acknowledged", make_target, drop_target)
{
	struct verify_result result;
	struct ack_log *ack_log;

	header.is_ended = false;
	header.run = ((uint64_t)0x7e57 << 48) + (uint64_t)getpid();
	assert_int_equal(ack_log_open(header.run, 3, &ack_log), 0);
	for (unsigned worker = 0; worker < 2; worker++) {
		for (uint64_t i = 0; i < LOG_WRITES; i++)
			put_write(MIX_LOG, worker, i % LOG_BLOCKS, i);
	}
	for (uint64_t i = 0; i < CHECKPOINT_BLOCKS; i++)
		put_write(MIX_CHECKPOINT, 0, i, STAMP_PREPARED);
	for (uint64_t i = 0; i < LOG_WRITES; i++) {
		if (i != 50)
			ack_log_acknowledge(ack_log_worker(ack_log, 0), i);
	}
	result = look(ack_log);
	assert_true(result.is_complete);
	assert_int_equal(result.total_lost, 0);
	assert_int_equal(result.acknowledged, LOG_BLOCKS);
	/* Write 50 of worker 0, all of worker 1. */
	assert_int_equal(result.later, 1 + LOG_BLOCKS);
	put_write(MIX_LOG, 0, 10, 10);
	assert_int_equal(look(ack_log).total_lost, 0);
	put_write(MIX_LOG, 0, 11, 11);
	assert_int_equal(look(ack_log).lost[VERIFY_OLD], 1);
	put_write(MIX_LOG, 0, 10, STAMP_PREPARED);
	assert_int_equal(look(ack_log).lost[VERIFY_OLD], 2);
	ack_log_close(ack_log, true);
}

TEST_WITH("a missing acknowledgement log is reported", make_target, drop_target)
{
	struct verify_result result;

	header.is_ended = false;
	memset(header.acknowledged, 0, sizeof(header.acknowledged));
	result = look(NULL);
	assert_false(result.is_complete);
	assert_int_equal(result.total_lost, 0);
	assert_int_equal(verify_code(&result), DIAG_EXIT_UNTRUSTED);
	assert_null(verify_ack_log(&header));
	put_bytes(MIX_LOG, 0, 2, 100, "x", 2);
	result = look(NULL);
	assert_int_equal(result.lost[VERIFY_DAMAGED], 1);
	assert_int_equal(verify_code(&result), DIAG_EXIT_NEGATIVE);
}

TEST_WITH("a signal ends a verification", make_target, drop_target)
{
	struct verify_result result;
	int stop = 1;

	assert_int_equal(verify_target(fileno(file), 512, &header, NULL, &stop, &result), -EINTR);
}

/* --- a striped log: the file has one of both halves --- */

static void stripe_target(unsigned which)
{
	const struct workload_override override = {.workers = 2, .log_stripes = 2,
		.streams = {{true, 4, LOG_BLOCK, 2ull * LOG_BLOCKS * LOG_BLOCK, .pause_ns = 0},
			{true, 1, CHECKPOINT_BLOCK, (uint64_t)CHECKPOINT_BLOCKS * CHECKPOINT_BLOCK, .pause_ns = 0}}};
	struct layout whole, of[LAYOUT_TARGETS];
	struct workload workload;
	const char *why;

	assert_int_equal(workload_make(mix_find("custom"), &override, &workload, &why), 0);
	layout_make(&workload, &whole);
	assert_int_equal(layout_divide(&whole, true, of), 3);
	header.layout = of[which];
	for (unsigned worker = 0; worker < 2; worker++) {
		struct stamp_source source = source_of(MIX_LOG, worker);
		struct stripe stripe = layout_stripe(&whole.areas[MIX_LOG]);
		uint64_t begin, blocks, there;

		layout_part(&whole.areas[MIX_LOG], worker, &begin, &blocks);
		assert_int_equal(blocks, LOG_BLOCKS);
		for (uint64_t i = 0; i < LOG_WRITES; i++) {
			uint64_t offset = begin + i % blocks * LOG_BLOCK;

			if (stripe_locate(&stripe, offset, &there) != which)
				continue;
			block_fill(data, &source);
			stamp_block(data, &source, offset, i, 0, 1);
			assert_int_equal(pwrite(fileno(file), data, LOG_BLOCK, (off_t)there), LOG_BLOCK);
		}
	}
}

TEST_WITH("each half of a striped log has its own blocks of the acknowledged writes", make_target, drop_target)
{
	for (unsigned which = 0; which < 2; which++) {
		struct verify_result result;

		stripe_target(which);
		result = look(NULL);
		assert_int_equal(result.blocks, LOG_BLOCKS); /* of 2 workers, half of theirs */
		assert_int_equal(result.acknowledged, LOG_BLOCKS);
		assert_int_equal(result.total_lost, 0);
		/* One more write of each worker was acknowledged, the one after it was not: block 17 is in the second half. */
		header.acknowledged[MIX_LOG][0] = header.acknowledged[MIX_LOG][1] = LOG_WRITES + 1;
		result = look(NULL);
		assert_int_equal(result.lost[VERIFY_OLD], which == 1 ? 2 : 0);
		assert_int_equal(result.total_lost, which == 1 ? 2 : 0);
		header.acknowledged[MIX_LOG][0] = header.acknowledged[MIX_LOG][1] = LOG_WRITES;
	}
}

TEST_WITH("the other half of a striped log is astray", make_target, drop_target)
{
	struct verify_result result;

	stripe_target(0);
	header.layout.areas[MIX_LOG].stripe = 1;
	result = look(NULL);
	assert_int_equal(result.lost[VERIFY_ASTRAY], LOG_BLOCKS);
	assert_int_equal(result.total_lost, LOG_BLOCKS);
}

TEST_WITH("a short half of a striped log lacks its blocks behind the end", make_target, drop_target)
{
	for (unsigned which = 0; which < 2; which++) {
		struct verify_result result;

		stripe_target(which);
		assert_int_equal(ftruncate(fileno(file), (off_t)(offset_of(MIX_LOG, 1, 0) + 5 * LOG_BLOCK)), 0);
		result = look(NULL);
		assert_int_equal(result.acknowledged, LOG_BLOCKS);
		assert_int_equal(result.lost[VERIFY_UNREADABLE], LOG_BLOCKS / 2 - 5);
		assert_int_equal(result.total_lost, LOG_BLOCKS / 2 - 5);
	}
}
