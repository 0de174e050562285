/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/loaded/loaded.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/units.h"
#include "memstor/loaded/private.h"

void loaded_say(char *why, size_t length, const char *path, const struct report_node *node, const char *format,
	va_list arguments)
{
	int used;

	if (length == 0 || why[0])
		return;
	if (node)
		used = snprintf(why, length, "%s:%u: ", path, node->line);
	else
		used = snprintf(why, length, "%s: ", path);
	if (used >= 0 && (size_t)used < length)
		vsnprintf(why + used, length - (size_t)used, format, arguments);
	/* Names and texts of the file may hold anything. */
	diag_clean(why, strlen(why), "");
}

int loaded_refuse(struct loading *loading, const struct report_node *node, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	loaded_say(loading->why, loading->length, loading->loaded.path, node, format, arguments);
	va_end(arguments);
	return -EBADMSG;
}

size_t loaded_count(const struct report_node *parent, const char *name)
{
	size_t count = 0;

	for (const struct report_node *node = parent ? parent->child : NULL; node; node = node->next)
		count += !name || strcmp(node->name, name) == 0;
	return count;
}

int loaded_attribute_u64(
	struct loading *loading, const struct report_node *node, const char *name, uint64_t *value)
{
	const char *text = report_read_attribute(node, name);

	if (!text)
		return loaded_refuse(loading, node, "<%s> has no %s", node->name, name);
	if (units_parse_u64(text, 0, UINT64_MAX, value))
		return loaded_refuse(loading, node, "%s=\"%.40s\" of <%s>: allowed are whole numbers from 0 to 2^64-1",
			name, text, node->name);
	return 0;
}

int loaded_number(
	struct loading *loading, const struct report_node *node, const char *name, const char *text, double *value)
{
	int err = units_parse_double(text, -DBL_MAX, DBL_MAX, value);

	if (err && err != -ENOMEM)
		err = loaded_refuse(loading, node, "<%.40s> is '%.40s': allowed are finite numbers", name, text);
	return err;
}

int loaded_whole(struct loading *loading, const struct report_node *node, uint64_t *value)
{
	if (!units_parse_u64(node->text, 0, UINT64_MAX, value))
		return 0;
	return loaded_refuse(loading, node, "<%s> is '%.40s': allowed are whole numbers from 0 to 2^64-1", node->name, node->text);
}

int loaded_child_double(
	struct loading *loading, const struct report_node *parent, const char *name, double *value)
{
	const struct report_node *node = report_read_find(parent, name);

	*value = NAN;
	return node ? loaded_number(loading, node, name, node->text, value) : 0;
}

int loaded_child_u64(
	struct loading *loading, const struct report_node *parent, const char *name, uint64_t *value)
{
	const struct report_node *node = report_read_find(parent, name);

	*value = 0;
	return node ? loaded_whole(loading, node, value) : 0;
}

static int take_apart(struct loading *loading, unsigned flags)
{
	int err = loaded_take_laws(loading);

	if (!err)
		err = loaded_take_texts(loading);
	if (!err)
		err = loaded_take_values(loading);
	if (!err)
		err = loaded_take_histograms(loading);
	if (!err)
		err = loaded_take_series(loading, flags);
	return loading->arena.is_short ? -ENOMEM : err;
}

int loaded_make(struct report_document *document, const char *name, unsigned flags, struct loaded **loaded, char *why,
	size_t length)
{
	struct loading *loading = calloc(1, sizeof(*loading));
	char reason[512] = "";
	int err = -ENOMEM;

	if (loading) {
		loading->loaded.document = document;
		loading->loaded.path = arena_copy(&loading->arena, name);
		loading->why = reason;
		loading->length = sizeof(reason);
		err = take_apart(loading, flags);
		loading->length = 0;
	} else {
		report_read_free(document);
	}
	if (!err) {
		*loaded = &loading->loaded;
		return 0;
	}
	if (loading)
		loaded_free(&loading->loaded);
	if (length && reason[0])
		snprintf(why, length, "%s", reason);
	else if (length)
		snprintf(why, length, "%s: %s", name, strerror(-err));
	return err;
}

int loaded_read(const char *path, unsigned flags, struct loaded **loaded)
{
	struct report_document *document;
	char why[512];
	int err = report_read_file(path, &document, why, sizeof(why));

	if (!err)
		err = loaded_make(document, path, flags, loaded, why, sizeof(why));
	if (!err)
		return DIAG_EXIT_OK;
	diag_error(0, "%s", why);
	return err == -ENOMEM ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
}

void loaded_free(struct loaded *loaded)
{
	struct loading *loading = (struct loading *)loaded;

	if (!loading)
		return;
	report_read_free((struct report_document *)loaded->document);
	arena_free(&loading->arena);
	free(loading);
}

const struct loaded_histogram *loaded_histogram_of(
	const struct loaded *loaded, const char *type, const char *class, const char *layout)
{
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		if (strcmp(histogram->type, type) == 0 && strcmp(histogram->class, class) == 0 &&
			(!layout || !strcmp(histogram->layout, layout)))
			return histogram;
	}
	return NULL;
}

const struct loaded_histogram *loaded_histogram(const struct loaded *loaded, const char *type, const char *class)
{
	return loaded_histogram_of(loaded, type, class, NULL);
}

const char *loaded_text_of(const struct loaded_text *texts, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(texts[i].name, name) == 0)
			return texts[i].value;
	}
	return NULL;
}

/* Returns the index of the next text of this name from index i on; the count if there is none. */
static size_t next_of(const struct loaded_texts *list, const char *name, size_t i)
{
	while (i < list->count && strcmp(list->texts[i].name, name) != 0)
		i++;
	return i;
}

bool loaded_texts_agree(const struct loaded_texts *one, const struct loaded_texts *other, const char *name)
{
	size_t i = next_of(one, name, 0), j = next_of(other, name, 0);

	while (i < one->count && j < other->count) {
		if (strcmp(one->texts[i].value, other->texts[j].value) != 0)
			return false;
		i = next_of(one, name, i + 1);
		j = next_of(other, name, j + 1);
	}
	return i == one->count && j == other->count;
}

size_t loaded_texts_differ(const struct loaded_texts *one, const struct loaded_texts *other, const char **names, size_t count,
	size_t max)
{
	size_t same = 0;

	/* Most lists are equal. */
	while (same < one->count && same < other->count && !strcmp(one->texts[same].name, other->texts[same].name) &&
		!strcmp(one->texts[same].value, other->texts[same].value))
		same++;
	if (same == one->count && same == other->count)
		return count;
	for (int pass = 0; pass < 2; pass++) {
		const struct loaded_texts *list = pass ? other : one;

		for (size_t i = 0; i < list->count && count < max; i++) {
			const char *name = list->texts[i].name;
			size_t known = 0;

			while (known < count && strcmp(names[known], name) != 0)
				known++;
			if (known == count && !loaded_texts_agree(one, other, name))
				names[count++] = name;
		}
	}
	return count;
}

const char *loaded_texts_join(struct arena *arena, const struct loaded_texts *list, const char *name, const char *gap)
{
	const char *joined = NULL;

	for (size_t i = next_of(list, name, 0); i < list->count; i = next_of(list, name, i + 1))
		joined = joined ? arena_format(arena, "%s%s%s", joined, gap, list->texts[i].value) : list->texts[i].value;
	return joined;
}

const char *loaded_option(const struct loaded *loaded, const char *name)
{
	return loaded_text_of(loaded->options, loaded->option_count, name);
}

double loaded_value_of(const struct loaded_value *values, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(values[i].name, name) == 0)
			return values[i].value;
	}
	return NAN;
}

double loaded_clock_step_ns(const struct loaded *loaded)
{
	static const char *const places[] = {"report/machine_info/time_source/effective_step_ns",
		"report/machine_info/time_source/granularity_ns", "report/result/clock/granularity_ns"};
	const struct report_node *root = loaded->document ? report_read_root(loaded->document) : NULL;
	double ns = NAN;

	for (size_t i = 0; root && isnan(ns) && i < sizeof(places) / sizeof(places[0]); i++)
		ns = report_read_number(root, places[i]);
	return ns;
}

double loaded_value(const struct loaded *loaded, const char *name)
{
	return loaded_value_of(loaded->values, loaded->value_count, name);
}

bool loaded_is_same(const struct field_record *record, const struct report_node *node, const struct report_node *other)
{
	char one[256], two[256];

	field_subject(record, node, one, sizeof(one));
	field_subject(record, other, two, sizeof(two));
	if (strcmp(one, two))
		return false;
	field_key(record, node, one, sizeof(one));
	field_key(record, other, two, sizeof(two));
	return !strcmp(one, two);
}

bool loaded_is_status(const char *status)
{
	return !strcmp(status, "ok") || !strcmp(status, "interrupted") || !strcmp(status, "untrustworthy");
}

double loaded_rate(const struct loaded_value *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct field *field = values[i].field;

		if (field && !strcmp(field->unit, "/s") && field->better == FIELD_BETTER_HIGHER)
			return values[i].value;
	}
	return NAN;
}

uint64_t loaded_operations(const struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->value_count; i++) {
		const struct loaded_value *value = &loaded->values[i];
		const struct field *field = value->field;

		if (field && field->type == FIELD_count && field->merge == FIELD_MERGE_SUM && !field->unit[0] &&
			field->better == FIELD_BETTER_NONE && value->value >= 0 && value->value < 0x1p64)
			return (uint64_t)value->value;
	}
	return 0;
}

double loaded_subject_value(const struct loaded_subject *subject, const char *name)
{
	return loaded_value_of(subject->values, subject->value_count, name);
}

const struct loaded_subject *loaded_subject(const struct loaded *loaded, const char *id)
{
	for (size_t i = 0; i < loaded->subject_count; i++) {
		if (strcmp(loaded->subjects[i].id, id) == 0)
			return &loaded->subjects[i];
	}
	return NULL;
}
