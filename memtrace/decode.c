/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/decode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "common/arena.h"
#include "memtrace/image.h"
#include "memtrace/instruction.h"

#define SLOTS 256            /* mappings whose image is remembered */
#define VDSO_BYTES 8192
#define IP_REGISTER 8        /* enum perf_event_x86_regs */

/* A file as it was when it was opened; a path may name several in turn. */
struct known {
	struct stat status;
	struct image *image; /* NULL: it has no table of functions */
};

struct slot {
	uint32_t pid;
	uint64_t begin, from_ns; /* of the region; begin 0 = free */
	struct image *image;
};

struct decoder {
	unsigned skid;
	struct known *known;
	size_t count, room;
	struct image *vdso;
	struct slot slots[SLOTS];
};

int decoder_new(unsigned skid, struct decoder **decoder)
{
	struct decoder *new = calloc(1, sizeof(*new));
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (!new)
		return -ENOMEM;
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
	struct known new = {0};

	if (!strcmp(region->name, "[vdso]"))
		return decoder->vdso;
	if (region->name[0] != '/' || region->name[1] == '/')
		return NULL;
	/* As the process sees it, which may be in a container, or may have ended. */
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
	if (arena_grow(&decoder->known, &decoder->room, decoder->count, sizeof(*decoder->known)))
		return NULL;
	if (image_open(path, &new.image))
		new.image = NULL;
	decoder->known[decoder->count++] = new;
	return new.image;
}

static struct image *image_of(struct decoder *decoder, const struct region *region)
{
	size_t hash = (size_t)((region->begin >> 12) ^ region->pid ^ (region->from_ns * 0x9e3779b97f4a7c15ull >> 40)) % SLOTS;
	struct slot *slot = &decoder->slots[hash];

	if (slot->begin != region->begin || slot->pid != region->pid || slot->from_ns != region->from_ns)
		*slot = (struct slot){region->pid, region->begin, region->from_ns, find_image(decoder, region)};
	return slot->image;
}

static void set_registers(const uint64_t *words, struct instruction_registers *registers)
{
	/* The kernel's order is ax, bx, cx, dx, si, di, bp, sp, ip, flags, r8 to r15. */
	static const uint8_t numbers[8] = {0, 3, 1, 2, 6, 7, 5, 4};

	for (unsigned i = 0; i < 8; i++)
		registers->general[numbers[i]] = words[i];
	registers->flags = words[IP_REGISTER + 1];
	for (unsigned i = 0; i < 8; i++)
		registers->general[8 + i] = words[IP_REGISTER + 2 + i];
}

/* The code of the access, how far before the instruction pointer it is, and whether it is done. */
struct place {
	const uint8_t *code;
	size_t size;
	unsigned back;
	bool is_after;
};

static enum trace_loss find_place(struct decoder *decoder, struct image *image, uint64_t offset, struct place *place)
{
	*place = (struct place){.size = INSTRUCTION_MAX};
	place->code = image ? image_code(image, offset, &place->size) : NULL;
	if (!place->code)
		return TRACE_NO_CODE;
	if (!decoder->skid || instruction_repeats(place->code, place->size))
		return TRACE_LOSSES;
	switch (image_before(image, offset, &place->back)) {
	case IMAGE_NO_CODE:
		return TRACE_NO_CODE;
	case IMAGE_BRANCH:
		return TRACE_BRANCH_TARGET;
	default:
		break;
	}
	place->is_after = true;
	place->code -= place->back;
	place->size = place->back;
	return TRACE_LOSSES;
}

static enum trace_loss find_access(const struct place *place, const struct sample_fields *fields, struct trace_sample *sample)
{
	struct instruction_registers registers;
	struct instruction_access access;

	set_registers(fields->registers, &registers);
	sample->ip = fields->ip - place->back;
	/* The last digits of the clock choose among several accesses. */
	switch (instruction_access(place->code, place->size, sample->ip, &registers, place->is_after,
		(unsigned)(fields->time_ns & 0xffff), &access)) {
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
	return TRACE_LOSSES;
}

enum trace_loss decoder_take(struct decoder *decoder, const struct regions *regions, const struct sample_fields *fields,
	struct trace_sample *sample)
{
	const struct region *region;
	struct place place;
	enum trace_loss loss;

	if (!fields->registers || fields->abi != PERF_SAMPLE_REGS_ABI_64)
		return TRACE_NO_CODE;
	region = regions_find(regions, fields->pid, fields->ip, fields->time_ns);
	if (!region)
		return TRACE_NO_CODE;
	loss = find_place(decoder, image_of(decoder, region), fields->ip - region->begin + region->offset, &place);
	if (loss == TRACE_LOSSES)
		loss = find_access(&place, fields, sample);
	if (loss != TRACE_LOSSES)
		return loss;
	sample->time_ns = fields->time_ns;
	sample->tid = fields->tid;
	return regions_find(regions, fields->pid, sample->address, fields->time_ns) ? TRACE_LOSSES : TRACE_OUTSIDE;
}

void decoder_free(struct decoder *decoder)
{
	if (!decoder)
		return;
	for (size_t i = 0; i < decoder->count; i++)
		image_close(decoder->known[i].image);
	free(decoder->known);
	image_close(decoder->vdso);
	free(decoder);
}
