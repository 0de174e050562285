/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records as Intel's PEBS, AMD's IBS and the clock deliver them, constructed: no such hardware was at hand. */
#include "config.h"
#include "tests/unit/unit.h"

#include "memtrace/file/sample.h"

#define SAMPLED (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC)
#define THREAD(PID, TID) ((uint64_t)(TID) << 32 | (PID))

static uint64_t source_of(uint64_t op)
{
	union perf_mem_data_src source = {.val = 0};

	source.mem_op = op;
	source.mem_lvl_num = PERF_MEM_LVLNUM_L3;
	return source.val;
}

TEST("a record of PEBS has instruction, thread, time, address, latency and source in this order")
{
	const struct perf_event_attr attr = {.sample_type = SAMPLED | PERF_SAMPLE_WEIGHT_STRUCT};
	/* The weight's upper half is of the retirement. */
	const uint64_t words[] = {0x401000, THREAD(5, 6), 1000, 0x7f00, 0x0002000300000050, source_of(PERF_MEM_OP_LOAD)};
	struct sample_fields fields;
	struct trace_sample sample = {0};

	for (size_t count = 0; count < 6; count++)
		assert_false(sample_parse(&attr, words, count, &fields));
	assert_true(sample_parse(&attr, words, 6, &fields));
	assert_int_equal(fields.pid, 5);
	assert_int_equal(sample_from_source(&fields, &sample), TRACE_LOSSES);
	assert_int_equal(sample.ip, 0x401000);
	assert_int_equal(sample.tid, 6);
	assert_int_equal(sample.time_ns, 1000);
	assert_int_equal(sample.address, 0x7f00);
	assert_int_equal(sample.weight, 0x50);
	assert_int_equal(sample.kind, TRACE_LOAD);
	assert_int_equal(sample.source, source_of(PERF_MEM_OP_LOAD));
}

TEST("of IBS only loads and stores with an address are samples")
{
	const struct perf_event_attr attr = {.sample_type = SAMPLED};
	static const struct {
		uint64_t op, address;
		enum trace_loss loss;
		enum trace_kind kind;
	} rows[] = {
		{PERF_MEM_OP_STORE, 0x7f00, TRACE_LOSSES, TRACE_STORE},
		{PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE, 0x7f00, TRACE_LOSSES, TRACE_UPDATE},
		{PERF_MEM_OP_NA, 0x7f00, TRACE_NOT_MEMORY, 0},
		{0, 0x7f00, TRACE_NOT_MEMORY, 0},
		{PERF_MEM_OP_PFETCH, 0x7f00, TRACE_NOT_MEMORY, 0},
		{PERF_MEM_OP_LOAD, 0, TRACE_NO_ADDRESS, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint64_t words[] = {0x401000, THREAD(5, 5), 1000, rows[i].address, source_of(rows[i].op)};
		struct sample_fields fields;
		struct trace_sample sample = {0};

		assert_true(sample_parse(&attr, words, 5, &fields));
		assert_int_equal(sample_from_source(&fields, &sample), rows[i].loss);
		if (rows[i].loss == TRACE_LOSSES)
			assert_int_equal(sample.kind, rows[i].kind);
	}
}

TEST("a record of the clock ends with the registers, which kernel threads do not have")
{
	const struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		PERF_SAMPLE_REGS_USER, .sample_regs_user = 7};
	uint64_t words[] = {0x401000, THREAD(5, 6), 1000, PERF_SAMPLE_REGS_ABI_64, 11, 12, 13};
	struct sample_fields fields;

	assert_true(sample_parse(&attr, words, 7, &fields));
	assert_int_equal(fields.abi, PERF_SAMPLE_REGS_ABI_64);
	assert_ptr_equal(fields.registers, words + 4);
	assert_int_equal(fields.time_ns, 1000);
	assert_false(sample_parse(&attr, words, 6, &fields));
	words[3] = PERF_SAMPLE_REGS_ABI_NONE;
	assert_true(sample_parse(&attr, words, 4, &fields));
	assert_null(fields.registers);
}

TEST("the copy of the stack follows the registers, with the number of its bytes behind it")
{
	const struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
		PERF_SAMPLE_WEIGHT, .sample_regs_user = 1, .sample_stack_user = 16};
	uint64_t words[] = {0x401000, PERF_SAMPLE_REGS_ABI_64, 11, 16, 21, 22, 8, 5};
	struct sample_fields fields;

	assert_true(sample_parse(&attr, words, 8, &fields));
	assert_ptr_equal(fields.stack, words + 4);
	assert_int_equal(fields.stack_bytes, 8);
	assert_int_equal(fields.weight, 5);
	words[6] = 4096;
	assert_true(sample_parse(&attr, words, 8, &fields));
	assert_int_equal(fields.stack_bytes, 16);
	for (size_t count = 3; count < 8; count++)
		assert_false(sample_parse(&attr, words, count, &fields));
	words[3] = UINT64_MAX - 7;
	assert_false(sample_parse(&attr, words, 8, &fields));
	words[3] = 0;
	words[4] = 6;
	assert_true(sample_parse(&attr, words, 5, &fields));
	assert_null(fields.stack);
	assert_int_equal(fields.weight, 6);
}
