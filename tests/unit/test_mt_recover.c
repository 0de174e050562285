/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include "memtrace/code/recover.h"

#define AT 0x401000
#define LOST UINT64_MAX /* no address may be given */
#define CODE(TEXT) TEXT, sizeof(TEXT) - 1
#define REGISTER(NUMBER) (0x10000ull * ((NUMBER) + 1))

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

static struct instruction_registers make_registers(void)
{
	struct instruction_registers registers = {.flags = 0};

	for (unsigned i = 0; i < 16; i++)
		registers.general[i] = REGISTER(i);
	return registers;
}

/* The top of the stack. The first word is the place of a second instruction, where ret may go. */
#define WORD(NUMBER) ((NUMBER) ? 0x7000ull + 0x100 * (NUMBER) : AT + 1)
static const uint64_t words[] = {WORD(0), WORD(1), WORD(2), WORD(3), WORD(4), WORD(5), WORD(6), WORD(7)};
static const struct recover_stack stack = {REGISTER(RSP), (const uint8_t *)words, sizeof(words)};

/* The registers are those after the last instruction, a load that has overwritten a register of its address. */
static const struct {
	const char *text, *code;
	size_t bytes;
	uint64_t address;
} before[] = {
	{"mov (%rax),%rax", CODE("\x48\x8b\x00"), LOST},
	{"mov %rax,%rcx; mov (%rax),%rax", CODE("\x48\x89\xc1\x48\x8b\x00"), REGISTER(RCX)},
	{"lea 8(%rbx,%rcx,4),%rax; mov 16(%rax),%rax",
		CODE("\x48\x8d\x44\x8b\x08\x48\x8b\x40\x10"), REGISTER(RBX) + 4 * REGISTER(RCX) + 24},
	{"mov %rbx,%rax; shr $4,%rax; and $0x7ff0,%eax; mov (%rdi,%rax,8),%rax",
		CODE("\x48\x89\xd8\x48\xc1\xe8\x04\x25\xf0\x7f\x00\x00\x48\x8b\x04\xc7"),
		REGISTER(RDI) + 8 * (REGISTER(RBX) >> 4 & 0x7ff0)},
	{"mov %rax,%rcx; add $8,%rcx; mov (%rax),%rax",
		CODE("\x48\x89\xc1\x48\x83\xc1\x08\x48\x8b\x00"), REGISTER(RCX) - 8},
	{"mov %rax,%rcx; sub $-8,%rcx; mov (%rax),%rax",
		CODE("\x48\x89\xc1\x48\x83\xe9\xf8\x48\x8b\x00"), REGISTER(RCX) - 8},
	{"mov %rax,%rcx; add $8,%ecx; mov (%rax),%rax",
		CODE("\x48\x89\xc1\x83\xc1\x08\x48\x8b\x00"), LOST},
	{"mov %rax,%rcx; add %rbx,%rcx; mov (%rax),%rax",
		CODE("\x48\x89\xc1\x48\x01\xd9\x48\x8b\x00"), REGISTER(RCX) - REGISTER(RBX)},
	{"imul $24,%rbx,%rax; add %rsi,%rax; mov (%rax),%eax",
		CODE("\x48\x6b\xc3\x18\x48\x01\xf0\x8b\x00"), 24 * REGISTER(RBX) + REGISTER(RSI)},
	{"mov %rbx,%rax; xchg %rax,%rdx; mov (%rdx),%rdx",
		CODE("\x48\x89\xd8\x48\x92\x48\x8b\x12"), REGISTER(RBX)},
	{"mov %rax,%rcx; xchg %rcx,%rdx; mov (%rax),%rax",
		CODE("\x48\x89\xc1\x48\x87\xca\x48\x8b\x00"), REGISTER(RDX)},
	{"mov %rbx,%rax; cmovz %rcx,%rax; mov (%rax),%rax",
		CODE("\x48\x89\xd8\x48\x0f\x44\xc1\x48\x8b\x00"), LOST},
	{"mov %rbx,%rax; sete %al; mov (%rax),%rax", CODE("\x48\x89\xd8\x0f\x94\xc0\x48\x8b\x00"), LOST},
	{"mov %rbx,%rax; mov $1,%al; mov (%rax),%rax",
		CODE("\x48\x89\xd8\xb0\x01\x48\x8b\x00"), REGISTER(RBX) + 1},
	{"mov $1,%al; mov (%rax),%rax", CODE("\xb0\x01\x48\x8b\x00"), LOST},
	{"mov $1,%ah; mov %rbx,%rax; mov $2,%ah; mov (%rax),%rax",
		CODE("\xb4\x01\x48\x89\xd8\xb4\x02\x48\x8b\x00"), REGISTER(RBX) + 0x200},
	{"mov $0x1234,%eax; movzbl %ah,%eax; mov (%rdi,%rax),%al",
		CODE("\xb8\x34\x12\x00\x00\x0f\xb6\xc4\x8a\x04\x07"), REGISTER(RDI) + 0x12},
	{"mov $-1,%rax; mov $5,%eax; mov (%rdi,%rax),%al",
		CODE("\x48\xc7\xc0\xff\xff\xff\xff\xb8\x05\x00\x00\x00\x8a\x04\x07"), REGISTER(RDI) + 5},
	{"push %rbx; mov %rsp,%rax; mov (%rax),%rax", CODE("\x53\x48\x89\xe0\x48\x8b\x00"), REGISTER(RSP)},
	{"mov %rsp,%rax; push %rbx; mov (%rax),%rax",
		CODE("\x48\x89\xe0\x53\x48\x8b\x00"), REGISTER(RSP) + 8},
	{"mov %rsp,%rax; pop %rbx; mov (%rax),%rax",
		CODE("\x48\x89\xe0\x5b\x48\x8b\x00"), REGISTER(RSP) - 8},
	{"mov %rbx,%rax; pop %rbx; mov (%rax),%rax", CODE("\x48\x89\xd8\x5b\x48\x8b\x00"), LOST},
	{"mov %rbx,%rax; syscall; mov (%rax),%rax", CODE("\x48\x89\xd8\x0f\x05\x48\x8b\x00"), LOST},
	{"mov %rax,%rcx; syscall; mov (%rax),%rax", CODE("\x48\x89\xc1\x0f\x05\x48\x8b\x00"), LOST},
	{"mov %rbx,%rax; call 1f; 1: mov (%rax),%rax",
		CODE("\x48\x89\xd8\xe8\x00\x00\x00\x00\x48\x8b\x00"), LOST},
	{"mov (%rbx),%rax; mov (%rax),%rax", CODE("\x48\x8b\x03\x48\x8b\x00"), LOST},
	{"xor %eax,%eax; mov (%rdi,%rax,8),%rax", CODE("\x31\xc0\x48\x8b\x04\xc7"), REGISTER(RDI)},
	{"xor %rbx,%rax; mov %rax,%rcx; mov (%rax),%rax",
		CODE("\x48\x31\xd8\x48\x89\xc1\x48\x8b\x00"), REGISTER(RCX)},
	{"mov %rax,%rcx; xor %rbx,%rcx; mov (%rax),%rax",
		CODE("\x48\x89\xc1\x48\x31\xd9\x48\x8b\x00"), REGISTER(RCX) ^ REGISTER(RBX)},
	{"mov %rax,%rcx; add %rcx,%rcx; mov (%rax),%rax",
		CODE("\x48\x89\xc1\x48\x01\xc9\x48\x8b\x00"), LOST},
	{"mov %rax,%rcx; and %rbx,%rcx; mov (%rax),%rax",
		CODE("\x48\x89\xc1\x48\x21\xd9\x48\x8b\x00"), LOST},
	{"mov %rax,%rcx; shl $1,%rcx; mov (%rax),%rax",
		CODE("\x48\x89\xc1\x48\xd1\xe1\x48\x8b\x00"), LOST},
	{"mov %rax,%rcx; adc $1,%rcx; mov (%rax),%rax",
		CODE("\x48\x89\xc1\x48\x83\xd1\x01\x48\x8b\x00"), LOST},
	{"lea 5(%rax,%rbx,2),%rcx; mov (%rax),%rax",
		CODE("\x48\x8d\x4c\x58\x05\x48\x8b\x00"), REGISTER(RCX) - 5 - 2 * REGISTER(RBX)},
	{"lea 5(%rbx,%rax,2),%rcx; mov (%rax),%rax", CODE("\x48\x8d\x4c\x43\x05\x48\x8b\x00"), LOST},
	{"lea (%rax,%rax,2),%rcx; mov (%rax),%rax", CODE("\x48\x8d\x0c\x40\x48\x8b\x00"), LOST},
	{"lea 5(%rax),%ecx; mov (%rax),%rax", CODE("\x8d\x48\x05\x48\x8b\x00"), LOST},
	{"mov %rax,%rcx; bswap %rcx; not %rcx; neg %rcx; inc %rcx; mov (%rax),%rax",
		CODE("\x48\x89\xc1\x48\x0f\xc9\x48\xf7\xd1\x48\xf7\xd9\x48\xff\xc1\x48\x8b\x00"),
		__builtin_bswap64(~(0 - (REGISTER(RCX) - 1)))},
	{"mov $-1,%ecx; movslq %ecx,%rax; mov (%rdx,%rax,4),%eax",
		CODE("\xb9\xff\xff\xff\xff\x48\x63\xc1\x8b\x04\x82"), REGISTER(RDX) - 4},
	{"mov %ecx,%eax; cltq; mov (%rdx,%rax,4),%eax",
		CODE("\x89\xc8\x48\x98\x8b\x04\x82"), REGISTER(RDX) + 4 * REGISTER(RCX)},
	{"mul %rbx; mov (%rax),%rax", CODE("\x48\xf7\xe3\x48\x8b\x00"), LOST},
	{"mov %rbx,%rax; imul %rcx; mov (%rax),%rax", CODE("\x48\x89\xd8\x48\xf7\xe9\x48\x8b\x00"), LOST},
	{"mov %rbx,%rax; cmpxchg %rcx,%rdx; mov (%rax),%rax",
		CODE("\x48\x89\xd8\x48\x0f\xb1\xca\x48\x8b\x00"), LOST},
	{"lea 0x100(%rip),%rax; mov (%rax),%rax",
		CODE("\x48\x8d\x05\x00\x01\x00\x00\x48\x8b\x00"), AT + 7 + 0x100},
	{"mov %rbx,%rax; rol $8,%rax; mov (%rax),%rax",
		CODE("\x48\x89\xd8\x48\xc1\xc0\x08\x48\x8b\x00"), REGISTER(RBX) << 8},
	{"mov %rbx,%rax; ror $24,%rax; mov (%rax),%rax",
		CODE("\x48\x89\xd8\x48\xc1\xc8\x18\x48\x8b\x00"), REGISTER(RBX) << 40},
	{"mov %rbx,%rax; shl %eax; mov (%rax),%rax",
		CODE("\x48\x89\xd8\xd1\xe0\x48\x8b\x00"), 2 * REGISTER(RBX)},
	{"mov %rbx,%rsi; movsq; mov (%rsi),%rsi", CODE("\x48\x89\xde\x48\xa5\x48\x8b\x36"), LOST},
	{"mov %rbx,%rax; mov (%rcx),%rbx; mov (%rax),%rax",
		CODE("\x48\x89\xd8\x48\x8b\x19\x48\x8b\x00"), LOST},
	{"mov %rbx,%rax; mov %rax,(%rcx); mov 8(%rax),%rax",
		CODE("\x48\x89\xd8\x48\x89\x01\x48\x8b\x40\x08"), REGISTER(RBX) + 8},
	{"mov 8(%rsp),%rax; mov 4(%rax),%rax", CODE("\x48\x8b\x44\x24\x08\x48\x8b\x40\x04"), WORD(1) + 4},
	{"mov 8(%rsp),%eax; mov (%rax),%rax", CODE("\x8b\x44\x24\x08\x48\x8b\x00"), WORD(1)},
	{"movzwl 8(%rsp),%eax; mov (%rbx,%rax),%rax",
		CODE("\x0f\xb7\x44\x24\x08\x48\x8b\x04\x03"), REGISTER(RBX) + WORD(1)},
	{"mov 8(%rsp),%rax; mov %rbx,8(%rsp); mov (%rax),%rax",
		CODE("\x48\x8b\x44\x24\x08\x48\x89\x5c\x24\x08\x48\x8b\x00"), LOST},
	{"mov 8(%rsp),%rax; movb $1,15(%rsp); mov (%rax),%rax",
		CODE("\x48\x8b\x44\x24\x08\xc6\x44\x24\x0f\x01\x48\x8b\x00"), LOST},
	{"mov 8(%rsp),%rax; movb $1,16(%rsp); mov (%rax),%rax",
		CODE("\x48\x8b\x44\x24\x08\xc6\x44\x24\x10\x01\x48\x8b\x00"), WORD(1)},
	{"mov 8(%rsp),%rax; mov %rbx,(%rcx); mov (%rax),%rax",
		CODE("\x48\x8b\x44\x24\x08\x48\x89\x19\x48\x8b\x00"), WORD(1)},
	{"mov 8(%rsp),%rax; mov %rbx,(%rdx); mov (%r8),%rdx; mov (%rax),%rax",
		CODE("\x48\x8b\x44\x24\x08\x48\x89\x1a\x49\x8b\x10\x48\x8b\x00"), LOST},
	{"mov 8(%rsp),%rax; rep stosb; mov (%rax),%rax",
		CODE("\x48\x8b\x44\x24\x08\xf3\xaa\x48\x8b\x00"), LOST},
	{"mov 8(%rsp),%rax; push %rcx; mov (%rax),%rax",
		CODE("\x48\x8b\x44\x24\x08\x51\x48\x8b\x00"), WORD(2)},
	{"mov (%rsp),%rax; push %rcx; pop %rdx; mov (%rax),%rax",
		CODE("\x48\x8b\x04\x24\x51\x5a\x48\x8b\x00"), WORD(0)},
	{"pop %rax; mov (%rax),%rax", CODE("\x58\x48\x8b\x00"), LOST},
	{"mov 56(%rsp),%rax; mov (%rax),%rax", CODE("\x48\x8b\x44\x24\x38\x48\x8b\x00"), WORD(7)},
	{"mov 57(%rsp),%rax; mov (%rax),%rax", CODE("\x48\x8b\x44\x24\x39\x48\x8b\x00"), LOST},
	{"mov -8(%rsp),%rax; mov (%rax),%rax", CODE("\x48\x8b\x44\x24\xf8\x48\x8b\x00"), LOST},
	{"mov %fs:8(%rsp),%rax; mov (%rax),%rax", CODE("\x64\x48\x8b\x44\x24\x08\x48\x8b\x00"), LOST},
	{"mov 8(%rsp),%rax; add 16(%rsp),%rax; mov (%rax),%rax",
		CODE("\x48\x8b\x44\x24\x08\x48\x03\x44\x24\x10\x48\x8b\x00"), WORD(1) + WORD(2)},
	{"mov %rbx,%rax; xchg %rax,8(%rsp); mov (%rax),%rax",
		CODE("\x48\x89\xd8\x48\x87\x44\x24\x08\x48\x8b\x00"), LOST},
};

TEST("the address of a load that overwrote its register is computed from what led to it, or not at all")
{
	const struct instruction_registers registers = make_registers();

	if (instruction_why_not())
		skip();
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		struct instruction_access access = {0};
		enum instruction_answer answer = recover_before((const uint8_t *)before[i].code, before[i].bytes, AT, &registers,
			&stack, 0, &access);

		if (answer != (before[i].address == LOST ? INSTRUCTION_CLOBBERED : INSTRUCTION_ACCESS) ||
			(answer == INSTRUCTION_ACCESS && (access.address != before[i].address || !access.is_read)))
			fail_msg("%s: answer %d, address %#lx", before[i].text, answer, (unsigned long)access.address);
	}
}

TEST("a block that is too long, broken or empty gives no address")
{
	static const uint8_t nops[] = {0x48, 0x89, 0xc1, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
		0x90, 0x90, 0x48, 0x8b, 0x00}; /* mov %rax,%rcx, 14 nops, mov (%rax),%rax */
	const struct instruction_registers registers = make_registers();
	struct instruction_access access;

	if (instruction_why_not())
		skip();
	assert_int_equal(recover_before(nops, sizeof(nops), AT, &registers, NULL, 0, &access), INSTRUCTION_ACCESS);
	assert_int_equal(access.address, REGISTER(RCX));
	assert_int_equal(recover_before((const uint8_t *)"\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x48\x89\xc1"
		"\x90\x90\x48\x8b\x00", 22, AT, &registers, NULL, 0, &access), INSTRUCTION_CLOBBERED);
	assert_int_equal(recover_before((const uint8_t *)"\x48\x89\xc1\x06\x48\x8b\x00", 7, AT, &registers, NULL, 0, &access),
		INSTRUCTION_CLOBBERED);
	assert_int_equal(recover_before((const uint8_t *)"", 0, AT, &registers, NULL, 0, &access), INSTRUCTION_CLOBBERED);
}

struct next {
	const char *text, *code;
	size_t bytes;
	unsigned at; /* where the instruction pointer is */
	uint64_t address;
	unsigned load;
};

static const struct next after[] = {
	{"1: mov (%rax),%rax; sub $1,%ecx; jnz 1b",
		CODE("\x48\x8b\x00\x83\xe9\x01\x75\xf8"), 3, REGISTER(RAX), 0},
	{"mov 8(%rax),%rax", CODE("\x48\x8b\x40\x08"), 0, REGISTER(RAX) + 8, 0},
	{"mov 8(%rbx),%rax; mov (%rax),%rax", CODE("\x48\x8b\x43\x08\x48\x8b\x00"), 0, LOST, 0},
	{"mov 8(%rbx),%rcx; mov (%rax),%rax", CODE("\x48\x8b\x4b\x08\x48\x8b\x00"), 0, REGISTER(RAX), 4},
	{"1: mov (%rax),%rax; cmp %rax,%rax; jne 1b; hlt",
		CODE("\x48\x8b\x00\x48\x39\xc0\x75\xf8\xf4"), 3, LOST, 0},
	{"test %rax,%rax; jz 1f; mov (%rax),%rax; 1: hlt",
		CODE("\x48\x85\xc0\x74\x03\x48\x8b\x00\xf4"), 0, REGISTER(RAX), 5},
	{"jmp *%rbx; mov (%rax),%rax", CODE("\xff\xe3\x48\x8b\x00"), 0, LOST, 0},
	{"jmp 1f; hlt; 1: mov (%rax),%rax", CODE("\xeb\x01\xf4\x48\x8b\x00"), 0, REGISTER(RAX), 3},
	{"1: jmp 1b", CODE("\xeb\xfe"), 0, LOST, 0},
	{"syscall; mov (%rax),%rax", CODE("\x0f\x05\x48\x8b\x00"), 0, LOST, 0},
	{"push %rbx; pop %rcx; mov (%rax),%rax", CODE("\x53\x59\x48\x8b\x00"), 0, REGISTER(RAX), 2},
	{"push %rbx; lea 8(%rsp),%rax; mov (%rax),%rax",
		CODE("\x53\x48\x8d\x44\x24\x08\x48\x8b\x00"), 0, REGISTER(RSP), 6},
	{"xchg %rax,%rbx; mov (%rax),%rax", CODE("\x48\x93\x48\x8b\x00"), 0, REGISTER(RBX), 2},
	{"cmp %rbx,%rcx; cmovb %rbx,%rax; mov (%rax),%rax",
		CODE("\x48\x39\xd9\x48\x0f\x42\xc3\x48\x8b\x00"), 0, REGISTER(RBX), 7},
	{"cmp %rbx,%rcx; cmova %rbx,%rax; mov (%rax),%rax",
		CODE("\x48\x39\xd9\x48\x0f\x47\xc3\x48\x8b\x00"), 0, REGISTER(RAX), 7},
	{"cmp %rbx,%rcx; setb %dl; movzbl %dl,%edx; mov (%rax,%rdx,8),%rax",
		CODE("\x48\x39\xd9\x0f\x92\xc2\x0f\xb6\xd2\x48\x8b\x04\xd0"), 0, REGISTER(RAX) + 8, 9},
	{"shl $1,%rcx; jc 1f; mov (%rax),%rax; 1: hlt",
		CODE("\x48\xd1\xe1\x72\x03\x48\x8b\x00\xf4"), 0, LOST, 0},
	{"cmp $0,%rcx; jl 1f; mov (%rax),%rax; 1: hlt",
		CODE("\x48\x83\xf9\x00\x7c\x03\x48\x8b\x00\xf4"), 0, REGISTER(RAX), 6},
	{"neg %rcx; jns 1f; mov (%rax),%rax; 1: hlt",
		CODE("\x48\xf7\xd9\x79\x03\x48\x8b\x00\xf4"), 0, REGISTER(RAX), 5},
	{"mov $0x7fffffff,%ecx; add $1,%ecx; jno 1f; mov (%rax),%rax; 1: hlt",
		CODE("\xb9\xff\xff\xff\x7f\x83\xc1\x01\x71\x03\x48\x8b\x00\xf4"), 0, REGISTER(RAX), 10},
	{"mov $-1,%ecx; add $1,%ecx; jnc 1f; mov (%rax),%rax; 1: hlt",
		CODE("\xb9\xff\xff\xff\xff\x83\xc1\x01\x73\x03\x48\x8b\x00\xf4"), 0, REGISTER(RAX), 10},
	{"mov $3,%ecx; and $1,%ecx; jpe 1f; mov (%rax),%rax; 1: hlt",
		CODE("\xb9\x03\x00\x00\x00\x83\xe1\x01\x7a\x03\x48\x8b\x00\xf4"), 0, REGISTER(RAX), 10},
	{"sub $1,%rcx; inc %rcx; jc 1f; mov (%rax),%rax; 1: hlt",
		CODE("\x48\x83\xe9\x01\x48\xff\xc1\x72\x03\x48\x8b\x00\xf4"), 0, REGISTER(RAX), 9},
	{"loop 1f; 1: mov (%rax),%rax", CODE("\xe2\x00\x48\x8b\x00"), 0, LOST, 0},
	{"rdtsc; mov (%rax),%rax", CODE("\x0f\x31\x48\x8b\x00"), 0, LOST, 0},
	{"xor %eax,%eax; jnz 1f; mov (%rbx,%rax),%rax; 1: hlt",
		CODE("\x31\xc0\x75\x04\x48\x8b\x04\x03\xf4"), 0, REGISTER(RBX), 4},
	{"call 1f; 1: mov (%rax),%rax", CODE("\xe8\x00\x00\x00\x00\x48\x8b\x00"), 0, REGISTER(RAX), 5},
	{"call 1f; mov (%rax),%rax; 1: ret",
		CODE("\xe8\x03\x00\x00\x00\x48\x8b\x00\xc3"), 0, REGISTER(RAX), 5},
	{"ret; mov (%rax),%rax", CODE("\xc3\x48\x8b\x00"), 0, REGISTER(RAX), 1},
	{"ret $8; mov (%rax),%rax", CODE("\xc2\x08\x00\x48\x8b\x00"), 0, LOST, 0},
	{"mov %rbx,(%rsp); ret; mov (%rax),%rax", CODE("\x48\x89\x1c\x24\xc3\x48\x8b\x00"), 0, LOST, 0},
	{"call *%rbx; mov (%rax),%rax", CODE("\xff\xd3\x48\x8b\x00"), 0, LOST, 0},
	{"cmp (%rbx),%rcx; jne 1f; 1: mov (%rax),%rax",
		CODE("\x48\x3b\x0b\x75\x00\x48\x8b\x00"), 0, REGISTER(RAX), 5},
	{"cmp (%rbx),%rcx; jne 1f; inc %rcx; 1: mov (%rax),%rax",
		CODE("\x48\x3b\x0b\x75\x03\x48\xff\xc1\x48\x8b\x00"), 0, REGISTER(RAX), 8},
	{"cmp (%rbx),%rcx; jne 1f; add $8,%rax; 1: mov (%rax),%rax",
		CODE("\x48\x3b\x0b\x75\x04\x48\x83\xc0\x08\x48\x8b\x00"), 0, LOST, 0},
	{"cmp (%rbx),%rcx; jne 1f; mov (%rax),%rax; 1: mov (%rax),%rax",
		CODE("\x48\x3b\x0b\x75\x03\x48\x8b\x00\x48\x8b\x00"), 0, LOST, 0},
	{"cmp (%rbx),%rcx; jne 1f; mov (%rax),%rax; 1: hlt",
		CODE("\x48\x3b\x0b\x75\x03\x48\x8b\x00\xf4"), 0, LOST, 0},
	{"1: cmp (%rbx),%rcx; jne 1b; mov (%rax),%rax",
		CODE("\x48\x3b\x0b\x75\xfb\x48\x8b\x00"), 0, LOST, 0},
	{"push %rbx; pop %rax; mov (%rax),%rax", CODE("\x53\x58\x48\x8b\x00"), 0, REGISTER(RBX), 2},
	{"pop %rax; mov (%rsp,%rax),%rax",
		CODE("\x58\x48\x8b\x04\x04"), 0, REGISTER(RSP) + 8 + WORD(0), 1},
	{"mov 8(%rsp),%rax; mov (%rax),%rax", CODE("\x48\x8b\x44\x24\x08\x48\x8b\x00"), 0, WORD(1), 5},
	{"mov %rbx,8(%rsp); mov 8(%rsp),%rax; mov (%rax),%rax",
		CODE("\x48\x89\x5c\x24\x08\x48\x8b\x44\x24\x08\x48\x8b\x00"), 0, REGISTER(RBX), 10},
	{"mov %ebx,8(%rsp); mov 8(%rsp),%rax; mov (%rax),%rax",
		CODE("\x89\x5c\x24\x08\x48\x8b\x44\x24\x08\x48\x8b\x00"), 0, LOST, 0},
	{"mov (%rbx),%rcx; mov %rcx,8(%rsp); mov 8(%rsp),%rax; mov (%rax),%rax",
		CODE("\x48\x8b\x0b\x48\x89\x4c\x24\x08\x48\x8b\x44\x24\x08\x48\x8b\x00"), 0, LOST, 0},
	{"mov (%rbx),%rcx; mov %rdx,(%rcx); mov 8(%rsp),%rax; mov (%rax),%rax",
		CODE("\x48\x8b\x0b\x48\x89\x11\x48\x8b\x44\x24\x08\x48\x8b\x00"), 0, LOST, 0},
	{"mov %rdx,(%rcx); mov 8(%rsp),%rax; mov (%rax),%rax",
		CODE("\x48\x89\x11\x48\x8b\x44\x24\x08\x48\x8b\x00"), 0, WORD(1), 8},
	{"cmpq $5,8(%rsp); jb 1f; mov (%rax),%rax; 1: hlt",
		CODE("\x48\x83\x7c\x24\x08\x05\x72\x03\x48\x8b\x00\xf4"), 0, REGISTER(RAX), 8},
};

static const uint8_t *code_at(void *context, uint64_t at, size_t *size)
{
	const struct next *row = context;

	if (at < AT || at - AT >= row->bytes)
		return NULL;
	if (*size > row->bytes - (at - AT))
		*size = row->bytes - (at - AT);
	return (const uint8_t *)row->code + (at - AT);
}

TEST("the next load that overwrites its register is found where the way to it is known")
{
	const struct instruction_registers registers = make_registers();

	if (instruction_why_not())
		skip();
	for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++) {
		struct next row = after[i];
		struct instruction_access access = {0};
		uint64_t load = 0;
		enum instruction_answer answer = recover_next(code_at, &row, AT + row.at, &registers, &stack, 0, &load, &access);

		if (answer != (row.address == LOST ? INSTRUCTION_CLOBBERED : INSTRUCTION_ACCESS) ||
			(answer == INSTRUCTION_ACCESS && (access.address != row.address || load != AT + row.load)))
			fail_msg("%s: answer %d, address %#lx, load at %#lx", row.text, answer, (unsigned long)access.address,
				(unsigned long)load);
	}
}
