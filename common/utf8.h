/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef COMMON_UTF8_H
#define COMMON_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character at text, of which length >= 1 bytes are there: how many bytes it takes. 0: none is there. More than
 * length: one may be there that goes on behind the end. Surrogates, which no UTF-8 has, are decoded like the others. */
size_t utf8_decode(const char *text, size_t length, uint32_t *code);
/* The same where a NUL ends the text. */
#define UTF8_UP_TO_NUL 4
static inline bool utf8_is_surrogate(uint32_t code)
{
	return code >> 11 == 0x1b;
}
/* No control, no mark that breaks lines or changes the direction of writing, no surrogate. */
bool utf8_is_shown(uint32_t code);

#endif
