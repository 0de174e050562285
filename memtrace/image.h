/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code of a program or library, from its ELF file, and where its instructions begin.
 *
 * x86 code cannot be read backwards. The table in .eh_frame_hdr, which stripped files have as well, names the beginning of each
 * function; from there instructions are counted forward, a function at a time and once. 64-bit little-endian files only.
 */
#ifndef MEMTRACE_IMAGE_H
#define MEMTRACE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

/* 0 or -errno: -ENOEXEC not such a file, or broken; -ENODATA no table of functions. Reads the executable parts; what a file
 * says makes it use no more memory than 1.2 times its own size. */
int image_open(const char *path, struct image **image);
/* The same from memory, as of the vdso. */
int image_from_memory(const void *bytes, size_t size, struct image **image);
void image_close(struct image *image);
size_t image_functions(const struct image *image);

/* The code from this place in the file on. NULL = none; at most `size` bytes. */
const uint8_t *image_code(const struct image *image, uint64_t offset, size_t *size);

enum image_answer {
	IMAGE_FOUND,
	IMAGE_NO_CODE, /* in no function of the table, or not at the beginning of an instruction */
	IMAGE_BRANCH,  /* the instruction before has not run right before: it does not go on, or here the function begins */
};

/* offset: in the file, where the instruction pointer was. bytes: the length of the instruction before it. */
enum image_answer image_before(struct image *image, uint64_t offset, unsigned *bytes);

#endif
