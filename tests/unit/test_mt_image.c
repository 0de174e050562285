/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <sys/auxv.h>

#include "memtrace/code/image.h"
#include "memtrace/code/instruction.h"
#include "tests/unit/tiny_elf.h"

static uint8_t file[TINY_BYTES];

static struct image *tiny_image(void)
{
	struct image *image;

	tiny_elf(file);
	assert_int_equal(image_from_memory(file, sizeof(file), &image), 0);
	return image;
}

TEST("the instruction before a place is found from the beginning of its function")
{
	static const struct {
		unsigned at;
		enum image_answer answer;
		unsigned bytes;
	} rows[] = {
		{3, IMAGE_FOUND, 3}, {6, IMAGE_FOUND, 3}, {8, IMAGE_FOUND, 2}, {22, IMAGE_FOUND, 6},
		{25, IMAGE_FOUND, 3},
		{0, IMAGE_BRANCH, 0},  /* the function's beginning */
		{16, IMAGE_BRANCH, 0},
		{10, IMAGE_BRANCH, 0}, /* behind a jump */
		{13, IMAGE_FOUND, 3},  /* a branch leads there as well */
		{1, IMAGE_NO_CODE, 0}, /* inside of an instruction */
		{5, IMAGE_NO_CODE, 0},
		{14, IMAGE_NO_CODE, 0}, /* behind the function's end */
		{15, IMAGE_NO_CODE, 0},
		{40, IMAGE_NO_CODE, 0},
	};
	struct image *image;

	if (instruction_why_not())
		skip();
	image = tiny_image();
	assert_int_equal(image_functions(image), 2);
	/* Twice: by counting, then from what was counted. */
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned row = i % (sizeof(rows) / sizeof(rows[0])), bytes = 0;
		enum image_answer answer = image_before(image, TINY_CODE_OFFSET + rows[row].at, &bytes);

		if (answer != rows[row].answer || bytes != rows[row].bytes)
			fail_msg("%u: answer %d, %u bytes", rows[row].at, answer, bytes);
	}
	image_close(image);
}

TEST("a block ends where a jump of any function or of the code between them leads, and is none beside jumps by a register")
{
	static const struct {
		unsigned patch, bytes; /* where what replaces code */
		const char *code;
		unsigned at, most, block;
	} rows[] = {
		{0, 0, "", 6, 9, 6},
		{0, 0, "", 6, 1, 3},
		{0, 0, "", 3, 9, 3},
		{0, 0, "", 8, 9, 8},
		{0, 0, "", 0, 9, 0},  /* the function's beginning */
		{0, 0, "", 10, 9, 0}, /* behind a jump */
		{0, 0, "", 13, 9, 0}, /* the target of a jump */
		{0, 0, "", 5, 9, 0},  /* inside of an instruction */
		{0, 0, "", 28, 9, 12},
		{6, 2, "\x75\xfb", 6, 9, 3},              /* jne 3 */
		{14, 2, "\xeb\x06", 22, 9, 0},            /* jmp 22, behind the first function */
		{14, 2, "\xeb\x06", 28, 9, 6},
		{14, 2, "\xeb\x10", 28, 9, 12},           /* jmp 32, which is no code */
		{8, 5, "\xe9\x09\x00\x00\x00", 28, 9, 6}, /* jmp 22, from the other function */
		{7, 6, "\x0f\x84\x09\x00\x00\x00", 28, 9, 6}, /* the last five bytes alone are no jump */
		{10, 2, "\xff\xe0", 6, 9, 0},             /* jmp *%rax */
		{10, 3, "\xff\x24\xc7", 6, 9, 0},        /* jmp *(%rdi,%rax,8) */
		{8, 6, "\xff\x25\x00\x00\x00\x00", 6, 9, 6}, /* jmp *0(%rip): to another function */
	};

	if (instruction_why_not())
		skip();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct image *image;
		size_t block;

		tiny_elf(file);
		for (unsigned j = 0; j < rows[i].bytes; j++)
			file[TINY_CODE_OFFSET + rows[i].patch + j] = (uint8_t)rows[i].code[j];
		assert_int_equal(image_from_memory(file, sizeof(file), &image), 0);
		for (unsigned twice = 0; twice < 2; twice++) {
			block = image_block(image, TINY_CODE_OFFSET + rows[i].at, rows[i].most);
			if (block != rows[i].block)
				fail_msg("row %zu: %zu bytes", i, block);
		}
		image_close(image);
	}
}

TEST("code is found by its place in the file")
{
	struct image *image;
	size_t size = 100;

	tiny_elf(file);
	if (image_from_memory(file, sizeof(file), &image))
		skip();
	assert_memory_equal(image_code(image, TINY_CODE_OFFSET + 16, &size), tiny_code + 16, sizeof(tiny_code) - 16);
	assert_int_equal(size, sizeof(tiny_code) - 16);
	size = 100;
	assert_null(image_code(image, TINY_TABLE_OFFSET, &size));
	assert_null(image_code(image, TINY_BYTES + 1, &size));
	image_close(image);
}

TEST("a file without a table, another file and a broken one are refused")
{
	struct image *image;

	/* Not on big-endian machines. */
	tiny_elf(file);
	if (image_from_memory(file, sizeof(file), &image))
		skip();
	image_close(image);
	file[TINY_TABLE_OFFSET + 3] = 0x1b;
	assert_int_equal(image_from_memory(file, sizeof(file), &image), -ENODATA);
	tiny_elf(file);
	file[4] = ELFCLASS32;
	assert_int_equal(image_from_memory(file, sizeof(file), &image), -ENOEXEC);
	tiny_elf(file);
	tiny_put(file + TINY_TABLE_OFFSET + 8, 3); /* more functions than there is space for */
	assert_int_equal(image_from_memory(file, sizeof(file), &image), -ENOEXEC);
	tiny_elf(file);
	for (size_t size = 0; size < sizeof(file); size += 7) {
		if (!image_from_memory(file, size, &image))
			image_close(image);
		else
			assert_true(size < TINY_CODE_OFFSET + sizeof(tiny_code));
	}
	assert_int_equal(image_open("/proc/none", &image), -ENOENT);
	assert_int_equal(image_open("/dev/null", &image), -ENODEV);
	assert_int_equal(image_open("/", &image), -EISDIR);
}

TEST("any changed byte of a file is survived")
{
	struct image *image;
	unsigned bytes;

	for (size_t at = 0; at < TINY_CODE_OFFSET; at++) {
		tiny_elf(file);
		file[at] ^= 0xff;
		if (image_from_memory(file, sizeof(file), &image))
			continue;
		for (unsigned i = 0; i < sizeof(tiny_code); i++) {
			(void)image_before(image, TINY_CODE_OFFSET + i, &bytes);
			(void)image_block(image, TINY_CODE_OFFSET + i, 9);
		}
		image_close(image);
	}
}

TEST("this program has a table")
{
	struct image *image;

	if (image_open("/proc/self/exe", &image) == -ENOEXEC)
		skip();
	assert_true(image_functions(image) > 20);
	image_close(image);
}
