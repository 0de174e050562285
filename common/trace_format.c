/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/trace_format.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/sysfs.h"

#define LIMIT 65536

/* The number after this word in [at, end). */
static bool read_after(const char *at, const char *end, const char *word, uint64_t *value)
{
	const char *found = memmem(at, (size_t)(end - at), word, strlen(word));

	return found && sysfs_scan_u64(found + strlen(word), value);
}

int trace_format_id(const char *text, unsigned *id)
{
	const char *at = strstr(text, "\nID: ");
	uint64_t value;

	if (!at || !sysfs_scan_u64(at + 5, &value) || value > UINT16_MAX)
		return -EINVAL;
	*id = (unsigned)value;
	return 0;
}

/* A declaration "unsigned int nr_sector" or "char rwbs[10]" is of the name that is its last word. */
static bool is_named(const char *at, const char *end, const char *name)
{
	const char *bracket = memchr(at, '[', (size_t)(end - at));
	size_t length = strlen(name);

	if (bracket)
		end = bracket;
	return (size_t)(end - at) > length && !memcmp(end - length, name, length) && strchr(" *", end[-(ptrdiff_t)length - 1]);
}

static int find_field(const char *text, const char *name, bool is_number, struct trace_field *field)
{
	static const char word[] = "field:";

	for (const char *at = strstr(text, word); at; at = strstr(at, word)) {
		const char *end = at + strcspn(at, "\n"), *semicolon = memchr(at, ';', (size_t)(end - at));
		uint64_t offset, size;

		if (semicolon && is_named(at, semicolon, name)) {
			if (!read_after(semicolon, end, "offset:", &offset) || !read_after(semicolon, end, "size:", &size) ||
				offset > LIMIT || size > LIMIT ||
				(is_number && !(size == 1 || size == 2 || size == 4 || size == 8)))
				return -EINVAL;
			*field = (struct trace_field){(unsigned)offset, (unsigned)size};
			return 0;
		}
		at = end;
	}
	return -ENOENT;
}

int trace_format_field(const char *text, const char *name, struct trace_field *field)
{
	return find_field(text, name, true, field);
}

int trace_format_array(const char *text, const char *name, struct trace_field *field)
{
	return find_field(text, name, false, field);
}

uint64_t trace_field_get(const struct trace_field *field, const void *event, size_t size)
{
	const char *at = (const char *)event + field->offset;
	uint64_t value = 0;
	uint32_t word;
	uint16_t half;

	if ((size_t)field->offset + field->size > size)
		return 0;
	switch (field->size) {
	case 0:
		return 0;
	case 1:
		return (unsigned char)*at;
	case 2:
		memcpy(&half, at, sizeof(half));
		return half;
	case 4:
		memcpy(&word, at, sizeof(word));
		return word;
	default:
		memcpy(&value, at, sizeof(value));
		return value;
	}
}
