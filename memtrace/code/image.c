/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/code/image.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/input.h"
#include "memtrace/code/instruction.h"
#include "memtrace/file/read_at.h"
#include "memtrace/file/search.h"

#define PARTS_MAX 8
#define HEADERS_MAX 64
#define POINTER_RELATIVE_4 0x1b /* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */
#define COUNT_4 0x03            /* DW_EH_PE_udata4 */
#define TABLE_RELATIVE_4 0x3b   /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */
#define TABLE_HEAD 12           /* version, three encodings, .eh_frame, the number of functions */

/* A loaded part of the file. */
struct image_part {
	uint64_t offset, address, size;
	uint8_t *bytes;
	uint8_t *starts; /* a bit for each byte at which an instruction begins; NULL unless it is code */
	uint8_t *targets; /* a bit for each byte to which a jump may lead; NULL until it is needed */
};

struct image {
	struct image_part parts[PARTS_MAX];
	size_t part_count;
	uint64_t table_address;
	const uint8_t *table; /* pairs of i32: function, description; both counted from table_address */
	size_t functions;
	uint8_t *swept;       /* a bit for each function whose instructions are decoded */
	uint8_t *indirect;    /* a bit for each function that has a jump to a computed place */
	uint8_t *searched;    /* a bit for each function whose jump targets are known */
};

struct image_source {
	int fd;
	const uint8_t *bytes; /* instead of fd */
	uint64_t size;
};

static int read_from(const struct image_source *source, uint64_t offset, void *bytes, size_t size)
{
	int err;

	if (offset > source->size || size > source->size - offset)
		return -ENOEXEC;
	if (source->bytes) {
		memcpy(bytes, source->bytes + offset, size);
		return 0;
	}
	err = read_at(source->fd, offset, bytes, size);
	return err == -ENODATA ? -ENOEXEC : err;
}

static int32_t i32_at(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return (int32_t)le32toh(value);
}

static bool has_bit(const uint8_t *bits, uint64_t index)
{
	return bits[index / 8] >> (index % 8) & 1;
}

static void set_bit(uint8_t *bits, uint64_t index)
{
	bits[index / 8] |= (uint8_t)(1u << (index % 8));
}

/* The bytes must be in one part; else NULL. */
static const uint8_t *at_address(const struct image *image, uint64_t address, uint64_t size, const struct image_part **part)
{
	for (size_t i = 0; i < image->part_count; i++) {
		const struct image_part *one = &image->parts[i];

		if (address < one->address || address - one->address > one->size || size > one->size - (address - one->address))
			continue;
		if (part)
			*part = one;
		return one->bytes + (address - one->address);
	}
	return NULL;
}

static int load_part(struct image *image, const struct image_source *source, const Elf64_Phdr *header)
{
	struct image_part *part = &image->parts[image->part_count];
	bool is_code = header->p_flags & PF_X;

	if (image->part_count == PARTS_MAX || header->p_offset > source->size ||
		header->p_filesz > source->size - header->p_offset)
		return -ENOEXEC;
	*part = (struct image_part){header->p_offset, header->p_vaddr, header->p_filesz, NULL, NULL, NULL};
	image->part_count++;
	part->bytes = malloc(part->size + 1);
	if (is_code)
		part->starts = calloc(1, part->size / 8 + 1);
	if (!part->bytes || (is_code && !part->starts))
		return -ENOMEM;
	return read_from(source, part->offset, part->bytes, part->size);
}

static int find_table(struct image *image, const Elf64_Phdr *header)
{
	const uint8_t *head = at_address(image, header->p_vaddr, header->p_memsz, NULL);
	uint64_t functions;

	if (!head || header->p_memsz < TABLE_HEAD || head[0] != 1 || head[1] != POINTER_RELATIVE_4 || head[2] != COUNT_4 ||
		head[3] != TABLE_RELATIVE_4)
		return -ENODATA;
	functions = (uint32_t)i32_at(head + 8);
	if (functions > (header->p_memsz - TABLE_HEAD) / 8)
		return -ENOEXEC;
	image->table_address = header->p_vaddr;
	image->table = head + TABLE_HEAD;
	image->functions = (size_t)functions;
	image->swept = calloc(1, image->functions / 8 + 1);
	image->indirect = calloc(1, image->functions / 8 + 1);
	image->searched = calloc(1, image->functions / 8 + 1);
	return image->swept && image->indirect && image->searched ? 0 : -ENOMEM;
}

static int load(const struct image_source *source, struct image *image)
{
	Elf64_Phdr headers[HEADERS_MAX] = {{0}};
	const Elf64_Phdr *table = NULL;
	Elf64_Ehdr elf;
	int err = read_from(source, 0, &elf, sizeof(elf));

	if (!err && (memcmp(elf.e_ident, ELFMAG, SELFMAG) || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
			elf.e_ident[EI_DATA] != ELFDATA2LSB || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ ||
			elf.e_phentsize != sizeof(headers[0]) || elf.e_phnum > HEADERS_MAX))
		err = -ENOEXEC;
	if (!err)
		err = read_from(source, elf.e_phoff, headers, elf.e_phnum * sizeof(headers[0]));
	for (unsigned i = 0; !err && i < elf.e_phnum; i++) {
		if (headers[i].p_type == PT_GNU_EH_FRAME)
			table = &headers[i];
	}
	if (!err && !table)
		err = -ENODATA;
	for (unsigned i = 0; !err && i < elf.e_phnum; i++) {
		const Elf64_Phdr *header = &headers[i];
		bool has_table = table->p_vaddr >= header->p_vaddr && table->p_vaddr - header->p_vaddr < header->p_filesz;

		if (header->p_type == PT_LOAD && (header->p_flags & PF_X || has_table))
			err = load_part(image, source, header);
	}
	return err ? err : find_table(image, table);
}

static int open_from(const struct image_source *source, struct image **image)
{
	struct image *new = calloc(1, sizeof(*new));
	int err = new ? load(source, new) : -ENOMEM;

	if (err) {
		image_close(new);
		return err;
	}
	*image = new;
	return 0;
}

int image_open(const char *path, struct image **image)
{
	struct image_source source = {0};
	int err = input_open(path, INPUT_PROGRAM_MAX, &source.fd, &source.size);

	if (err)
		return err;
	err = open_from(&source, image);
	close(source.fd);
	return err;
}

int image_from_memory(const void *bytes, size_t size, struct image **image)
{
	struct image_source source = {.fd = -1, .bytes = bytes, .size = size};

	return open_from(&source, image);
}

int image_from_code(uint64_t address, const void *bytes, size_t size, struct image **image)
{
	/* The function has no description. */
	static const uint8_t table[8] = {0};
	struct image *new = calloc(1, sizeof(*new));
	struct image_part *part = new ? &new->parts[0] : NULL;

	if (!new)
		return -ENOMEM;
	*part = (struct image_part){address, address, size, malloc(size + 1), calloc(1, size / 8 + 1), NULL};
	new->part_count = 1;
	new->table_address = address;
	new->table = table;
	new->functions = 1;
	new->swept = calloc(1, 1);
	new->indirect = calloc(1, 1);
	new->searched = calloc(1, 1);
	if (!part->bytes || !part->starts || !new->swept || !new->indirect || !new->searched) {
		image_close(new);
		return -ENOMEM;
	}
	memcpy(part->bytes, bytes, size);
	set_bit(new->indirect, 0);
	*image = new;
	return 0;
}

void image_close(struct image *image)
{
	if (!image)
		return;
	for (size_t i = 0; i < image->part_count; i++) {
		free(image->parts[i].bytes);
		free(image->parts[i].starts);
		free(image->parts[i].targets);
	}
	free(image->swept);
	free(image->indirect);
	free(image->searched);
	free(image);
}

size_t image_functions(const struct image *image)
{
	return image->functions;
}

static struct image_part *code_of(const struct image *image, uint64_t offset)
{
	for (size_t i = 0; i < image->part_count; i++) {
		const struct image_part *part = &image->parts[i];

		if (part->starts && offset >= part->offset && offset - part->offset < part->size)
			return (struct image_part *)part;
	}
	return NULL;
}

const uint8_t *image_code(const struct image *image, uint64_t offset, size_t *size)
{
	const struct image_part *part = code_of(image, offset);
	uint64_t left;

	if (!part)
		return NULL;
	left = part->size - (offset - part->offset);
	*size = *size < left ? *size : (size_t)left;
	return part->bytes + (offset - part->offset);
}

/* --- functions --- */

static uint64_t address_of(const struct image *image, size_t function)
{
	return image->table_address + (uint64_t)(int64_t)i32_at(image->table + 8 * function);
}

static bool find_function(const struct image *image, uint64_t address, size_t *function)
{
	size_t next = SEARCH(image->functions, i, address_of(image, i) <= address);

	*function = next - 1;
	return next > 0;
}

/* Returns the end of a function: that of its description, if it has the form that compilers use, or the begin of the next
 * function. */
static uint64_t end_of(const struct image *image, size_t function)
{
	uint64_t begin = address_of(image, function), end = UINT64_MAX;
	uint64_t description = image->table_address + (uint64_t)(int64_t)i32_at(image->table + 8 * function + 4);
	/* It begins with four fields of 4 bytes: length, pointer to the common part, begin relative to itself, size. */
	const uint8_t *bytes = at_address(image, description, 16, NULL);

	if (function + 1 < image->functions)
		end = address_of(image, function + 1);
	if (bytes && description + 8 + (uint64_t)(int64_t)i32_at(bytes + 8) == begin) {
		uint64_t described = begin + (uint32_t)i32_at(bytes + 12);

		end = described < end ? described : end;
	}
	return end;
}

static void sweep(struct image *image, size_t function)
{
	uint64_t begin = address_of(image, function), end = end_of(image, function), at;
	const struct image_part *part = NULL;

	set_bit(image->swept, function);
	if (!at_address(image, begin, 1, &part) || !part->starts)
		return;
	begin -= part->address;
	end = end - part->address < part->size ? end - part->address : part->size;
	for (at = begin; at < end;) {
		struct instruction_shape shape;

		set_bit(part->starts, at);
		if (!instruction_shape(part->bytes + at, (size_t)(part->size - at), &shape))
			break;
		if (shape.is_indirect)
			set_bit(image->indirect, function);
		at += shape.bytes;
	}
}

enum image_answer image_before(struct image *image, uint64_t offset, unsigned *bytes)
{
	struct image_part *part = code_of(image, offset);
	struct instruction_shape shape;
	uint64_t at, begin;
	size_t function;

	if (!part)
		return IMAGE_NO_CODE;
	at = offset - part->offset;
	if (!find_function(image, part->address + at, &function))
		return IMAGE_NO_CODE;
	if (!has_bit(image->swept, function))
		sweep(image, function);
	if (!has_bit(part->starts, at))
		return IMAGE_NO_CODE;
	begin = address_of(image, function) - part->address;
	if (at == begin)
		return IMAGE_BRANCH;
	for (unsigned back = 1; back <= INSTRUCTION_MAX && back <= at && back <= at - begin; back++) {
		if (!has_bit(part->starts, at - back))
			continue;
		if (!instruction_shape(part->bytes + at - back, back, &shape) || !shape.goes_on)
			return IMAGE_BRANCH;
		*bytes = back;
		return IMAGE_FOUND;
	}
	return IMAGE_NO_CODE;
}

/* --- blocks --- */

/* Finds targets of 32-bit jumps in all code, at any byte, because code between the functions of the table may jump, too. */
static int find_far_targets(struct image_part *part)
{
	part->targets = calloc(1, part->size / 8 + 1);
	if (!part->targets)
		return -ENOMEM;
	for (uint64_t at = 0; at + 5 <= part->size; at++) {
		const uint8_t *bytes = part->bytes + at;
		bool is_jump = bytes[0] == 0xe9 || (bytes[0] & 0xf0) == 0x80;
		uint64_t target = at + 5 + (uint64_t)(int64_t)i32_at(bytes + 1);

		/* The second byte of a conditional jump has the condition. */
		if (bytes[0] != 0xe9 && (!at || bytes[-1] != 0x0f))
			continue;
		if (is_jump && target < part->size)
			set_bit(part->targets, target);
	}
	return 0;
}

#define SHORT_REACH 130 /* bytes that an 8-bit jump reaches, its own included */

/* Finds targets of 8-bit jumps in code near the function, at any byte. */
static void find_short_targets(struct image_part *part, uint64_t begin, uint64_t end)
{
	for (uint64_t at = begin; at < end && at + 2 <= part->size; at++) {
		uint8_t first = part->bytes[at];
		uint64_t target = at + 2 + (uint64_t)(int64_t)(int8_t)part->bytes[at + 1];

		if (((first & 0xf0) == 0x70 || first == 0xeb || (first & 0xfc) == 0xe0) && target < part->size)
			set_bit(part->targets, target);
	}
}

static void find_targets(struct image_part *part, uint64_t begin, uint64_t end)
{
	find_short_targets(part, begin > SHORT_REACH ? begin - SHORT_REACH : 0, begin);
	find_short_targets(part, end, end + SHORT_REACH);
	for (uint64_t at = begin; at < end; at++) {
		struct instruction_shape shape;

		if (has_bit(part->starts, at) && instruction_shape(part->bytes + at, (size_t)(part->size - at), &shape) &&
			shape.is_branch && at + (uint64_t)shape.target < part->size)
			set_bit(part->targets, at + (uint64_t)shape.target);
	}
}

size_t image_block(struct image *image, uint64_t offset, unsigned most)
{
	struct image_part *part = code_of(image, offset);
	uint64_t at, begin, end;
	size_t function;
	unsigned back;

	if (!part || image_before(image, offset, &back) != IMAGE_FOUND || (!part->targets && find_far_targets(part)))
		return 0;
	at = offset - part->offset;
	(void)find_function(image, part->address + at, &function);
	if (has_bit(image->indirect, function))
		return 0;
	begin = address_of(image, function) - part->address;
	end = end_of(image, function) - part->address;
	if (!has_bit(image->searched, function))
		find_targets(part, begin, end < part->size ? end : part->size);
	set_bit(image->searched, function);
	while (most-- && !has_bit(part->targets, at) && image_before(image, part->offset + at, &back) == IMAGE_FOUND)
		at -= back;
	return offset - part->offset - at;
}
