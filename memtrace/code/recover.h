/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds addresses of loads that overwrite a register of their address, as mov (%rax),%rax, from the registers after the load.
 *
 * recover_before evaluates the instructions that lead to the load: registers that none of them has written keep their values,
 * additions and copies are undone, and the result is computed forward again. recover_next executes the instructions that follow,
 * as the processor will, up to the next load of this kind: in a chain of pointers the loaded register is its address. If a
 * condition is unknown, both paths must lead to the same load and address.
 *
 * Only the stack's memory is known, as the kernel copied it with the registers, except where instructions in between store or may
 * store; other memory may have changed. An address is exact or not given.
 */
#ifndef MEMTRACE_CODE_RECOVER_H
#define MEMTRACE_CODE_RECOVER_H

#include "memtrace/code/instruction.h"

#define RECOVER_BLOCK 16  /* instructions up to the load that are evaluated */
#define RECOVER_STEPS 256 /* instructions after it */

/* The top of the stack of the thread, copied with the registers. */
struct recover_stack {
	uint64_t begin; /* address of the first byte; that is the stack pointer */
	const uint8_t *bytes;
	size_t size;
};

/*
 * code: instructions that were executed one after the other, at most RECOVER_BLOCK, the last of which is the load; at: the
 * address of the first. registers: those right after the load. Results as of instruction_access; INSTRUCTION_CLOBBERED if the
 * address cannot be computed.
 */
enum instruction_answer recover_before(const uint8_t *code, size_t size, uint64_t at,
	const struct instruction_registers *registers, const struct recover_stack *stack, unsigned pick,
	struct instruction_access *access);

/* Returns the code from an address on, at most *size bytes, or NULL. */
typedef const uint8_t *recover_code(void *context, uint64_t at, size_t *size);
/* Finds the next such load. at: the instruction pointer. load receives the address of the load instruction. */
enum instruction_answer recover_next(recover_code *code, void *context, uint64_t at,
	const struct instruction_registers *registers, const struct recover_stack *stack, unsigned pick, uint64_t *load,
	struct instruction_access *access);

#endif
