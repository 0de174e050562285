/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds functions of a program or library by the symbols of its ELF file: .symtab, or .dynsym if it is stripped. */
#ifndef MEMTRACE_NAMES_SYMBOLS_H
#define MEMTRACE_NAMES_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct symbols;

/* Reads the symbols of a file; a file without symbols has none. Memory use is limited to twice the size of the file. Returns 0
 * or -errno; -ENOEXEC if it is not a 64-bit little-endian ELF file, or is broken. */
int symbols_open(const char *path, struct symbols **symbols);
/* Computes the address, as in the file, of an offset in the file. Returns false if that offset is not loaded. */
bool symbols_address(const struct symbols *symbols, uint64_t offset, uint64_t *address);
/* Returns the function that contains the address, or NULL if there is none; begin receives its first address. The name lives as
 * long as the symbols. */
const char *symbols_find(const struct symbols *symbols, uint64_t address, uint64_t *begin);
void symbols_close(struct symbols *symbols);

#endif
