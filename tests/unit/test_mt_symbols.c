/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"
#include "tests/unit/tiny_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "memtrace/names/symbols.h"

/* Behind the small file: its symbols, their names, three sections. */
#define SYMBOLS TINY_BYTES
#define NAMES (SYMBOLS + 5 * sizeof(Elf64_Sym))
#define SECTIONS (NAMES + 32)
#define BYTES (SECTIONS + 3 * sizeof(Elf64_Shdr))

static char root[64], path[128];

static int set_up(void **state)
{
	(void)state;
	fakeroot_make(root);
	snprintf(path, sizeof(path), "%s/elf", root);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fakeroot_remove(root);
	return 0;
}

static void make(uint8_t file[BYTES], uint32_t type)
{
	static const char names[32] = "\0first\0second\0alias\0data";
	const Elf64_Sym symbols[5] = {
		{0},
		{.st_name = 7, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1, .st_value = TINY_CODE_ADDRESS + 16},
		{.st_name = 1, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC), .st_shndx = 1, .st_value = TINY_CODE_ADDRESS,
			.st_size = 14},
		{.st_name = 14, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1, .st_value = TINY_CODE_ADDRESS},
		{.st_name = 20, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), .st_shndx = 1, .st_value = TINY_CODE_ADDRESS + 8},
	};
	const Elf64_Shdr sections[3] = {{0},
		{.sh_type = type, .sh_offset = SYMBOLS, .sh_size = sizeof(symbols), .sh_entsize = sizeof(symbols[0]), .sh_link = 2},
		{.sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = sizeof(names)}};
	Elf64_Ehdr elf;

	memset(file, 0, BYTES);
	tiny_elf(file);
	memcpy(&elf, file, sizeof(elf));
	elf.e_shoff = SECTIONS;
	elf.e_shnum = 3;
	elf.e_shentsize = sizeof(sections[0]);
	memcpy(file, &elf, sizeof(elf));
	memcpy(file + SYMBOLS, symbols, sizeof(symbols));
	memcpy(file + NAMES, names, sizeof(names));
	memcpy(file + SECTIONS, sections, sizeof(sections));
}

static int open_bytes(const uint8_t *bytes, size_t size, struct symbols **symbols)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
	return symbols_open(path, symbols);
}

static const char *at(const struct symbols *symbols, uint64_t offset)
{
	uint64_t address = 0, begin = 0;
	const char *name;

	if (!symbols_address(symbols, offset, &address))
		return "not loaded";
	name = symbols_find(symbols, address, &begin);
	assert_true(!name || begin <= address);
	return name ? name : "none";
}

TEST_WITH("a place in the file is in the function whose symbol has it, in .symtab as in .dynsym", set_up, tear_down)
{
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
	uint8_t file[BYTES];
	struct symbols *symbols;

	for (size_t i = 0; i < 2; i++) {
		make(file, types[i]);
		assert_int_equal(open_bytes(file, BYTES, &symbols), 0);
		assert_string_equal(at(symbols, TINY_CODE_OFFSET), "first");
		assert_string_equal(at(symbols, TINY_CODE_OFFSET + 13), "first");
		assert_string_equal(at(symbols, TINY_CODE_OFFSET + 14), "none");
		assert_string_equal(at(symbols, TINY_CODE_OFFSET + 20), "second");
		assert_string_equal(at(symbols, 0x10), "none");
		assert_string_equal(at(symbols, BYTES), "not loaded");
		symbols_close(symbols);
	}
}

TEST_WITH("a file without symbols has none, and one of another kind is refused", set_up, tear_down)
{
	uint8_t file[BYTES];
	struct symbols *symbols;

	tiny_elf(file);
	assert_int_equal(open_bytes(file, TINY_BYTES, &symbols), 0);
	assert_string_equal(at(symbols, TINY_CODE_OFFSET), "none");
	symbols_close(symbols);
	file[4] = ELFCLASS32;
	assert_int_equal(open_bytes(file, TINY_BYTES, &symbols), -ENOEXEC);
	assert_int_equal(open_bytes(file, 10, &symbols), -ENOEXEC);
	assert_int_equal(symbols_open(root, &symbols), -EISDIR);
	assert_int_equal(symbols_open("/nonexistent", &symbols), -ENOENT);
}

/* Whatever is wrong: it opens or is refused, and what it names ends within the file. */
TEST_WITH("a file with any two bytes changed, or cut off anywhere, names within its bounds", set_up, tear_down)
{
	uint8_t file[BYTES];
	struct symbols *symbols;
	unsigned opened = 0;

	for (size_t i = 0; i < BYTES - 1; i++) {
		bool is_cut = i % 2;

		make(file, SHT_SYMTAB);
		if (!is_cut)
			file[i] = file[i + 1] = 0xff;
		if (open_bytes(file, is_cut ? i : BYTES, &symbols))
			continue;
		opened++;
		for (uint64_t offset = 0; offset < BYTES; offset += 3)
			assert_true(strlen(at(symbols, offset)) < 32);
		symbols_close(symbols);
	}
	assert_true(opened > 100);
}

UNIT_BEGIN()
{
	return __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ ? "symbols are read where the least byte comes first" : NULL;
}
