/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small ELF file with two functions and a table of them, for tests of what decodes code. */
#ifndef TESTS_UNIT_TINY_ELF_H
#define TESTS_UNIT_TINY_ELF_H

#include <elf.h>
#include <endian.h>
#include <stdint.h>
#include <string.h>

#define TINY_CODE_OFFSET 0x400 /* in the file */
#define TINY_CODE_ADDRESS 0x11400
#define TINY_TABLE_OFFSET 0x200
#define TINY_TABLE_ADDRESS 0x10200
#define TINY_BYTES 0x480

static const uint8_t tiny_code[] = {
	0x48, 0x8b, 0x07,                   /*  0: mov (%rdi),%rax */
	0x48, 0x01, 0xd8,                   /*  3: add %rbx,%rax */
	0x75, 0xf8,                         /*  6: jne 0 */
	0xeb, 0x03,                         /*  8: jmp 13 */
	0x48, 0x89, 0x07,                   /* 10: mov %rax,(%rdi) */
	0xc3,                               /* 13: ret */
	0x90, 0x90,                         /* 14: behind the function's end */
	0xc7, 0x07, 0x01, 0x00, 0x00, 0x00, /* 16: movl $1,(%rdi), a second function */
	0x48, 0x8b, 0x3f,                   /* 22: mov (%rdi),%rdi, which overwrites its base */
	0xf3, 0x48, 0xab,                   /* 25: rep stos */
	0xc3,                               /* 28: ret */
};

static inline void tiny_put(uint8_t *at, int64_t value)
{
	uint32_t word = htole32((uint32_t)value);

	memcpy(at, &word, sizeof(word));
}

/* A description of a function (length, pointer to the common part, begin relative to itself, size) and its row. */
static inline void tiny_function(uint8_t *file, unsigned index, unsigned begin, unsigned size)
{
	unsigned description = TINY_TABLE_OFFSET + 0x80 + 16 * index, row = TINY_TABLE_OFFSET + 12 + 8 * index;
	int64_t address = TINY_TABLE_ADDRESS + 0x80 + 16 * index;

	tiny_put(file + description, 12);
	tiny_put(file + description + 8, TINY_CODE_ADDRESS + begin - (address + 8));
	tiny_put(file + description + 12, size);
	tiny_put(file + row, TINY_CODE_ADDRESS + begin - TINY_TABLE_ADDRESS);
	tiny_put(file + row + 4, address - TINY_TABLE_ADDRESS);
}

static inline void tiny_elf(uint8_t file[TINY_BYTES])
{
	Elf64_Ehdr elf = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_DYN,
		.e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_phoff = sizeof(elf), .e_ehsize = sizeof(elf),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 3};
	Elf64_Phdr headers[3] = {
		{.p_type = PT_LOAD, .p_flags = PF_R, .p_offset = 0, .p_vaddr = 0x10000, .p_filesz = 0x400, .p_memsz = 0x400},
		{.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = TINY_CODE_OFFSET, .p_vaddr = TINY_CODE_ADDRESS,
			.p_filesz = sizeof(tiny_code), .p_memsz = sizeof(tiny_code)},
		{.p_type = PT_GNU_EH_FRAME, .p_flags = PF_R, .p_offset = TINY_TABLE_OFFSET, .p_vaddr = TINY_TABLE_ADDRESS,
			.p_filesz = 0x1c, .p_memsz = 0x1c},
	};

	memset(file, 0, TINY_BYTES);
	memcpy(file, &elf, sizeof(elf));
	memcpy(file + sizeof(elf), headers, sizeof(headers));
	file[TINY_TABLE_OFFSET] = 1;
	file[TINY_TABLE_OFFSET + 1] = 0x1b;
	file[TINY_TABLE_OFFSET + 2] = 0x03;
	file[TINY_TABLE_OFFSET + 3] = 0x3b;
	tiny_put(file + TINY_TABLE_OFFSET + 8, 2);
	tiny_function(file, 0, 0, 14);
	tiny_function(file, 1, 16, 13);
	memcpy(file + TINY_CODE_OFFSET, tiny_code, sizeof(tiny_code));
}

#endif
