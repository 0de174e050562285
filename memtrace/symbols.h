/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of a program or library by the symbols of its ELF file: .symtab, or .dynsym of a stripped one. */
#ifndef MEMTRACE_SYMBOLS_H
#define MEMTRACE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct symbols;

/* 0 or -errno: -ENOEXEC not a 64-bit little-endian ELF file, or broken. One without symbols has none. Uses no more memory than
 * twice the size of the file. */
int symbols_open(const char *path, struct symbols **symbols);
/* The address, as the file has it, of what is at an offset in the file. False: it is not loaded. */
bool symbols_address(const struct symbols *symbols, uint64_t offset, uint64_t *address);
/* The function that the address is in, and where that begins. NULL = none; lives as long as the symbols. */
const char *symbols_find(const struct symbols *symbols, uint64_t address, uint64_t *begin);
void symbols_close(struct symbols *symbols);

#endif
