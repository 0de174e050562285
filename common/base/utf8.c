/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/base/utf8.h"

#include <string.h>

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

size_t utf8_width(const char *text, size_t length)
{
	size_t width = 0;

	for (size_t i = 0; i < length; i++)
		width += ((unsigned char)text[i] & 0xc0) != 0x80;
	return width;
}

const char *utf8_wrap(FILE *out, size_t at, size_t indent, size_t width, const char *text)
{
	while (*text && *text != '\n') {
		size_t bytes = strcspn(text, " \n"), length = utf8_width(text, bytes);

		if (at > indent && at + 1 + length > width) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			putc(' ', out);
			at++;
		}
		fwrite(text, 1, bytes, out);
		at += length;
		text += bytes;
		text += strspn(text, " ");
	}
	return text;
}
