/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/code/decode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "common/base/arena.h"
#include "memtrace/code/image.h"
#include "memtrace/code/instruction.h"
#include "memtrace/code/jit.h"
#include "memtrace/code/recover.h"

#define SLOTS 256            /* mappings whose image is remembered */
#define VDSO_BYTES 8192
#define IP_REGISTER 8        /* enum perf_event_x86_regs */
#define STACK_REGISTER 4     /* struct instruction_registers */

/* A file at the time it was opened; a path may name several files in turn. */
struct known_file {
	struct stat status;
	struct image *image; /* NULL: it has no table of functions */
};

struct decode_slot {
	uint32_t pid;
	uint64_t begin, from_ns; /* of the region; begin 0 = free */
	struct image *image;
};

struct decoder {
	unsigned skid;
	struct known_file *known;
	size_t count, capacity;
	struct image *vdso;
	struct jit *jit;
	uint64_t recovered[TRACE_RECOVERIES];
	struct decode_slot slots[SLOTS];
};

int decoder_new(unsigned skid, struct decoder **decoder)
{
	struct decoder *new = calloc(1, sizeof(*new));
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (!new)
		return -ENOMEM;
	if (jit_new("", &new->jit)) {
		free(new);
		return -ENOMEM;
	}
	new->skid = skid;
	if (vdso && image_from_memory(vdso, VDSO_BYTES, &new->vdso))
		new->vdso = NULL;
	*decoder = new;
	return 0;
}

static bool is_same_file(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino && one->st_size == other->st_size &&
		one->st_mtim.tv_sec == other->st_mtim.tv_sec && one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

static struct image *find_image(struct decoder *decoder, const struct region *region)
{
	char path[TRACE_TEXT_MAX + 32];
	struct known_file new = {0};

	if (!strcmp(region->name, "[vdso]"))
		return decoder->vdso;
	if (region->name[0] != '/' || region->name[1] == '/')
		return NULL;
	/* The process may be in a container, or may have ended. */
	snprintf(path, sizeof(path), "/proc/%u/root%s", region->pid, region->name);
	if (stat(path, &new.status)) {
		snprintf(path, sizeof(path), "%s", region->name);
		if (stat(path, &new.status))
			return NULL;
	}
	for (size_t i = 0; i < decoder->count; i++) {
		if (is_same_file(&decoder->known[i].status, &new.status))
			return decoder->known[i].image;
	}
	if (arena_grow(&decoder->known, &decoder->capacity, decoder->count, sizeof(*decoder->known)))
		return NULL;
	if (image_open(path, &new.image))
		new.image = NULL;
	decoder->known[decoder->count++] = new;
	return new.image;
}

static struct image *image_of(struct decoder *decoder, const struct region *region)
{
	size_t hash = (size_t)((region->begin >> 12) ^ region->pid ^ (region->from_ns * 0x9e3779b97f4a7c15ull >> 40)) % SLOTS;
	struct decode_slot *slot = &decoder->slots[hash];

	if (slot->begin != region->begin || slot->pid != region->pid || slot->from_ns != region->from_ns)
		*slot = (struct decode_slot){region->pid, region->begin, region->from_ns, find_image(decoder, region)};
	return slot->image;
}

struct code_place { /* a range of code and its image */
	struct image *image;
	uint64_t begin, end, offset; /* addresses, and the offset of `begin` in the image */
};

static uint64_t offset_of(const struct code_place *place, uint64_t address)
{
	return address - place->begin + place->offset;
}

static bool find_place(struct decoder *decoder, const struct region *region, uint64_t address, struct code_place *place)
{
	*place = (struct code_place){image_of(decoder, region), region->begin, region->end, region->offset};
	if (!place->image) {
		place->image = jit_image(decoder->jit, region->pid, address);
		place->offset = region->begin;
	}
	return place->image;
}

static const uint8_t *code_at(void *context, uint64_t at, size_t *size)
{
	const struct code_place *place = context;

	return at < place->begin || at >= place->end ? NULL : image_code(place->image, offset_of(place, at), size);
}

/* Finds the address of a load that has overwritten a register of it; sample->ip is the load. */
static enum instruction_answer recover(struct code_place *place, uint64_t ip,
	const struct instruction_registers *registers, const struct recover_stack *stack, unsigned pick,
	struct trace_sample *sample, struct instruction_access *access, enum trace_recovery *recovery)
{
	uint64_t offset = offset_of(place, ip);
	size_t block = image_block(place->image, offset, RECOVER_BLOCK), size = block;
	enum instruction_answer answer = INSTRUCTION_CLOBBERED;

	*recovery = TRACE_BY_PRECEDING;
	if (block)
		answer = recover_before(image_code(place->image, offset - block, &size), block, ip - block, registers, stack, pick,
			access);
	if (answer == INSTRUCTION_CLOBBERED) {
		*recovery = TRACE_BY_NEXT;
		answer = recover_next(code_at, place, ip, registers, stack, pick, &sample->ip, access);
	}
	return answer;
}

enum trace_loss decoder_take(struct decoder *decoder, const struct regions *regions, const struct sample_fields *fields,
	struct trace_sample *sample)
{
	/* The kernel's order is ax, bx, cx, dx, si, di, bp, sp, ip, flags, r8 to r15. */
	static const uint8_t numbers[8] = {0, 3, 1, 2, 6, 7, 5, 4};
	const uint64_t *words = fields->registers;
	struct instruction_registers registers = {.segments = NULL};
	struct instruction_access access;
	enum trace_recovery recovery = TRACE_RECOVERIES;
	enum instruction_answer answer;
	struct recover_stack stack;
	const struct region *region;
	struct code_place place;
	const uint8_t *code;
	size_t size = INSTRUCTION_MAX;
	unsigned back = 0, pick;
	bool is_after;

	if (!words || fields->abi != PERF_SAMPLE_REGS_ABI_64)
		return TRACE_NO_CODE;
	region = regions_find(regions, fields->pid, fields->ip, fields->time_ns);
	if (!region || !find_place(decoder, region, fields->ip, &place))
		return TRACE_NO_CODE;
	code = image_code(place.image, offset_of(&place, fields->ip), &size);
	if (!code)
		return TRACE_NO_CODE;
	is_after = decoder->skid && !instruction_repeats(code, size);
	if (is_after) {
		enum image_answer found = image_before(place.image, offset_of(&place, fields->ip), &back);

		if (found != IMAGE_FOUND)
			return found == IMAGE_BRANCH ? TRACE_BRANCH_TARGET : TRACE_NO_CODE;
		code -= back;
		size = back;
	}
	for (unsigned i = 0; i < 8; i++) {
		registers.general[numbers[i]] = words[i];
		registers.general[8 + i] = words[IP_REGISTER + 2 + i];
	}
	registers.flags = words[IP_REGISTER + 1];
	stack = (struct recover_stack){registers.general[STACK_REGISTER], fields->stack, fields->stack_bytes};
	sample->ip = fields->ip - back;
	/* The low bits of the time choose among several accesses. */
	pick = (unsigned)(fields->time_ns & 0xffff);
	answer = instruction_access(code, size, sample->ip, &registers, is_after, pick, &access);
	if (answer == INSTRUCTION_CLOBBERED)
		answer = recover(&place, fields->ip, &registers, &stack, pick, sample, &access, &recovery);
	switch (answer) {
	case INSTRUCTION_NO_MEMORY:
		return TRACE_NOT_MEMORY;
	case INSTRUCTION_NO_ADDRESS:
		return TRACE_NO_ADDRESS;
	case INSTRUCTION_CLOBBERED:
		return TRACE_CLOBBERED;
	default:
		break;
	}
	sample->address = access.address;
	sample->kind = access.is_read && access.is_written ? TRACE_UPDATE : access.is_written ? TRACE_STORE : TRACE_LOAD;
	sample->time_ns = fields->time_ns;
	sample->tid = fields->tid;
	if (!regions_find(regions, fields->pid, sample->address, fields->time_ns))
		return TRACE_OUTSIDE;
	if (recovery != TRACE_RECOVERIES)
		decoder->recovered[recovery]++;
	return TRACE_LOSSES;
}

const uint64_t *decoder_recovered(const struct decoder *decoder)
{
	return decoder->recovered;
}

void decoder_free(struct decoder *decoder)
{
	if (!decoder)
		return;
	for (size_t i = 0; i < decoder->count; i++)
		image_close(decoder->known[i].image);
	free(decoder->known);
	image_close(decoder->vdso);
	jit_free(decoder->jit);
	free(decoder);
}
