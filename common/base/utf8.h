/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef COMMON_BASE_UTF8_H
#define COMMON_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Decodes the character at text, which has length >= 1 bytes, and returns its number of bytes; 0 when it is not UTF-8. A result
 * above length means that the character may continue after the end. Surrogates, which UTF-8 does not allow, are decoded like
 * the others. */
size_t utf8_decode(const char *text, size_t length, uint32_t *code);
/* Length to pass for a text that ends with a NUL. */
#define UTF8_UP_TO_NUL 4
static inline bool utf8_is_surrogate(uint32_t code)
{
	return code >> 11 == 0x1b;
}
/* Tells whether a character is no control, no mark that breaks lines or changes the direction of writing, and no surrogate. */
bool utf8_is_shown(uint32_t code);

/* Returns the number of characters, which is taken as the number of terminal columns: wide characters are rare enough to count
 * as one. */
size_t utf8_width(const char *text, size_t length);
/* Prints the words of text, up to its end or a newline, wrapped at width, starting in column at, which may be beyond indent;
 * lines after the first are indented. Does not end the line. Returns the end of the printed text. */
const char *utf8_wrap(FILE *out, size_t at, size_t indent, size_t width, const char *text);

#endif
