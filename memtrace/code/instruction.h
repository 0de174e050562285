/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64 instructions: their length, whether the next instruction follows, and the memory they access. Zydis decodes them;
 * without it, and on other machines, nothing is decoded and instruction_why_not returns the reason. */
#ifndef MEMTRACE_CODE_INSTRUCTION_H
#define MEMTRACE_CODE_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTRUCTION_MAX 15 /* bytes */

/* Returns NULL if instructions can be decoded, else the reason. */
const char *instruction_why_not(void);

struct instruction_shape {
	unsigned bytes;
	bool goes_on;      /* the next instruction in memory is executed after it, or after a branch that was not taken */
	bool is_branch;    /* a jump or call to a fixed place, `target` bytes from the instruction's beginning */
	bool is_indirect;  /* a jump to an address from a register or a table */
	int64_t target;
};

/* Returns false if no instruction begins there, or size cuts it off. */
bool instruction_shape(const uint8_t *code, size_t size, struct instruction_shape *shape);

/* General registers in the processor's order: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15. */
struct instruction_registers {
	uint64_t general[16];
	uint64_t flags;
	uint16_t unknown;         /* a bit for each general register whose value is not known */
	const uint64_t *segments; /* bases of fs and gs; NULL = not known */
};

struct instruction_access {
	uint64_t address;
	unsigned bytes;
	unsigned of;            /* number of accesses of the instruction; set also if this address is not known */
	bool is_read, is_written;
};

enum instruction_answer {
	INSTRUCTION_ACCESS,
	INSTRUCTION_NO_MEMORY,
	INSTRUCTION_NO_ADDRESS, /* a segment's base or a vector of indices is not known */
	INSTRUCTION_CLOBBERED,  /* the instruction has overwritten a register of its address, or its value is not known */
};

/*
 * Computes the access of the instruction at `code`, which is executed at address `at`. is_after: the registers are those right
 * after it, else those right before it. If the instruction has several accesses (movs, push of memory), `pick` modulo their
 * number selects one.
 */
enum instruction_answer instruction_access(const uint8_t *code, size_t size, uint64_t at,
	const struct instruction_registers *registers, bool is_after, unsigned pick, struct instruction_access *access);
/* Tells whether the instruction repeats (rep movs): an interrupt leaves the instruction pointer at it, with its registers
 * advanced. */
bool instruction_repeats(const uint8_t *code, size_t size);

#endif
