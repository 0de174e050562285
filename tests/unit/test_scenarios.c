/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of scenarios: what each writes, and that the table keeps what it promises. */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/predict/scenario.h"

#define MIB (1ull << 20)

TEST("every scenario keeps its word")
{
	for (const struct scenario *row = scenarios; row->id; row++) {
		uint64_t bytes = 0, end = 0, largest = 0, smallest = UINT64_MAX;
		struct op *ops;
		size_t count;

		assert_ptr_equal(scenario_of(row->id), row);
		assert_int_equal(scenario_ops(row, &ops, &count), 0);
		assert_int_equal(count, scenario_writes(row));
		for (size_t i = 0; i < count; i++) {
			bytes += ops[i].size;
			end = ops[i].offset + ops[i].size > end ? ops[i].offset + ops[i].size : end;
			largest = ops[i].size > largest ? ops[i].size : largest;
			smallest = ops[i].size < smallest ? ops[i].size : smallest;
			assert_int_equal(ops[i].delay_ns, row->delay_ns);
		}
		assert_int_equal(bytes, scenario_bytes(row));
		assert_int_equal(end, scenario_file_bytes(row));
		assert_int_equal(largest, scenario_largest(row));
		assert_int_equal(smallest, scenario_smallest(row));
		assert_non_null(scenario_method(row));
		/* Thresholds in pairs; the quick ones fit a small disk. */
		assert_int_equal(!row->dirty_bytes, !row->fast_background_bytes);
		assert_true(!row->dirty_bytes || row->background_bytes < row->dirty_bytes);
		assert_true(!row->is_quick || end <= 4608 * MIB);
		free(ops);
	}
}

TEST("the libc sees 64 to 300 mib")
{
	for (const struct scenario *row = scenarios; row->id; row++) {
		if (scenario_set(row) != SCENARIO_FWRITE)
			continue;
		assert_true(row->is_stdio);
		assert_true(scenario_bytes(row) >= 64 * MIB && scenario_bytes(row) <= 300 * MIB);
	}
}

TEST("rewriting begins before the end")
{
	struct op *ops;
	size_t count;

	assert_int_equal(scenario_ops(scenario_of("c5"), &ops, &count), 0);
	assert_int_equal(ops[1].offset, 24 * MIB);
	assert_int_equal(ops[111].offset, 111 * 24 * MIB);
	free(ops);
}

/* Blocks of 4096: the first write leaves two of them in part, the second one; nobody touched them before. */
TEST("parts of blocks are apart")
{
	struct op *ops;
	size_t count;

	assert_int_equal(scenario_ops(scenario_of("f5r"), &ops, &count), 0);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(ops[i].offset, 65536 * i + 1536);
		assert_int_equal((ops[i].offset + ops[i].size) % 4096, i % 2 ? 0 : 1536);
	}
	free(ops);
}

TEST("each scenario has its set of calibrations and its method")
{
	assert_int_equal(scenario_set(scenario_of("f5b")), SCENARIO_SYNC);
	assert_int_equal(scenario_set(scenario_of("c7")), SCENARIO_BUFFERED);
	assert_int_equal(scenario_set(scenario_of("f8")), SCENARIO_BUFFERED);
	assert_int_equal(scenario_set(scenario_of("f9-1M")), SCENARIO_FWRITE);
	assert_string_equal(scenario_method(scenario_of("f8"))->name, "fwrite");
	assert_string_equal(scenario_method(scenario_of("c1"))->name, "pwrite");
	assert_null(scenario_of("c99"));
}
