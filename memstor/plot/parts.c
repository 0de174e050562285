/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/parts.h"

#include <stdio.h>
#include <string.h>

static size_t count_parts(const char *name)
{
	size_t count = 1;

	for (; *name; name++)
		count += *name == '.';
	return count;
}

static void add_first(struct plot_parts *parts, const char *name)
{
	parts->count = count_parts(name);
	parts->is_uneven = parts->count > PLOT_PARTS_MAX || strlen(name) >= sizeof(parts->first);
	snprintf(parts->first, sizeof(parts->first), "%s", name);
}

void plot_parts_add(struct plot_parts *parts, const char *name)
{
	const char *first = parts->first;

	if (!parts->names++) {
		add_first(parts, name);
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
