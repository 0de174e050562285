/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/names/symbols.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/input.h"
#include "memtrace/file/read_at.h"
#include "memtrace/file/search.h"

#define HEADERS_MAX 64

struct symbol {
	uint64_t begin, bytes; /* bytes 0: up to the next one */
	uint32_t name;         /* offset in names */
};

struct symbols {
	int fd;
	uint64_t size; /* of the file */
	Elf64_Phdr headers[HEADERS_MAX];
	size_t header_count;
	struct symbol *list; /* by address */
	size_t count;
	char *names;
	uint64_t name_bytes; /* the last one is NUL */
};

static int read_part(const struct symbols *symbols, uint64_t offset, void *bytes, uint64_t size)
{
	int err;

	if (offset > symbols->size || size > symbols->size - offset)
		return -ENOEXEC;
	err = read_at(symbols->fd, offset, bytes, size);
	return err == -ENODATA ? -ENOEXEC : err;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *one = a, *other = b;

	if (one->begin != other->begin)
		return one->begin < other->begin ? -1 : 1;
	/* Of two names of a function the one with a size is first, then the first of the file. */
	if (!one->bytes != !other->bytes)
		return one->bytes ? -1 : 1;
	return (one->name > other->name) - (one->name < other->name);
}

static int read_table(struct symbols *symbols, const Elf64_Shdr *table, const Elf64_Shdr *names)
{
	uint64_t count = table->sh_size / sizeof(Elf64_Sym);
	Elf64_Sym *read;
	int err;

	if (table->sh_entsize != sizeof(*read) || table->sh_size > symbols->size || names->sh_size > symbols->size ||
		names->sh_size > UINT32_MAX || !names->sh_size || !count)
		return -ENOEXEC;
	read = malloc(count * sizeof(*read));
	symbols->list = malloc(count * sizeof(*symbols->list));
	symbols->names = malloc(names->sh_size);
	err = read && symbols->list && symbols->names ? 0 : -ENOMEM;
	if (!err)
		err = read_part(symbols, table->sh_offset, read, count * sizeof(*read));
	if (!err)
		err = read_part(symbols, names->sh_offset, symbols->names, names->sh_size);
	symbols->name_bytes = names->sh_size;
	if (!err)
		symbols->names[names->sh_size - 1] = '\0';
	for (uint64_t i = 0; i < count && !err; i++) {
		if (ELF64_ST_TYPE(read[i].st_info) != STT_FUNC || read[i].st_shndx == SHN_UNDEF ||
			read[i].st_name >= names->sh_size)
			continue;
		symbols->list[symbols->count++] = (struct symbol){read[i].st_value, read[i].st_size, read[i].st_name};
	}
	free(read);
	if (symbols->count)
		qsort(symbols->list, symbols->count, sizeof(*symbols->list), compare_symbols);
	return err;
}

static int read_sections(struct symbols *symbols, const Elf64_Ehdr *elf)
{
	Elf64_Shdr *sections;
	const Elf64_Shdr *table = NULL;
	uint64_t count = elf->e_shnum;
	int err;

	if (!count || elf->e_shentsize != sizeof(*sections))
		return 0;
	sections = malloc(count * sizeof(*sections));
	err = sections ? read_part(symbols, elf->e_shoff, sections, count * sizeof(*sections)) : -ENOMEM;
	for (uint64_t i = 0; i < count && !err; i++) {
		if (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && !table))
			table = &sections[i];
	}
	if (!err && table && table->sh_link < count)
		err = read_table(symbols, table, &sections[table->sh_link]);
	free(sections);
	return err;
}

static int read_file(struct symbols *symbols)
{
	Elf64_Ehdr elf;
	int err = read_part(symbols, 0, &elf, sizeof(elf));

	if (err || memcmp(elf.e_ident, ELFMAG, SELFMAG) || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
		elf.e_ident[EI_DATA] != ELFDATA2LSB || __BYTE_ORDER != __LITTLE_ENDIAN)
		return err ? err : -ENOEXEC;
	if (elf.e_phentsize != sizeof(Elf64_Phdr) || elf.e_phnum > HEADERS_MAX)
		return -ENOEXEC;
	err = read_part(symbols, elf.e_phoff, symbols->headers, elf.e_phnum * sizeof(Elf64_Phdr));
	symbols->header_count = elf.e_phnum;
	return err ? err : read_sections(symbols, &elf);
}

int symbols_open(const char *path, struct symbols **symbols)
{
	struct symbols *new = calloc(1, sizeof(*new));
	int err;

	if (!new)
		return -ENOMEM;
	new->fd = -1;
	err = input_open(path, INPUT_PROGRAM_MAX, &new->fd, &new->size);
	if (!err)
		err = read_file(new);
	if (err) {
		symbols_close(new);
		return err;
	}
	*symbols = new;
	return 0;
}

bool symbols_address(const struct symbols *symbols, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < symbols->header_count; i++) {
		const Elf64_Phdr *header = &symbols->headers[i];

		if (header->p_type != PT_LOAD || offset < header->p_offset || offset - header->p_offset >= header->p_filesz)
			continue;
		*address = offset - header->p_offset + header->p_vaddr;
		return true;
	}
	return false;
}

const char *symbols_find(const struct symbols *symbols, uint64_t address, uint64_t *begin)
{
	size_t next = SEARCH(symbols->count, i, symbols->list[i].begin <= address);
	const struct symbol *symbol;

	if (!next)
		return NULL;
	symbol = &symbols->list[next - 1];
	/* If several functions begin there, the first is used. */
	while (symbol > symbols->list && symbol[-1].begin == symbol->begin)
		symbol--;
	if (symbol->bytes && address - symbol->begin >= symbol->bytes)
		return NULL;
	*begin = symbol->begin;
	return symbols->names + symbol->name;
}

void symbols_close(struct symbols *symbols)
{
	if (!symbols)
		return;
	if (symbols->fd >= 0)
		close(symbols->fd);
	free(symbols->list);
	free(symbols->names);
	free(symbols);
}
