/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding by Zydis; included only where HAVE_ZYDIS is defined. */
#ifndef MEMTRACE_CODE_ZYDIS_H
#define MEMTRACE_CODE_ZYDIS_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

#define UNKNOWN (-1)

struct decoded {
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static inline bool decode(const uint8_t *code, size_t size, struct decoded *decoded)
{
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, size, &decoded->instruction, decoded->operands));
}

/* Returns the number of the general register that contains this one. */
static inline int number_of(ZydisRegister name)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);

	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15 ? (int)(whole - ZYDIS_REGISTER_RAX) : UNKNOWN;
}

/* Returns a bit for each general register that the instruction writes, or may write, in whole or in part. */
static inline uint16_t written_by(const struct decoded *decoded)
{
	uint16_t written = 0;

	for (unsigned i = 0; i < decoded->instruction.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];
		int number = operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
			operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? number_of(operand->reg.value) : UNKNOWN;

		if (number != UNKNOWN)
			written |= (uint16_t)(1u << number);
	}
	return written;
}

#endif
