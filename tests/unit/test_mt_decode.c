/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/kernel/perf_memory.h"
#include "memtrace/code/decode.h"
#include "memtrace/code/instruction.h"
#include "memtrace/code/skid.h"
#include "tests/unit/tiny_elf.h"

#define PID 7
#define BASE 0x7f0000000000 /* of the code's mapping, whose first byte is TINY_CODE_OFFSET of the file */
#define DATA 0x500000

static char path[64];

static int set_up(void **state)
{
	uint8_t file[TINY_BYTES];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/memtrace.XXXXXX");
	fd = mkstemp(path);
	tiny_elf(file);
	return fd < 0 || write(fd, file, sizeof(file)) != sizeof(file) ? -1 : close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

static struct regions *make_regions(void)
{
	const struct trace_event events[] = {
		{.time_ns = 1, .pid = PID, .tid = PID, .type = TRACE_MAP, .value = {BASE, 0x1000, TINY_CODE_OFFSET, 5},
			.text = path},
		{.time_ns = 1, .pid = PID, .tid = PID, .type = TRACE_MAP, .value = {DATA, 0x1000, 0, 3}, .text = "//anon"},
	};
	struct regions *regions;

	assert_int_equal(regions_new(&regions), 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(regions_add(regions, &events[i]), 0);
	assert_int_equal(regions_sort(regions), 0);
	return regions;
}

/* What a function that is called next finds in variables that it does not set. */
static __attribute__((noinline)) void fill_stack(void)
{
	volatile uint8_t bytes[8192];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = 0x5a;
}

struct row {
	unsigned at; /* where the instruction pointer is in the code */
	uint64_t rdi;
	enum trace_loss loss;
	enum trace_kind kind;
	uint64_t address;
};

static void check_rows(unsigned skid, const struct row *rows, size_t count)
{
	struct regions *regions = make_regions();
	uint64_t words[PERF_MEMORY_REGISTERS] = {0};
	struct decoder *decoder;

	assert_int_equal(decoder_new(skid, &decoder), 0);
	for (size_t i = 0; i < count; i++) {
		struct sample_fields fields = {.ip = BASE + rows[i].at, .time_ns = 100 + 2 * i, .pid = PID, .tid = PID + 1,
			.abi = PERF_SAMPLE_REGS_ABI_64, .registers = words};
		struct trace_sample sample = {0};
		enum trace_loss loss;

		words[5] = rows[i].rdi;
		fill_stack();
		loss = decoder_take(decoder, regions, &fields, &sample);
		if (loss != rows[i].loss || (loss == TRACE_LOSSES && (sample.kind != rows[i].kind ||
			sample.address != rows[i].address || sample.time_ns != fields.time_ns || sample.tid != PID + 1)))
			fail_msg("skid %u, %u: %d, kind %d, address %#lx", skid, rows[i].at, loss, sample.kind,
				(unsigned long)sample.address);
	}
	decoder_free(decoder);
	regions_free(regions);
}

TEST_WITH("a sample behind a load or store gets its address, what is not known is dropped with its reason", set_up, tear_down)
{
	const struct row rows[] = {
		{3, DATA + 8, TRACE_LOSSES, TRACE_LOAD, DATA + 8},
		{22, DATA + 16, TRACE_LOSSES, TRACE_STORE, DATA + 16},
		{28, DATA + 24, TRACE_LOSSES, TRACE_STORE, DATA + 16}, /* behind rep stos */
		{25, DATA + 24, TRACE_LOSSES, TRACE_STORE, DATA + 24}, /* within */
		{6, DATA, TRACE_NOT_MEMORY, 0, 0},
		{10, DATA, TRACE_BRANCH_TARGET, 0, 0},
		{13, DATA + 8, TRACE_LOSSES, TRACE_STORE, DATA + 8},
		{0, DATA, TRACE_BRANCH_TARGET, 0, 0},
		{3, DATA + 0x1000, TRACE_OUTSIDE, 0, 0},
		{14, DATA, TRACE_NO_CODE, 0, 0},
		{0x800, DATA, TRACE_NO_CODE, 0, 0},
		{0x2000, DATA, TRACE_NO_CODE, 0, 0},
	};

	if (instruction_why_not())
		skip();
	check_rows(1, rows, sizeof(rows) / sizeof(rows[0]));
}

TEST_WITH("where the load itself is interrupted it is decoded with the registers before it", set_up, tear_down)
{
	const struct row rows[] = {
		{0, DATA + 8, TRACE_LOSSES, TRACE_LOAD, DATA + 8},
		{10, DATA + 8, TRACE_LOSSES, TRACE_STORE, DATA + 8},
		{22, DATA + 8, TRACE_LOSSES, TRACE_LOAD, DATA + 8},
		{3, DATA, TRACE_NOT_MEMORY, 0, 0},
	};

	if (instruction_why_not())
		skip();
	check_rows(0, rows, sizeof(rows) / sizeof(rows[0]));
}

TEST_WITH("an access by a segment register, whose base is not recorded, has no address", set_up, tear_down)
{
	static const uint8_t code[] = {0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}; /* mov %fs:0x28,%rax */
	const struct row rows[] = {{16, DATA, TRACE_NO_ADDRESS, 0, 0}};
	int fd = open(path, O_WRONLY);

	if (instruction_why_not())
		skip();
	assert_int_equal(pwrite(fd, code, sizeof(code), TINY_CODE_OFFSET + 16), sizeof(code));
	close(fd);
	check_rows(0, rows, 1);
}

TEST("the skid is where most samples of the calibration are")
{
	const unsigned long ips[] = {10, 13, 13, 16, 13, 99};
	struct skid skid;

	skid_decide(ips, 6, 10, 13, &skid);
	assert_int_equal(skid.instructions, 1);
	assert_int_equal(skid.samples, 4);
	assert_int_equal(skid.agreeing, 3);
	skid_decide(ips, 6, 13, 16, &skid);
	assert_int_equal(skid.instructions, 0);
	assert_int_equal(skid.agreeing, 3);
	skid_decide(ips, 0, 10, 13, &skid);
	assert_int_equal(skid.instructions, 1);
	assert_int_equal(skid.samples, 0);
}
