/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/utf8.h"

size_t utf8_decode(const char *text, size_t length, uint32_t *code)
{
	static const uint32_t first[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *at = (const unsigned char *)text;
	size_t size = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;

	*code = size > 1 ? at[0] & (0xffu >> (size + 1)) : at[0];
	for (size_t i = 1; i < size; i++) {
		if (i == length)
			return size;
		if (at[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (at[i] & 0x3fu);
	}
	return *code < first[size] || *code > 0x10ffff ? 0 : size;
}

bool utf8_is_shown(uint32_t code)
{
	return code >= ' ' && !(code >= 0x7f && code < 0xa0) && !utf8_is_surrogate(code) && code != 0x61c && code != 0x200e &&
	       code != 0x200f && !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069);
}
