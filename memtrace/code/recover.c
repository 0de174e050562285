/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/code/recover.h"

#include <string.h>

#ifdef HAVE_ZYDIS
#include "memtrace/code/zydis.h"

#define STACK 4 /* number of rsp */
#define ALL 0xffff
#define FORKS 6 /* unknown conditions that are followed on both sides */

enum { CARRY = 1 << 0, PARITY = 1 << 2, ZERO = 1 << 6, SIGN = 1 << 7, OVERFLOW = 1 << 11,
	CONDITIONS = CARRY | PARITY | ZERO | SIGN | OVERFLOW };

/* Known values between two instructions. */
struct register_state {
	uint64_t general[16];
	uint16_t known; /* a bit for each register */
	uint32_t flags, known_flags;
};

#define STORES (2 * RECOVER_BLOCK)

struct memory_store {
	uint64_t address, value;
	unsigned bytes;
	bool is_known; /* value is known */
};

/* Known memory: the copied stack, and stores that the copy may lack. */
struct known_memory {
	const struct recover_stack *stack;
	struct memory_store stores[STORES];
	unsigned count;
	bool is_lost; /* a store has an unknown address, or there are too many: older values are unknown */
};

static bool has(const struct register_state *state, int number)
{
	return number != UNKNOWN && state->known >> number & 1;
}

static void set(struct register_state *state, int number, uint64_t value)
{
	state->general[number] = value;
	state->known |= (uint16_t)(1u << number);
}

static void forget(struct register_state *state, uint16_t numbers)
{
	state->known &= (uint16_t)~numbers;
}

static uint64_t cut(uint64_t value, unsigned bits)
{
	return bits >= 64 ? value : value & ((1ull << bits) - 1);
}

static uint64_t extend(uint64_t value, unsigned bits)
{
	uint64_t sign = 1ull << (bits - 1);

	return bits >= 64 ? value : (cut(value, bits) ^ sign) - sign;
}

static bool is_register(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && number_of(operand->reg.value) != UNKNOWN;
}

/* ah, bh, ch and dh are the upper half of 16 bits. */
static bool is_high(ZydisRegister name)
{
	return name >= ZYDIS_REGISTER_AH && name <= ZYDIS_REGISTER_BH;
}

/* --- memory --- */

static bool load_of(const struct known_memory *memory, uint64_t address, unsigned bytes, uint64_t *value)
{
	const struct recover_stack *stack = memory->stack;
	uint64_t loaded = 0;

	if (bytes > sizeof(loaded))
		return false;
	for (unsigned i = memory->count; i-- > 0;) {
		const struct memory_store *store = &memory->stores[i];

		if (store->address == address && store->bytes == bytes && store->is_known) {
			*value = store->value;
			return true;
		}
		if (address - store->address < store->bytes || store->address - address < bytes)
			return false;
	}
	if (memory->is_lost || !stack || address < stack->begin || address - stack->begin > stack->size ||
		bytes > stack->size - (address - stack->begin))
		return false;
	memcpy(&loaded, stack->bytes + (address - stack->begin), bytes);
	*value = loaded;
	return true;
}

static void add_store(struct known_memory *memory, const struct memory_store *store)
{
	if (memory->count == STORES) {
		memory->count = 0;
		memory->is_lost = true;
	}
	memory->stores[memory->count++] = *store;
}

/* --- values --- */

static bool sum_of(const struct decoded *decoded, uint64_t at, const ZydisDecodedOperandMem *memory,
	const struct register_state *state, uint64_t *sum)
{
	const ZydisRegister names[2] = {memory->base, memory->index};
	uint64_t result = (uint64_t)memory->disp.value;

	for (unsigned i = 0; i < 2; i++) {
		int number = number_of(names[i]);

		if (names[i] == ZYDIS_REGISTER_NONE)
			continue;
		if (names[i] == ZYDIS_REGISTER_RIP)
			result += at + decoded->instruction.length;
		else if (has(state, number))
			result += state->general[number] * (i ? memory->scale : 1);
		else
			return false;
	}
	*sum = cut(result, decoded->instruction.address_width);
	return true;
}

static bool value_of(const struct decoded *decoded, uint64_t at, unsigned index, const struct register_state *state,
	const struct known_memory *memory, uint64_t *value)
{
	const ZydisDecodedOperand *operand = &decoded->operands[index];
	uint64_t address;

	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		*value = operand->imm.is_signed ? (uint64_t)operand->imm.value.s : operand->imm.value.u;
		return true;
	case ZYDIS_OPERAND_TYPE_REGISTER:
		if (!has(state, number_of(operand->reg.value)))
			return false;
		*value = cut(state->general[number_of(operand->reg.value)] >> (is_high(operand->reg.value) ? 8 : 0), operand->size);
		return true;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		if (!sum_of(decoded, at, &operand->mem, state, &address))
			return false;
		if (operand->mem.type != ZYDIS_MEMOP_TYPE_AGEN)
			return operand->mem.type == ZYDIS_MEMOP_TYPE_MEM && operand->mem.segment != ZYDIS_REGISTER_FS &&
				operand->mem.segment != ZYDIS_REGISTER_GS &&
				load_of(memory, address, operand->size / 8, value);
		*value = address;
		return true;
	default:
		return false;
	}
}

/* A register of 32 bits clears the upper half; smaller ones keep the rest. */
static void put(struct register_state *state, const ZydisDecodedOperand *operand, const struct register_state *before,
	uint64_t value)
{
	int number = number_of(operand->reg.value);
	unsigned shift = is_high(operand->reg.value) ? 8 : 0;
	uint64_t mask = cut(UINT64_MAX, operand->size) << shift;

	if (number == UNKNOWN)
		return;
	if (operand->size >= 32)
		set(state, number, cut(value, operand->size));
	else if (has(before, number))
		set(state, number, (before->general[number] & ~mask) | (value << shift & mask));
}

/* --- flags --- */

static void set_flags(struct register_state *state, uint32_t which, uint32_t flags)
{
	state->flags = (state->flags & ~which) | (flags & which);
	state->known_flags |= which;
}

static uint32_t flags_of(uint64_t result, unsigned bits)
{
	result = cut(result, bits);
	return (result ? 0 : ZERO) | (result >> (bits - 1) ? SIGN : 0) |
		(__builtin_parity((unsigned)(result & 0xff)) ? 0 : PARITY);
}

static uint32_t flags_of_sum(uint64_t one, uint64_t other, unsigned bits)
{
	uint64_t result = cut(one + other, bits);

	return flags_of(result, bits) | (result < cut(one, bits) ? CARRY : 0) |
		(((one ^ result) & (other ^ result)) >> (bits - 1) & 1 ? OVERFLOW : 0);
}

static uint32_t flags_of_difference(uint64_t one, uint64_t other, unsigned bits)
{
	uint64_t result = cut(one - other, bits);

	return flags_of(result, bits) | (cut(one, bits) < cut(other, bits) ? CARRY : 0) |
		(((one ^ other) & (one ^ result)) >> (bits - 1) & 1 ? OVERFLOW : 0);
}

/* Evaluates a condition, numbered as in the opcode: 1, 0, or UNKNOWN. */
static int holds(const struct register_state *state, unsigned condition)
{
	static const uint32_t needed[8] = {OVERFLOW, CARRY, ZERO, CARRY | ZERO, SIGN, PARITY, SIGN | OVERFLOW,
		SIGN | OVERFLOW | ZERO};
	uint32_t needs = needed[condition >> 1 & 7], flags = state->flags;
	bool is_less = !(flags & SIGN) != !(flags & OVERFLOW), result;

	if ((state->known_flags & needs) != needs)
		return UNKNOWN;
	switch (condition >> 1 & 7) {
	case 6:
		result = is_less;
		break;
	case 7:
		result = is_less || flags & ZERO;
		break;
	default:
		result = flags & needs;
	}
	return result != (condition & 1);
}

/* --- forward --- */

static uint64_t rotate(uint64_t value, unsigned count, unsigned bits)
{
	count %= bits;
	value = cut(value, bits);
	return count ? cut(value << count | value >> (bits - count), bits) : value;
}

/* Computes the result of two values and sets its flags that are known. */
static bool compute(const struct decoded *decoded, uint64_t one, uint64_t other, struct register_state *after, uint64_t *result)
{
	unsigned bits = decoded->operands[0].size, count = (unsigned)(other & (bits == 64 ? 63 : 31));

	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
		*result = one + other;
		set_flags(after, CONDITIONS, flags_of_sum(one, other, bits));
		return true;
	case ZYDIS_MNEMONIC_SUB: case ZYDIS_MNEMONIC_CMP:
		*result = one - other;
		set_flags(after, CONDITIONS, flags_of_difference(one, other, bits));
		return true;
	case ZYDIS_MNEMONIC_AND: case ZYDIS_MNEMONIC_TEST:
		*result = one & other;
		set_flags(after, CONDITIONS, flags_of(*result, bits));
		return true;
	case ZYDIS_MNEMONIC_OR:
		*result = one | other;
		set_flags(after, CONDITIONS, flags_of(*result, bits));
		return true;
	case ZYDIS_MNEMONIC_XOR:
		*result = one ^ other;
		set_flags(after, CONDITIONS, flags_of(*result, bits));
		return true;
	case ZYDIS_MNEMONIC_INC:
		*result = one + 1;
		set_flags(after, CONDITIONS & ~CARRY, flags_of_sum(one, 1, bits));
		return true;
	case ZYDIS_MNEMONIC_DEC:
		*result = one - 1;
		set_flags(after, CONDITIONS & ~CARRY, flags_of_difference(one, 1, bits));
		return true;
	case ZYDIS_MNEMONIC_NEG:
		*result = 0 - one;
		set_flags(after, CONDITIONS, flags_of_difference(0, one, bits));
		return true;
	case ZYDIS_MNEMONIC_NOT:
		*result = ~one;
		return true;
	/* The flags of shifts depend on the count, so they stay unknown. */
	case ZYDIS_MNEMONIC_SHL: case ZYDIS_MNEMONIC_SHLX:
		*result = one << count;
		return true;
	case ZYDIS_MNEMONIC_SHR: case ZYDIS_MNEMONIC_SHRX:
		*result = cut(one, bits) >> count;
		return true;
	case ZYDIS_MNEMONIC_SAR: case ZYDIS_MNEMONIC_SARX:
		*result = (uint64_t)((int64_t)extend(one, bits) >> count);
		return true;
	case ZYDIS_MNEMONIC_ROL:
		*result = rotate(one, count, bits);
		return true;
	case ZYDIS_MNEMONIC_ROR: case ZYDIS_MNEMONIC_RORX:
		*result = rotate(one, bits - count % bits, bits);
		return true;
	case ZYDIS_MNEMONIC_IMUL:
		*result = one * other;
		return true;
	case ZYDIS_MNEMONIC_BSWAP:
		*result = bits == 64 ? __builtin_bswap64(one) : __builtin_bswap32((uint32_t)one);
		return bits >= 32;
	default:
		return false;
	}
}

static bool is_same_register(const struct decoded *decoded)
{
	return is_register(&decoded->operands[0]) && is_register(&decoded->operands[1]) &&
		decoded->operands[0].reg.value == decoded->operands[1].reg.value;
}

static bool move_of(const struct decoded *decoded, uint64_t at, const struct register_state *before,
	const struct known_memory *memory, uint64_t *value)
{
	int condition = holds(before, decoded->instruction.opcode & 15);

	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_MOV: case ZYDIS_MNEMONIC_MOVZX: case ZYDIS_MNEMONIC_LEA:
		return value_of(decoded, at, 1, before, memory, value);
	case ZYDIS_MNEMONIC_MOVSX: case ZYDIS_MNEMONIC_MOVSXD: case ZYDIS_MNEMONIC_CDQE: case ZYDIS_MNEMONIC_CWDE:
		if (!value_of(decoded, at, 1, before, memory, value))
			return false;
		*value = extend(*value, decoded->operands[1].size);
		return true;
	default:
		break;
	}
	if (decoded->instruction.meta.category == ZYDIS_CATEGORY_CMOV)
		return condition != UNKNOWN && value_of(decoded, at, (unsigned)condition, before, memory, value);
	if (decoded->instruction.meta.category == ZYDIS_CATEGORY_SETCC) {
		*value = condition == 1;
		return condition != UNKNOWN;
	}
	return false;
}

/* Computes the state after an instruction from the state before it. */
static void advance(const struct decoded *decoded, uint64_t at, const struct register_state *before,
	const struct known_memory *memory, struct register_state *after)
{
	const ZydisAccessedFlags *flags = decoded->instruction.cpu_flags;
	const ZydisDecodedOperand *first = &decoded->operands[0];
	uint64_t one = 0, other = 0, result;
	unsigned width = decoded->instruction.operand_width / 8;
	bool has_other = decoded->instruction.operand_count_visible > 1;
	/* imul and the shifts of BMI2 read the second and third operand. */
	unsigned source = decoded->instruction.operand_count_visible > 2;

	*after = *before;
	forget(after, written_by(decoded));
	if (flags)
		after->known_flags &= ~(flags->modified | flags->set_0 | flags->set_1 | flags->undefined);
	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH: case ZYDIS_MNEMONIC_PUSHFQ:
		if (has(before, STACK))
			set(after, STACK, before->general[STACK] - width);
		return;
	case ZYDIS_MNEMONIC_POP: case ZYDIS_MNEMONIC_POPFQ:
		if (!has(before, STACK) || (is_register(first) && number_of(first->reg.value) == STACK))
			return;
		set(after, STACK, before->general[STACK] + width);
		if (is_register(first) && load_of(memory, before->general[STACK], width, &result))
			put(after, first, before, result);
		return;
	case ZYDIS_MNEMONIC_XCHG:
		for (unsigned i = 0; i < 2; i++) {
			if (is_register(&decoded->operands[i]) && value_of(decoded, at, !i, before, memory, &result))
				put(after, &decoded->operands[i], before, result);
		}
		return;
	case ZYDIS_MNEMONIC_XOR: case ZYDIS_MNEMONIC_SUB:
		if (is_same_register(decoded)) {
			put(after, first, before, 0);
			set_flags(after, CONDITIONS, flags_of(0, 64));
			return;
		}
		break;
	/* imul with one operand writes two registers. */
	case ZYDIS_MNEMONIC_IMUL:
		if (!has_other)
			return;
		break;
	default:
		break;
	}
	if (move_of(decoded, at, before, memory, &result)) {
		if (is_register(first))
			put(after, first, before, result);
		return;
	}
	if (!value_of(decoded, at, source, before, memory, &one) ||
		(has_other && !value_of(decoded, at, source + 1, before, memory, &other)) ||
		!compute(decoded, one, other, after, &result))
		return;
	if (is_register(first) && first->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		put(after, first, before, result);
}

/* --- backward --- */

/* Returns the number of a 64-bit register. */
static int whole_of(const ZydisDecodedOperand *operand)
{
	return is_register(operand) && operand->size == 64 ? number_of(operand->reg.value) : UNKNOWN;
}

/* Computes the destination's value before the instruction, from the result and, with two operands, the source. */
static bool undo(const struct decoded *decoded, uint64_t result, uint64_t source, uint64_t *value)
{
	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
		*value = result - source;
		return true;
	case ZYDIS_MNEMONIC_SUB:
		*value = result + source;
		return true;
	case ZYDIS_MNEMONIC_XOR:
		*value = result ^ source;
		return true;
	case ZYDIS_MNEMONIC_INC:
		*value = result - 1;
		return true;
	case ZYDIS_MNEMONIC_DEC:
		*value = result + 1;
		return true;
	case ZYDIS_MNEMONIC_NEG:
		*value = 0 - result;
		return true;
	case ZYDIS_MNEMONIC_NOT:
		*value = ~result;
		return true;
	case ZYDIS_MNEMONIC_BSWAP:
		*value = __builtin_bswap64(result);
		return true;
	default:
		return false;
	}
}

/* The base is computed if the rest of the sum is known. */
static void undo_lea(const struct decoded *decoded, uint64_t at, const struct register_state *after, int destination,
	struct register_state *before)
{
	const ZydisDecodedOperandMem *memory = &decoded->operands[1].mem;
	struct register_state rest = *before;
	int base = number_of(memory->base);
	uint64_t sum;

	if (base == UNKNOWN || base == number_of(memory->index) || decoded->instruction.address_width != 64)
		return;
	set(&rest, base, 0);
	if (sum_of(decoded, at, memory, &rest, &sum))
		set(before, base, after->general[destination] - sum);
}

/* Adds to the state before an instruction the values that follow from the state after it. */
static void retreat(const struct decoded *decoded, uint64_t at, const struct register_state *after, struct register_state *before)
{
	uint16_t written = written_by(decoded);
	const ZydisDecodedOperand *first = &decoded->operands[0], *second = &decoded->operands[1];
	int destination = whole_of(first), source = whole_of(second);
	bool has_two = decoded->instruction.operand_count_visible == 2;
	uint64_t value, other = 0;

	for (int i = 0; i < 16; i++) {
		if (!(written >> i & 1) && has(after, i))
			set(before, i, after->general[i]);
	}
	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH: case ZYDIS_MNEMONIC_PUSHFQ:
		if (has(after, STACK))
			set(before, STACK, after->general[STACK] + decoded->instruction.operand_width / 8);
		return;
	case ZYDIS_MNEMONIC_POP: case ZYDIS_MNEMONIC_POPFQ:
		if (has(after, STACK) && destination != STACK)
			set(before, STACK, after->general[STACK] - decoded->instruction.operand_width / 8);
		return;
	default:
		break;
	}
	if (!has(after, destination) || decoded->instruction.operand_count_visible > 2)
		return;
	value = after->general[destination];
	switch (decoded->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		if (source != UNKNOWN)
			set(before, source, value);
		return;
	case ZYDIS_MNEMONIC_XCHG:
		if (source != UNKNOWN)
			set(before, source, value);
		if (has(after, source))
			set(before, destination, after->general[source]);
		return;
	case ZYDIS_MNEMONIC_LEA:
		undo_lea(decoded, at, after, destination, before);
		return;
	default:
		break;
	}
	if (has_two && (second->type == ZYDIS_OPERAND_TYPE_MEMORY || !value_of(decoded, at, 1, before, NULL, &other)))
		return;
	if (undo(decoded, value, other, &value))
		set(before, destination, value);
}

/* --- the load --- */

static struct instruction_registers registers_of(const struct register_state *state, const struct instruction_registers *sampled)
{
	struct instruction_registers registers = {.unknown = (uint16_t)(ALL & ~state->known), .flags = sampled->flags,
		.segments = sampled->segments};

	for (unsigned i = 0; i < 16; i++)
		registers.general[i] = state->general[i];
	return registers;
}

static bool may_store(const struct decoded *decoded)
{
	bool may = false;

	for (unsigned i = 0; i < decoded->instruction.operand_count; i++)
		may |= decoded->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
			decoded->operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	return may;
}

/* Records the stores of an instruction. */
static void note_stores(const struct decoded *decoded, const uint8_t *code, uint64_t at, const struct register_state *before,
	const struct instruction_registers *sampled, struct known_memory *memory)
{
	const struct instruction_registers known = registers_of(before, sampled);
	bool is_move = decoded->instruction.mnemonic == ZYDIS_MNEMONIC_MOV, is_push =
		decoded->instruction.mnemonic == ZYDIS_MNEMONIC_PUSH;
	unsigned accesses = 1;

	for (unsigned i = 0; i < accesses; i++) {
		struct instruction_access access = {.of = 1};
		enum instruction_answer answer = instruction_access(code, decoded->instruction.length, at, &known, false, i,
			&access);
		struct memory_store store = {.address = access.address, .bytes = access.bytes};

		accesses = access.of;
		if (answer == INSTRUCTION_NO_MEMORY)
			return;
		if (answer == INSTRUCTION_ACCESS && !access.is_written)
			continue;
		if (answer == INSTRUCTION_ACCESS && (is_move || is_push))
			store.is_known = value_of(decoded, at, is_move, before, memory, &store.value);
		if (answer == INSTRUCTION_ACCESS && access.bytes && !instruction_repeats(code, decoded->instruction.length)) {
			store.value = cut(store.value, 8 * store.bytes);
			add_store(memory, &store);
		} else if (may_store(decoded)) {
			memory->count = 0;
			memory->is_lost = true;
		}
	}
}

/* A system call is not straight: the kernel writes registers that are no operands. */
static bool is_straight(const struct decoded *decoded)
{
	switch (decoded->instruction.meta.category) {
	case ZYDIS_CATEGORY_CALL: case ZYDIS_CATEGORY_RET: case ZYDIS_CATEGORY_SYSCALL: case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_INTERRUPT: case ZYDIS_CATEGORY_SYSTEM: case ZYDIS_CATEGORY_UNCOND_BR:
		return false;
	default:
		return decoded->instruction.mnemonic != ZYDIS_MNEMONIC_LEAVE &&
			decoded->instruction.mnemonic != ZYDIS_MNEMONIC_ENTER;
	}
}

struct basic_block {
	const uint8_t *code;
	uint64_t at;
	size_t offsets[RECOVER_BLOCK + 1]; /* the last one: the end */
	size_t count;
	struct register_state before[RECOVER_BLOCK + 1];
};

/* Decodes the last instructions that run one after the other. */
static bool find_block(const uint8_t *code, size_t size, struct basic_block *block)
{
	struct decoded decoded;

	block->count = 0;
	for (size_t offset = 0; offset < size; offset += decoded.instruction.length) {
		if (block->count == RECOVER_BLOCK || !decode(code + offset, size - offset, &decoded))
			return false;
		block->offsets[block->count] = offset;
		block->before[block->count] = (struct register_state){.known = 0};
		block->count = is_straight(&decoded) ? block->count + 1 : 0;
	}
	block->offsets[block->count] = size;
	return block->count;
}

static void decode_in(const struct basic_block *block, size_t index, struct decoded *decoded)
{
	(void)decode(block->code + block->offsets[index], block->offsets[index + 1] - block->offsets[index], decoded);
}

/* Finds the memory before an instruction of the block: the stores of this and later instructions have replaced unknown values. */
static void find_memory(const struct basic_block *block, size_t index, const struct instruction_registers *registers,
	struct known_memory *memory)
{
	struct decoded decoded;

	memory->count = 0;
	memory->is_lost = false;
	for (size_t i = index; i < block->count && !memory->is_lost; i++) {
		unsigned from = memory->count;

		decode_in(block, i, &decoded);
		note_stores(&decoded, block->code + block->offsets[i], block->at + block->offsets[i], &block->before[i], registers,
			memory);
		for (; from < memory->count; from++)
			memory->stores[from].is_known = false;
	}
}

enum instruction_answer recover_before(const uint8_t *code, size_t size, uint64_t at,
	const struct instruction_registers *registers, const struct recover_stack *stack, unsigned pick,
	struct instruction_access *access)
{
	struct basic_block block = {.code = code, .at = at};
	struct known_memory memory = {.stack = stack};
	struct instruction_registers known;
	struct decoded decoded;
	size_t last;

	if (!find_block(code, size, &block))
		return INSTRUCTION_CLOBBERED;
	last = block.count - 1;
	block.before[block.count] = (struct register_state){.known = (uint16_t)(ALL & ~registers->unknown)};
	for (unsigned i = 0; i < 16; i++)
		block.before[block.count].general[i] = registers->general[i];
	/* Each direction uses the results of the other; two rounds suffice for compiled code. */
	for (unsigned round = 0; round < 2; round++) {
		for (size_t i = block.count; i-- > 0;) {
			decode_in(&block, i, &decoded);
			retreat(&decoded, at + block.offsets[i], &block.before[i + 1], &block.before[i]);
		}
		for (size_t i = 0; i < last; i++) {
			struct register_state next;

			find_memory(&block, i, registers, &memory);
			decode_in(&block, i, &decoded);
			advance(&decoded, at + block.offsets[i], &block.before[i], &memory, &next);
			for (int number = 0; number < 16; number++) {
				if (has(&next, number))
					set(&block.before[i + 1], number, next.general[number]);
			}
		}
	}
	known = registers_of(&block.before[last], registers);
	return instruction_access(code + block.offsets[last], size - block.offsets[last], at + block.offsets[last], &known, false,
		pick, access);
}

static bool is_clobbering(const struct decoded *decoded)
{
	uint16_t written = written_by(decoded);

	if (decoded->instruction.meta.category == ZYDIS_CATEGORY_STRINGOP)
		return false;
	for (unsigned i = 0; i < decoded->instruction.operand_count_visible; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];

		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->mem.type != ZYDIS_MEMOP_TYPE_MEM)
			continue;
		for (unsigned j = 0; j < 2; j++) {
			int number = number_of(j ? operand->mem.index : operand->mem.base);

			if (number != UNKNOWN && number != STACK && written >> number & 1)
				return true;
		}
	}
	return false;
}

/* A path through the code, and the known values on it. */
struct recover_way {
	uint64_t at;
	struct register_state state;
	struct known_memory memory;
};

struct recover_walk {
	recover_code *code;
	void *context;
	const struct instruction_registers *registers;
	unsigned steps, pick;
	uint64_t load; /* the result, with access */
	struct instruction_access access;
};

/* Calls must be within the code. Returns 1, or UNKNOWN. */
static int follow_call(const struct decoded *decoded, struct recover_way *way, uint64_t next, uint64_t *target)
{
	struct register_state *state = &way->state;
	bool is_call = decoded->instruction.meta.category == ZYDIS_CATEGORY_CALL, is_plain = is_call
		? decoded->instruction.raw.imm[0].is_relative : decoded->instruction.opcode == 0xc3;

	if (!is_plain || !has(state, STACK))
		return UNKNOWN;
	if (is_call) {
		state->general[STACK] -= sizeof(next);
		add_store(&way->memory, &(struct memory_store){state->general[STACK], next, sizeof(next), true});
		return 1;
	}
	if (!load_of(&way->memory, state->general[STACK], sizeof(next), target))
		return UNKNOWN;
	state->general[STACK] += sizeof(next);
	return 1;
}

/* Tells whether a jump is taken: 1, 0, or UNKNOWN. */
static int leads(const struct decoded *decoded, struct recover_way *way, uint64_t next, uint64_t *target)
{
	const ZydisDecodedInstruction *instruction = &decoded->instruction;

	*target = next + (uint64_t)instruction->raw.imm[0].value.s;
	switch (instruction->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return holds(&way->state, instruction->opcode & 15);
	case ZYDIS_CATEGORY_UNCOND_BR:
		return instruction->raw.imm[0].is_relative ? 1 : UNKNOWN;
	case ZYDIS_CATEGORY_CALL: case ZYDIS_CATEGORY_RET:
		return follow_call(decoded, way, next, target);
	default:
		return is_straight(decoded) ? 0 : UNKNOWN;
	}
}

/* Other conditional jumps, such as loop, are rare. */
static bool is_conditional(const ZydisDecodedInstruction *instruction)
{
	return (instruction->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && instruction->opcode >> 4 == 7) ||
		(instruction->opcode_map == ZYDIS_OPCODE_MAP_0F && instruction->opcode >> 4 == 8);
}

/* The path is modified. */
static enum instruction_answer walk_on(struct recover_walk *walk, struct recover_way *way, unsigned forks)
{
	while (walk->steps--) {
		size_t size = INSTRUCTION_MAX;
		const uint8_t *bytes = walk->code(walk->context, way->at, &size);
		enum instruction_answer answer;
		struct decoded decoded;
		struct register_state before = way->state;
		uint64_t target, next;
		int is_taken;

		if (!bytes || !decode(bytes, size, &decoded))
			return INSTRUCTION_CLOBBERED;
		if (is_clobbering(&decoded)) {
			struct instruction_registers known = registers_of(&before, walk->registers);

			walk->load = way->at;
			return instruction_access(bytes, size, way->at, &known, false, walk->pick, &walk->access);
		}
		next = way->at + decoded.instruction.length;
		if (decoded.instruction.meta.category == ZYDIS_CATEGORY_COND_BR && !is_conditional(&decoded.instruction))
			return INSTRUCTION_CLOBBERED;
		is_taken = leads(&decoded, way, next, &target);
		if (is_taken == UNKNOWN && is_conditional(&decoded.instruction) && forks) {
			struct recover_way other = *way;
			uint64_t load, address;

			other.at = target;
			answer = walk_on(walk, &other, forks - 1);
			load = walk->load;
			address = walk->access.address;
			way->at = next;
			if (answer == INSTRUCTION_ACCESS)
				answer = walk_on(walk, way, forks - 1);
			return answer == INSTRUCTION_ACCESS && (load != walk->load || address != walk->access.address)
				? INSTRUCTION_CLOBBERED : answer;
		}
		if (is_taken == UNKNOWN)
			return INSTRUCTION_CLOBBERED;
		if (is_straight(&decoded)) {
			advance(&decoded, way->at, &before, &way->memory, &way->state);
			note_stores(&decoded, bytes, way->at, &before, walk->registers, &way->memory);
		}
		way->at = is_taken ? target : next;
	}
	return INSTRUCTION_CLOBBERED;
}

enum instruction_answer recover_next(recover_code *code, void *context, uint64_t at,
	const struct instruction_registers *registers, const struct recover_stack *stack, unsigned pick, uint64_t *load,
	struct instruction_access *access)
{
	struct recover_walk walk = {.code = code, .context = context, .registers = registers, .steps = RECOVER_STEPS, .pick = pick};
	struct recover_way way = {.at = at, .state = {.known = (uint16_t)(ALL & ~registers->unknown),
		.flags = (uint32_t)registers->flags, .known_flags = CONDITIONS}, .memory = {.stack = stack}};
	enum instruction_answer answer;

	for (unsigned i = 0; i < 16; i++)
		way.state.general[i] = registers->general[i];
	answer = walk_on(&walk, &way, FORKS);
	if (answer == INSTRUCTION_ACCESS) {
		*load = walk.load;
		*access = walk.access;
	}
	return answer;
}

#else

enum instruction_answer recover_before(const uint8_t *code, size_t size, uint64_t at,
	const struct instruction_registers *registers, const struct recover_stack *stack, unsigned pick,
	struct instruction_access *access)
{
	(void)code;
	(void)size;
	(void)at;
	(void)registers;
	(void)stack;
	(void)pick;
	(void)access;
	return INSTRUCTION_CLOBBERED;
}

enum instruction_answer recover_next(recover_code *code, void *context, uint64_t at,
	const struct instruction_registers *registers, const struct recover_stack *stack, unsigned pick, uint64_t *load,
	struct instruction_access *access)
{
	(void)code;
	(void)context;
	(void)at;
	(void)registers;
	(void)stack;
	(void)pick;
	(void)load;
	(void)access;
	return INSTRUCTION_CLOBBERED;
}

#endif
