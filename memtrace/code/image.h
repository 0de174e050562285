/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code of a program or library, from its ELF file, and the boundaries of its instructions.
 *
 * x86 code cannot be decoded backwards. The table in .eh_frame_hdr, which stripped files have as well, has the beginning of each
 * function; from there instructions are decoded forward, one function at a time and once. Only 64-bit little-endian files are read.
 */
#ifndef MEMTRACE_CODE_IMAGE_H
#define MEMTRACE_CODE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

/* Opens a file and reads its executable parts. Returns 0 or -errno; -ENOEXEC if it is not such a file or is broken, -ENODATA if
 * it has no table of functions. Memory use is limited to 1.3 times the size of the file, whatever its contents. */
int image_open(const char *path, struct image **image);
/* The same from memory, for the vdso. */
int image_from_memory(const void *bytes, size_t size, struct image **image);
/* Makes an image of the code of one function at an address; offsets in the image are addresses. It has no blocks, because
 * programs that generate code also enter it in the middle. Returns 0 or -ENOMEM. */
int image_from_code(uint64_t address, const void *bytes, size_t size, struct image **image);
void image_close(struct image *image);
size_t image_functions(const struct image *image);

/* Returns the code from this offset in the file on, at most `size` bytes, or NULL if there is none. */
const uint8_t *image_code(const struct image *image, uint64_t offset, size_t *size);

enum image_answer {
	IMAGE_FOUND,
	IMAGE_NO_CODE, /* the offset is in no function of the table, or not at the beginning of an instruction */
	IMAGE_BRANCH,  /* the preceding instruction does not continue here, or a function begins here */
};

/* Finds the instruction before the one at offset (in the file, of the instruction pointer). bytes receives its length. */
enum image_answer image_before(struct image *image, uint64_t offset, unsigned *bytes);
/*
 * Returns the number of bytes of at most `most` instructions before offset that must have run one after the other if the
 * instruction pointer is there: no jump leads between them or to offset. Returns 0 if there are none, or the function has a jump
 * through a register or a table. It is assumed that such a jump does not lead into the middle of another function.
 */
size_t image_block(struct image *image, uint64_t offset, unsigned most);

#endif
