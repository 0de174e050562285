/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks that say who wrote them: each thing that can be wrong with one is planted and found. */
#include "config.h"
#include "tests/unit/unit.h"
#include "ssd-workloads/workload/block.h"

#define BLOCK 16384u
#define OFFSET (5ull << 20)
#define RUN 0x1234567890abcdefull

static _Alignas(8) char block[65536], other[65536];

static struct stamp_source source_of(uint32_t bytes)
{
	return (struct stamp_source){.run = RUN, .stream = 1, .worker = 3, .block_bytes = bytes};
}

static void write_block(char *data, const struct stamp_source *source, uint64_t offset, uint64_t sequence)
{
	block_fill(data, source);
	stamp_block(data, source, offset, sequence, sequence / 100, 12345);
}

static struct block_seen check(const char *data, const struct stamp_source *source)
{
	struct block_seen seen;

	block_check(data, source, OFFSET, &seen);
	return seen;
}

static void assert_found(enum block_finding finding, uint64_t low, uint64_t high, uint32_t at)
{
	struct stamp_source source = source_of(BLOCK);
	struct block_seen seen = check(block, &source);

	assert_int_equal(seen.finding, finding);
	assert_int_equal(seen.low, low);
	assert_int_equal(seen.high, high);
	assert_int_equal(seen.at, at);
}

/* Of every size that options allow: no byte behind the block is touched, each unit has its stamp. */
TEST("an intact block is recognised")
{
	static const uint32_t sizes[] = {512, 1024, 3584, 4096, 4608, 8192, 12800, 16384, 61440};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct stamp_source source = source_of(sizes[i]);
		struct block_seen seen;

		memset(block, 0x5a, sizeof(block));
		write_block(block, &source, OFFSET, 77);
		for (uint32_t k = sizes[i]; k < sizeof(block); k++)
			assert_int_equal(block[k], 0x5a);
		seen = check(block, &source);
		assert_int_equal(seen.finding, BLOCK_WHOLE);
		assert_int_equal(seen.low, 77);
		assert_int_equal(seen.high, 77);
		assert_false(seen.has_prepared);
	}
}

/* Stamping again is all that a write of a worker does. */
TEST("a stamp renews a block")
{
	struct stamp_source source = source_of(BLOCK);

	write_block(block, &source, OFFSET + BLOCK, 1);
	stamp_block(block, &source, OFFSET, 9, 0, 99);
	assert_found(BLOCK_WHOLE, 9, 9, 0);
}

TEST("prepared data count as older than all writes")
{
	struct stamp_source source = source_of(BLOCK);
	struct block_seen seen;

	write_block(block, &source, OFFSET, STAMP_PREPARED);
	seen = check(block, &source);
	assert_int_equal(seen.finding, BLOCK_WHOLE);
	assert_true(seen.has_prepared);
	assert_int_equal(seen.low, STAMP_PREPARED);
	assert_int_equal(seen.high, STAMP_PREPARED);
	write_block(other, &source, OFFSET, 4);
	memcpy(block + 8192, other + 8192, 8192);
	assert_found(BLOCK_TORN, STAMP_PREPARED, 4, 8192);
}

TEST("a block with parts of two writes is torn")
{
	struct stamp_source source = source_of(BLOCK);

	write_block(block, &source, OFFSET, 100);
	write_block(other, &source, OFFSET, 300);
	memcpy(block + 4096, other + 4096, 4096);
	assert_found(BLOCK_TORN, 100, 300, 4096);
	source.run++;
	write_block(other, &source, OFFSET, 7);
	memcpy(block, other, 4096);
	assert_found(BLOCK_TORN, STAMP_PREPARED, 300, 8192);
}

TEST("a block without the run's stamp is foreign")
{
	struct stamp_source source = source_of(BLOCK);

	memset(block, 0, sizeof(block));
	assert_found(BLOCK_FOREIGN, STAMP_PREPARED, STAMP_PREPARED, 0);
	source.run++;
	write_block(block, &source, OFFSET, 7);
	assert_found(BLOCK_FOREIGN, STAMP_PREPARED, STAMP_PREPARED, 0);
}

TEST("a block of another address is astray")
{
	struct stamp_source source = source_of(BLOCK), elsewhere = source;

	write_block(block, &source, OFFSET + BLOCK, 7);
	assert_found(BLOCK_ASTRAY, STAMP_PREPARED, STAMP_PREPARED, 0);
	elsewhere.worker = 2;
	write_block(block, &elsewhere, OFFSET, 7);
	assert_found(BLOCK_ASTRAY, STAMP_PREPARED, STAMP_PREPARED, 0);
	elsewhere.worker = 3;
	elsewhere.stream = 0;
	write_block(block, &elsewhere, OFFSET, 7);
	assert_found(BLOCK_ASTRAY, STAMP_PREPARED, STAMP_PREPARED, 0);
	/* One unit of it in the place of another. */
	write_block(block, &source, OFFSET, 7);
	memcpy(other, block, 4096);
	memcpy(block + 4096, other, 4096);
	assert_found(BLOCK_ASTRAY, 7, 7, 4096);
}

/* Whatever bit is changed, all are seen; which finding it is depends on the byte. */
TEST("a block with any bit changed is damaged")
{
	struct stamp_source source = source_of(4608);

	write_block(block, &source, OFFSET, 42);
	for (uint32_t i = 0; i < 4608; i++) {
		struct block_seen seen;

		block[i] = (char)(block[i] ^ (1 << i % 8));
		seen = check(block, &source);
		assert_int_equal(seen.finding, BLOCK_DAMAGED);
		assert_int_equal(seen.at, i < 4096 ? 0 : 4096);
		block[i] = (char)(block[i] ^ (1 << i % 8));
	}
	assert_int_equal(check(block, &source).finding, BLOCK_WHOLE);
}

TEST("damage precedes all other states")
{
	struct stamp_source source = source_of(BLOCK);

	write_block(block, &source, OFFSET, 100);
	write_block(other, &source, OFFSET, 300);
	memcpy(block + 4096, other + 4096, 4096);
	memset(block + 8192, 0, 4096);
	assert_found(BLOCK_DAMAGED, 100, 300, 8192);
}

/* Near 8 bits a byte, and no 8 bytes of pattern twice: nothing to compress in a block. */
TEST("pattern cannot be compressed")
{
	struct stamp_source source = source_of(sizeof(block));
	size_t counts[256] = {0};
	double bits = 0;

	block_fill(block, &source);
	for (size_t i = 0; i < sizeof(block); i++)
		counts[(unsigned char)block[i]]++;
	for (size_t i = 0; i < 256; i++) {
		double share = (double)counts[i] / sizeof(block);

		bits -= counts[i] ? share * log2(share) : 0;
	}
	assert_true(bits > 7.99);
	for (size_t i = 0; i < 4096; i += 8) {
		for (size_t k = 4096; k < sizeof(block); k += 8)
			assert_memory_not_equal(block + i, block + k, 8);
	}
}

TEST("patterns differ by source")
{
	struct stamp_source source = source_of(4096), changed = source;

	block_fill(block, &source);
	block_fill(other, &source);
	assert_memory_equal(block, other, 4096);
	changed.worker++;
	block_fill(other, &changed);
	assert_memory_not_equal(block + 64, other + 64, 8);
	changed = source;
	changed.stream = 0;
	block_fill(other, &changed);
	assert_memory_not_equal(block + 64, other + 64, 8);
	changed = source;
	changed.run++;
	block_fill(other, &changed);
	assert_memory_not_equal(block + 64, other + 64, 8);
}
