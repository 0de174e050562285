/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/code/instruction.h"

#ifdef HAVE_ZYDIS
#include "memtrace/code/zydis.h"

#define DIRECTION_FLAG (1u << 10)

const char *instruction_why_not(void)
{
	return NULL;
}

static void begin(ZydisDecoder *decoder)
{
	ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

bool instruction_shape(const uint8_t *code, size_t size, struct instruction_shape *shape)
{
	ZydisDecodedInstruction instruction;
	ZydisDecoder decoder;

	begin(&decoder);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, size, &instruction)))
		return false;
	*shape = (struct instruction_shape){.bytes = instruction.length, .goes_on = true};
	if (instruction.raw.imm[0].is_relative) {
		shape->is_branch = true;
		shape->target = (int64_t)instruction.length + instruction.raw.imm[0].value.s;
	}
	switch (instruction.meta.category) {
	case ZYDIS_CATEGORY_UNCOND_BR:
		/* A jump through a fixed memory location is a tail call and leads out of the function. */
		shape->is_indirect = !shape->is_branch &&
			!(instruction.raw.modrm.mod == 0 && instruction.raw.modrm.rm == 5);
		shape->goes_on = false;
		break;
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_CALL: /* the next instruction in memory runs only after the called function */
		shape->goes_on = false;
		break;
	default:
		shape->goes_on = instruction.mnemonic != ZYDIS_MNEMONIC_HLT && instruction.mnemonic != ZYDIS_MNEMONIC_UD0 &&
			instruction.mnemonic != ZYDIS_MNEMONIC_UD1 && instruction.mnemonic != ZYDIS_MNEMONIC_UD2;
	}
	return true;
}

static bool is_string(const ZydisDecodedInstruction *instruction)
{
	return instruction->meta.category == ZYDIS_CATEGORY_STRINGOP;
}

static bool is_memory(const struct decoded *decoded, const ZydisDecodedOperand *operand)
{
	/* lea only computes an address; nop and prefetch make no access for which a program waits. */
	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
		decoded->instruction.meta.category != ZYDIS_CATEGORY_NOP &&
		decoded->instruction.meta.category != ZYDIS_CATEGORY_WIDENOP &&
		decoded->instruction.meta.category != ZYDIS_CATEGORY_PREFETCH &&
		decoded->instruction.meta.category != ZYDIS_CATEGORY_PREFETCHWT1;
}

struct instruction_execution {
	uint64_t at;
	const struct instruction_registers *registers;
	bool is_after; /* the registers are those right after it */
};

static bool is_unknown(const struct instruction_execution *execution, int number)
{
	return execution->registers->unknown >> number & 1;
}

/* Computes the address of push, pop, call, ret and leave, which use the stack pointer alone. */
static enum instruction_answer stack_address(const struct decoded *decoded, const struct instruction_execution *execution,
	const ZydisDecodedOperand *operand, uint64_t *address)
{
	const uint64_t *general = execution->registers->general;
	uint64_t stack = general[4], bytes = operand->size / 8;
	bool is_push = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;

	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_ENTER:
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
		return INSTRUCTION_NO_ADDRESS;
	case ZYDIS_MNEMONIC_LEAVE:
		if (is_unknown(execution, execution->is_after ? 4 : 5))
			return INSTRUCTION_CLOBBERED;
		*address = execution->is_after ? stack - bytes : general[5];
		return INSTRUCTION_ACCESS;
	case ZYDIS_MNEMONIC_POP:
		if (execution->is_after && decoded->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			number_of(decoded->operands[0].reg.value) == 4)
			return INSTRUCTION_CLOBBERED;
		break;
	default:
		break;
	}
	if (is_unknown(execution, 4))
		return INSTRUCTION_CLOBBERED;
	if (is_push)
		*address = execution->is_after ? stack : stack - bytes;
	else
		*address = execution->is_after ? stack - bytes : stack;
	return INSTRUCTION_ACCESS;
}

static enum instruction_answer address_of(const struct decoded *decoded, const struct instruction_execution *execution,
	const ZydisDecodedOperand *operand, uint64_t *address)
{
	const ZydisDecodedOperandMem *memory = &operand->mem;
	const ZydisRegister names[2] = {memory->base, memory->index};
	const uint64_t scales[2] = {1, memory->scale};
	uint64_t result = (uint64_t)memory->disp.value;
	bool is_hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;

	bool is_segment = memory->segment == ZYDIS_REGISTER_FS || memory->segment == ZYDIS_REGISTER_GS;

	if ((is_segment && !execution->registers->segments) || memory->type != ZYDIS_MEMOP_TYPE_MEM)
		return INSTRUCTION_NO_ADDRESS;
	if (is_hidden && !is_string(&decoded->instruction) &&
		(number_of(memory->base) == 4 || decoded->instruction.mnemonic == ZYDIS_MNEMONIC_LEAVE))
		return stack_address(decoded, execution, operand, address);
	for (unsigned i = 0; i < 2; i++) {
		int number = number_of(names[i]);
		uint64_t value;

		if (names[i] == ZYDIS_REGISTER_NONE)
			continue;
		if (names[i] == ZYDIS_REGISTER_RIP || names[i] == ZYDIS_REGISTER_EIP) {
			result += execution->at + decoded->instruction.length;
			continue;
		}
		if (number == UNKNOWN)
			return INSTRUCTION_NO_ADDRESS;
		if (is_unknown(execution, number))
			return INSTRUCTION_CLOBBERED;
		value = execution->registers->general[number];
		if (execution->is_after && written_by(decoded) >> number & 1) {
			uint64_t step = operand->size / 8;

			if (is_string(&decoded->instruction))
				value -= execution->registers->flags & DIRECTION_FLAG ? 0 - step : step;
			else if (number == 4 && decoded->instruction.mnemonic == ZYDIS_MNEMONIC_PUSH)
				value += decoded->instruction.operand_width / 8;
			else if (number != 4 || decoded->instruction.mnemonic != ZYDIS_MNEMONIC_POP)
				return INSTRUCTION_CLOBBERED;
		}
		result += value * scales[i];
	}
	if (decoded->instruction.address_width == 32)
		result &= UINT32_MAX;
	if (is_segment)
		result += execution->registers->segments[memory->segment == ZYDIS_REGISTER_GS];
	*address = result;
	return INSTRUCTION_ACCESS;
}

enum instruction_answer instruction_access(const uint8_t *code, size_t size, uint64_t at,
	const struct instruction_registers *registers, bool is_after, unsigned pick, struct instruction_access *access)
{
	const struct instruction_execution execution = {.at = at, .registers = registers, .is_after = is_after};
	struct decoded decoded;
	const ZydisDecodedOperand *memory[ZYDIS_MAX_OPERAND_COUNT], *chosen;
	enum instruction_answer answer;
	unsigned count = 0;

	if (!decode(code, size, &decoded))
		return INSTRUCTION_NO_MEMORY;
	for (unsigned i = 0; i < decoded.instruction.operand_count; i++) {
		if (is_memory(&decoded, &decoded.operands[i]))
			memory[count++] = &decoded.operands[i];
	}
	if (!count)
		return INSTRUCTION_NO_MEMORY;
	access->of = count;
	chosen = memory[pick % count];
	answer = address_of(&decoded, &execution, chosen, &access->address);
	if (answer != INSTRUCTION_ACCESS)
		return answer;
	access->bytes = chosen->size / 8;
	access->is_read = chosen->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	access->is_written = chosen->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	return INSTRUCTION_ACCESS;
}

bool instruction_repeats(const uint8_t *code, size_t size)
{
	ZydisDecodedInstruction instruction;
	ZydisDecoder decoder;

	begin(&decoder);
	return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, size, &instruction)) && is_string(&instruction) &&
		instruction.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

#else

const char *instruction_why_not(void)
{
	return "built without Zydis (libzydis-dev), which decodes x86-64 only";
}

bool instruction_shape(const uint8_t *code, size_t size, struct instruction_shape *shape)
{
	(void)code;
	(void)size;
	(void)shape;
	return false;
}

enum instruction_answer instruction_access(const uint8_t *code, size_t size, uint64_t at,
	const struct instruction_registers *registers, bool is_after, unsigned pick, struct instruction_access *access)
{
	(void)code;
	(void)size;
	(void)at;
	(void)registers;
	(void)is_after;
	(void)pick;
	(void)access;
	return INSTRUCTION_NO_MEMORY;
}

bool instruction_repeats(const uint8_t *code, size_t size)
{
	(void)code;
	(void)size;
	return false;
}

#endif
