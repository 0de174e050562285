/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <string.h>

#include "memtrace/code/instruction.h"

#define AT 0x401000

/* Registers have their own number in every digit: rax 0x0.., rcx 0x1111.. */
static struct instruction_registers registers;

static void set_registers(void)
{
	for (unsigned i = 0; i < 16; i++)
		registers.general[i] = 0x10000ull * (i + 1);
	registers.flags = 0;
}

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8 };
#define REGISTER(NUMBER) (0x10000ull * ((NUMBER) + 1))

struct row {
	const char *what;
	const char *code;
	size_t bytes;
	bool is_after;
	unsigned pick;
	enum instruction_answer answer;
	uint64_t address;
	unsigned size;
	const char *kind; /* "r", "w", "rw" */
};
#define CODE(TEXT) TEXT, sizeof(TEXT) - 1

static const struct row rows[] = {
	{"mov 8(%rbx,%rcx,4),%eax", CODE("\x8b\x44\x8b\x08"), true, 0, INSTRUCTION_ACCESS,
		REGISTER(RBX) + 4 * REGISTER(RCX) + 8, 4, "r"},
	{"mov %rax,-8(%rdx)", CODE("\x48\x89\x42\xf8"), true, 0, INSTRUCTION_ACCESS, REGISTER(RDX) - 8, 8, "w"},
	{"addl $1,(%r8)", CODE("\x41\x83\x00\x01"), true, 0, INSTRUCTION_ACCESS, REGISTER(R8), 4, "rw"},
	{"mov 0x100(%rip),%eax", CODE("\x8b\x05\x00\x01\x00\x00"), true, 0, INSTRUCTION_ACCESS, AT + 6 + 0x100, 4, "r"},
	{"movzbl (%rax),%eax overwrites its base", CODE("\x0f\xb6\x00"), true, 0, INSTRUCTION_CLOBBERED, 0, 0, ""},
	{"the same before it", CODE("\x0f\xb6\x00"), false, 0, INSTRUCTION_ACCESS, REGISTER(RAX), 1, "r"},
	{"mov (%rax),%al overwrites a part of its base", CODE("\x8a\x00"), true, 0, INSTRUCTION_CLOBBERED, 0, 0, ""},
	{"mov (%rbx,%rax),%rax overwrites its index", CODE("\x48\x8b\x04\x03"), true, 0, INSTRUCTION_CLOBBERED, 0, 0, ""},
	{"mov %rax,(%rax) does not", CODE("\x48\x89\x00"), true, 0, INSTRUCTION_ACCESS, REGISTER(RAX), 8, "w"},
	{"lea 8(%rax),%rbx", CODE("\x48\x8d\x58\x08"), true, 0, INSTRUCTION_NO_MEMORY, 0, 0, ""},
	{"nopl 0(%rax)", CODE("\x0f\x1f\x40\x00"), true, 0, INSTRUCTION_NO_MEMORY, 0, 0, ""},
	{"prefetcht0 (%rax)", CODE("\x0f\x18\x08"), true, 0, INSTRUCTION_NO_MEMORY, 0, 0, ""},
	{"add %rbx,%rax", CODE("\x48\x01\xd8"), true, 0, INSTRUCTION_NO_MEMORY, 0, 0, ""},
	{"mov %fs:0x28,%rax", CODE("\x64\x48\x8b\x04\x25\x28\x00\x00\x00"), true, 0, INSTRUCTION_NO_ADDRESS, 0, 0, ""},
	{"vpgatherdd %ymm2,(%rax,%ymm1,4),%ymm0", CODE("\xc4\xe2\x6d\x90\x04\x88"), true, 0, INSTRUCTION_NO_ADDRESS, 0, 0, ""},
	{"vmovups (%rdi),%zmm0", CODE("\x62\xf1\x7c\x48\x10\x07"), true, 0, INSTRUCTION_ACCESS, REGISTER(RDI), 64, "r"},
	{"movaps %xmm0,0x40(%rsi)", CODE("\x0f\x29\x46\x40"), true, 0, INSTRUCTION_ACCESS, REGISTER(RSI) + 0x40, 16, "w"},
	{"mov (%eax),%ecx has an address of 32 bits", CODE("\x67\x8b\x08"), true, 0, INSTRUCTION_ACCESS, REGISTER(RAX), 4, "r"},
	{"push %rbx", CODE("\x53"), true, 0, INSTRUCTION_ACCESS, REGISTER(RSP), 8, "w"},
	{"push %rbx, before it", CODE("\x53"), false, 0, INSTRUCTION_ACCESS, REGISTER(RSP) - 8, 8, "w"},
	{"pop %rbx", CODE("\x5b"), true, 0, INSTRUCTION_ACCESS, REGISTER(RSP) - 8, 8, "r"},
	{"pop %rbx, before it", CODE("\x5b"), false, 0, INSTRUCTION_ACCESS, REGISTER(RSP), 8, "r"},
	{"pop %rsp", CODE("\x5c"), true, 0, INSTRUCTION_CLOBBERED, 0, 0, ""},
	{"push 8(%rsp), the load", CODE("\xff\x74\x24\x08"), true, 0, INSTRUCTION_ACCESS, REGISTER(RSP) + 8 + 8, 8, "r"},
	{"push 8(%rsp), the store", CODE("\xff\x74\x24\x08"), true, 1, INSTRUCTION_ACCESS, REGISTER(RSP), 8, "w"},
	{"leave", CODE("\xc9"), true, 0, INSTRUCTION_ACCESS, REGISTER(RSP) - 8, 8, "r"},
	{"leave, before it", CODE("\xc9"), false, 0, INSTRUCTION_ACCESS, REGISTER(RBP), 8, "r"},
	{"call, before it", CODE("\xe8\x00\x00\x00\x00"), false, 0, INSTRUCTION_ACCESS, REGISTER(RSP) - 8, 8, "w"},
	{"ret, before it", CODE("\xc3"), false, 0, INSTRUCTION_ACCESS, REGISTER(RSP), 8, "r"},
	{"movsq", CODE("\x48\xa5"), true, 0, INSTRUCTION_ACCESS, REGISTER(RDI) - 8, 8, "w"},
	{"movsq, the load", CODE("\x48\xa5"), true, 1, INSTRUCTION_ACCESS, REGISTER(RSI) - 8, 8, "r"},
	{"stosb, before it", CODE("\xaa"), false, 0, INSTRUCTION_ACCESS, REGISTER(RDI), 1, "w"},
	{"cmpxchg %rcx,(%rbx)", CODE("\x48\x0f\xb1\x0b"), true, 0, INSTRUCTION_ACCESS, REGISTER(RBX), 8, "rw"},
};

TEST("the access of an instruction is computed from the registers before or after it")
{
	if (instruction_why_not())
		skip();
	set_registers();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct instruction_access access = {0};
		enum instruction_answer answer = instruction_access((const uint8_t *)row->code, row->bytes, AT, &registers,
			row->is_after, row->pick, &access);

		if (answer != row->answer || (answer == INSTRUCTION_ACCESS && (access.address != row->address ||
			access.bytes != row->size || access.is_read != !!strchr(row->kind, 'r') ||
			access.is_written != !!strchr(row->kind, 'w'))))
			fail_msg("%s: answer %d, address %#lx, %u bytes, read %d, written %d", row->what, answer,
				(unsigned long)access.address, access.bytes, access.is_read, access.is_written);
	}
}

TEST("string instructions move downwards with the direction flag")
{
	struct instruction_access access;

	if (instruction_why_not())
		skip();
	set_registers();
	registers.flags = 1u << 10;
	assert_int_equal(instruction_access((const uint8_t *)"\x48\xab", 2, AT, &registers, true, 0, &access), INSTRUCTION_ACCESS);
	assert_int_equal(access.address, REGISTER(RDI) + 8);
	assert_true(instruction_repeats((const uint8_t *)"\xf3\x48\xab", 3));
	assert_false(instruction_repeats((const uint8_t *)"\x48\xab", 2));
	assert_false(instruction_repeats((const uint8_t *)"\xf3\x0f\x10\x00", 4)); /* movss: the prefix is a part of it */
}

TEST("an instruction has a length, and may go on")
{
	static const struct {
		const char *code;
		size_t bytes;
		unsigned length;
		bool goes_on;
	} shapes[] = {
		{CODE("\x90"), 1, true},
		{CODE("\xeb\xfe"), 2, false},
		{CODE("\x75\x05"), 2, true},
		{CODE("\xe8\x00\x01\x00\x00"), 5, false},
		{CODE("\xc3"), 1, false},
		{CODE("\xff\xe0"), 2, false},
		{CODE("\x0f\x0b"), 2, false},
		{CODE("\xcc"), 1, false},
		{CODE("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00"), 10, true},
	};
	struct instruction_shape shape;

	if (instruction_why_not())
		skip();
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		assert_true(instruction_shape((const uint8_t *)shapes[i].code, shapes[i].bytes, &shape));
		assert_int_equal(shape.bytes, shapes[i].length);
		assert_int_equal(shape.goes_on, shapes[i].goes_on);
	}
	assert_false(instruction_shape((const uint8_t *)"\xe8\x00", 2, &shape));
	assert_false(instruction_shape((const uint8_t *)"\x06", 1, &shape));
}
