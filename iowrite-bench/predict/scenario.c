/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/predict/scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KIB (1ull << 10)
#define MIB (1ull << 20)
#define MS 1000000ull
#define SIZES(...) (const struct scenario_size[]){__VA_ARGS__, {0, 0}}
#define THRESHOLDS                                                                                           \
	.background_bytes = 512 * MIB, .dirty_bytes = 1024 * MIB, .fast_background_bytes = 256 * MIB,        \
	.fast_dirty_bytes = 512 * MIB
#define STDIO(name, size, times)                                                                             \
	{                                                                                                    \
		.id = "f9-" name, .figure = "9", .meaning = "fwrite of " name " bytes, nothing written back", \
		.regime = OP_APPEND, .is_stdio = true, .sizes = SIZES({size, times}), .is_quick = true       \
	}

static const struct scenario_size sweep[] = {{4 * KIB, 200}, {8 * KIB, 200}, {16 * KIB, 200}, {32 * KIB, 200},
	{64 * KIB, 200}, {128 * KIB, 200}, {256 * KIB, 200}, {512 * KIB, 200}, {1 * MIB, 200}, {0, 0}};
static const struct scenario_size long_sweep[] = {{4 * MIB, 5}, {8 * MIB, 5}, {16 * MIB, 5}, {32 * MIB, 5},
	{64 * MIB, 5}, {128 * MIB, 5}, {256 * MIB, 5}, {0, 0}};
static const struct scenario_size odd_sweep[] = {{1000, 100}, {2000, 100}, {4096, 100}, {5000, 100}, {8192, 100},
	{12288, 100}, {16384, 100}, {20000, 100}, {32768, 100}, {50000, 100}, {65536, 100}, {131072, 100},
	{200000, 100}, {262144, 100}, {524288, 100}, {1048576, 100}, {0, 0}};

const struct scenario scenarios[] = {
	{.id = "f4a", .figure = "4a", .meaning = "direct and synchronous, 4 KiB", .mode = OP_DIRECT_SYNC,
		.regime = OP_APPEND, .sizes = SIZES({4 * KIB, 1024}), .is_quick = true},
	{.id = "f4k", .figure = "4a", .meaning = "direct and synchronous, 1 KiB as in the paper, parts of blocks",
		.mode = OP_DIRECT_SYNC, .regime = OP_APPEND, .sizes = SIZES({1 * KIB, 1024})},
	{.id = "f4b", .figure = "4b", .meaning = "direct and synchronous, 4 KiB to 1 MiB", .mode = OP_DIRECT_SYNC,
		.regime = OP_APPEND, .sizes = sweep, .is_quick = true},
	{.id = "f4c", .figure = "4b", .meaning = "direct and synchronous, 4 MiB to 256 MiB", .mode = OP_DIRECT_SYNC,
		.regime = OP_APPEND, .sizes = long_sweep},
	{.id = "f4o", .figure = "", .meaning = "direct over what was written, 4 KiB to 1 MiB",
		.mode = OP_DIRECT_SYNC, .regime = OP_OVERWRITE, .sizes = sweep, .is_quick = true},
	{.id = "f5a", .figure = "5a", .meaning = "synchronous, 1 KiB", .mode = OP_SYNC, .regime = OP_APPEND,
		.sizes = SIZES({1 * KIB, 1024}), .is_quick = true},
	{.id = "f5b", .figure = "5b", .meaning = "synchronous, 1000 bytes to 1 MiB", .mode = OP_SYNC,
		.regime = OP_APPEND, .sizes = odd_sweep, .is_quick = true},
	/* The first size ends inside a block, the second at its end: two blocks and one must be read. */
	{.id = "f5r", .figure = "5b", .meaning = "synchronous over parts of blocks that are not cached",
		.mode = OP_SYNC, .regime = OP_OVERWRITE, .sizes = SIZES({4 * KIB, 200}, {16 * KIB - 1536, 200}),
		.misplaced = 1536, .stride = 64 * KIB, .is_quick = true},
	{.id = "c1", .figure = "6A", .meaning = "buffered, 64 MiB, no delay", .sizes = SIZES({64 * MIB, 64}),
		THRESHOLDS, .is_quick = true},
	{.id = "c2", .figure = "6A", .meaning = "buffered, 16 MiB, no delay", .sizes = SIZES({16 * MIB, 192}),
		THRESHOLDS, .is_quick = true},
	{.id = "c3", .figure = "6B", .meaning = "buffered, 16 MiB, 20 ms between", .sizes = SIZES({16 * MIB, 192}),
		.delay_ns = 20 * MS, THRESHOLDS, .is_quick = true},
	{.id = "c4", .figure = "6B", .meaning = "buffered, 64 MiB, 120 ms between", .sizes = SIZES({64 * MIB, 48}),
		.delay_ns = 120 * MS, THRESHOLDS},
	{.id = "c5", .figure = "7A", .meaning = "buffered, 32 MiB, a quarter rewritten",
		.sizes = SIZES({32 * MIB, 112}), .back = 0.25, THRESHOLDS, .is_quick = true},
	{.id = "c5b", .figure = "7B", .meaning = "buffered, 32 MiB, a quarter rewritten, 60 ms between",
		.sizes = SIZES({32 * MIB, 112}), .delay_ns = 60 * MS, .back = 0.25, THRESHOLDS},
	{.id = "c6b", .figure = "7C", .meaning = "buffered, 32 MiB, half rewritten",
		.sizes = SIZES({32 * MIB, 112}), .back = 0.5, THRESHOLDS},
	{.id = "c6", .figure = "7D", .meaning = "buffered, 32 MiB, half rewritten, 60 ms between",
		.sizes = SIZES({32 * MIB, 112}), .delay_ns = 60 * MS, .back = 0.5, THRESHOLDS, .is_quick = true},
	{.id = "c7", .figure = "6C", .meaning = "buffered, 32 MiB, 200 ms between: the device keeps up",
		.sizes = SIZES({32 * MIB, 80}), .delay_ns = 200 * MS, THRESHOLDS, .is_quick = true},
	{.id = "f8", .figure = "8", .meaning = "fwrite of 16 MiB, no delay", .is_stdio = true,
		.sizes = SIZES({16 * MIB, 192}), THRESHOLDS},
	{.id = "f8b", .figure = "8", .meaning = "fwrite of 16 MiB, 20 ms between", .is_stdio = true,
		.sizes = SIZES({16 * MIB, 192}), .delay_ns = 20 * MS, THRESHOLDS},
	{.id = "f8c", .figure = "8", .meaning = "fwrite of 16 MiB, 100 ms between", .is_stdio = true,
		.sizes = SIZES({16 * MIB, 192}), .delay_ns = 100 * MS, THRESHOLDS},
	STDIO("256", 256, 262144),
	STDIO("512", 512, 131072),
	STDIO("1000", 1000, 67200),
	STDIO("4096", 4096, 16384),
	STDIO("5000", 5000, 16384),
	STDIO("16K", 16 * KIB, 8192),
	STDIO("64K", 64 * KIB, 4096),
	STDIO("256K", 256 * KIB, 1024),
	STDIO("1M", 1 * MIB, 300),
	{0},
};

const struct scenario *scenario_of(const char *id)
{
	for (const struct scenario *scenario = scenarios; scenario->id; scenario++) {
		if (!strcmp(scenario->id, id))
			return scenario;
	}
	return NULL;
}

size_t scenario_writes(const struct scenario *scenario)
{
	size_t count = 0;

	for (const struct scenario_size *size = scenario->sizes; size->bytes; size++)
		count += size->count;
	return count;
}

/* Returns the end of the file. list: NULL, or with space for all writes. */
static uint64_t place_writes(const struct scenario *scenario, struct op *list)
{
	uint64_t offset = scenario->misplaced, end = 0;
	size_t total = scenario_writes(scenario), done = 0;

	for (unsigned round = 0; done < total; round++) {
		for (const struct scenario_size *size = scenario->sizes; size->bytes; size++) {
			if (round >= size->count)
				continue;
			if (list)
				list[done] = (struct op){scenario->delay_ns, offset, size->bytes};
			done++;
			end = offset + size->bytes > end ? offset + size->bytes : end;
			offset += scenario->stride ? scenario->stride
						   : size->bytes - (uint64_t)((double)size->bytes * scenario->back);
		}
	}
	return end;
}

int scenario_ops(const struct scenario *scenario, struct op **ops, size_t *count)
{
	size_t total = scenario_writes(scenario);
	struct op *list = calloc(total ? total : 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	(void)place_writes(scenario, list);
	*ops = list;
	*count = total;
	return 0;
}

uint64_t scenario_file_bytes(const struct scenario *scenario)
{
	return place_writes(scenario, NULL);
}

uint64_t scenario_bytes(const struct scenario *scenario)
{
	uint64_t bytes = 0;

	for (const struct scenario_size *size = scenario->sizes; size->bytes; size++)
		bytes += size->bytes * size->count;
	return bytes;
}

uint64_t scenario_largest(const struct scenario *scenario)
{
	uint64_t largest = 0;

	for (const struct scenario_size *size = scenario->sizes; size->bytes; size++)
		largest = size->bytes > largest ? size->bytes : largest;
	return largest;
}

uint64_t scenario_smallest(const struct scenario *scenario)
{
	uint64_t smallest = UINT64_MAX;

	for (const struct scenario_size *size = scenario->sizes; size->bytes; size++)
		smallest = size->bytes < smallest ? size->bytes : smallest;
	return smallest;
}

enum scenario_set scenario_set(const struct scenario *scenario)
{
	if (op_mode_is_synchronous(scenario->mode))
		return SCENARIO_SYNC;
	return scenario->dirty_bytes ? SCENARIO_BUFFERED : SCENARIO_FWRITE;
}

const struct method *scenario_method(const struct scenario *scenario)
{
	return method_of(scenario->is_stdio ? "fwrite" : "pwrite");
}

bool scenario_is_uncached(const struct scenario *scenario)
{
	return scenario->misplaced || (scenario->mode >= OP_DIRECT && scenario->regime == OP_OVERWRITE);
}

bool scenario_is_cached(const struct scenario *scenario)
{
	return scenario->regime == OP_OVERWRITE && !scenario_is_uncached(scenario);
}
