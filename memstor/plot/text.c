/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/utf8.h"

static bool is_continuation(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Not what XML 1.0 has no place for either. */
static bool is_shown(uint32_t code)
{
	return utf8_is_shown(code) && (code & 0xfffe) != 0xfffe;
}

size_t plot_text_clean(const char *text, size_t columns, char *copy, size_t length)
{
	const char *from = text;
	size_t used = 0, count = 0, cut = 0, cut_count = 0;

	while (*from) {
		uint32_t code = 0;
		size_t size = utf8_decode(from, UTF8_UP_TO_NUL, &code);
		bool is_blank = *from == '\t' || *from == '\n' || *from == '\r';

		if (count == columns || used + (size ? size : 1) >= length) {
			/* "..." takes the place of what stood behind the last place where it fits. */
			snprintf(copy + cut, length - cut, "...");
			return cut_count + 3;
		}
		if (size && is_shown(code))
			memcpy(copy + used, from, size);
		else
			copy[used] = is_blank ? ' ' : '?';
		used += size && is_shown(code) ? size : 1;
		count++;
		if (count + 3 <= columns && used + 4 <= length) {
			cut = used;
			cut_count = count;
		}
		from += size ? size : 1;
	}
	copy[used] = '\0';
	return count;
}

size_t plot_text_columns(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += !is_continuation((unsigned char)*text);
	return columns;
}

const char *plot_text_break(const char *text, size_t columns, size_t *size)
{
	const char *at = text, *blank = NULL;
	size_t count = 0;

	for (; *at; at++) {
		if (is_continuation((unsigned char)*at))
			continue;
		if (*at == ' ' && at > text)
			blank = at;
		if (count++ == columns) {
			*size = (size_t)((blank ? blank : at) - text);
			return blank ? blank + 1 : at;
		}
	}
	*size = (size_t)(at - text);
	return NULL;
}

void plot_text_write(struct plot_texts *texts, FILE *out, const char *text, bool is_format)
{
	char clean[PLOT_TEXT], line[2 * PLOT_TEXT + 2] = " ";
	size_t used = 1;
	char *grown;

	if (plot_text_clean(text, sizeof(clean), clean, sizeof(clean)) == 0) {
		fputs("\"\"", out);
		return;
	}
	for (const char *at = clean; *at; at++) {
		if (*at == '%' && is_format)
			line[used++] = '%';
		line[used++] = *at;
	}
	line[used++] = '\n';
	grown = realloc(texts->lines, texts->used + used);
	if (!grown) {
		texts->is_short = true;
		return;
	}
	memcpy(grown + texts->used, line, used);
	texts->lines = grown;
	texts->used += used;
	fprintf(out, "$texts[%zu][2:*]", ++texts->count);
}

void plot_text_write_block(FILE *out, const struct plot_texts *texts)
{
	if (texts->count == 0)
		return;
	fputs("$texts << " PLOT_TEXTS_END "\n", out);
	fwrite(texts->lines, 1, texts->used, out);
	fputs(PLOT_TEXTS_END "\n", out);
}

void plot_text_free(struct plot_texts *texts)
{
	free(texts->lines);
	*texts = (struct plot_texts){0};
}

void plot_text_xml(FILE *out, const char *text)
{
	char copy[4 * PLOT_TEXT];

	plot_text_clean(text, sizeof(copy), copy, sizeof(copy));
	for (const char *at = copy; *at; at++) {
		switch (*at) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		default:
			putc(*at, out);
		}
	}
}
