/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64 instructions: how long they are, where they go on, and which memory they access. Decoded by Zydis; without it, and
 * on other machines, instruction_why_not tells and nothing is decoded. */
#ifndef MEMTRACE_INSTRUCTION_H
#define MEMTRACE_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTRUCTION_MAX 15 /* bytes */

/* Why instructions cannot be decoded: NULL = they can. */
const char *instruction_why_not(void);

struct instruction_shape {
	unsigned bytes;
	bool goes_on;      /* what stands behind it is executed right after it, or after a branch that was not taken */
};

/* False: no instruction begins there, or it is cut off by size. */
bool instruction_shape(const uint8_t *code, size_t size, struct instruction_shape *shape);

/* As the processor numbers them: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15. */
struct instruction_registers {
	uint64_t general[16];
	uint64_t flags;
	const uint64_t *segments; /* bases of fs and gs; NULL = not known */
};

struct instruction_access {
	uint64_t address;
	unsigned bytes;
	unsigned of;            /* accesses of the instruction; also where the address of this one is not known */
	bool is_read, is_written;
};

enum instruction_answer {
	INSTRUCTION_ACCESS,
	INSTRUCTION_NO_MEMORY,
	INSTRUCTION_NO_ADDRESS, /* a segment's base or a vector of indices is not known */
	INSTRUCTION_CLOBBERED,  /* it has overwritten a register that its address came from */
};

/*
 * What the instruction at `code`, which is executed at address `at`, accesses. is_after: the registers are those right after
 * it, otherwise those right before it. Of an instruction with several accesses (movs, push of memory) the one that `pick`
 * modulo their number chooses.
 */
enum instruction_answer instruction_access(const uint8_t *code, size_t size, uint64_t at,
	const struct instruction_registers *registers, bool is_after, unsigned pick, struct instruction_access *access);
/* It repeats (rep movs): an interrupt leaves it as the next instruction with its registers moved on. */
bool instruction_repeats(const uint8_t *code, size_t size);

#endif
