/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/plot.h"

#include <stdint.h>
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

void plot_append(char *text, size_t length, const char *glue, const char *part)
{
	size_t used = strlen(text);

	if (part[0])
		snprintf(text + used, length - used, "%s%s", used ? glue : "", part);
}

/* --- names of several parts --- */

static size_t count_parts(const char *name)
{
	size_t count = 1;

	for (; *name; name++)
		count += *name == '.';
	return count;
}

void plot_parts_add(struct plot_parts *parts, const char *name)
{
	const char *first = parts->first;

	if (!parts->names++) {
		parts->count = count_parts(name);
		parts->is_uneven = parts->count > PLOT_PARTS_MAX || strlen(name) >= sizeof(parts->first);
		snprintf(parts->first, sizeof(parts->first), "%s", name);
		return;
	}
	if (parts->is_uneven || count_parts(name) != parts->count) {
		parts->is_uneven = true;
		return;
	}
	for (size_t i = 0; i < parts->count; i++) {
		size_t length = strcspn(name, "."), other = strcspn(first, ".");

		if (length != other || strncmp(name, first, length) != 0)
			parts->differs[i] = true;
		name += length + (name[length] == '.');
		first += other + (first[other] == '.');
	}
}

static bool is_shortened(const struct plot_parts *parts)
{
	size_t different = 0;

	for (size_t i = 0; i < parts->count && !parts->is_uneven; i++)
		different += parts->differs[i];
	return different > 0;
}

static char *take(const struct plot_parts *parts, const char *name, bool differs, char *text, size_t length)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < parts->count && used < length; i++) {
		size_t part = strcspn(name, ".");

		if (parts->differs[i] == differs)
			used += (size_t)snprintf(text + used, length - used, "%s%.*s", used ? "." : "", (int)part, name);
		name += part + (name[part] == '.');
	}
	return text;
}

char *plot_parts_own(const struct plot_parts *parts, const char *name, char *text, size_t length)
{
	if (is_shortened(parts) && count_parts(name) == parts->count)
		return take(parts, name, true, text, length);
	snprintf(text, length, "%s", name);
	return text;
}

char *plot_parts_common(const struct plot_parts *parts, char *text, size_t length)
{
	if (is_shortened(parts))
		return take(parts, parts->first, false, text, length);
	text[0] = '\0';
	return text;
}
